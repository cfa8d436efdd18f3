"""A store in memory, for tests and for clients of one process that share entries."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from canfetch.access.entries import CacheEntry
from canfetch.client.forking import reset_on_fork


class _Lease(NamedTuple):
    holder: str
    expires_at: float


class MemoryStore:
    """A store in a dictionary, safe for use by several threads.

    Args:
        monotonic: Returns seconds, for the expiry of leases.
    """

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._entries: dict[str, dict[str, Any]] = {}
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Forget the leases in a forked process: they belong to the parent."""
        self._lock = threading.Lock()
        self._leases: dict[str, _Lease] = {}

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None."""
        with self._lock:
            plain = self._entries.get(key)
        return None if plain is None else CacheEntry.from_dict(plain)

    def put(self, entry: CacheEntry) -> None:
        """Add or replace the entry of its key."""
        plain = entry.to_dict()
        with self._lock:
            self._entries[entry.key] = plain

    def delete(self, key: str) -> bool:
        """Delete the entry of a key, and return whether it existed."""
        with self._lock:
            return self._entries.pop(key, None) is not None

    def keys(self) -> Iterator[str]:
        """Yield the keys, sorted."""
        with self._lock:
            keys = sorted(self._entries)
        yield from keys

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        """Acquire or extend the lease of a key, and return False if another holder has it."""
        with self._lock:
            now = self._monotonic()
            lease = self._leases.get(key)
            if lease is not None and lease.holder != holder and lease.expires_at > now:
                return False
            self._leases[key] = _Lease(holder, now + seconds)
            return True

    def release_lease(self, key: str, *, holder: str) -> None:
        """Release the lease of a key, if `holder` has it."""
        with self._lock:
            lease = self._leases.get(key)
            if lease is not None and lease.holder == holder:
                del self._leases[key]

    def close(self) -> None:
        """Do nothing: a memory store holds no files and no connections."""
