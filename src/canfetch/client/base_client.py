"""The base class of the synchronous and the asynchronous client."""

import logging
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Generator
from contextlib import closing
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Self, TypeVar, Unpack

from canfetch.access.effective_access import FetchNeed
from canfetch.access.entries import CacheEntry
from canfetch.access.outcomes import OutcomeKind
from canfetch.client.argument_checks import check_agent, check_callable, check_evidence, check_store, check_transport
from canfetch.client.clock_watch import ClockWatch
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.fetch_observer import FetchObserver
from canfetch.client.forking import reset_on_fork
from canfetch.client.loggers import DECISION_LOGGER
from canfetch.client.options import ClientOptions, Options
from canfetch.client.origin_cache import OriginCache
from canfetch.client.origin_state import OriginState
from canfetch.client.origin_table import create_origin_table
from canfetch.client.procedure import (
    AcquireLease,
    Action,
    Clock,
    GetEntry,
    HeldLeases,
    RecallEntry,
    ReleaseLease,
    RememberEntry,
    StoreAction,
    StoreEntry,
    check_is_sendable,
    fetch_settings,
    obtain_entry,
)
from canfetch.client.request_headers import combine_headers, is_foreign, without_credentials
from canfetch.client.resilient_store import ResilientStore
from canfetch.client.site_files import FileStep, KeptFile, SiteFileCache
from canfetch.client.stats import ClientStats, FetchCounters
from canfetch.client.stores import Store
from canfetch.client.transports import TransportRequest, url_as_sent
from canfetch.core.agent import Agent, as_agent
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import loggable_url, redact_urls
from canfetch.core.urls import AnyURL, plain_url
from canfetch.core.verdict import Access, ClientVerdict, Verdict
from canfetch.errors import ClientClosed, InvalidOption, InvalidURL

if TYPE_CHECKING:
    from datetime import datetime

    from opentelemetry.trace import Tracer

    from canfetch.client.identity.signing import SigningIdentity
    from canfetch.client.tracing import FetchTracer
    from canfetch.client.use import AnsweredUse
    from canfetch.client.watch.history import WatchHistory
    from canfetch.client.watch.past import KnownCopy
    from canfetch.consent.sources import PageResponse
    from canfetch.consent.verdict import UseVerdict

TransportT = TypeVar("TransportT")
# The part of `max_memory_bytes` that origins without credentials take in addition.
_FOREIGN_SHARE: Final = 8


