"""What the procedure of a client does with the store: actions as plain values, so that both clients perform them."""

from typing import NamedTuple

from canfetch.access.entries import CacheEntry


class GetEntry(NamedTuple):
    """Get an entry from the store. The result is a CacheEntry or None."""

    key: str


class AcquireLease(NamedTuple):
    """Acquire the lease that permits fetching. The result is whether it was acquired."""

    key: str
    seconds: float


class StoreEntry(NamedTuple):
    """Put the entry into the store."""

    entry: CacheEntry


class ReleaseLease(NamedTuple):
    """Release a lease."""

    key: str


StoreAction = GetEntry | AcquireLease | StoreEntry | ReleaseLease
