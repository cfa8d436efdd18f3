"""The store, as a client uses it: what goes wrong there costs no decision, and is said."""

import logging
import os
import threading
from itertools import count
from typing import Final

from canfetch.access.entries import Entry
from canfetch.client.stores import Store
from canfetch.errors import CorruptEntry, StoreError

LOGGER: Final = logging.getLogger("canfetch.client")
_HOLDERS = count(1)


class Keeping:
    """A store that never stops its client: without one, or when it fails, the answers come from memory.

    `trouble` is what went wrong last, as a sentence, or None while all is well.
    """

    __slots__ = ("_holder", "_store", "trouble")

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._holder = f"{os.getpid()}:{threading.get_ident()}:{next(_HOLDERS)}:{os.urandom(4).hex()}"
        self.trouble: str | None = None

    def look_up(self, origin: str) -> Entry | None:
        """Give the store's entry, or None; a corrupt one is dropped."""
        if self._store is None:
            return None
        try:
            entry = self._store.get(origin)
        except CorruptEntry as error:
            self._say(f"{origin}: {error}; it is dropped and fetched again")
            self._drop(origin)
            return None
        except StoreError as error:
            self._say(f"{error}; going on from memory")
            return None
        self.trouble = None
        return entry

    def take_lease(self, origin: str, seconds: float) -> bool:
        """Take the right to fetch; without a store that answers everybody has it."""
        if self._store is None:
            return True
        try:
            return self._store.lease(origin, holder=self._holder, seconds=seconds)
        except StoreError as error:
            self._say(f"{error}; fetching without a lease")
            return True

    def keep(self, entry: Entry) -> None:
        """Put an entry into the store, and give the lease back."""
        if self._store is None:
            return
        try:
            self._store.put(entry)
            self._store.release(entry.origin, holder=self._holder)
        except StoreError as error:
            self._say(f"{error}; {entry.origin} is known in memory alone")

    def _drop(self, origin: str) -> None:
        try:
            if self._store is not None:
                self._store.delete(origin)
        except StoreError as error:
            self._say(f"{error}; a corrupt entry stays")

    def _say(self, trouble: str) -> None:
        if trouble != self.trouble:
            LOGGER.warning(trouble)
        self.trouble = trouble
