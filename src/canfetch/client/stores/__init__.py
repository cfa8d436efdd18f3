"""Stores of cache entries, which outlive a client and can be shared by processes and machines.

This module has the protocol `Store`. `memory.py`, `sqlite.py` and `redis.py` implement it, and `locations.py` opens the
store at a path or URL.

Every store holds entries as the plain data of `CacheEntry.to_dict`. A store that cannot be read or written raises
`StoreError`; the client logs the error and continues from memory. A corrupt entry raises `CorruptEntry`; the client
logs it, deletes the entry, and fetches the file again. An entry of a newer format raises `NewerEntry`, and stays in the
store: during an upgrade, old and new versions of canfetch can share a store.
"""

from collections.abc import Iterator
from typing import Final, Protocol

from canfetch.access.entries import CacheEntry
from canfetch.errors import CorruptEntry, NewerEntry, StoreError

# Seconds for which stores hold an entry. Longer than the 30 days for which the last good copy can be used.
DEFAULT_TTL: Final = 45 * 86400
# The largest entry that stores write and read. It has room for a robots.txt of 12 MiB.
MAX_ENTRY_BYTES: Final = 16 << 20


class Store(Protocol):
    """A store with one entry for each key, safe for use by several threads.

    The key of an entry is `CacheEntry.key`: an origin such as `https://example.com`, followed by `#` and the name of
    the access policy unless it is the default. The key of a variant, which serves some clients only, is the origin, the
    policy and the variant, separated by `#`. An expired entry does not exist.
    """

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None.

        Raises: StoreError: The store cannot be read; CorruptEntry: The entry is invalid; NewerEntry: The entry has a
            newer format.
        """
        ...

    def put(self, entry: CacheEntry) -> None:
        """Add or replace the entry of its key. The entry is stored when this method returns.

        Checking the format of the previous entry and replacing it are one atomic operation.

        Raises: StoreError: The store cannot be written; NewerEntry: The previous entry has a newer format and was not
            replaced.
        """
        ...

    def delete(self, key: str) -> bool:
        """Delete the entry of a key, and return whether it existed.

        Raises: StoreError: The store cannot be written.
        """
        ...

    def keys(self) -> Iterator[str]:
        """Yield the keys, sorted.

        Raises: StoreError: The store cannot be read.
        """
        ...

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        """Acquire or extend the lease of a key, and return False if another holder has it.

        Args:
            key: The key.
            holder: The ID of the caller.
            seconds: The time after which the lease expires.
        Raises: StoreError: The store cannot be written.
        """
        ...

    def release_lease(self, key: str, *, holder: str) -> None:
        """Release the lease of a key, if `holder` has it.

        Raises: StoreError: The store cannot be written.
        """
        ...

    def close(self) -> None:
        """Close the connections and files of the store."""
        ...


def serialize_entry(entry: CacheEntry, location: object) -> str:
    """Return the text of an entry in a store.

    Raises: StoreError: It is longer than a store reads. The message starts with `location`.
    """
    text = entry.to_json()
    if len(text) > MAX_ENTRY_BYTES:
        raise StoreError(f"{location}: cannot store an entry of {len(text)} bytes: expected at most {MAX_ENTRY_BYTES}")
    return text


def oversized_entry(location: object) -> CorruptEntry:
    """Return the exception for an entry that is too large to be read. The message starts with `location`."""
    return CorruptEntry(f"{location}: corrupt cache entry: larger than {MAX_ENTRY_BYTES} bytes")


def parse_stored_entry(text: object, location: object) -> CacheEntry:
    """Parse an entry in a store.

    Raises: CorruptEntry: The entry is invalid; NewerEntry: The entry has a newer format. The message starts with
        `location`.
    """
    try:
        return CacheEntry.from_json(text)
    except CorruptEntry as error:
        raise CorruptEntry(f"{location}: {error}") from None
    except NewerEntry as error:
        raise NewerEntry(f"{location}: {error}") from None
