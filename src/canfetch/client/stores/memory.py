"""A store in memory, for tests and for clients of one process that share entries."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from canfetch.access.entries import CacheEntry
from canfetch.client.argument_checks import check_callable, check_positive_seconds
from canfetch.client.forking import reset_on_fork
from canfetch.client.stores import DEFAULT_TTL
from canfetch.errors import CorruptEntry


class _Lease(NamedTuple):
    holder: str
    expires_at: float


class MemoryStore:
    """A store in a dictionary, safe for use by several threads.

    Args:
        ttl: Seconds after which an entry expires.
        monotonic: Returns seconds, for the expiry of entries and leases.
    Raises: InvalidOption.
    """

    def __init__(self, *, ttl: float = DEFAULT_TTL, monotonic: Callable[[], float] = time.monotonic) -> None:
        check_positive_seconds("ttl", ttl)
        check_callable("monotonic", monotonic)
        self._ttl = ttl
        self._monotonic = monotonic
        self._entries: dict[str, dict[str, Any]] = {}
        # The oldest first, which is also the order in which the entries expire.
        self._expires_at: dict[str, float] = {}
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Forget the leases in a forked process: they belong to the parent."""
        self._lock = threading.Lock()
        self._leases: dict[str, _Lease] = {}

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None.

        Raises: CorruptEntry: The entry is invalid; NewerEntry: The entry has a newer format.
        """
        with self._lock:
            self._remove_expired()
            plain = self._entries.get(key)
        return None if plain is None else CacheEntry.from_dict(plain)

    def put(self, entry: CacheEntry) -> None:
        """Add or replace the entry of its key.

        Raises: NewerEntry: The previous entry has a newer format and was not replaced.
        """
        plain, key = entry.to_dict(), entry.key
        with self._lock:
            self._remove_expired()
            previous = self._entries.get(key)
            if previous is not None:
                with suppress(CorruptEntry):
                    CacheEntry.from_dict(previous)
            self._entries[key] = plain
            self._expires_at.pop(key, None)
            self._expires_at[key] = self._monotonic() + self._ttl

    def delete(self, key: str) -> bool:
        """Delete the entry of a key, and return whether it existed."""
        with self._lock:
            self._remove_expired()
            self._expires_at.pop(key, None)
            return self._entries.pop(key, None) is not None

    def keys(self) -> Iterator[str]:
        """Yield the keys, sorted."""
        with self._lock:
            self._remove_expired()
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

    def _remove_expired(self) -> None:
        now = self._monotonic()
        while self._expires_at:
            key, expires_at = next(iter(self._expires_at.items()))
            if expires_at > now:
                return
            del self._expires_at[key]
            self._entries.pop(key, None)
