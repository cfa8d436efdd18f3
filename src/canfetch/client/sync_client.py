"""The client that waits."""

import threading
import time
from collections.abc import Iterable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, Unpack

from canfetch.access.effective_access import FetchNeed
from canfetch.access.entries import CacheEntry
from canfetch.access.outcomes import Cell
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.forking import reset_on_fork
from canfetch.client.options import ClientOptions, Options
from canfetch.client.origin_cache import OriginCache
from canfetch.client.origin_state import OriginState
from canfetch.client.procedure import (
    AcquireLease,
    Action,
    Clock,
    GetEntry,
    ReleaseLease,
    SendRequest,
    StoreEntry,
    learn,
)
from canfetch.client.resilient_store import ResilientStore
from canfetch.client.stores import Store
from canfetch.client.transports import Transport
from canfetch.core.agent import Agent, as_agent
from canfetch.core.origin import Origin
from canfetch.core.verdict import Verdict
from canfetch.errors import ClientClosed


class Client:
    """Says whether a URL may be fetched, and fetches robots.txt for that: once for each origin, as the RFC says.

    Safe for threads: however many ask about one origin, one fetches; nobody waits for another origin.

        with Client(user_agent="ExampleBot/1.0 (+https://example.com/bot)") as client:
            client.decide("https://example.com/fish").allowed

    Args:
        user_agent: the User-Agent header that is sent, whole.
        agent: the product token or chain that rules are chosen for; None takes the token of `user_agent`.
        policy: whose reading of status codes and time.
        profile: whose reading of the file.
        transport: how octets come; None is the standard library's.
        store: where entries are kept beyond this process; None keeps them in memory alone. What each policy
            makes of an origin is kept for itself.
        evidence: where every decision is put on the record; it stays the caller's to close.
        clock: gives seconds since the epoch.
        seed: makes the jitter of retries.
        options: see `ClientOptions`.
    Raises: InvalidOption, InvalidLimit, InvalidProductToken, UnknownPolicy, UnknownProfile, EngineError.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        transport: Transport | None = None,
        store: Store | None = None,
        evidence: EvidenceRecorder | None = None,
        clock: Clock = time.time,
        seed: int = 0,
        **options: Unpack[ClientOptions],
    ) -> None:
        self.options = Options.validated(user_agent=user_agent, **options)
        self._transport = _standard_transport() if transport is None else transport
        self._store = store
        self._evidence = evidence
        self._resilient_store = ResilientStore(store)
        self._clock = clock
        self._seed = seed
        self._memory = OriginCache(self.options.max_memory_bytes)
        self._is_closed = False
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Forget, in a process that was forked, who fetches: those threads are the parent's."""
        self._lock = threading.Lock()
        self._flights: dict[str, Future[OriginState]] = {}
        self._refreshers: set[threading.Thread] = set()

    def allows(self, url: str | bytes, *, agent: str | Agent | None = None, site_reachable: bool | None = None) -> bool:
        """Say whether the URL may be fetched.

        Args:
            agent: who asks, instead of the client's own.
            site_reachable: as of `decide`.
        Raises: InvalidURL, InvalidProductToken; ClientClosed; EvidenceError: the decision could not be put on the
            record, and so is none. A bad network is no error: it is an answer.
        Cost: a look-up and a match where the origin is known, a fetch where it is not.
        """
        if self._evidence is not None:
            return self.decide(url, agent=agent, site_reachable=site_reachable).allowed
        known = self._memory.find(url)
        now = self._clock()
        if known is None or not known.valid_from <= now < known.next_fetch_at:
            known, now = self.origin_state(url), self._clock()
        return known.answer(url, agent, now, site_reachable=site_reachable)

    def decide(
        self, url: str | bytes, *, agent: str | Agent | None = None, site_reachable: bool | None = None
    ) -> Verdict:
        """Say whether the URL may be fetched, and why.

        Args:
            agent: who asks, instead of the client's own.
            site_reachable: whether other pages of the site can be fetched, where the caller knows. Google's policy asks
                where robots.txt has been unreachable for 30 days: a site that answers is open then.
        Returns: the verdict; its `access` says how the robots.txt was come by.
        Raises: InvalidURL, InvalidProductToken; ClientClosed; EvidenceError: the decision could not be put on the
            record, and so is none. A bad network is no error: it is an answer.
        Cost: a look-up and a match where the origin is known, a fetch where it is not.
        """
        known = self.origin_state(url)
        verdict = known.decide(url, self._agent(agent), self._clock(), site_reachable=site_reachable)
        self.record(url, verdict, known)
        return verdict

    def record(self, url: str | bytes, verdict: Verdict, known: OriginState) -> None:
        """Put a decision that was made of what is known on the record, where there is one; `decide` does it itself.

        Raises: EvidenceError: it cannot be written, and so is no decision.
        """
        if self._evidence is not None:
            self._evidence.record(url, verdict, known)

    def origin_state(self, url: str | bytes, *, refresh: bool = False, offline: bool = False) -> OriginState:
        """Give what is known of a URL's origin, fetching where that is due.

        Args:
            refresh: fetch whatever is known. offline: ask nobody but memory and the store; goes before `refresh`.
        Raises: InvalidURL; ClientClosed.
        """
        known = self._memory.find(url)
        if known is not None and (offline or not refresh):
            need = known.need(self._clock())
            if need is FetchNeed.NO or offline:
                return known
            if need is FetchNeed.SOON and not self._is_closed:
                self._refresh_meanwhile(known.origin, known)
                return known
        origin = Origin.from_url(url) if known is None else known.origin
        if self._is_closed:
            raise ClientClosed
        if offline:
            # No flight: whoever does ask the origin must not be given what was known without.
            return self._learn(origin, known, refresh=False, offline=True)
        return self._fly(origin, known, refresh=refresh)

    def entries(self) -> Iterable[CacheEntry]:
        """Yield the store's entries, key by key; without a store, none."""
        if self._store is not None:
            for key in self._store.keys():  # noqa: SIM118 - a store is no dict
                entry = self._resilient_store.get(key)
                if entry is not None:
                    yield entry

    @property
    def store_error(self) -> str | None:
        """What goes wrong with the store, or None while all is well."""
        return self._resilient_store.store_error

    def close(self) -> None:
        """Let refreshes end, and give back transport and store, with the leases of fetches that were given up."""
        self._is_closed = True
        with self._lock:
            refreshers = list(self._refreshers)
        for refresher in refreshers:
            refresher.join()
        self._transport.close()
        self._resilient_store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _agent(self, agent: str | Agent | None) -> Agent:
        return self.options.agent if agent is None else as_agent(agent)

    def _fly(self, origin: Origin, known: OriginState | None, *, refresh: bool) -> OriginState:
        name = str(origin)
        while True:
            with self._lock:
                flight = self._flights.get(name)
                leads = flight is None or flight.cancelled()
                if flight is None or leads:
                    # Who waited for the lock may come after the flight that it waited for.
                    landed = self._memory.get(name)
                    if landed is not None and landed is not known and not refresh:
                        return landed
                    flight = self._flights[name] = Future()
            if leads:
                return self._lead(flight, origin, known, refresh=refresh)
            # Where whoever led was interrupted, one of the others leads.
            with suppress(CancelledError):
                return flight.result()

    def _lead(
        self, flight: Future[OriginState], origin: Origin, known: OriginState | None, *, refresh: bool
    ) -> OriginState:
        name = str(origin)
        try:
            learned = self._learn(origin, known, refresh=refresh, offline=False)
            flight.set_result(learned)
        except Exception as error:
            flight.set_exception(error)
            raise
        finally:
            # An interrupt is for this thread alone. What is done cannot be cancelled.
            flight.cancel()
            with self._lock:
                if self._flights.get(name) is flight:
                    del self._flights[name]
        return learned

    def _learn(self, origin: Origin, known: OriginState | None, *, refresh: bool, offline: bool) -> OriginState:
        procedure = learn(
            origin,
            None if known is None else known.entry,
            self.options,
            clock=self._clock,
            monotonic=time.monotonic,
            seed=self._seed,
            refresh=refresh,
            offline=offline,
        )
        result: Any = None
        while True:
            try:
                action = procedure.send(result)
            except StopIteration as end:
                learned = OriginState(origin, end.value, self.options)
                if learned.entry.outcome.cell is not Cell.OFFLINE:
                    self._memory.put(learned)
                return learned
            result = self._carry_out(action)

    def _carry_out(self, action: Action) -> Any:
        match action:
            case SendRequest(request):
                return self._transport.send(request)
            case GetEntry(key):
                return self._resilient_store.get(key)
            case AcquireLease(key, seconds):
                return self._resilient_store.acquire_lease(key, seconds)
            case StoreEntry(entry):
                return self._resilient_store.put(entry)
            case ReleaseLease(key):
                return self._resilient_store.release_lease(key)
            case _:
                return time.sleep(action.seconds)

    def _refresh_meanwhile(self, origin: Origin, known: OriginState) -> None:
        with self._lock:
            if str(origin) in self._flights:
                return
            refresher = threading.Thread(
                target=self._refresh, args=(origin, known), name=f"canfetch refresh {origin}", daemon=True
            )
            try:
                refresher.start()
            except RuntimeError:
                # No thread is to be had: what is known serves on, and whoever asks next tries again.
                return
            # It ends by the same lock, and so not before.
            self._refreshers.add(refresher)

    def _refresh(self, origin: Origin, known: OriginState) -> None:
        try:
            self._fly(origin, known, refresh=False)
        finally:
            with self._lock:
                self._refreshers.discard(threading.current_thread())


def _standard_transport() -> Transport:
    from canfetch.client.transports.stdlib_transport import StdlibTransport  # noqa: PLC0415 - only where none is given

    return StdlibTransport()
