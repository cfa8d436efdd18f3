"""The asynchronous client."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Collection
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from canfetch.access.effective_access import FetchNeed
from canfetch.access.entries import CacheEntry
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.base_client import BaseClient
from canfetch.client.blocked_loops import send_with_repeats
from canfetch.client.documents import DecideStep, FetchStep, run_steps_async
from canfetch.client.fetch_tasks import FetchAbandoned, FetchTask, send_refusal
from canfetch.client.origin_state import OriginState
from canfetch.client.procedure import Action, Pause, SendRequest
from canfetch.client.request_headers import is_foreign
from canfetch.client.site_files import FileKey, FileStep, KeptFile, SiteFile, fetch_site_file
from canfetch.client.stores import Store
from canfetch.client.transports import AsyncTransport, TransportRequest
from canfetch.client.transports.daemon_threads import wait_until_done
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.origin import Origin, find_origin
from canfetch.core.redaction import redacted_url
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import AccessInfo, ClientVerdict
from canfetch.errors import ClientClosed, RequestNotSent

if TYPE_CHECKING:
    from datetime import datetime

    from canfetch.client.use import UseStep
    from canfetch.client.watch.past import KnownCopy
    from canfetch.consent.sources import PageResponse
    from canfetch.consent.verdict import UseVerdict

KeyT = TypeVar("KeyT")
ResultT = TypeVar("ResultT")
# Origins whose last refresh is remembered.
_MAX_REFRESHED: Final = 10_000


class AsyncClient(BaseClient[AsyncTransport]):
    """The asynchronous client. It has the methods of `Client`, with `await`.

    If several tasks need the same origin, it is fetched once. No task waits for the fetch of another origin, and the
    cancellation of one task does not affect the others. The tasks can run on several event loops, in threads of their
    own or one after the other. If the event loop of a fetch ends or stops, a task of another one fetches the origin.

        async with AsyncClient(user_agent="ExampleBot/1.0 (+https://example.com/bot)") as client:
            (await client.decide("https://example.com/fish")).allowed

    The arguments and exceptions are those of `Client`, except that `transport` is an `AsyncTransport`. Stores are
    called in threads, or in the event loop while no thread can be started.
    """

    _is_async = True

    def reset_after_fork(self) -> None:
        """Forget the fetches in progress in a forked process: their tasks belong to the parent."""
        self._lock = threading.Lock()
        self._in_flight: dict[str, FetchTask[OriginState]] = {}
        self._closing: asyncio.Task[None] | None = None
        # By origin: the number of the state that its last refresh has obtained, for a frontier.
        self.refreshed: OrderedDict[str, int] = OrderedDict()
        self._file_fetches: dict[FileKey, FetchTask[KeptFile]] = {}
        self._document_fetches: set[FetchTask[Response | Failure]] = set()

    async def allows(
        self, url: AnyURL, *, agent: str | Agent | None = None, site_reachable: bool | None = None
    ) -> bool:
        """Return whether `url` may be fetched. Faster than `decide`. See `Client.allows`.

        Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent, EvidenceError.
        """
        if self._needs_verdicts:
            return (await self.decide(url, agent=agent, site_reachable=site_reachable)).allowed
        if agent is None:
            allowed = self._cache.allows(url, self._now())
            if allowed is not None:
                return allowed
        state = self._find_fresh(url) or await self.origin_state(url)
        return state.allows_unchecked(url, agent, self._clock(), site_reachable=site_reachable)

    async def decide(
        self,
        url: AnyURL,
        *,
        agent: str | Agent | None = None,
        site_reachable: bool | None = None,
        at: "datetime | None" = None,
        cross_origin: bool = False,
    ) -> ClientVerdict:
        """Decide whether `url` may be fetched, and why. See `Client.decide`.

        Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent, EvidenceError, NotKnownAtTime.
        """
        if at is not None:
            return self._decide_past(await self.copy_at(url, at=at), url, agent)
        known = None if cross_origin else self._find_fresh(url)
        state = known or await self.origin_state(url, cross_origin=cross_origin)
        return self._decide(state, url, agent, site_reachable=site_reachable)

    async def access(self, url: AnyURL, *, site_reachable: bool | None = None) -> AccessInfo:
        """Return how the robots.txt of an origin was obtained and what it means. See `Client.access`.

        Raises: InvalidURL, ClientClosed, RequestNotSent.
        """
        state = await self.origin_state(url)
        return state.access_info(self._clock(), site_reachable=site_reachable)

    async def robots(self, url: AnyURL, *, site_reachable: bool | None = None) -> RobotsTxt:
        """Return the robots.txt whose rules apply to an origin. See `Client.robots`.

        Raises: InvalidURL, ClientClosed, RequestNotSent, OriginDisallowed.
        """
        state = await self.origin_state(url)
        return state.robots(self._clock(), site_reachable=site_reachable)

    async def may_use(
        self,
        url: AnyURL,
        *,
        purpose: str,
        agent: str | Agent | None = None,
        response: "PageResponse | None" = None,
        at: "datetime | None" = None,
        cross_origin: bool = False,
    ) -> "UseVerdict":
        """Decide whether the content of a URL may be used for a purpose, by all statements of its site.

        See `Client.may_use`.

        Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent, InvalidOption, MissingExtra,
            EvidenceError, NotKnownAtTime.
        """
        if at is not None:
            return self._past_use(await self.copy_at(url, at=at), url, purpose, agent, response)
        from canfetch.client.use import question_steps  # noqa: PLC0415 - crawlers that never ask do not parse pages

        steps = question_steps(url, purpose, self._named_agent(agent), response, self._clock())
        perform = partial(self._perform_step, () if cross_origin else (self._origin_of(url),))
        return self._record_use(await run_steps_async(steps, perform))

    async def copy_at(self, url: AnyURL, *, at: "datetime") -> "KnownCopy":
        """Return what memory, the store and the history show about a robots.txt at a time. See `Client.copy_at`.

        Raises: InvalidURL; InvalidOption: `at` has no time zone; TypeError: `at` is not a datetime.
        """
        return self._known_copy(await self.origin_state(url, offline=True), url, at)

    async def tdm_file(self, url: AnyURL) -> SiteFile:
        """Return the /.well-known/tdmrep.json of an origin. See `Client.tdm_file`.

        Raises: InvalidURL, ClientClosed, RequestNotSent.
        """
        from canfetch.client.use import tdm_file_step  # noqa: PLC0415 - as in `may_use`

        return (await self.site_file(tdm_file_step(url))).file

    async def license_file(self, url: str, *, cross_origin: bool = False) -> SiteFile:
        """Return an RSL license. See `Client.license_file`.

        Raises: ClientClosed, RequestNotSent.
        """
        from canfetch.client.use import license_step  # noqa: PLC0415 - as in `may_use`

        return (await self.site_file(license_step(url)._replace(cross_origin=cross_origin))).file

    async def crawl_delay(self, url: AnyURL, *, agent: str | Agent | None = None) -> float | None:
        """Return the Crawl-delay for an agent on an origin, in seconds. See `Client.crawl_delay`.

        Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent.
        """
        state = await self.origin_state(url)
        return state.crawl_delay(self._as_agent(agent), self._clock())

    async def sitemaps(self, url: AnyURL, *, cross_origin: bool = False) -> tuple[str, ...]:
        """Return the sitemaps of an origin as written, in file order. See `Client.sitemaps`.

        Raises: InvalidURL, ClientClosed, RequestNotSent.
        """
        state = await self.origin_state(url, cross_origin=cross_origin)
        return state.sitemaps(self._clock())

    async def request_document(
        self, url: str, *, max_bytes: int, user_agent: str | None = None, cross_origin: bool = False
    ) -> Response | Failure:
        """Request a document of a site with the limits of the client. See `Client.request_document`.

        Raises: InvalidURL, RequestNotSent; ClientClosed: Also if the client was closed during the request.
        """
        request = self._document_request(url, max_bytes=max_bytes, user_agent=user_agent, cross_origin=cross_origin)
        fetch = self._start_document_fetch(request)
        try:
            return await self._result_of(fetch)
        except asyncio.CancelledError:
            # No other task waits for it.
            fetch.cancel()
            await fetch.wait()
            raise
        finally:
            # If the event loop was closed, `close` would no longer find the connection.
            fetch.close_if_dead()
            with self._lock:
                self._document_fetches.discard(fetch)

    def _start_document_fetch(self, request: TransportRequest) -> FetchTask[Response | Failure]:
        """Send a request in a task, which `close` cancels."""
        with self._lock:
            if self._is_closed:
                raise ClientClosed
            sending = send_with_repeats(self._send, request)
            name = f"canfetch {redacted_url(request.url)}"
            fetch = FetchTask(sending, name=name, max_seconds=self._max_fetch_seconds)
            self._document_fetches.add(fetch)
        return fetch

    async def origin_state(
        self, url: AnyURL, *, refresh: bool = False, offline: bool = False, cross_origin: bool = False
    ) -> OriginState:
        """Return the state of the origin of `url`, and fetch its robots.txt if that is due. See `Client.origin_state`.

        Raises: InvalidURL, RequestNotSent; ClientClosed: Also if the client was closed during the fetch.
        """
        responsible = self._client_for(url, cross_origin=cross_origin)
        if responsible is not self:
            return await responsible.origin_state(url, refresh=refresh, offline=offline)
        origin, state, need = self._look_up(url, refresh=refresh, offline=offline)
        if state is not None and need is FetchNeed.NO:
            return state
        if state is not None and need is FetchNeed.SOON:
            fetch, is_new = self._start_fetch(origin, state, refresh=False)
            if is_new and isinstance(fetch, FetchTask):
                fetch.task.add_done_callback(_report_background_error)
            return state
        if offline:
            # Not shared with other tasks: a task that may fetch must not receive an offline result.
            return await self._obtain_state(origin, state, refresh=False, offline=True)
        state = await self._fetch_once(origin, state, refresh=refresh)
        if refresh:
            self._note_refresh(state)
        return state

    def _note_refresh(self, state: OriginState) -> None:
        """Note the state that a refresh has obtained, and those of the targets of redirects, which may be new, too."""
        targets = {str(find_origin(hop.location)) for hop in state.entry.hops}
        for known in (state, *map(self._cache.get, targets - {state.entry.origin})):
            if known is not None:
                self.refreshed[known.entry.origin] = known.number
        while len(self.refreshed) > _MAX_REFRESHED:
            self.refreshed.popitem(last=False)

    async def refresh(self, url: AnyURL) -> OriginState:
        """Fetch the robots.txt of an origin now, as when its owner has changed the file. See `Client.refresh`.

        Raises: InvalidURL, ClientClosed. RequestNotSent: No request can be sent from this machine.
        """
        return await self.origin_state(url, refresh=True)

    async def entries(self) -> AsyncIterator[CacheEntry]:
        """Yield the entries of the store, sorted by key. Yield nothing without a store."""
        if self._store is not None:
            for key in await _call_store(partial(_keys, self._store)):
                entry = await _call_store(partial(self._resilient_store.get, key))
                if entry is not None:
                    yield entry

    async def close(self) -> None:
        """Cancel the fetches in progress, also those in the background, and close the transport and the store.

        Tasks that wait for a fetch or a document raise ClientClosed. If the call is cancelled, closing continues, and
        the next call waits for it.
        """
        closing = self._closing
        if closing is None or closing.done() or closing.get_loop() is not asyncio.get_running_loop():
            closing = self._closing = asyncio.create_task(self._close(), name="canfetch close")
        # Otherwise the store would be closed before the cancelled fetches have released their leases.
        await asyncio.shield(closing)

    async def _close(self) -> None:
        fetches = self._cancel_fetches()
        if self._foreign is not None:
            fetches += self._foreign._cancel_fetches()  # noqa: SLF001 - the same class
        try:
            await asyncio.gather(*(fetch.wait() for fetch in fetches))
        finally:
            try:
                await self._transport.close()
            finally:
                if self._store is not None:
                    await _call_store(self._resilient_store.close)

    def _cancel_fetches(self) -> list[FetchTask[Any]]:
        """Start no more fetches, and cancel those in progress."""
        with self._lock:
            self._is_closed = True
            fetches: list[FetchTask[Any]] = [
                *self._file_fetches.values(),
                *self._in_flight.values(),
                *self._document_fetches,
            ]
        for fetch in fetches:
            fetch.cancel()
        return fetches

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def _default_transport(self) -> AsyncTransport:
        from canfetch.client.transports.http_transport import AsyncHTTPTransport  # noqa: PLC0415 - imported only if needed

        return AsyncHTTPTransport()

    def _start_fetch(
        self, origin: Origin, state: OriginState | None, *, refresh: bool, too_old: FetchTask[OriginState] | None = None
    ) -> tuple[FetchTask[OriginState] | OriginState, bool]:
        """Return the fetch of an origin, and whether it was started now.

        Return the state of the origin if another event loop has fetched it since the lookup, which found `state`.

        Args: too_old: A fetch that is not returned.
        Raises: ClientClosed.
        """
        name = str(origin)
        with self._lock:
            if self._is_closed:
                raise ClientClosed
            unfinished = self._in_flight.get(name)
            if unfinished is not None and unfinished is not too_old and unfinished.is_alive:
                return unfinished, False
            fetched = self._cache.get(name)
            if fetched is not None and fetched is not state and not refresh:
                return fetched, False
            if unfinished is not None:
                unfinished.close_if_dead()
            # A refresh may have waited for another fetch, whose file then is the last good copy.
            fetching = self._obtain_state(origin, fetched or state, refresh=refresh, offline=False)
            fetch = FetchTask(fetching, name=f"canfetch {name}", max_seconds=self._max_fetch_seconds)
            self._in_flight[name] = fetch
        fetch.task.add_done_callback(lambda _: self._forget_fetch(self._in_flight, name, fetch))
        return fetch, True

    async def _fetch_once(self, origin: Origin, state: OriginState | None, *, refresh: bool) -> OriginState:
        """Fetch an origin, or wait for the task that is fetching it, on whatever event loop it runs."""
        too_old: FetchTask[OriginState] | None = None
        while True:
            fetch, is_new = self._start_fetch(origin, state, refresh=refresh, too_old=too_old)
            if isinstance(fetch, OriginState):
                return fetch
            if refresh and too_old is None and not is_new:
                # Its request may have been sent before the call, and its response be older.
                await fetch.wait()
                too_old = fetch
                continue
            with suppress(FetchAbandoned):
                return await self._result_of(fetch)

    async def _result_of(self, fetch: FetchTask[ResultT]) -> ResultT:
        """Wait for the result of a fetch.

        Raises: FetchAbandoned; ClientClosed: The client was closed, which cancelled the fetch.
        """
        try:
            return await fetch.result()
        except asyncio.CancelledError:
            if self._is_closed and fetch.task.cancelled() and not _is_being_cancelled():
                raise ClientClosed from None
            raise

    def _forget_fetch(self, table: dict[KeyT, FetchTask[ResultT]], key: KeyT, fetch: FetchTask[ResultT]) -> None:
        with self._lock:
            if table.get(key) is fetch:
                del table[key]

    async def site_file(self, step: FileStep) -> KeptFile:
        """Return a file of a site, and until when it is used. See `Client.site_file`.

        Raises: ClientClosed, RequestNotSent.
        """
        while True:
            with self._lock:
                kept = self._site_files.get(step, self._clock())
                if kept is not None:
                    return kept
                if self._is_closed:
                    raise ClientClosed
                fetch = self._file_fetches.get(step.key)
                if fetch is None or not fetch.is_alive:
                    if fetch is not None:
                        fetch.close_if_dead()
                    fetch = self._start_file_fetch(step)
            with suppress(FetchAbandoned):
                return await self._result_of(fetch)

    def _start_file_fetch(self, step: FileStep) -> FetchTask[KeptFile]:
        fetching = self._fetch_site_file(step)
        fetch = FetchTask(fetching, name=f"canfetch {step.url}", max_seconds=self._max_fetch_seconds)
        self._file_fetches[step.key] = fetch
        fetch.task.add_done_callback(lambda _: self._forget_fetch(self._file_fetches, step.key, fetch))
        return fetch

    async def _fetch_site_file(self, step: FileStep) -> KeptFile:
        origin = find_origin(step.url)
        named = () if step.cross_origin or origin is None else (origin,)
        file = await run_steps_async(fetch_site_file(step), partial(self._perform_step, named))
        return self._site_files.put(step, file, self._clock())

    async def _perform_step(self, named: Collection[Origin], step: "UseStep") -> Any:
        from canfetch.client.use import StateStep  # noqa: PLC0415 - as in `may_use`

        cross_origin = is_foreign(step.url, named)
        match step:
            case DecideStep(url):
                return await self.decide(url, cross_origin=cross_origin)
            case FetchStep(url, max_bytes, after_redirect):
                return await self.request_document(
                    url, max_bytes=max_bytes, cross_origin=cross_origin or after_redirect
                )
            case FileStep():
                return await self.site_file(self._site_step(step, named))
            case StateStep(url):
                return await self.origin_state(url, cross_origin=cross_origin)
            case _:
                raise TypeError(f"unexpected step {type(step).__name__}: only front ends perform it")

    async def _send_if_permitted(self, request: TransportRequest) -> Response | Failure:
        refusal = send_refusal.get()
        reason = None if refusal is None else refusal()
        return Failure(request.url, FailureKind.LOCAL, reason) if reason is not None else await self._send(request)

    async def _send(self, request: TransportRequest) -> Response | Failure:
        return await self._transport.send(self._signed(request))

    @property
    def _max_fetch_seconds(self) -> float:
        """The time of a wait for two holders of a lease, and of a fetch."""
        return 2 * self.options.lease_seconds + self.options.timeout

    async def _obtain_state(
        self, origin: Origin, state: OriginState | None, *, refresh: bool, offline: bool
    ) -> OriginState:
        return await self._run_procedure(self._perform, origin, state, refresh=refresh, offline=offline)

    async def _perform(self, action: Action) -> Any:
        match action:
            case SendRequest(request):
                return await send_with_repeats(self._send_if_permitted, request)
            case Pause(seconds):
                return await asyncio.sleep(seconds)
            case _ if self._store is None:
                return self._perform_store_action(action)
            case _:
                return await _call_store(partial(self._perform_store_action, action))


def _keys(store: Store) -> list[str]:
    return list(store.keys())


async def _call_store(call: Callable[[], ResultT]) -> ResultT:
    """Run a call of the store in a thread, or in the event loop if no thread is available.

    A cancelled task waits for its end, so that it acquires no lease after `close`.
    """
    future: Future[ResultT] = Future()
    context = copy_context()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = context.run(call)
        except BaseException as error:  # noqa: BLE001 - raised in the task that waits for the future
            future.set_exception(error)
        else:
            future.set_result(result)

    try:
        _ = asyncio.get_running_loop().run_in_executor(None, run)
    except (ImportError, OSError, RuntimeError):
        # No thread can be started, or the module of the executor cannot be loaded. The executor may have queued the
        # call nevertheless, and another of its threads may run it now.
        if future.cancel():
            return call()
    try:
        await wait_until_done(future)
    except asyncio.CancelledError:
        await wait_until_done(future)
        raise
    return future.result()


def _report_background_error(task: asyncio.Task[OriginState]) -> None:
    """Report an error as asyncio does if no caller waits for a task, unless the request could only not be sent now."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, RequestNotSent):
        message = "a refresh of robots.txt in the background failed"
        task.get_loop().call_exception_handler({"message": message, "exception": error, "task": task})


def _is_being_cancelled() -> bool:
    """Return whether the current task itself was cancelled, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
