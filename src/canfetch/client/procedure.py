"""The procedure that obtains the cache entry of an origin: a generator that performs no I/O itself.

The generator yields actions and receives their results. The synchronous and the asynchronous client differ only in
how they perform the actions, so both do the same things in the same order.

Source: RFC 9309 sections 2.3 and 2.4.
"""

import hashlib
import time
from collections.abc import Callable, Generator
from typing import Any, Final, NamedTuple

from canfetch.access.effective_access import (
    FetchNeed,
    expire_if_incompatible,
    fetch_need,
    is_truncated_for,
    unread_outcome,
)
from canfetch.access.entries import SHARED_VARIANT, CachedCopy, CacheEntry, entry_key
from canfetch.access.fetch_plan import FetchResult, Request, Validators, first_request, next_step
from canfetch.access.limited_failures import KnownEntries, Limits, depends_on_limits, limit_variant, newer_entry
from canfetch.access.outcomes import Outcome, OutcomeKind
from canfetch.access.responses import NOT_CONNECTED, Failure, FailureKind, Headers, Response
from canfetch.access.shared_redirects import (
    Exchange,
    can_answer,
    entry_from_target,
    failure_of_target,
    results_for_targets,
)
from canfetch.access.transitions import next_entry
from canfetch.access.vary import SentHeaders
from canfetch.client.options import Options
from canfetch.client.request_headers import combine_headers, without_credentials
from canfetch.client.transports import Route, TransportRequest, credential_check, is_long_wait
from canfetch.client.transports.local_errors import describe_os_error, is_local_error
from canfetch.core.origin import Origin
from canfetch.core.redaction import redacted_url
from canfetch.core.verdict import Access
from canfetch.errors import RequestNotSent

Clock = Callable[[], float]
# The delay between two attempts to acquire the lease of another worker. It grows from the first to the second value.
_MIN_POLL_SECONDS: Final = 0.05
_MAX_POLL_SECONDS: Final = 1.0
_POLL_GROWTH: Final = 1.5
_DIGEST_DIGITS: Final = 32
# Stores keep times to the microsecond.
_TIME_DIGITS: Final = 6
# A transport ends a request this late at most, unless the process or its event loop is blocked.
_LATE_SECONDS: Final = 0.1


class Pause(NamedTuple):
    """Sleep."""

    seconds: float


class SendRequest(NamedTuple):
    """Send a request. The result is a Response or a Failure."""

    request: TransportRequest


class GetEntry(NamedTuple):
    """Get an entry from the store. The result is a CacheEntry or None."""

    key: str


class AcquireLease(NamedTuple):
    """Acquire the lease that permits fetching. The result is whether it was acquired.

    With `unless_held`, a lease that another thread or task of this client has is not acquired.
    """

    key: str
    seconds: float
    unless_held: bool = False


class StoreEntry(NamedTuple):
    """Put the entry into the store."""

    entry: CacheEntry


class ReleaseLease(NamedTuple):
    """Release a lease."""

    key: str


class RecallEntry(NamedTuple):
    """Get the entry of an origin from the memory of the client. The result is a CacheEntry or None."""

    origin: str


class RememberEntry(NamedTuple):
    """Put the entry of another origin into the memory of the client, unless there is a newer one.

    Attributes:
        origin: The origin.
        entry: The entry.
        previous: The entry in memory before, or None.
    """

    origin: Origin
    entry: CacheEntry
    previous: CacheEntry | None


StoreAction = GetEntry | AcquireLease | StoreEntry | ReleaseLease | RecallEntry | RememberEntry
Action = StoreAction | Pause | SendRequest


class HeldLeases:
    """The leases that a procedure has acquired. After an exception, its driver releases them.

    Attributes: keys: Their keys.
    """

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def start(self, action: Action) -> None:
        """Note an action that is performed next. If it is interrupted, it is unknown whether it acquired its lease."""
        if isinstance(action, AcquireLease) and not action.unless_held:
            self.keys.add(action.key)

    def end(self, action: Action, result: object) -> None:
        """Note the result of an action."""
        if isinstance(action, AcquireLease) and result:
            self.keys.add(action.key)
        elif isinstance(action, AcquireLease | ReleaseLease):
            self.keys.discard(action.key)


