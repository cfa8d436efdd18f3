"""The procedure that obtains the cache entry of an origin: a generator that performs no I/O itself.

The generator yields actions and receives their results. The synchronous and the asynchronous client differ only in
how they perform the actions, so both do the same things in the same order.

Source: RFC 9309 sections 2.3 and 2.4.
"""

from collections.abc import Callable, Generator
from typing import Any, Final, NamedTuple

from canfetch.access.compatibility import is_truncated_for
from canfetch.access.effective_access import FetchNeed, fetch_need
from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, Request, Validators, first_request, next_step
from canfetch.access.limits import KnownEntries, Limits, depends_on_limits, newer_entry
from canfetch.access.outcomes import Outcome, OutcomeKind
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.access.shared_redirects import (
    Exchange,
    can_answer,
    entry_from_target,
    failure_of_target,
    results_for_targets,
    robots_origin,
)
from canfetch.access.transitions import next_entry
from canfetch.client.options import Options
from canfetch.client.request_headers import combine_headers, without_credentials
from canfetch.client.store_actions import (
    AcquireLease,
    RecallEntry,
    ReleaseLease,
    RememberEntry,
    StoreAction,
    StoreEntry,
)
from canfetch.client.transports import TransportRequest
from canfetch.client.variants import FoundEntry, VariantLookup
from canfetch.core.origin import Origin
from canfetch.core.verdict import Access

Clock = Callable[[], float]
# The delay between two attempts to acquire the lease of another worker. It grows from the first to the second value.
MIN_POLL_SECONDS: Final = 0.05
MAX_POLL_SECONDS: Final = 1.0
_POLL_GROWTH: Final = 1.5


class Pause(NamedTuple):
    """Sleep."""

    seconds: float


class SendRequest(NamedTuple):
    """Send a request. The result is a Response or a Failure."""

    request: TransportRequest


Action = StoreAction | Pause | SendRequest


def obtain_entry(
    origin: Origin,
    previous: CacheEntry | None,
    options: Options,
    limits: Limits,
    *,
    clock: Clock,
    monotonic: Clock,
    adds_credentials: Callable[[str], bool],
    seed: int,
    refresh: bool = False,
    offline: bool = False,
) -> Generator[Action, Any, CacheEntry]:
    """Obtain the entry of an origin: from the store, from another worker that is fetching it, or by a fetch.

    Args:
        previous: The entry in the memory of the client, or None.
        limits: The limits of the client.
        clock: Returns seconds since the epoch.
        monotonic: Returns seconds for deadlines.
        adds_credentials: Returns whether the transport may add credentials to a direct request for a URL.
        refresh: Fetch even if the entry is fresh.
        offline: Use only `previous` and the store.
    """
    procedure = _Procedure(
        origin, options, limits, clock=clock, monotonic=monotonic, adds_credentials=adds_credentials, seed=seed
    )
    return procedure.run(previous, refresh=refresh, offline=offline)


