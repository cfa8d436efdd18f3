"""Where entries are kept between questions, processes and machines, behind one small protocol.

Every store keeps entries as the plain data of `CacheEntry.to_dict`. A store that cannot be reached or
written raises `StoreError`; the client goes on from memory and says so. A corrupt entry is dropped, told
by a warning, and fetched again.
"""

from collections.abc import Iterator
from typing import Protocol

from canfetch.access.entries import CacheEntry


class Store(Protocol):
    """Keeps one entry for each key; safe for the threads of a process, and for processes where it says so.

    A key is an origin such as `https://example.com`, with `#` and the name of the policy behind it where that is not
    the default one: what one policy made of an origin costs no other its last good copy.
    """

    def get(self, key: str) -> CacheEntry | None:
        """Give the entry of a key, `CacheEntry.key`, such as `https://example.com`, or None.

        Raises: StoreError: the store cannot be reached.
        """
        ...

    def put(self, entry: CacheEntry) -> None:
        """Keep an entry in place of its key's last; when this returns, it is kept.

        Raises: StoreError: the store cannot be reached or written.
        """
        ...

    def delete(self, key: str) -> bool:
        """Forget an entry; say whether it was known."""
        ...

    def keys(self) -> Iterator[str]:
        """Yield the keys known, sorted."""
        ...

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        """Take the right to fetch for a key, for so many seconds; False while another holder has it."""
        ...

    def release_lease(self, key: str, *, holder: str) -> None:
        """Give the right back, if `holder` still has it."""
        ...

    def close(self) -> None:
        """Give back what the store holds."""
        ...
