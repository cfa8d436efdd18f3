"""A store in memory: for tests, and for clients of one process that share what they know."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from canfetch.access.entries import CacheEntry
from canfetch.client.forking import reset_on_fork


class MemoryStore:
    """Keeps entries as plain data in a dictionary; safe for the threads of a process."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._plain: dict[str, dict[str, Any]] = {}
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Forget, in a process that was forked, the leases: they are the parent's, and end there."""
        self._lock = threading.Lock()
        self._leases: dict[str, tuple[str, float]] = {}

    def get(self, key: str) -> CacheEntry | None:
        """Give the entry of that key, or None."""
        with self._lock:
            plain = self._plain.get(key)
        return None if plain is None else CacheEntry.from_dict(plain)

    def put(self, entry: CacheEntry) -> None:
        """Keep an entry in place of its key's last."""
        plain = entry.to_dict()
        with self._lock:
            self._plain[entry.key] = plain

    def delete(self, key: str) -> bool:
        """Forget an entry; say whether it was known."""
        with self._lock:
            return self._plain.pop(key, None) is not None

    def keys(self) -> Iterator[str]:
        """Yield the keys known, sorted."""
        with self._lock:
            names = sorted(self._plain)
        yield from names

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        """Take the right to fetch for a key, for so many seconds; False while another holder has it."""
        with self._lock:
            now = self._monotonic()
            other, until = self._leases.get(key, (holder, 0.0))
            if other != holder and until > now:
                return False
            self._leases[key] = (holder, now + seconds)
            return True

    def release_lease(self, key: str, *, holder: str) -> None:
        """Give the right back, if `holder` still has it."""
        with self._lock:
            if self._leases.get(key, ("", 0.0))[0] == holder:
                del self._leases[key]

    def close(self) -> None:
        """Nothing is held."""
