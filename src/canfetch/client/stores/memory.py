"""A store in memory: for tests, and for clients of one process that share what they know."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from canfetch.access.entries import Entry
from canfetch.client.forking import renewed_in_children


class MemoryStore:
    """Keeps entries as plain data in a dictionary; safe for the threads of a process."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._plain: dict[str, dict[str, Any]] = {}
        self.renew_in_child()
        renewed_in_children(self)

    def renew_in_child(self) -> None:
        """Forget, in a process that was forked, the leases: they are the parent's, and end there."""
        self._lock = threading.Lock()
        self._leases: dict[str, tuple[str, float]] = {}

    def get(self, origin: str) -> Entry | None:
        """Give the entry of an origin, or None."""
        with self._lock:
            plain = self._plain.get(origin)
        return None if plain is None else Entry.from_plain(plain)

    def put(self, entry: Entry) -> None:
        """Keep an entry in place of the origin's last."""
        plain = entry.to_plain()
        with self._lock:
            self._plain[entry.origin] = plain

    def delete(self, origin: str) -> bool:
        """Forget an origin; say whether it was known."""
        with self._lock:
            return self._plain.pop(origin, None) is not None

    def origins(self) -> Iterator[str]:
        """Yield the origins known, sorted."""
        with self._lock:
            names = sorted(self._plain)
        yield from names

    def lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        """Take the right to fetch an origin, for so many seconds; False while another holder has it."""
        with self._lock:
            now = self._monotonic()
            other, until = self._leases.get(origin, (holder, 0.0))
            if other != holder and until > now:
                return False
            self._leases[origin] = (holder, now + seconds)
            return True

    def release(self, origin: str, *, holder: str) -> None:
        """Give the right back, if `holder` still has it."""
        with self._lock:
            if self._leases.get(origin, ("", 0.0))[0] == holder:
                del self._leases[origin]

    def close(self) -> None:
        """Nothing is held."""
