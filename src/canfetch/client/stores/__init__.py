"""Where entries are kept between questions, processes and machines, behind one small protocol.

Every store keeps entries as the plain data of `Entry.to_plain`. A store that cannot be reached or
written raises `StoreError`; the client goes on from memory and says so. A corrupt entry is dropped, told
by a warning, and fetched again.
"""

from collections.abc import Iterator
from typing import Protocol

from canfetch.access.entries import Entry


class Store(Protocol):
    """Keeps one entry for each origin; safe for the threads of a process, and for processes where it says so."""

    def get(self, origin: str) -> Entry | None:
        """Give the entry of an origin such as `https://example.com`, or None.

        Raises: StoreError: the store cannot be reached.
        """
        ...

    def put(self, entry: Entry) -> None:
        """Keep an entry in place of the origin's last; when this returns, it is kept.

        Raises: StoreError: the store cannot be reached or written.
        """
        ...

    def delete(self, origin: str) -> bool:
        """Forget an origin; say whether it was known."""
        ...

    def origins(self) -> Iterator[str]:
        """Yield the origins known, sorted."""
        ...

    def lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        """Take the right to fetch an origin, for so many seconds; False while another holder has it."""
        ...

    def release(self, origin: str, *, holder: str) -> None:
        """Give the right back, if `holder` still has it."""
        ...

    def close(self) -> None:
        """Give back what the store holds."""
        ...
