"""Failures that result from the limits of a client, and are not facts about the origin.

Such a failure is an entry of its own, for clients with the same limits. They back off, while other clients do not use
it.
"""

from typing import Final, NamedTuple

from canfetch.access.effective_access import is_from_future
from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult
from canfetch.access.responses import FailureKind
from canfetch.core.verdict import Access

_LIMIT_VARIANT: Final = "limits-"
# A longer timeout, access to private addresses, another transport or other TLS settings can avoid these.
_LIMIT_FAILURES: Final = frozenset(
    [FailureKind.FORBIDDEN_ADDRESS, FailureKind.TIMEOUT, FailureKind.SCHEME, FailureKind.TLS]
)


class Limits(NamedTuple):
    """The limits of a client.

    Attributes:
        variant: The variant of failures under these limits.
        has_proxy: Whether requests can use a proxy. The failures of a proxy and of an origin look alike.
    """

    variant: str
    has_proxy: bool


class KnownEntries(NamedTuple):
    """What a client knows about an origin.

    Attributes:
        entry: The entry that clients with other limits can use, or None.
        failure: The last failure under the limits of the client, or None.
    """

    entry: CacheEntry | None = None
    failure: CacheEntry | None = None

    @property
    def latest(self) -> CacheEntry | None:
        """What applies to the client. If the origin is unreachable for several reasons, the longest delay counts."""
        entry, failure = self
        if failure is None or entry is None:
            return failure or entry
        if not self.has_current_failure:
            return entry
        if failure.outcome.access is not Access.UNREACHABLE:
            return failure
        if entry.outcome.access is not Access.UNREACHABLE:
            return failure._replace(copy=entry.copy)
        newest = failure if failure.fetched_at > entry.fetched_at else entry
        starts = [at for at in (entry.first_failure_at, failure.first_failure_at) if at is not None]
        return newest._replace(
            variant=failure.variant,
            copy=entry.copy,
            failures=max(entry.failures, failure.failures),
            first_failure_at=min(starts, default=None),
            next_fetch_at=max(entry.next_fetch_at, failure.next_fetch_at),
        )

    @property
    def has_current_failure(self) -> bool:
        """Whether the origin has not responded since the last failure under the limits of the client."""
        entry, failure = self
        if failure is None:
            return False
        return entry is None or entry.responded_at is None or entry.responded_at < failure.fetched_at

    @property
    def base(self) -> CacheEntry | None:
        """The entry on which the next entry for all clients is based. It does not count failures under the limits."""
        if self.entry is not None or self.failure is None or self.failure.copy is None:
            return self.entry
        return self.failure._replace(failures=0, first_failure_at=None)

    def add(self, known: CacheEntry | None, *, now: float) -> "KnownEntries":
        """Return the entries, with another one in its place if that is newer.

        When an entry from the future was made is unknown. Beside one of the present, it is the older one.
        """
        if known is None:
            return self
        if known.variant.startswith(_LIMIT_VARIANT):
            entry, failure = self.entry, newer_entry(self.failure, known, now=now)
        else:
            entry, failure = newer_entry(self.entry, known, now=now), self.failure
        if entry is not None and failure is not None:
            if not is_from_future(failure, now=now):
                entry = _before(entry, failure) if is_from_future(entry, now=now) else entry
            elif not is_from_future(entry, now=now):
                failure = None
        return KnownEntries(entry, failure)


def _before(entry: CacheEntry, failure: CacheEntry) -> CacheEntry:
    """Return an entry from the future with times before those of a failure."""
    return entry._replace(
        fetched_at=failure.fetched_at - 1.0,
        next_fetch_at=min(entry.next_fetch_at, failure.next_fetch_at),
        responded_at=None,
        requested_at=None,
    )


def limit_variant(digest: str) -> str:
    """Return the name of the variant of failures under limits with a digest."""
    return f"{_LIMIT_VARIANT}{digest}"


def depends_on_limits(fetched: FetchResult, limits: Limits) -> bool:
    """Return whether clients with other limits could obtain another result."""
    if limits.has_proxy:
        return fetched.failure is not None or fetched.outcome.access is Access.UNREACHABLE
    # With TLS 1.3, a server resets the connection after the handshake if it requires a certificate of the client.
    is_tls_reset = fetched.failure is FailureKind.RESET and fetched.url.startswith("https:")
    return is_tls_reset or fetched.failure in _LIMIT_FAILURES


def newer_entry(first: CacheEntry | None, second: CacheEntry | None, *, now: float) -> CacheEntry | None:
    """Return the entry that was fetched later, or `first` if both are equally old.

    An entry from the future is older than any other.
    """
    if first is None or second is None:
        return first or second
    first_at, second_at = (
        float("-inf") if is_from_future(entry, now=now) else entry.fetched_at for entry in (first, second)
    )
    return first if first_at >= second_at else second
