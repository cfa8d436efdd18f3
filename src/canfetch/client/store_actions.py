"""What the procedure of a client does with its memory and store: plain values, so that both clients perform them."""

from typing import NamedTuple

from canfetch.access.entries import CacheEntry
from canfetch.core.origin import Origin


class GetEntry(NamedTuple):
    """Get an entry from the store. The result is a CacheEntry or None."""

    key: str


class AcquireLease(NamedTuple):
    """Acquire the lease that permits fetching. The result is whether it was acquired.

    With `unless_held`, a lease that another thread or task of this client has is not acquired.
    """

    key: str
    seconds: float
    unless_held: bool = False


class StoreEntry(NamedTuple):
    """Put the entry into the store."""

    entry: CacheEntry


class ReleaseLease(NamedTuple):
    """Release a lease."""

    key: str


class RecallEntry(NamedTuple):
    """Get the entry of an origin from the memory of the client. The result is a CacheEntry or None."""

    origin: str


class RememberEntry(NamedTuple):
    """Put the entry of another origin than the requested one into the memory of the client, if it is newer."""

    origin: Origin
    entry: CacheEntry


StoreAction = GetEntry | AcquireLease | StoreEntry | ReleaseLease | RecallEntry | RememberEntry