class FetchSettings(NamedTuple):
    """What all fetches of a client have in common.

    Attributes:
        options: The options of the client.
        limits: The limits of the client.
        clock: Returns seconds since the epoch.
        monotonic: Returns seconds for deadlines.
        adds_credentials: Returns whether the transport may add credentials to a direct request for a URL.
        seed: Seed of the jitter of retries.
        has_store: Whether the client has a store.
        headers: The headers of requests to the origin, without those of conditional requests.
        redirected_headers: The headers of requests to origins that the caller did not name.
        cross_origin: Whether the caller named none of the origins, so that no request has credentials.
    """

    options: Options
    limits: Limits
    clock: Clock
    monotonic: Clock
    adds_credentials: Callable[[str], bool]
    seed: int
    has_store: bool
    headers: Headers
    redirected_headers: Headers
    cross_origin: bool = False

    def may_add_credentials(self, origin: Origin) -> bool:
        """Return whether a direct request for a robots.txt may have credentials, so that the response can differ."""
        return self.redirected_headers != self.headers or self.adds_credentials(origin.robots_url)

    def without_credentials(self) -> "FetchSettings":
        """Return the settings for origins that the caller did not name. A store has the files of the other ones."""
        return self._replace(headers=self.redirected_headers, has_store=False, cross_origin=True)


def fetch_settings(options: Options, transport: object, *, clock: Clock, seed: int, has_store: bool) -> FetchSettings:
    """Return the settings of the fetches of a client.

    Args: transport: The transport. Without an attribute `route`, it has no limits.
    """
    defaults = (("User-Agent", options.user_agent), ("Accept", "text/plain, */*;q=0.5"))
    return FetchSettings(
        options,
        _limits(options, getattr(transport, "route", Route())),
        clock,
        time.monotonic,
        credential_check(transport),
        seed,
        has_store,
        combine_headers(defaults, options.headers),
        combine_headers(defaults, without_credentials(options.headers)),
    )


def _limits(options: Options, route: Route) -> Limits:
    described = (
        options.allow_private,
        float(options.connect_timeout),
        float(options.read_timeout),
        float(options.timeout),
        route,
    )
    # Hashed, because the URL of a proxy can contain credentials.
    digest = hashlib.sha256(repr(described).encode()).hexdigest()
    return Limits(limit_variant(digest[:_DIGEST_DIGITS]), bool(route.proxies))


def obtain_entry(
    origin: Origin,
    previous: CacheEntry | None,
    settings: FetchSettings,
    *,
    refresh: bool = False,
    offline: bool = False,
) -> Generator[Action, Any, CacheEntry]:
    """Obtain the entry of an origin: from the store, from another worker that is fetching it, or by a fetch.

    Args:
        previous: The entry in the memory of the client, or None.
        settings: The settings of the client. Without a store, the procedure yields no actions for one.
        refresh: Fetch with a conditional request even if the entry is fresh.
        offline: Use only `previous` and the store.
    """
    try:
        return (yield from _Procedure(origin, settings).run(previous, refresh=refresh, offline=offline))
    except (OSError, ImportError) as error:
        check_is_sendable(origin.robots_url, error)
        raise


def check_is_sendable(url: str, error: BaseException) -> None:
    """Check that an error does not show that this machine cannot send a request.

    A module that is imported on first use, such as that for host names beyond ASCII, needs a descriptor.

    Raises: RequestNotSent.
    """
    if is_local_error(error):
        raise RequestNotSent(f"{redacted_url(url)} was not requested: {describe_os_error(error)}") from None