class BaseClient(Generic[TransportT]):
    """What the synchronous and the asynchronous client have in common. By itself, it never suspends a coroutine."""

    _is_async: ClassVar[bool]

    def __init__(
        self,
        *,
        user_agent: str,
        transport: TransportT | None = None,
        store: Store | None = None,
        evidence: EvidenceRecorder | None = None,
        identity: "SigningIdentity | None" = None,
        history: "WatchHistory | None" = None,
        tracer: "Tracer | None" = None,
        clock: Clock = time.time,
        seed: int = 0,
        **options: Unpack[ClientOptions],
    ) -> None:
        self.options = Options.validated(user_agent=user_agent, **options)
        if store is not None:
            check_store(store)
        if evidence is not None:
            check_evidence(evidence)
        if identity is not None:
            check_callable("identity.headers", getattr(identity, "headers", identity))
        if history is not None:
            check_callable("history.copy_at", getattr(history, "copy_at", history))
        check_callable("clock", clock)
        if not isinstance(seed, int):
            raise InvalidOption(f"invalid seed {quoted(seed)}: expected an integer")
        self._transport = self._default_transport() if transport is None else transport
        check_transport(self._transport, self.options, is_async=self._is_async)
        self._store = store
        self._resilient_store = ResilientStore(store)
        self._evidence = evidence
        self._identity = identity
        self._history = history
        self._clock = clock
        self._settings = fetch_settings(
            self.options, self._transport, clock=clock, seed=seed, has_store=store is not None
        )
        self._cache = OriginCache(self.options.max_memory_bytes, partial(create_origin_table, self.options))
        self._site_files = SiteFileCache()
        self._clock_watch = ClockWatch(clock, self._settings.monotonic)
        self._counters = FetchCounters()
        self._tracer = _fetch_tracer(tracer)
        self._observer = FetchObserver(self._settings, self._counters, self._tracer)
        self._is_closed = False
        self._update_decision_logging()
        self.reset_after_fork()
        reset_on_fork(self)
        # Obtains the robots.txt of origins that the caller did not name. None if no request can have credentials.
        self._foreign: Self | None = None
        if self._settings.redirected_headers != self._settings.headers or hasattr(self._transport, "adds_credentials"):
            foreign = copy(self)
            foreign._remove_credentials()  # noqa: SLF001 - the same class
            self._foreign = foreign  # type: ignore[assignment]  # mypy does not know Self here

    def _remove_credentials(self) -> None:
        """Change a copy of a client, which shares the transport and the counters. It has no store."""
        self._settings = self._settings.without_credentials()
        self._store = None
        max_bytes = self.options.max_memory_bytes // _FOREIGN_SHARE
        self._cache = OriginCache(max_bytes, partial(create_origin_table, self.options))
        self._clock_watch = ClockWatch(self._clock, self._settings.monotonic)
        self._observer = FetchObserver(self._settings, self._counters, self._tracer)
        self.reset_after_fork()
        reset_on_fork(self)

    def _client_for(self, url: AnyURL, *, cross_origin: bool) -> Self:
        """Return the client that obtains the robots.txt of the origin of `url`.

        Args: cross_origin: Whether a document or a redirect of another origin led to the URL.
        Raises: InvalidURL, RequestNotSent.
        """
        if not cross_origin or self._foreign is None or not self._settings.may_add_credentials(self._origin_of(url)):
            return self
        return self._foreign

    def _site_step(self, step: FileStep, named: Collection[Origin]) -> FileStep:
        """Return the step for a file, by whether the caller named its origin. That matters only with credentials."""
        return step._replace(cross_origin=self._foreign is not None and is_foreign(step.url, named))

    def reset_after_fork(self) -> None:
        """Forget the fetches in progress in a forked process: their threads and tasks exist only in the parent."""
        raise NotImplementedError

    def _default_transport(self) -> TransportT:
        raise NotImplementedError

    def record(self, url: AnyURL, verdict: Verdict, state: OriginState) -> None:
        """Record a verdict in the evidence, if the client has an evidence recorder, and log it at the level DEBUG.

        `decide` does this itself.

        Args:
            url: The URL of the verdict.
            verdict: A verdict made with `state`.
            state: The state that `origin_state` returned.
        Raises: EvidenceError: The verdict cannot be recorded.
        """
        if self._evidence is not None:
            self._evidence.record(plain_url(url), verdict, state)
        if self._logs_decisions:
            DECISION_LOGGER.debug(
                "%s %s for %s: %s",
                "allowed" if verdict.allowed else "disallowed",
                loggable_url(plain_url(url)),
                ", ".join(verdict.agent.tokens),
                redact_urls(verdict.explanation),
            )

    def cached_state(self, url: AnyURL, *, offline: bool = False, cross_origin: bool = False) -> OriginState | None:
        """Return the state of the origin of `url` if it is in memory and needs no fetch, otherwise None.

        Args:
            url: A URL of the origin.
            offline: Return the state even if its robots.txt has to be fetched again.
            cross_origin: See `Client.decide`.
        Raises: InvalidURL, RequestNotSent.
        """
        responsible = self._client_for(url, cross_origin=cross_origin)
        if responsible is not self:
            return responsible.cached_state(url, offline=offline)
        now = self._now()
        state = self._cache.find(url)
        if state is None or offline or state.valid_from <= now < state.next_fetch_at:
            return state
        return None

    @property
    def records_verdicts(self) -> bool:
        """Whether each verdict is recorded as evidence or logged. `allows` then takes as long as `decide`."""
        return self._needs_verdicts

    @property
    def store_error(self) -> str | None:
        """The current error of the store as a message, or None if the store works."""
        return self._resilient_store.store_error

    @property
    def stats(self) -> ClientStats:
        """A snapshot of the counters of the client.

        Cost: A few microseconds. Counting costs nothing for decisions about cached origins.
        """
        caches = [self._cache] if self._foreign is None else [self._cache, self._foreign._cache]  # noqa: SLF001 - the same class
        return self._counters.snapshot(
            memory_hits=sum(cache.hits for cache in caches),
            evictions=sum(cache.evictions for cache in caches),
            store_errors=self._resilient_store.error_count,
            corrupt_entries=self._resilient_store.corrupt_entries,
            cached_origins=sum(map(len, caches)),
            memory_bytes=sum(cache.memory_bytes for cache in caches),
        )

    def _update_decision_logging(self) -> None:
        # `isEnabledFor` takes a tenth of the time of a decision, so it is only called when the client is created and
        # after each fetch. `allows` then needs to check a single flag.
        self._logs_decisions = DECISION_LOGGER.isEnabledFor(logging.DEBUG)
        self._needs_verdicts = self._logs_decisions or self._evidence is not None

    def _now(self) -> float:
        """Return the time by the wall clock. If it was set back, let the origins in memory expire before."""
        now = self._clock()
        watch = self._clock_watch
        if not watch.checked_from <= now < watch.checked_until:
            set_back = watch.check(now)
            if set_back:
                self._cache.set_back(set_back)
        return now

    def _as_agent(self, agent: str | Agent | None) -> Agent:
        return self.options.agent if agent is None else as_agent(agent)

    def _named_agent(self, agent: str | Agent | None) -> Agent:
        """Return the agent of a question about a use. User-agent lines must be able to name its tokens."""
        from canfetch.agents.requested import named_agent  # noqa: PLC0415 - imports the registry

        return check_agent(self.options.agent) if agent is None else named_agent(agent)

    def _record_use(self, answered: "AnsweredUse") -> "UseVerdict":
        """Record an answer about a use in the evidence, if the client has an evidence recorder, and return it."""
        if self._evidence is not None:
            self._evidence.record_use(answered)
        return answered.verdict

    def _document_request(
        self, url: str, *, max_bytes: int, user_agent: str | None, cross_origin: bool
    ) -> TransportRequest:
        if self._is_closed:
            raise ClientClosed
        options = self.options
        defaults = (("User-Agent", user_agent or options.user_agent), ("Accept", "*/*"))
        return TransportRequest(
            url=url,
            headers=combine_headers(defaults, without_credentials(options.headers)),
            max_bytes=max_bytes,
            connect_timeout=options.connect_timeout,
            read_timeout=options.read_timeout,
            timeout=options.timeout,
            allow_private=options.allow_private,
            cross_origin=cross_origin,
        )

    def _signed(self, request: TransportRequest) -> TransportRequest:
        """Return a request with its signature. Each redirect is a request of its own."""
        if self._identity is None:
            return request
        from canfetch.client.transports.endpoints import parse_endpoint  # noqa: PLC0415 - most clients do not sign
        from canfetch.client.transports.failures import TransportError  # noqa: PLC0415 - as above

        try:
            url = url_as_sent(self._transport, parse_endpoint(request.url).url)
            return request._replace(headers=(*request.headers, *self._identity.headers("GET", url)))
        except (InvalidURL, TransportError):
            # The transport fails in the same way.
            return request
        except (OSError, ImportError) as error:
            check_is_sendable(request.url, error)
            raise

    def _find_fresh(self, url: AnyURL) -> OriginState | None:
        """Return the state of the origin of `url` if it is in memory and needs no fetch, otherwise None.

        Only URLs that begin with the name of their origin are found. `origin_state` parses the others.
        """
        now = self._now()
        state = self._cache.find_canonical(url)
        return state if state is not None and state.valid_from <= now < state.next_fetch_at else None

    def _decide(
        self, state: OriginState, url: AnyURL, agent: str | Agent | None, *, site_reachable: bool | None
    ) -> ClientVerdict:
        agent = self.options.agent if agent is None else as_agent(agent)
        verdict = state.decide_unchecked(url, agent, self._clock(), site_reachable=site_reachable)
        if self._needs_verdicts:
            self.record(url, verdict, state)
        return verdict

    def _known_copy(self, state: OriginState, url: AnyURL, at: "datetime") -> "KnownCopy":
        """Return what the state of an origin, the files in memory and the history show about a time."""
        from canfetch.client.watch.past import later_copy, stored_copy_at  # noqa: PLC0415 - crawlers decide as of now

        stored = stored_copy_at(state, at)
        known = stored._replace(file_at=partial(self._known_file, [state.origin], stored.at))
        return known if self._history is None else later_copy(known, self._history.copy_at(url, at=at))

    def _known_file(self, named: Collection[Origin], at: float, step: FileStep) -> KeptFile | None:
        return self._site_files.known_at(self._site_step(step, named), at)

    def _decide_past(self, known: "KnownCopy", url: AnyURL, agent: str | Agent | None) -> ClientVerdict:
        past = known.decide(url, agent=self._as_agent(agent), profile=self.options.profile.name)
        if past.verdict is None:
            raise known.unknown()
        return past.verdict

    def _past_use(
        self, known: "KnownCopy", url: AnyURL, purpose: str, agent: str | Agent | None, response: "PageResponse | None"
    ) -> "UseVerdict":
        own, profile = self._named_agent(agent), self.options.profile.name
        verdict = known.may_use(url, purpose=purpose, agent=own, response=response, profile=profile)
        if known.observation is None:
            raise known.unknown()
        return verdict

    def _look_up(self, url: AnyURL, *, refresh: bool, offline: bool) -> tuple[Origin, OriginState | None, FetchNeed]:
        """Return the origin of `url`, its state in memory, and whether to fetch its robots.txt.

        Args:
            refresh: Fetch even if the cached entry is fresh.
            offline: Use only memory and the store. Takes precedence over `refresh`.
        Raises: InvalidURL; ClientClosed: A fetch is due, and the client is closed.
        """
        now = self._now()
        state = self._cache.find_canonical(url)
        origin = self._origin_of(url) if state is None else state.origin
        if state is None:
            state = self._cache.get(str(origin))
        if state is None or (refresh and not offline):
            need = FetchNeed.NOW
        else:
            need = FetchNeed.NO if offline else state.fetch_need(now)
        if self._is_closed and need is not FetchNeed.NO:
            raise ClientClosed
        return origin, state, need

    @staticmethod
    def _origin_of(url: AnyURL) -> Origin:
        """Return the origin of `url`.

        Raises: InvalidURL; RequestNotSent: The module for host names beyond ASCII cannot be imported now.
        """
        try:
            return Origin.from_url(url)
        except (OSError, ImportError) as error:
            check_is_sendable(loggable_url(plain_url(url)), error)
            raise

    async def _run_procedure(
        self,
        perform: Callable[[Action], Awaitable[Any]],
        origin: Origin,
        state: OriginState | None,
        *,
        refresh: bool,
        offline: bool,
    ) -> OriginState:
        """Obtain the state of an origin.

        Args: perform: Performs an action. That of the synchronous client never suspends the coroutine.
        """
        leases, outer = HeldLeases(), sys.exception()
        try:
            with closing(self._start_procedure(origin, state, refresh=refresh, offline=offline)) as procedure:
                result: Any = None
                while True:
                    try:
                        action = procedure.send(result)
                    except StopIteration as end:
                        overtaking = self._overtaking(origin, None if state is None else state.entry, end.value)
                        if overtaking is not None and overtaking.entry.outcome.access is not Access.UNREACHABLE:
                            return overtaking
                        return self._cache_entry(origin, end.value)
                    leases.start(action)
                    result = await perform(action)
                    leases.end(action, result)
        except BaseException as error:
            if _is_abandoned(error, outer):
                # Nothing can be waited for.
                raise GeneratorExit from error
            # Otherwise other processes would wait until they expire.
            for key in leases.keys:
                await perform(ReleaseLease(key))
            check_is_sendable(origin.robots_url, error)
            raise

    def _overtaking(self, origin: Origin, previous: CacheEntry | None, entry: CacheEntry) -> OriginState | None:
        """Return the state in memory if its robots.txt was requested later than that of an entry, or None.

        Args:
            previous: The entry in memory before the request. It is older, whatever its time.
            entry: The entry.
        """
        state = self._cache.get(str(origin))
        if state is None or state.entry == previous or entry.requested_at is None:
            return None
        return state if state.entry.is_newer_than(entry.requested_at) else None

    def _start_procedure(
        self, origin: Origin, state: OriginState | None, *, refresh: bool, offline: bool
    ) -> Generator[Action, Any, CacheEntry]:
        previous = None if state is None else state.entry
        procedure = obtain_entry(origin, previous, self._settings, refresh=refresh, offline=offline)
        in_background = state is not None and not refresh and state.fetch_need(self._clock()) is FetchNeed.SOON
        return self._observer.observe(origin, procedure, previous, in_background=in_background)

    def _cache_entry(self, origin: Origin, entry: CacheEntry) -> OriginState:
        self._update_decision_logging()
        state = OriginState(origin, entry, self.options)
        if entry.outcome.kind is not OutcomeKind.OFFLINE:
            self._cache.put(state)
        return state

    def _perform_store_action(self, action: StoreAction) -> Any:
        match action:
            case GetEntry(key):
                return self._resilient_store.get(key)
            case AcquireLease(key, seconds, unless_held):
                return self._resilient_store.acquire_lease(key, seconds, unless_held=unless_held)
            case StoreEntry(entry):
                return self._resilient_store.put(entry)
            case RecallEntry(origin):
                state = self._cache.get(origin)
                return None if state is None else state.entry
            case RememberEntry(origin, entry, previous):
                if self._overtaking(origin, previous, entry) is None:
                    self._cache_entry(origin, entry)
                return None
            case _:
                return self._resilient_store.release_lease(action.key)


def _fetch_tracer(tracer: "Tracer | None") -> "FetchTracer | None":
    if tracer is None:
        return None
    from canfetch.client.tracing import FetchTracer  # noqa: PLC0415 - imports OpenTelemetry

    return FetchTracer(tracer)


def _is_abandoned(error: BaseException, outer: BaseException | None) -> bool:
    """Return whether a coroutine is being ended because its event loop was closed.

    The libraries that it waits for can raise other exceptions meanwhile.

    Args: outer: The exception that the caller handled when the coroutine began, or None.
    """
    found: BaseException | None = error
    while found is not None and found is not outer:
        if isinstance(found, GeneratorExit):
            return True
        found = found.__context__
    return False
