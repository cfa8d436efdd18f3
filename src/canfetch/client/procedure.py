"""The procedure that obtains the cache entry of an origin: a generator that performs no I/O itself.

The generator yields actions and receives their results. The synchronous and the asynchronous client differ only in
how they perform the actions, so both do the same things in the same order.

Source: RFC 9309 sections 2.3 and 2.4.
"""

from collections.abc import Callable, Generator
from typing import Any, Final, NamedTuple

from canfetch.access.compatibility import expire_if_incompatible, is_truncated_for
from canfetch.access.effective_access import FetchNeed, fetch_need, is_from_future
from canfetch.access.entries import CacheEntry, entry_key
from canfetch.access.fetch_plan import FetchResult, Request, Validators, first_request, next_step
from canfetch.access.outcomes import Access, Outcome, OutcomeKind
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.access.transitions import next_entry
from canfetch.client.options import Options
from canfetch.client.request_headers import combine_headers
from canfetch.client.transports import TransportRequest
from canfetch.core.origin import Origin

Clock = Callable[[], float]
# The delay between two attempts to acquire the lease of another worker. It grows from the first to the second value.
MIN_POLL_SECONDS: Final = 0.05
MAX_POLL_SECONDS: Final = 1.0
_POLL_GROWTH: Final = 1.5


class GetEntry(NamedTuple):
    """Get an entry from the store. The result is a CacheEntry or None."""

    key: str


class AcquireLease(NamedTuple):
    """Acquire the lease that permits fetching. The result is whether it was acquired."""

    key: str
    seconds: float


class Pause(NamedTuple):
    """Sleep."""

    seconds: float


class SendRequest(NamedTuple):
    """Send a request. The result is a Response or a Failure."""

    request: TransportRequest


class StoreEntry(NamedTuple):
    """Put the entry into the store and release the lease."""

    entry: CacheEntry


class ReleaseLease(NamedTuple):
    """Release the lease without storing an entry."""

    key: str


StoreAction = GetEntry | AcquireLease | StoreEntry | ReleaseLease
Action = StoreAction | Pause | SendRequest


def obtain_entry(
    origin: Origin,
    previous: CacheEntry | None,
    options: Options,
    *,
    clock: Clock,
    monotonic: Clock,
    seed: int,
    refresh: bool = False,
    offline: bool = False,
) -> Generator[Action, Any, CacheEntry]:
    """Obtain the entry of an origin: from the store, from another worker that is fetching it, or by a fetch.

    Args:
        previous: The entry in the memory of the client, or None.
        clock: Returns seconds since the epoch.
        monotonic: Returns seconds for deadlines.
        refresh: Fetch even if the entry is fresh.
        offline: Use only `previous` and the store.
    """
    key = entry_key(str(origin), options.policy.name)
    misconfigured = str(origin) in options.misconfigured_origins
    stored = _adapt((yield GetEntry(key)), options, misconfigured=misconfigured)
    entry = _newer(previous, stored, clock())
    if entry is not None and not refresh and fetch_need(entry, now=clock()) is FetchNeed.NO:
        return entry
    if offline:
        return entry if entry is not None else _offline_entry(origin, options, clock())
    wait_until = monotonic() + options.lease_seconds
    pause = MIN_POLL_SECONDS
    while True:
        leased = yield AcquireLease(key, options.lease_seconds)
        # Read again after acquiring the lease: the previous holder may just have stored a new entry.
        stored = _adapt((yield GetEntry(key)), options, misconfigured=misconfigured)
        if stored is not None and _newer(entry, stored, clock()) is stored:
            entry = stored
            if fetch_need(stored, now=clock()) is FetchNeed.NO:
                if leased:
                    yield ReleaseLease(key)
                return stored
        if leased or monotonic() > wait_until:
            # A worker that holds the lease for too long must not block the others forever.
            break
        yield Pause(pause)
        pause = min(pause * _POLL_GROWTH, MAX_POLL_SECONDS)
    fetched = yield from _fetch(origin, entry, options, monotonic)
    entry = next_entry(
        entry,
        origin,
        fetched,
        options.policy,
        now=clock(),
        seed=seed,
        max_bytes=options.max_bytes,
    )
    yield StoreEntry(entry)
    return entry


def _fetch(
    origin: Origin, entry: CacheEntry | None, options: Options, monotonic: Clock
) -> Generator[Action, Any, FetchResult]:
    validators: Validators | None = None
    copy = None if entry is None else entry.copy
    # A 304 for a truncated copy would not provide the rest of the file.
    if options.revalidate and copy is not None and not is_truncated_for(copy, options.max_bytes):
        validators = copy.validators
    deadline = monotonic() + options.timeout
    step: Request | FetchResult = first_request(
        origin,
        validators=validators,
        max_bytes=options.max_bytes,
        misconfigured=str(origin) in options.misconfigured_origins,
    )
    while isinstance(step, Request):
        remaining = deadline - monotonic()
        answer: Response | Failure
        if remaining <= 0:
            answer = Failure(step.url, FailureKind.TIMEOUT, f"fetch not finished within {options.timeout:g} s")
        else:
            answer = yield SendRequest(_transport_request(step, origin, options, remaining))
        step = next_step(step, answer, options.policy)
    return step


def _transport_request(
    request: Request, origin: Origin, options: Options, remaining_seconds: float
) -> TransportRequest:
    defaults = (("User-Agent", options.user_agent), ("Accept", "text/plain, */*;q=0.5"), *request.headers)
    return TransportRequest(
        url=request.url,
        headers=combine_headers(defaults, options.headers, url=request.url, origin=origin),
        max_bytes=options.max_bytes,
        connect_timeout=min(options.connect_timeout, remaining_seconds),
        read_timeout=min(options.read_timeout, remaining_seconds),
        timeout=remaining_seconds,
        allow_private=options.allow_private,
    )


def _adapt(entry: CacheEntry | None, options: Options, *, misconfigured: bool) -> CacheEntry | None:
    if entry is None:
        return None
    return expire_if_incompatible(entry, options.policy, max_bytes=options.max_bytes, misconfigured=misconfigured)


def _newer(first: CacheEntry | None, second: CacheEntry | None, now: float) -> CacheEntry | None:
    """Return the entry that was fetched later, or `first` if both are equally old.

    An entry from the future is older than any other.
    """
    if first is None or second is None:
        return first or second
    first_at, second_at = (
        float("-inf") if is_from_future(entry, now=now) else entry.fetched_at for entry in (first, second)
    )
    return first if first_at >= second_at else second


def _offline_entry(origin: Origin, options: Options, now: float) -> CacheEntry:
    return CacheEntry(
        origin=str(origin),
        policy=options.policy.name,
        outcome=Outcome(Access.UNREACHABLE, None, OutcomeKind.OFFLINE, "offline and not cached"),
        url=origin.robots_url,
        status=None,
        headers=(),
        hops=(),
        fetched_at=now,
        next_fetch_at=now,
        copy=None,
        failures=1,
        first_failure_at=now,
    )
