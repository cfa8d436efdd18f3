"""What a client remembers, bounded by octets: an origin that nobody asked about for long goes first."""

import threading
from collections import OrderedDict

from canfetch.client.kept_file import KeptFile
from canfetch.client.known_origin import KnownOrigin
from canfetch.core.origin import Origin


class OriginMemory:
    """Known origins by name; safe for the threads of a process.

    Who looks up takes no lock: it leaves a mark. Where room is needed, origins with a mark lose it and go
    to the end of the line, and the first one without goes.
    """

    __slots__ = ("_by_name", "_files", "_limit_octets", "_lock", "_octets")

    def __init__(self, limit_octets: int) -> None:
        self._limit_octets = limit_octets
        self._octets = 0
        self._lock = threading.Lock()
        self._by_name: OrderedDict[str, KnownOrigin] = OrderedDict()
        # What origins have, by its octets: the hosts of one platform have the same file a thousand times.
        self._files: dict[bytes, KeptFile] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def octets_held(self) -> int:
        """About how many octets of memory the origins take."""
        return self._octets

    def find(self, url: str | bytes) -> KnownOrigin | None:
        """Give what is known of a URL's origin, and count it as used.

        Raises: InvalidURL.
        Cost: a look-up, for a known origin that the URL begins with as its name is written; a URL that is
            written in another way is taken apart.
        """
        if isinstance(url, str):
            end = url.find("/", url.find("://") + 3)
            # Nothing but a name and a slash behind it is known to end there: example.co is no beginning of example.com.
            known = self._by_name.get(url[:end]) if end > 0 else None
            if known is not None:
                known.used = True
                return known
        return self.get(str(Origin.of(url)))

    def get(self, name: str) -> KnownOrigin | None:
        """Give what is known of an origin, and count it as used."""
        known = self._by_name.get(name)
        if known is not None:
            known.used = True
        return known

    def put(self, known: KnownOrigin) -> None:
        """Remember an origin, and forget others past the bound.

        Cost: a look at each origin that was used since the last time, at worst.
        """
        # The entry's own text, which is there in any case.
        name = known.entry.origin
        with self._lock:
            before = self._by_name.get(name)
            self._hold(known)
            # In place: who looks up without the lock never misses an origin that stays.
            self._by_name[name] = known
            self._by_name.move_to_end(name)
            if before is not None:
                self._let_go(before)
            while self._octets > self._limit_octets and len(self._by_name) > 1:
                first, oldest = next(iter(self._by_name.items()))
                if oldest.used or oldest is known:
                    oldest.used = False
                    self._by_name.move_to_end(first)
                else:
                    del self._by_name[first]
                    self._let_go(oldest)

    def forget(self, name: str) -> None:
        """Forget an origin."""
        with self._lock:
            before = self._by_name.pop(name, None)
            if before is not None:
                self._let_go(before)

    def _hold(self, known: KnownOrigin) -> None:
        self._octets += known.octets_held
        if known.file is None:
            return
        file = self._files.setdefault(known.file.octets, known.file)
        if file is not known.file:
            known.share(file)
        if not file.holders:
            self._octets += file.octets_held
        file.holders += 1

    def _let_go(self, known: KnownOrigin) -> None:
        self._octets -= known.octets_held
        file = known.file
        if file is None:
            return
        file.holders -= 1
        if not file.holders:
            # The last one that has it takes it along.
            self._octets -= file.octets_held
            del self._files[file.octets]
