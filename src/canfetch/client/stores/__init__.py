"""Stores of cache entries, which outlive a client and can be shared by processes and machines.

Every store holds entries as the plain data of `CacheEntry.to_dict`. A store that cannot be read or written raises
`StoreError`; the client logs the error and continues from memory. A corrupt entry raises `CorruptEntry`; the client
logs it, deletes the entry, and fetches the file again.
"""

from collections.abc import Iterator
from typing import Protocol

from canfetch.access.entries import CacheEntry
from canfetch.errors import CorruptEntry


class Store(Protocol):
    """A store with one entry for each key, safe for use by several threads.

    The key of an entry is `CacheEntry.key`: an origin such as `https://example.com`, followed by `#` and the name of
    the access policy unless it is the default.
    """

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None.

        Raises: StoreError: The store cannot be read; CorruptEntry: The entry is invalid.
        """
        ...

    def put(self, entry: CacheEntry) -> None:
        """Add or replace the entry of its key. The entry is stored when this method returns.

        Raises: StoreError: The store cannot be written.
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


def parse_stored_entry(text: object, location: object) -> CacheEntry:
    """Parse an entry in a store.

    Raises: CorruptEntry: The entry is invalid. The message starts with `location`.
    """
    try:
        return CacheEntry.from_json(text)
    except CorruptEntry as error:
        raise CorruptEntry(f"{location}: {error}") from None
