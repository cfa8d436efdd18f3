"""The client that lets others work meanwhile; the same surface as `Client`, with `await`."""

import asyncio
import time
from collections.abc import AsyncIterator
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
    Pause,
    ReleaseLease,
    SendRequest,
    StoreEntry,
    learn,
)
from canfetch.client.resilient_store import ResilientStore
from canfetch.client.stores import Store
from canfetch.client.transports import AsyncTransport
from canfetch.core.agent import Agent, as_agent
from canfetch.core.origin import Origin
from canfetch.core.verdict import Verdict
from canfetch.errors import ClientClosed


class AsyncClient:
    """Says whether a URL may be fetched, and fetches robots.txt for that: once for each origin, as the RFC says.

    For the tasks of one event loop: however many ask about one origin, one fetches; nobody waits for
    another origin, and a task that is cancelled takes nobody with it.

        async with AsyncClient(user_agent="ExampleBot/1.0 (+https://example.com/bot)") as client:
            (await client.decide("https://example.com/fish")).allowed

    Args and errors are those of `Client`; `transport` is an asynchronous one, and a store is asked in threads.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        transport: AsyncTransport | None = None,
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
        """Forget, in a process that was forked, who fetches: those tasks are the parent's."""
        self._flights: dict[str, asyncio.Task[OriginState]] = {}

    async def allows(
        self, url: str | bytes, *, agent: str | Agent | None = None, site_reachable: bool | None = None
    ) -> bool:
        """Say whether the URL may be fetched.

        Args:
            agent: who asks, instead of the client's own.
            site_reachable: as of `decide`.
        Raises: InvalidURL, InvalidProductToken; ClientClosed; EvidenceError: the decision could not be put on the
            record, and so is none. A bad network is no error: it is an answer.
        Cost: a look-up and a match where the origin is known, a fetch where it is not.
        """
        if self._evidence is not None:
            return (await self.decide(url, agent=agent, site_reachable=site_reachable)).allowed
        known = self._memory.find(url)
        now = self._clock()
        if known is None or not known.valid_from <= now < known.next_fetch_at:
            known, now = await self.origin_state(url), self._clock()
        return known.answer(url, agent, now, site_reachable=site_reachable)

    async def decide(
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
        known = await self.origin_state(url)
        verdict = known.decide(url, self._agent(agent), self._clock(), site_reachable=site_reachable)
        self.record(url, verdict, known)
        return verdict

    def record(self, url: str | bytes, verdict: Verdict, known: OriginState) -> None:
        """Put a decision that was made of what is known on the record, where there is one; `decide` does it itself.

        Raises: EvidenceError: it cannot be written, and so is no decision.
        """
        if self._evidence is not None:
            self._evidence.record(url, verdict, known)

    async def origin_state(self, url: str | bytes, *, refresh: bool = False, offline: bool = False) -> OriginState:
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
                self._take_off(known.origin, known, refresh=False)
                return known
        origin = Origin.from_url(url) if known is None else known.origin
        if self._is_closed:
            raise ClientClosed
        if offline:
            # No flight: whoever does ask the origin must not be given what was known without.
            return await self._learn(origin, known, refresh=False, offline=True)
        self._take_off(origin, known, refresh=refresh)
        # The flight is nobody's own: who is cancelled leaves it to the others.
        return await asyncio.shield(self._flights[str(origin)])

    async def entries(self) -> AsyncIterator[CacheEntry]:
        """Yield the store's entries, key by key; without a store, none."""
        if self._store is not None:
            for key in await asyncio.to_thread(lambda store: list(store.keys()), self._store):
                entry = await asyncio.to_thread(self._resilient_store.get, key)
                if entry is not None:
                    yield entry

    @property
    def store_error(self) -> str | None:
        """What goes wrong with the store, or None while all is well."""
        return self._resilient_store.store_error

    async def close(self) -> None:
        """Let flights end, and give back transport and store; an `async with` that fails gives its flights up."""
        self._is_closed = True
        await asyncio.gather(*self._flights.values(), return_exceptions=True)
        await self._transport.close()
        if self._store is not None:
            await asyncio.to_thread(self._resilient_store.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            # Who was interrupted or cancelled waits for no origin.
            for flight in self._flights.values():
                flight.cancel()
        await self.close()

    def _agent(self, agent: str | Agent | None) -> Agent:
        return self.options.agent if agent is None else as_agent(agent)

    def _take_off(self, origin: Origin, known: OriginState | None, *, refresh: bool) -> None:
        name = str(origin)
        if name not in self._flights:
            learning = self._learn(origin, known, refresh=refresh, offline=False)
            flight = self._flights[name] = asyncio.create_task(learning, name=f"canfetch {name}")
            flight.add_done_callback(lambda _: self._flights.pop(name, None))

    async def _learn(self, origin: Origin, known: OriginState | None, *, refresh: bool, offline: bool) -> OriginState:
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
            result = await self._carry_out(action)

    async def _carry_out(self, action: Action) -> Any:
        match action:
            case SendRequest(request):
                return await self._transport.send(request)
            case Pause(seconds):
                return await asyncio.sleep(seconds)
            case _ if self._store is None:
                return self._asked_store(action)
            case _:
                return await asyncio.to_thread(self._asked_store, action)

    def _asked_store(self, action: GetEntry | AcquireLease | StoreEntry | ReleaseLease) -> Any:
        match action:
            case GetEntry(key):
                return self._resilient_store.get(key)
            case AcquireLease(key, seconds):
                return self._resilient_store.acquire_lease(key, seconds)
            case StoreEntry(entry):
                return self._resilient_store.put(entry)
            case _:
                return self._resilient_store.release_lease(action.key)


def _standard_transport() -> AsyncTransport:
    from canfetch.client.transports.stdlib_transport import AsyncStdlibTransport  # noqa: PLC0415 - where none is given

    return AsyncStdlibTransport()
