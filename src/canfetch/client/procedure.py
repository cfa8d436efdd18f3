"""How a client comes to know an origin, step by step, without waiting itself.

The procedure yields actions and is sent their results; the sync and the async client differ only in how
they carry them out. So both do the same, in the same order.

Source: RFC 9309 sections 2.3 and 2.4.
"""

from collections.abc import Callable, Generator
from typing import Any, Final, NamedTuple

from canfetch.access.compatibility import expire_if_incompatible, is_truncated_for
from canfetch.access.effective_access import FetchNeed, fetch_need, is_from_future
from canfetch.access.entries import CacheEntry, entry_key
from canfetch.access.fetch_plan import FetchResult, Request, Validators, first_request, next_step
from canfetch.access.outcomes import Access, Cell, Outcome
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.access.transitions import next_entry
from canfetch.client.options import Options
from canfetch.client.transports import TransportRequest
from canfetch.core.origin import Origin

Clock = Callable[[], float]
# How often a worker without the lease looks whether the one with it is done.
LEASE_POLL_SECONDS: Final = 0.05
LONGEST_POLL_SECONDS: Final = 1.0


class GetEntry(NamedTuple):
    """Ask the store for an entry; the result is an CacheEntry or None."""

    key: str


class AcquireLease(NamedTuple):
    """Ask the store for the right to fetch; the result says whether it was given."""

    key: str
    seconds: float


class Pause(NamedTuple):
    """Let so many seconds pass."""

    seconds: float


class SendRequest(NamedTuple):
    """Ask the origin; the result is a Response or a Failure."""

    request: TransportRequest


class StoreEntry(NamedTuple):
    """Put the entry into the store, and give the lease back."""

    entry: CacheEntry


class ReleaseLease(NamedTuple):
    """Give the right to fetch back, without an entry."""

    key: str


Action = GetEntry | AcquireLease | Pause | SendRequest | StoreEntry | ReleaseLease


def learn(
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
    """Come to know an origin: from the store, from whoever else is asking it, or from itself.

    Args:
        previous: what the client knew, or None.
        clock: seconds since the epoch. monotonic: seconds for deadlines.
        refresh: ask the origin whatever is known.
        offline: ask nobody but the store.
    """
    key = entry_key(str(origin), options.policy.name)
    misconfigured = str(origin) in options.misconfigured_origins
    kept = _as_read((yield GetEntry(key)), options, misconfigured=misconfigured)
    known = _newer(previous, kept, clock())
    if known is not None and not refresh and fetch_need(known, now=clock()) is FetchNeed.NO:
        return known
    if offline:
        return known if known is not None else _nothing_known(origin, options, clock())
    give_up_at = monotonic() + options.lease_seconds
    pause = LEASE_POLL_SECONDS
    while True:
        leased = yield AcquireLease(key, options.lease_seconds)
        # After that, since whoever had the lease may have given it back just now, with an answer.
        kept = _as_read((yield GetEntry(key)), options, misconfigured=misconfigured)
        if kept is not None and _newer(known, kept, clock()) is kept:
            known = kept
            if fetch_need(kept, now=clock()) is FetchNeed.NO:
                if leased:
                    yield ReleaseLease(key)
                return kept
        if leased or monotonic() > give_up_at:
            # Whoever has the lease too long holds nobody up for ever.
            break
        yield Pause(pause)
        pause = min(pause * 1.5, LONGEST_POLL_SECONDS)
    fetched = yield from _fetch(origin, known, options, monotonic)
    entry = next_entry(
        known,
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
    origin: Origin, known: CacheEntry | None, options: Options, monotonic: Clock
) -> Generator[Action, Any, FetchResult]:
    validators: Validators | None = None
    copy = None if known is None else known.copy
    # That a file has not changed says nothing of what was never read of it.
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
            answer = Failure(step.url, FailureKind.TIMEOUT, f"no answer within {options.timeout:g} s in all")
        else:
            answer = yield SendRequest(_transport_request(step, options, remaining))
        step = next_step(step, answer, options.policy)
    return step


def _transport_request(request: Request, options: Options, remaining_seconds: float) -> TransportRequest:
    return TransportRequest(
        url=request.url,
        headers=(("User-Agent", options.user_agent), ("Accept", "text/plain, */*;q=0.5"), *request.headers),
        max_bytes=options.max_bytes,
        connect_timeout=min(options.connect_timeout, remaining_seconds),
        read_timeout=min(options.read_timeout, remaining_seconds),
        timeout=remaining_seconds,
        allow_private=options.allow_private,
    )


def _as_read(entry: CacheEntry | None, options: Options, *, misconfigured: bool) -> CacheEntry | None:
    if entry is None:
        return None
    return expire_if_incompatible(entry, options.policy, max_bytes=options.max_bytes, misconfigured=misconfigured)


def _newer(one: CacheEntry | None, other: CacheEntry | None, now: float) -> CacheEntry | None:
    """Give the entry that was made later, the first of two made at one time; one from the future is older than any."""
    if one is None or other is None:
        return one or other
    one_at, other_at = (float("-inf") if is_from_future(entry, now=now) else entry.fetched_at for entry in (one, other))
    return one if one_at >= other_at else other


def _nothing_known(origin: Origin, options: Options, now: float) -> CacheEntry:
    return CacheEntry(
        origin=str(origin),
        policy=options.policy.name,
        outcome=Outcome(Access.UNREACHABLE, None, Cell.OFFLINE, "offline and not cached"),
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