class _Procedure:
    def __init__(
        self,
        origin: Origin,
        options: Options,
        limits: Limits,
        *,
        clock: Clock,
        monotonic: Clock,
        adds_credentials: Callable[[str], bool],
        seed: int,
    ) -> None:
        self._origin = origin
        self._options = options
        self._limits = limits
        self._headers = _request_headers(origin.robots_url, origin, options)
        self._lookup = VariantLookup(origin, options, self._headers, limits)
        self._clock = clock
        self._monotonic = monotonic
        self._adds_credentials = adds_credentials
        self._seed = seed
        # The targets of redirects to which a direct request would have been the same.
        self._shared_targets: set[Origin] = set()

    def run(self, previous: CacheEntry | None, *, refresh: bool, offline: bool) -> Generator[Action, Any, CacheEntry]:
        found = yield from self._lookup.find(self._clock())
        known = found.known.add(previous, now=self._clock())
        latest = known.latest
        if latest is not None and not refresh and self._is_fresh(latest):
            return latest
        if offline:
            return latest if latest is not None else _offline_entry(self._origin, self._options, self._clock())
        found = yield from self._acquire_lease(found, latest)
        lease = self._lookup.key(found.variant)
        known = found.known.add(known.entry, now=self._clock()).add(known.failure, now=self._clock())
        if self._is_new_and_fresh(found.known.latest, latest) and known.latest is not None:
            yield ReleaseLease(lease)
            return known.latest
        exchanges: list[Exchange] = []
        fetched = yield from self._fetch(known.base, exchanges, refresh=refresh)
        if isinstance(fetched, CacheEntry):
            entry = yield from self._store_entry(fetched, known, found)
        else:
            entry = yield from self._store(fetched, known, found, known.base)
        yield ReleaseLease(lease)
        yield from self._share(exchanges, entry)
        return entry

    def _acquire_lease(self, found: FoundEntry, latest: CacheEntry | None) -> Generator[Action, Any, FoundEntry]:
        """Acquire the lease that permits fetching, and look up the entry again.

        The lease is not acquired if another worker meanwhile stored a fresh entry, or holds the lease for too long.

        Args:
            found: The result of the last lookup.
            latest: The newest known entry, or None.
        Returns: The result of the new lookup.
        """
        wait_until = self._monotonic() + self._options.lease_seconds
        pause = MIN_POLL_SECONDS
        while True:
            variant = found.variant
            leased = yield AcquireLease(self._lookup.key(variant), self._options.lease_seconds)
            # Read again after acquiring the lease: the previous holder may just have stored a new entry.
            found = yield from self._lookup.find(self._clock())
            is_own_lease = found.variant == variant
            if leased and is_own_lease:
                return found
            if leased:
                # The entry that was just stored does not serve this client, which has a variant of its own.
                yield ReleaseLease(self._lookup.key(variant))
            if self._monotonic() > wait_until:
                # A worker that holds the lease for too long must not block the others forever.
                return found
            if self._is_new_and_fresh(found.known.latest, latest):
                return found
            if is_own_lease:
                yield Pause(pause)
                pause = min(pause * _POLL_GROWTH, MAX_POLL_SECONDS)

    def _is_fresh(self, entry: CacheEntry | None) -> bool:
        return fetch_need(entry, now=self._clock()) is FetchNeed.NO

    def _is_new_and_fresh(self, stored: CacheEntry | None, latest: CacheEntry | None) -> bool:
        """Return whether another worker stored a fresh entry since the last lookup, which found `latest`."""
        return newer_entry(latest, stored, now=self._clock()) is stored and self._is_fresh(stored)

    def _store(
        self, fetched: FetchResult, known: KnownEntries, found: FoundEntry, base: CacheEntry | None
    ) -> Generator[Action, Any, CacheEntry]:
        """Store the result of a fetch, and return the entry of this client.

        Args:
            fetched: The result.
            known: What was known before.
            found: The result of the last lookup.
            base: The entry with the last good copy, or None.
        """
        now = self._clock()
        if depends_on_limits(fetched, self._limits):
            failure = self._next_entry(known.latest, fetched, now)._replace(variant=found.failure_variant)
            # The last good copy is in the other entry.
            yield StoreEntry(failure._replace(copy=None))
            return failure
        entry = yield from self._store_entry(self._next_entry(base, fetched, now), known, found)
        if known.has_current_failure and entry.outcome.access is Access.UNREACHABLE:
            # For this client, the origin has been unreachable for longer than the stored entry states.
            return self._next_entry(known.latest, fetched, now)._replace(variant=found.failure_variant)
        return entry

    def _store_entry(
        self, entry: CacheEntry, known: KnownEntries, found: FoundEntry
    ) -> Generator[Action, Any, CacheEntry]:
        placed = self._lookup.place(entry, found.variant)
        displaced = self._lookup.displaced(placed, known.entry)
        if displaced is not None:
            yield StoreEntry(displaced)
        yield StoreEntry(placed)
        return placed

    def _next_entry(self, previous: CacheEntry | None, fetched: FetchResult, now: float) -> CacheEntry:
        return next_entry(
            previous,
            self._origin,
            fetched,
            self._options.policy,
            now=now,
            seed=self._seed,
            max_bytes=self._options.max_bytes,
            request_headers=self._headers,
        )

    def _fetch(
        self, entry: CacheEntry | None, exchanges: list[Exchange], *, refresh: bool
    ) -> Generator[Action, Any, FetchResult | CacheEntry]:
        """Fetch the robots.txt.

        Args:
            entry: The entry with the last good copy, or None.
            exchanges: A list to which the requests and their answers are added.
            refresh: Do not use the entries of the targets of redirects.
        Returns: The result, or the next entry if a redirect leads to a robots.txt that is cached. If it leads to an
            origin that backs off, the result is the failure of that origin.
        """
        options = self._options
        validators: Validators | None = None
        copy = None if entry is None else entry.copy
        # A 304 for a truncated copy would not provide the rest of the file.
        if options.revalidate and copy is not None and not is_truncated_for(copy, options.max_bytes):
            validators = copy.validators
        deadline = self._monotonic() + options.timeout
        step: Request | FetchResult = first_request(
            self._origin,
            validators=validators,
            max_bytes=options.max_bytes,
            misconfigured=str(self._origin) in options.misconfigured_origins,
        )
        while isinstance(step, Request):
            target = robots_origin(step.url) if step.hops else None
            # Before the request, because its response can set a cookie.
            if target is not None and self._sends_same_headers(target):
                self._shared_targets.add(target)
                cached = None if refresh else (yield from self._find_target(step, target))
                if cached is not None:
                    return cached
            answer = yield from self._send(step, deadline)
            exchanges.append(Exchange(step, answer))
            step = next_step(step, answer, options.policy)
        return step

    def _find_target(self, request: Request, target: Origin) -> Generator[Action, Any, FetchResult | CacheEntry | None]:
        """Return the next entry if the robots.txt of another origin, to which a redirect leads, is cached and fresh.

        Return the failure of that origin if its next fetch is not due.
        """
        procedure = self._for_target(target)
        known = yield from procedure.known()
        entry = known.latest
        if entry is None or not self._is_fresh(entry):
            return None
        failure = failure_of_target(request, entry, self._options.policy)
        if failure is not None or not can_answer(request, entry, self._options.policy):
            return failure
        return entry_from_target(self._origin, request, entry, now=self._clock(), request_headers=self._headers)

    def _share(self, exchanges: list[Exchange], entry: CacheEntry) -> Generator[Action, Any, None]:
        """Store the result for the other origins whose robots.txt is a target of the redirects."""
        results = results_for_targets(
            exchanges, self._options.policy, misconfigured_origins=self._options.misconfigured_origins
        )
        for target, fetched in results:
            is_usable = not fetched.not_modified or entry.outcome.access is Access.SUCCESSFUL
            if is_usable and target in self._shared_targets:
                yield from self._for_target(target).adopt(fetched, entry)

    def adopt(self, fetched: FetchResult, confirmed: CacheEntry) -> Generator[Action, Any, None]:
        """Store a result that was fetched for another origin, unless there is a newer one, or another worker fetches.

        Args:
            fetched: The result.
            confirmed: The entry whose copy the result confirms, if it was not modified.
        """
        found = yield from self._lookup.find(self._clock())
        lease = self._lookup.key(found.variant)
        if not (yield AcquireLease(lease, self._options.lease_seconds, unless_held=True)):
            return
        found = yield from self._lookup.find(self._clock())
        known = found.known.add((yield RecallEntry(str(self._origin))), now=self._clock())
        is_newest = known.latest is None or known.latest.fetched_at < confirmed.fetched_at
        # A direct fetch would not have been due.
        is_needless = fetched.outcome.access is Access.UNREACHABLE and self._is_fresh(known.latest)
        if is_newest and not is_needless and self._lookup.key(found.variant) == lease:
            base = confirmed if fetched.not_modified else known.base
            entry = yield from self._store(fetched, known, found, base)
            yield RememberEntry(self._origin, entry)
        yield ReleaseLease(lease)

    def known(self) -> Generator[Action, Any, KnownEntries]:
        found = yield from self._lookup.find(self._clock())
        return found.known.add((yield RecallEntry(str(self._origin))), now=self._clock())

    def _for_target(self, target: Origin) -> "_Procedure":
        return _Procedure(
            target,
            self._options,
            self._limits,
            clock=self._clock,
            monotonic=self._monotonic,
            adds_credentials=self._adds_credentials,
            seed=self._seed,
        )

    def _sends_same_headers(self, target: Origin) -> bool:
        """Return whether a request after a redirect to another origin has the headers of a direct request to it."""
        options, url = self._options, target.robots_url
        if _request_headers(url, self._origin, options) != _request_headers(url, target, options):
            return False
        return not self._adds_credentials(url)

    def _send(self, step: Request, deadline: float) -> Generator[Action, Any, Response | Failure]:
        options = self._options
        timed_out = Failure(step.url, FailureKind.TIMEOUT, f"fetch not finished within {options.timeout:g} s")
        remaining = deadline - self._monotonic()
        if remaining <= 0:
            return timed_out
        answer: Response | Failure = yield SendRequest(_transport_request(step, self._origin, options, remaining))
        if isinstance(answer, Failure) and answer.kind is FailureKind.TIMEOUT and self._monotonic() >= deadline:
            # The transport knows only the time that was left after the redirects.
            return timed_out
        return answer


def _request_headers(url: str, origin: Origin, options: Options, conditions: Headers = ()) -> Headers:
    defaults = (("User-Agent", options.user_agent), ("Accept", "text/plain, */*;q=0.5"), *conditions)
    added = options.headers if Origin.from_url(url) == origin else without_credentials(options.headers)
    return combine_headers(defaults, added)


def _transport_request(
    request: Request, origin: Origin, options: Options, remaining_seconds: float
) -> TransportRequest:
    return TransportRequest(
        url=request.url,
        headers=_request_headers(request.url, origin, options, request.headers),
        max_bytes=options.max_bytes,
        connect_timeout=min(options.connect_timeout, remaining_seconds),
        read_timeout=min(options.read_timeout, remaining_seconds),
        timeout=remaining_seconds,
        allow_private=options.allow_private,
        cross_origin=Origin.from_url(request.url) != origin,
    )


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