class _Procedure:
    def __init__(self, origin: Origin, settings: FetchSettings) -> None:
        self._origin = origin
        self._name = str(origin)
        self._settings = settings
        self._options = settings.options
        self._clock = settings.clock
        self._monotonic = settings.monotonic
        self._lookup = _VariantLookup(self._name, settings) if settings.has_store else None
        # When the fetch has to be finished, by the monotonic clock.
        self._deadline = 0.0
        # When each request was sent, by the monotonic clock.
        self._sent: list[float] = []
        # How long the requests of the fetch waited for connections of the caller's pool.
        self._pool_seconds = 0.0
        # The targets of redirects to which a direct request would have been the same, and what was known about them
        # before.
        self._shared_targets: dict[Origin, CacheEntry | None] = {}

    def run(self, previous: CacheEntry | None, *, refresh: bool, offline: bool) -> Generator[Action, Any, CacheEntry]:
        lookup = self._lookup
        found = self._without_store() if lookup is None else (yield from lookup.find(self._clock()))
        known = found.known.add(previous, now=self._clock())
        latest = known.latest
        if latest is not None and not refresh and self._is_fresh(latest):
            return latest
        if offline:
            return latest if latest is not None else _offline_entry(self._name, self._options, self._clock())
        lease = None
        if lookup is not None:
            found, is_answered = yield from self._acquire_lease(lookup, found, latest, refresh=refresh)
            lease = lookup.key(found.variant)
            known = found.known.add(known.entry, now=self._clock()).add(known.failure, now=self._clock())
            if is_answered and known.latest is not None:
                yield ReleaseLease(lease)
                return known.latest
        exchanges: list[Exchange] = []
        before = known.latest
        fetched = yield from self._fetch(known.base, exchanges, refresh=refresh)
        exchanges = [
            one._replace(sent_at=self._time_of(one.sent_at, sent))
            for one, sent in zip(exchanges, self._sent, strict=True)
        ]
        requested_at = exchanges[0].sent_at
        is_unreachable = fetched.outcome.access is Access.UNREACHABLE
        found, newer = yield from self._find_newer(before)
        if newer is not None and (is_unreachable or newer.is_newer_than(requested_at)):
            entry, confirmed = newer, known.base
        else:
            if lookup is not None and is_unreachable:
                known = found.known.add(known.entry, now=self._clock()).add(known.failure, now=self._clock())
            entry = confirmed = yield from self._store(fetched, known, found, known.base, requested_at)
        if lease is not None:
            yield ReleaseLease(lease)
        if self._shared_targets:
            yield from self._share(exchanges, confirmed)
        return entry

    def _without_store(self) -> "_FoundEntry":
        """Return what a lookup in an empty store finds."""
        return _FoundEntry(KnownEntries(), "", self._settings.limits.variant)

    def _acquire_lease(
        self, lookup: "_VariantLookup", found: "_FoundEntry", latest: CacheEntry | None, *, refresh: bool
    ) -> Generator[Action, Any, tuple["_FoundEntry", bool]]:
        """Acquire the lease that permits fetching, and look up the entry again.

        The lease is not acquired if another worker meanwhile stored a fresh entry, or holds the lease for too long.

        Args:
            lookup: The lookup in the store.
            found: The result of the last lookup.
            latest: The newest known entry, or None.
            refresh: Whether an entry counts only if it was requested after the call.
        Returns: The result of the new lookup, and whether it answers the call.
        """
        # The first new entry can be the response to a request that was sent before the call. The lease orders the
        # requests, so that of the second one was sent later.
        missing = 2 if refresh else 1
        # Twice the time of a lease: if its holder was killed, all workers that wait see its end at once, and then wait
        # for the one that acquires it.
        wait_until = self._monotonic() + 2 * self._options.lease_seconds
        pause = _MIN_POLL_SECONDS
        while True:
            variant = found.variant
            leased = yield AcquireLease(lookup.key(variant), self._options.lease_seconds)
            # Read again after acquiring the lease: the previous holder may just have stored a new entry.
            found = yield from lookup.find(self._clock())
            if self._is_new_and_fresh(found.known.latest, latest):
                latest, missing = found.known.latest, missing - 1
            is_answered = missing <= 0
            is_own_lease = found.variant == variant
            if leased and is_own_lease:
                return found, is_answered
            if leased:
                # The entry that was just stored does not serve this client, which has a variant of its own.
                yield ReleaseLease(lookup.key(variant))
            if self._monotonic() > wait_until:
                # A worker that holds the lease for too long must not block the others forever.
                return found, is_answered
            if is_answered:
                return found, True
            if is_own_lease:
                yield Pause(pause)
                pause = min(pause * _POLL_GROWTH, _MAX_POLL_SECONDS)

    def _find_newer(self, before: CacheEntry | None) -> Generator[Action, Any, tuple["_FoundEntry", CacheEntry | None]]:
        """Look for a copy that another worker or event loop has obtained during a fetch.

        That happens if this machine slept, so that the lease has expired, if the event loop was blocked, or if a
        redirect led to the same file.

        Args: before: The newest entry before the fetch, or None.
        Returns: The result of a lookup, and the copy, or None.
        """
        found = self._without_store() if self._lookup is None else (yield from self._lookup.find(self._clock()))
        newest = found.known.add((yield RecallEntry(self._name)), now=self._clock()).latest
        is_copy = newest not in (None, before) and newest.outcome.access is not Access.UNREACHABLE
        return found, newest if is_copy and self._is_new_and_fresh(newest, before) else None

    def _time_of(self, at: float, monotonic: float) -> float:
        """Return when something happened, by the clock as it is set now. It may have been set back since.

        The monotonic clock stops while the machine sleeps, so the longer of both times counts.

        Args:
            at: What the clock showed then.
            monotonic: What the monotonic clock showed then.
        """
        now = self._clock()
        return round(now - max(now - at, self._monotonic() - monotonic), _TIME_DIGITS)

    def _is_fresh(self, entry: CacheEntry | None) -> bool:
        return fetch_need(entry, now=self._clock()) is FetchNeed.NO

    def _is_new_and_fresh(self, stored: CacheEntry | None, latest: CacheEntry | None) -> bool:
        """Return whether another worker stored a fresh entry since the last lookup, which found `latest`."""
        return newer_entry(latest, stored, now=self._clock()) is stored and self._is_fresh(stored)

    def _store(
        self,
        fetched: FetchResult | CacheEntry,
        known: KnownEntries,
        found: "_FoundEntry",
        base: CacheEntry | None,
        requested_at: float,
    ) -> Generator[Action, Any, CacheEntry]:
        """Store the result of a fetch, and return the entry of this client.

        Args:
            fetched: The result, or the next entry.
            known: What was known before.
            found: The result of the last lookup.
            base: The entry with the last good copy, or None.
            requested_at: When the robots.txt was requested.
        """
        if isinstance(fetched, CacheEntry):
            return (yield from self._store_entry(fetched._replace(requested_at=requested_at), known, found))
        now = self._clock()
        if depends_on_limits(fetched, self._settings.limits):
            failure = self._next_entry(known.latest, fetched, now, requested_at)._replace(variant=found.failure_variant)
            if self._lookup is not None:
                # The last good copy stays in the entry that all clients share.
                yield StoreEntry(failure._replace(copy=None))
            return failure
        entry = yield from self._store_entry(self._next_entry(base, fetched, now, requested_at), known, found)
        if known.has_current_failure and entry.outcome.access is Access.UNREACHABLE:
            # For this client, the origin has been unreachable for longer than the stored entry states.
            return self._next_entry(known.latest, fetched, now, requested_at)._replace(variant=found.failure_variant)
        return entry

    def _store_entry(
        self, entry: CacheEntry, known: KnownEntries, found: "_FoundEntry"
    ) -> Generator[Action, Any, CacheEntry]:
        if self._lookup is None:
            return entry
        placed = self._lookup.place(entry, found.variant)
        displaced = self._lookup.displaced(placed, known.entry)
        if displaced is not None:
            yield StoreEntry(displaced)
        yield StoreEntry(placed)
        return placed

    def _next_entry(
        self, previous: CacheEntry | None, fetched: FetchResult, now: float, requested_at: float
    ) -> CacheEntry:
        return next_entry(
            previous,
            self._origin,
            fetched,
            self._options.policy,
            now=now,
            seed=self._settings.seed,
            max_bytes=self._options.max_bytes,
            request_headers=self._settings.headers,
            requested_at=requested_at,
        )

    def _fetch(
        self, entry: CacheEntry | None, exchanges: list[Exchange], *, refresh: bool
    ) -> Generator[Action, Any, FetchResult | CacheEntry]:
        """Fetch the robots.txt.

        Args:
            entry: The entry with the last good copy, or None.
            exchanges: A list to which the requests and their answers are added.
            refresh: Send a conditional request, and do not use the entries of the targets of redirects.
        Returns: The result, or the next entry if a redirect leads to a robots.txt that is cached. If it leads to an
            origin that backs off, the result is the failure of that origin.
        """
        options = self._options
        validators: Validators | None = None
        copy = None if entry is None else entry.copy
        if (options.revalidate or refresh) and copy is not None and self._can_revalidate(copy):
            validators = copy.validators
        self._deadline = self._monotonic() + options.timeout
        step: Request | FetchResult = first_request(
            self._origin,
            validators=validators,
            max_bytes=options.max_bytes,
            misconfigured=self._name in options.misconfigured_origins,
        )
        is_cross_origin = self._settings.cross_origin
        while isinstance(step, Request):
            if step.hops:
                target = Origin.from_url(step.url)
                # Also after a redirect back, as in the Fetch standard: the other origin chose the URL.
                is_cross_origin = is_cross_origin or target != self._origin
                # Before the request, because its response can set a cookie.
                if target.robots_url == step.url and self._sends_same_headers(target, is_cross_origin=is_cross_origin):
                    known = (yield from _Procedure(target, self._settings).known()).latest
                    self._shared_targets[target] = known
                    cached = None if refresh else self._answer_from_target(step, known)
                    if cached is not None:
                        return cached
            sent_at = self._clock()
            self._sent.append(self._monotonic())
            answer = yield from self._send(step, is_cross_origin=is_cross_origin)
            if isinstance(answer, Failure) and answer.kind is FailureKind.LOCAL:
                # No site was asked, so there is nothing to store, and nothing to tell other clients.
                raise RequestNotSent(f"{redacted_url(step.url)} was not requested: {answer.detail}")
            exchanges.append(Exchange(step, answer, sent_at))
            step = next_step(step, answer, options.policy)
        return step

    def _answer_from_target(self, request: Request, entry: CacheEntry | None) -> FetchResult | CacheEntry | None:
        """Return the next entry if the robots.txt of another origin, to which a redirect leads, is cached and fresh.

        Return the failure of that origin if its next fetch is not due.

        Args: entry: The entry of the other origin, or None.
        """
        if entry is None or not self._is_fresh(entry):
            return None
        failure = failure_of_target(request, entry, self._options.policy)
        if failure is not None or not can_answer(request, entry, self._options.policy):
            return failure
        return entry_from_target(
            self._origin, request, entry, now=self._clock(), request_headers=self._settings.headers
        )

    def _share(self, exchanges: list[Exchange], confirmed: CacheEntry | None) -> Generator[Action, Any, None]:
        """Store the result for the other origins whose robots.txt is a target of the redirects.

        Args: confirmed: The entry whose copy is current if the file was not modified, or None if there was no copy.
        """
        results = results_for_targets(
            exchanges, self._options.policy, misconfigured_origins=self._options.misconfigured_origins
        )
        for target, fetched, requested_at in results:
            is_usable = not fetched.not_modified or (
                confirmed is not None and confirmed.outcome.access is Access.SUCCESSFUL
            )
            if is_usable and target in self._shared_targets:
                before = self._shared_targets[target]
                yield from _Procedure(target, self._settings).adopt(fetched, confirmed, before, requested_at)

    def adopt(
        self, fetched: FetchResult, confirmed: CacheEntry | None, before: CacheEntry | None, requested_at: float
    ) -> Generator[Action, Any, None]:
        """Store a result that was fetched for another origin, unless there is a newer one.

        Args:
            fetched: The result.
            confirmed: The entry whose copy the result confirms, if it was not modified.
            before: The newest entry before the request, or None. The clock may have been set back since.
            requested_at: When the robots.txt of this origin was requested.
        """
        lookup = self._lookup
        if lookup is None:
            yield from self._adopt(fetched, confirmed, self._without_store(), before, requested_at)
            return
        found = yield from lookup.find(self._clock())
        lease = lookup.key(found.variant)
        # A worker that holds it is fetching, and looks for newer entries at its end.
        is_leased = yield AcquireLease(lease, self._options.lease_seconds, unless_held=True)
        found = yield from lookup.find(self._clock())
        if lookup.key(found.variant) == lease:
            yield from self._adopt(fetched, confirmed, found, before, requested_at)
        if is_leased:
            yield ReleaseLease(lease)

    def _adopt(
        self,
        fetched: FetchResult,
        confirmed: CacheEntry | None,
        found: "_FoundEntry",
        before: CacheEntry | None,
        requested_at: float,
    ) -> Generator[Action, Any, None]:
        recalled = yield RecallEntry(self._name)
        known = found.known.add(recalled, now=self._clock())
        is_newest = known.latest in (None, before) or not known.latest.is_newer_than(requested_at)
        # The origin backs off after a failure, so a direct fetch would not be due.
        is_needless = fetched.outcome.access is Access.UNREACHABLE and self._is_fresh(known.latest)
        if is_newest and not is_needless:
            base = confirmed if fetched.not_modified else known.base
            entry = yield from self._store(fetched, known, found, base, requested_at)
            yield RememberEntry(self._origin, entry, recalled)

    def _can_revalidate(self, copy: CachedCopy) -> bool:
        """Return whether the client can use a copy after a 304. The copy may have the limit of another client."""
        max_bytes = self._options.max_bytes
        return not is_truncated_for(copy, max_bytes) and unread_outcome(copy, self._options.policy, max_bytes) is None

    def known(self) -> Generator[Action, Any, KnownEntries]:
        """Return the entries of the origin in the store and in the memory of the client."""
        lookup = self._lookup
        found = self._without_store() if lookup is None else (yield from lookup.find(self._clock()))
        return found.known.add((yield RecallEntry(self._name)), now=self._clock())

    def _sends_same_headers(self, target: Origin, *, is_cross_origin: bool) -> bool:
        """Return whether a request after a redirect has the headers of a direct request to the origin."""
        settings = self._settings
        if settings.cross_origin or (is_cross_origin and settings.redirected_headers != settings.headers):
            return False
        return not settings.adds_credentials(target.robots_url)

    def _send(self, step: Request, *, is_cross_origin: bool) -> Generator[Action, Any, Response | Failure]:
        options, settings = self._options, self._settings
        remaining = self._deadline - self._monotonic()
        if remaining <= -_LATE_SECONDS:
            # A transport returns no redirect after the time limit, so this process was blocked.
            remaining = options.timeout
            self._deadline = self._monotonic() + remaining
        elif remaining <= 0:
            return self._timed_out(step)
        request = TransportRequest(
            url=step.url,
            headers=(*(settings.redirected_headers if is_cross_origin else settings.headers), *step.headers),
            max_bytes=options.max_bytes,
            connect_timeout=min(options.connect_timeout, remaining),
            read_timeout=min(options.read_timeout, remaining),
            timeout=remaining,
            allow_private=options.allow_private,
            cross_origin=is_cross_origin,
        )
        answer: Response | Failure = yield SendRequest(request)
        if isinstance(answer, Failure) and answer.kind is FailureKind.TIMEOUT and self._monotonic() >= self._deadline:
            # The transport knows only the time that was left after the redirects.
            return self._timed_out(step, is_connected=not answer.detail.startswith(NOT_CONNECTED))
        if isinstance(answer, Response):
            self._pool_seconds += answer.pool_seconds
        return answer

    def _timed_out(self, step: Request, *, is_connected: bool = True) -> Failure:
        timeout = self._options.timeout
        detail = f"fetch not finished within {timeout:g} s"
        if is_long_wait(self._pool_seconds, timeout):
            waited = f"the requests waited {self._pool_seconds:.3g} s for connections of the session's pool"
            return Failure(step.url, FailureKind.LOCAL, f"{detail}: {waited}")
        return Failure(step.url, FailureKind.TIMEOUT, detail if is_connected else f"{NOT_CONNECTED}: {detail}")


