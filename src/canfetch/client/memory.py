"""What a client remembers, bounded by octets: the least recently used origin goes first."""

import threading
from collections import OrderedDict
from typing import Final

from canfetch.client.known_origin import KnownOrigin
from canfetch.core.origin import Origin

# Beginnings of URLs whose origin is known, so that the next one need not be taken apart.
_REMEMBERED_PREFIXES: Final = 65536


class OriginMemory:
    """Known origins by name; safe for the threads of a process."""

    __slots__ = ("_by_name", "_limit_octets", "_lock", "_octets", "_origins_by_prefix")

    def __init__(self, limit_octets: int) -> None:
        self._limit_octets = limit_octets
        self._octets = 0
        self._lock = threading.Lock()
        self._by_name: OrderedDict[str, KnownOrigin] = OrderedDict()
        self._origins_by_prefix: dict[str, Origin] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def octets_held(self) -> int:
        """About how many octets of memory the origins take."""
        return self._octets

    def get(self, name: str) -> KnownOrigin | None:
        """Give what is known of an origin, and count it as used."""
        with self._lock:
            known = self._by_name.get(name)
            if known is not None:
                self._by_name.move_to_end(name)
            return known

    def put(self, name: str, known: KnownOrigin) -> None:
        """Remember an origin, and forget the least recently used ones past the bound."""
        with self._lock:
            before = self._by_name.pop(name, None)
            self._octets += known.octets_held - (0 if before is None else before.octets_held)
            self._by_name[name] = known
            while self._octets > self._limit_octets and len(self._by_name) > 1:
                _, forgotten = self._by_name.popitem(last=False)
                self._octets -= forgotten.octets_held

    def forget(self, name: str) -> None:
        """Forget an origin."""
        with self._lock:
            before = self._by_name.pop(name, None)
            self._octets -= 0 if before is None else before.octets_held

    def origin_of(self, url: str | bytes) -> Origin:
        """Give the origin of a URL; one with a beginning seen before is not taken apart again.

        Raises: InvalidURL.
        """
        if not isinstance(url, str):
            return Origin.of(url)
        prefix = url[: url.find("/", url.find("://") + 3)]
        origin = self._origins_by_prefix.get(prefix)
        if origin is None:
            origin = Origin.of(url)
            if len(self._origins_by_prefix) >= _REMEMBERED_PREFIXES:
                self._origins_by_prefix.clear()
            if not {*prefix} & {*"?#@"} and url.startswith(prefix + "/"):
                self._origins_by_prefix[prefix] = origin
        return origin
