"""A wrapper that keeps a client working while its store fails: errors are logged, and the client uses its memory."""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from typing import Final, TypeVar

from canfetch.access.entries import CacheEntry
from canfetch.client.forking import reset_on_fork
from canfetch.client.lease_holders import new_holder
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.client.stores import Store
from canfetch.core.text import printable_text
from canfetch.core.verdict import Access
from canfetch.errors import CorruptEntry, NewerEntry, StoreError

# A store that takes at least this long to fail is suspended, for a multiple of that time, up to a maximum.
_SLOW_FAILURE_SECONDS: Final = 0.5
_SUSPENSION_FACTOR: Final = 15.0
_MAX_SUSPENSION_SECONDS: Final = 60.0
# Seconds for which `close` waits for leases that other threads are acquiring.
_CLOSING_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.005
# The entries that could not be written: 13 MB of memory, if their keys have 50 characters.
_MAX_UNWRITTEN: Final = 1 << 16

Result = TypeVar("Result")


class ResilientStore:
    """A wrapper around an optional store, which catches every exception of the store, not only `StoreError`.

    An error is logged when it first occurs, and again only if the failed operation has succeeded in between. A store
    that fails slowly is suspended for a while, so that its timeout does not delay every origin. Then one operation
    tries it again, while all others continue without it.

    An entry of a newer format is neither used, deleted nor replaced. The first such entry is logged.

    If an entry could not be written, the older one in the store is not used either: otherwise a client whose memory is
    full would return to an older robots.txt.
    """

    __slots__ = (
        "__weakref__",
        "_acquiring",
        "_corrupt_entries",
        "_error_count",
        "_errors",
        "_has_logged_newer_entry",
        "_holder",
        "_leased",
        "_lock",
        "_store",
        "_suspended_until",
        "_unwritten",
    )

    def __init__(self, store: Store | None) -> None:
        self._store = store
        # The last error of each failing operation. The most recent error comes last.
        self._errors: dict[str, str] = {}
        self._error_count = 0
        self._corrupt_entries = 0
        self._suspended_until = 0.0
        self._has_logged_newer_entry = False
        # By key: when the entries were fetched that could not be written.
        self._unwritten: OrderedDict[str, float] = OrderedDict()
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Take a new holder ID: the leases belong to the parent."""
        self._holder = new_holder()
        self._lock = threading.Lock()
        self._leased: set[str] = set()
        # The number of leases that are being acquired.
        self._acquiring = 0

    @property
    def store_error(self) -> str | None:
        """The most recent error of the store, or None if every operation works."""
        with self._lock:
            return next(reversed(self._errors.values()), None)

    @property
    def error_count(self) -> int:
        """Number of operations that failed."""
        return self._error_count

    @property
    def corrupt_entries(self) -> int:
        """Number of entries that were discarded because they could not be read."""
        return self._corrupt_entries

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None. A corrupt entry is deleted, an entry of a newer format is not."""
        store = self._store
        if store is None:
            return None
        try:
            entry = self._attempt("read", lambda: _get_checked(store, key), None, "continuing from memory")
        except NewerEntry as error:
            self._log_newer_entry(key, error)
            return None
        except CorruptEntry as error:
            with self._lock:
                self._corrupt_entries += 1
            CLIENT_LOGGER.warning("%s: %s; it is discarded and fetched again", key, printable_text(str(error)))
            self._attempt("delete", lambda: store.delete(key), None, "the corrupt entry stays in the store")
            return None
        is_older = entry is not None and entry.fetched_at < self._unwritten.get(key, -math.inf)
        return None if is_older else entry

    def acquire_lease(self, key: str, seconds: float, *, unless_held: bool = False) -> bool:
        """Acquire the lease of a key. Without a working store, every caller acquires it.

        Args:
            key: The key.
            seconds: The time after which the lease expires.
            unless_held: Do not acquire a lease that this holder already has.
        """
        if unless_held and key in self._leased:
            return False
        with self._lock:
            store = self._store
            if store is None:
                return True
            self._acquiring += 1

        def acquire() -> bool:
            acquired = store.acquire_lease(key, holder=self._holder, seconds=seconds)
            if acquired:
                self._leased.add(key)
            return acquired

        try:
            return self._attempt("lease", acquire, default=True, consequence="fetching without a lease")
        finally:
            with self._lock:
                self._acquiring -= 1

    def put(self, entry: CacheEntry) -> None:
        """Put an entry into the store, unless the store has an entry of a newer format."""
        store = self._store
        if store is None:
            return

        def put() -> bool:
            try:
                store.put(entry)
            except NewerEntry as error:
                self._log_newer_entry(entry.key, error)
            return True

        is_written = self._attempt("write", put, default=False, consequence="the result is cached in memory only")
        with self._lock:
            self._unwritten.pop(entry.key, None)
            # The entry of a failure has the copy of the older one.
            if not is_written and entry.outcome.access is not Access.UNREACHABLE:
                self._unwritten[entry.key] = entry.fetched_at
            if len(self._unwritten) > _MAX_UNWRITTEN:
                self._unwritten.popitem(last=False)

    def release_lease(self, key: str) -> None:
        """Release the lease of a key."""
        store = self._store
        if store is not None:
            self._attempt("release", lambda: self._release(store, key), None, "the lease remains until it expires")

    def close(self) -> None:
        """Release all leases, close the store, and continue without a store."""
        with self._lock:
            store, self._store = self._store, None
        if store is None:
            return
        # Otherwise a lease that another thread acquires now would stay.
        ends_at = monotonic() + _CLOSING_SECONDS
        while self._acquiring and monotonic() < ends_at:
            sleep(_POLL_SECONDS)
        # If the store is down, the leases expire.
        with suppress(Exception):
            for key in list(self._leased):
                self._release(store, key)
        try:
            store.close()
        except Exception as error:  # noqa: BLE001 - as in `_attempt`
            CLIENT_LOGGER.warning("%s; the store is not closed", _describe(error))

    def _log_newer_entry(self, key: str, error: NewerEntry) -> None:
        with self._lock:
            is_first, self._has_logged_newer_entry = not self._has_logged_newer_entry, True
        if is_first:
            CLIENT_LOGGER.warning(
                "%s: %s; entries of a newer format stay in the store, and the client continues from memory",
                key,
                printable_text(str(error)),
            )

    def _release(self, store: Store, key: str) -> None:
        store.release_lease(key, holder=self._holder)
        self._leased.discard(key)

    def _attempt(self, operation: str, call: Callable[[], Result], default: Result, consequence: str) -> Result:
        """Return the result of `call`, or `default` if the store fails or is suspended.

        Args:
            operation: The key of the error in `_errors`.
            consequence: The end of the log message. Nothing is logged once the store is closed.
        """
        started = monotonic()
        suspended_until = self._suspended_until
        if suspended_until:
            with self._lock:
                suspended_until = self._suspended_until
                if started < suspended_until:
                    return default
                if suspended_until:
                    # While this call tries the store, others continue without it.
                    self._suspended_until = started + _MAX_SUSPENSION_SECONDS
        suspension = 0.0
        try:
            result = call()
        except (CorruptEntry, NewerEntry):
            raise
        except Exception as error:  # noqa: BLE001 - no store may prevent decisions, whatever it raises
            elapsed = monotonic() - started
            if elapsed >= _SLOW_FAILURE_SECONDS:
                suspension = elapsed + min(_SUSPENSION_FACTOR * elapsed, _MAX_SUSPENSION_SECONDS)
            message = _describe(error)
            with self._lock:
                self._error_count += 1
                is_new = message not in self._errors.values()
                self._errors.pop(operation, None)
                self._errors[operation] = message
            if is_new and self._store is not None:
                CLIENT_LOGGER.warning("%s; %s", message, consequence)
            return default
        finally:
            if suspension:
                self._suspended_until = started + suspension
            elif suspended_until:
                self._suspended_until = 0.0
        with self._lock:
            self._errors.pop(operation, None)
        return result


def _describe(error: Exception) -> str:
    """Return the message of an error, with its type if the store should have converted it."""
    text = str(error) if isinstance(error, StoreError) else f"{type(error).__name__}: {error}"
    return printable_text(text)


def _get_checked(store: Store, key: str) -> CacheEntry | None:
    entry = store.get(key)
    if entry is not None and entry.key != key:
        raise CorruptEntry(f"corrupt cache entry: expected key {key!r}, not {entry.key!r}")
    return entry