def _offline_entry(origin: str, options: Options, now: float) -> CacheEntry:
    return CacheEntry(
        origin=origin,
        policy=options.policy.name,
        outcome=Outcome(Access.UNREACHABLE, None, OutcomeKind.OFFLINE, "offline and not cached"),
        url=f"{origin}/robots.txt",
        status=None,
        headers=(),
        hops=(),
        fetched_at=now,
        next_fetch_at=now,
        copy=None,
        failures=1,
        first_failure_at=now,
    )


class _FoundEntry(NamedTuple):
    """The result of a lookup.

    Attributes:
        known: The newest stored entry that serves the client, and the last failure under its limits. The failure is
            not looked up if the origin is reachable and the entry is fresh.
        variant: The variant whose lease permits fetching. It is empty for the entry under the key of the origin.
        failure_variant: The variant under which the next failure under the limits of the client is stored.
    """

    known: KnownEntries
    variant: str
    failure_variant: str


class _VariantLookup:
    """Find the stored entries of an origin that serve a client, and the variant under which the next one is stored.

    The key of the origin has the entry that was stored first. If it varies by a request header, and the client sends
    another value, the client has a variant of its own: one for each set of request headers, whatever names a server
    sends.
    """

    def __init__(self, origin: str, settings: FetchSettings) -> None:
        self._origin = origin
        self._options = settings.options
        self._headers = SentHeaders(origin, settings.headers)
        self._limits = settings.limits

    def key(self, variant: str) -> str:
        """Return the key of a variant."""
        return entry_key(self._origin, self._options.policy.name, variant)

    def find(self, now: float) -> Generator[GetEntry, Any, _FoundEntry]:
        """Find the newest stored entry that serves the client."""
        entry, variant = yield from self._find_entry(now)
        failure, failure_variant = None, self._limits.variant
        is_unreachable = entry is not None and entry.outcome.access is Access.UNREACHABLE
        if is_unreachable or fetch_need(entry, now=now) is not FetchNeed.NO:
            failure, failure_variant = yield from self._find_failure()
        known = KnownEntries().add(entry, now=now).add(failure, now=now)
        return _FoundEntry(known, variant, failure_variant)

    def _find_entry(self, now: float) -> Generator[GetEntry, Any, tuple[CacheEntry | None, str]]:
        first = yield GetEntry(self.key(""))
        if first is None or self._serves(first):
            return self._adapt(first), ""
        variant = self._headers.variant
        own = self._adapt((yield GetEntry(self.key(variant))))
        # The most recent of the responses that serve the client counts: RFC 9111 section 4.1.
        shared = self._adapt((yield GetEntry(self.key(SHARED_VARIANT))))
        return newer_entry(own, shared, now=now), variant

    def _find_failure(self) -> Generator[GetEntry, Any, tuple[CacheEntry | None, str]]:
        variant = self._limits.variant
        first = yield GetEntry(self.key(variant))
        if first is None or self._serves(first):
            return self._adapt(first), variant
        # The failure followed redirects that depend on request headers.
        variant = f"{variant}-{self._headers.variant}"
        return self._adapt((yield GetEntry(self.key(variant)))), variant

    def place(self, entry: CacheEntry, variant: str) -> CacheEntry:
        """Return a new entry with the variant under which it is stored.

        Args:
            entry: The entry.
            variant: The variant that `find` returned.
        """
        if not entry.vary and entry.outcome.access is Access.SUCCESSFUL:
            # The responses of the origin no longer vary. Only a successful response shows that.
            variant = ""
        return entry._replace(variant=variant)

    def displaced(self, entry: CacheEntry, previous: CacheEntry | None) -> CacheEntry | None:
        """Return the entry to store in addition to `entry`, so that clients that it does not serve keep a good copy.

        Args:
            entry: The entry that `place` returned.
            previous: The entry that it replaces, or None.
        """
        if previous is None or previous.copy is None or entry.variant or previous.variant or previous.vary:
            return None
        return previous._replace(variant=SHARED_VARIANT) if entry.vary else None

    def _serves(self, entry: CacheEntry) -> bool:
        return self._headers.match(entry.vary) and (entry.copy is None or self._headers.match(entry.copy.vary))

    def _adapt(self, entry: CacheEntry | None) -> CacheEntry | None:
        if entry is None or not self._serves(entry):
            return None
        options = self._options
        misconfigured = self._origin in options.misconfigured_origins
        return expire_if_incompatible(entry, options.policy, max_bytes=options.max_bytes, misconfigured=misconfigured)
