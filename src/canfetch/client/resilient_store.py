"""The store, as a client uses it: what goes wrong there costs no decision, and is said."""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from time import monotonic
from typing import Final, TypeVar

from canfetch.access.entries import CacheEntry
from canfetch.client.forking import reset_on_fork
from canfetch.client.stores import Store
from canfetch.errors import CorruptEntry, StoreError

LOGGER: Final = logging.getLogger("canfetch.client")
_HOLDERS = count(1)
# A store that takes so long to fail hangs. It is left alone for so many times as long, and no longer than that.
_HANGING_SECONDS: Final = 0.5
_REST_FACTOR: Final = 15.0
_LONGEST_REST_SECONDS: Final = 60.0

Result = TypeVar("Result")


class ResilientStore:
    """A store that never stops its client: without one, or when it fails, the answers come from memory.

    A trouble is logged when it begins, and not again until what failed has succeeded in between. A store that hangs
    is left alone for a while, so that no origin waits for it again and again; then one asks it, and the others go on
    without it until that one has its answer.
    """

    __slots__ = ("__weakref__", "_failing", "_holder", "_leased", "_lock", "_rests_until", "_store")

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._failing: dict[str, str] = {}
        self._rests_until = 0.0
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Be somebody else, who has no leases."""
        self._holder = f"{os.getpid()}:{threading.get_ident()}:{next(_HOLDERS)}:{os.urandom(4).hex()}"
        self._lock = threading.Lock()
        self._leased: set[str] = set()

    @property
    def store_error(self) -> str | None:
        """What goes wrong with the store, as a sentence, or None while all is well."""
        with self._lock:
            return next(reversed(self._failing.values()), None)

    def get(self, key: str) -> CacheEntry | None:
        """Give the store's entry, or None; a corrupt one is dropped."""
        store = self._store
        if store is None:
            return None
        try:
            return self._told("read", lambda: _entry_of(store, key), None, "going on from memory")
        except CorruptEntry as error:
            LOGGER.warning("%s: %s; it is discarded and fetched again", key, error)
            self._told("drop", lambda: store.delete(key), None, "a corrupt entry stays")
            return None

    def acquire_lease(self, key: str, seconds: float) -> bool:
        """Take the right to fetch; without a store that answers everybody has it."""
        store = self._store
        if store is None:
            return True

        def take() -> bool:
            taken = store.acquire_lease(key, holder=self._holder, seconds=seconds)
            if taken:
                self._leased.add(key)
            return taken

        return self._told("lease", take, otherwise=True, instead="fetching without a lease")

    def put(self, entry: CacheEntry) -> None:
        """Put an entry into the store, and give the lease back."""
        store = self._store
        if store is None:
            return

        def put() -> None:
            store.put(entry)
            self._release(store, entry.key)

        self._told("write", put, None, "what is fetched is known in memory alone")

    def release_lease(self, key: str) -> None:
        """Give the right to fetch back."""
        store = self._store
        if store is not None:
            self._told("release", lambda: self._release(store, key), None, "a lease ends by itself")

    def close(self) -> None:
        """Give back every lease whose fetch did not come to its end, and the store; from here on there is none."""
        store, self._store = self._store, None
        if store is None:
            return
        # Where the store is down, they end by themselves.
        with suppress(StoreError):
            for key in list(self._leased):
                self._release(store, key)
        store.close()

    def _release(self, store: Store, key: str) -> None:
        store.release_lease(key, holder=self._holder)
        self._leased.discard(key)

    def _told(self, work: str, ask: Callable[[], Result], otherwise: Result, instead: str) -> Result:
        """Ask the store; where it fails, say what happens instead. Who asks while it is closed is told nothing."""
        begun = monotonic()
        rests_until = self._rests_until
        if rests_until:
            with self._lock:
                rests_until = self._rests_until
                if begun < rests_until:
                    return otherwise
                if rests_until:
                    # Whoever comes while this one asks goes on without.
                    self._rests_until = begun + _LONGEST_REST_SECONDS
        rest_seconds = 0.0
        try:
            result = ask()
        except StoreError as error:
            took = monotonic() - begun
            if took >= _HANGING_SECONDS:
                rest_seconds = took + min(_REST_FACTOR * took, _LONGEST_REST_SECONDS)
            said = str(error)
            with self._lock:
                is_new = said not in self._failing.values()
                self._failing.pop(work, None)
                self._failing[work] = said
            if is_new and self._store is not None:
                LOGGER.warning("%s; %s", said, instead)
            return otherwise
        finally:
            if rest_seconds:
                self._rests_until = begun + rest_seconds
            elif rests_until:
                self._rests_until = 0.0
        with self._lock:
            self._failing.pop(work, None)
        return result


def _entry_of(store: Store, key: str) -> CacheEntry | None:
    entry = store.get(key)
    if entry is not None and entry.key != key:
        raise CorruptEntry(f"an entry is that of {entry.key}")
    return entry
