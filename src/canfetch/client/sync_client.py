"""The synchronous client."""

import threading
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from canfetch.access.effective_access import FetchNeed
from canfetch.access.entries import CacheEntry
from canfetch.access.responses import Failure, Response
from canfetch.client.base_client import BaseClient
from canfetch.client.documents import DecideStep, FetchStep, run_steps, run_without_waiting, without_waiting
from canfetch.client.origin_state import OriginState
from canfetch.client.procedure import Action, Pause, SendRequest
from canfetch.client.request_headers import is_foreign
from canfetch.client.site_files import FileKey, FileStep, KeptFile, SiteFile, fetch_site_file
from canfetch.client.transports import Transport, TransportRequest
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.origin import Origin, find_origin
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import AccessInfo, ClientVerdict
from canfetch.errors import CanfetchError, ClientClosed, RequestNotSent

if TYPE_CHECKING:
    from datetime import datetime

    from canfetch.client.use import UseStep
    from canfetch.client.watch.past import KnownCopy
    from canfetch.consent.sources import PageResponse
    from canfetch.consent.verdict import UseVerdict

KeyT = TypeVar("KeyT")
ResultT = TypeVar("ResultT")


class Client(BaseClient[Transport]):
    """A client that fetches robots.txt files, caches them, and decides whether URLs may be fetched.

    A client is safe for use by several threads. If several threads need the same origin, one of them fetches it and
    the others wait. No thread waits for the fetch of another origin.

        with Client(user_agent="ExampleBot/1.0 (+https://example.com/bot)") as client:
            client.decide("https://example.com/fish").allowed

    Args:
        user_agent: The complete User-Agent header to send. Its product token selects the rules, unless `agent` is set.
        transport: The transport that sends requests. Default: `HTTPTransport`, which needs no extra. The
            client closes it.
        store: The store that keeps entries beyond this process. Default: memory only. Each access policy has its own
            entries. The client closes it.
        evidence: The recorder of all decisions. The caller closes it.
        identity: Signs each request over https, as `canfetch.client.identity.SigningIdentity` does. Default: requests
            are not signed.
        history: The `WatchHistory` with versions of the past, for questions with `at`. The caller closes it.
        tracer: An OpenTelemetry tracer. Each fetch is then a span. Default: no spans.
        clock: Returns seconds since the epoch.
        seed: Seed of the jitter of retries.
        options: See `ClientOptions`.
    Raises: InvalidOption, InvalidLimit, InvalidProductToken, InvalidURL, UnknownPolicy, UnknownProfile, EngineError.
    """

    _is_async = False
    _is_transport_closed = False

    def reset_after_fork(self) -> None:
        """Forget the fetches in progress in a forked process: their threads exist only in the parent."""
        self._lock = threading.Lock()
        self._in_flight: dict[str, Future[OriginState]] = {}
        self._file_fetches: dict[FileKey, Future[KeptFile]] = {}
        self._refresh_threads: set[threading.Thread] = set()

    def allows(self, url: AnyURL, *, agent: str | Agent | None = None, site_reachable: bool | None = None) -> bool:
        """Return whether `url` may be fetched. Faster than `decide`.

        Args:
            url: The URL.
            agent: The agent, if it is not the agent of the client.
            site_reachable: See `decide`.
        Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent.
            EvidenceError: The decision cannot be recorded.
        Cost: A lookup and a match if the origin is cached, otherwise a fetch.
        """
        if self._needs_verdicts:
            return self.decide(url, agent=agent, site_reachable=site_reachable).allowed
        if agent is None:
            allowed = self._cache.allows(url, self._now())
            if allowed is not None:
                return allowed
        state = self._find_fresh(url) or self.origin_state(url)
        return state.allows_unchecked(url, agent, self._clock(), site_reachable=site_reachable)

    def decide(
        self,
        url: AnyURL,
        *,
        agent: str | Agent | None = None,
        site_reachable: bool | None = None,
        at: "datetime | None" = None,
        cross_origin: bool = False,
    ) -> ClientVerdict:
        """Decide whether `url` may be fetched, and why.

        A network error raises no exception. It makes the origin unreachable, and the verdict follows from that.

        Args:
            url: The URL.
            agent: The agent, if it is not the agent of the client.
            site_reachable: Whether other pages of the site can be fetched, or None if unknown. The policy `google`
                uses it after robots.txt has been unreachable for 30 days: a reachable site is then fully allowed.
            at: A time in the past, with a time zone. The copy that was in force then decides, as for `copy_at`. Nothing
                is fetched or recorded.
            cross_origin: Whether a document or a redirect of another origin led to the URL, so that no credentials are
                sent.
        Returns: The verdict. Its `access` describes how the robots.txt was obtained.
        Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent.
            EvidenceError: The decision cannot be recorded. NotKnownAtTime: No copy of the time `at` is known.
                InvalidOption: `at` has no time zone.
        Cost: A lookup and a match if the origin is cached, otherwise a fetch.
        """
        if at is not None:
            return self._decide_past(self.copy_at(url, at=at), url, agent)
        known = None if cross_origin else self._find_fresh(url)
        state = known or self.origin_state(url, cross_origin=cross_origin)
        return self._decide(state, url, agent, site_reachable=site_reachable)

    def access(self, url: AnyURL, *, site_reachable: bool | None = None) -> AccessInfo:
        """Return how the robots.txt of an origin was obtained and what it means. Fetch the file if that is due.

        Args:
            url: A URL of the origin.
            site_reachable: See `decide`.
        Returns: The access, as the verdicts of `decide` contain it.
        Raises: InvalidURL, ClientClosed, RequestNotSent.
        """
        state = self.origin_state(url)
        return state.access_info(self._clock(), site_reachable=site_reachable)

    def robots(self, url: AnyURL, *, site_reachable: bool | None = None) -> RobotsTxt:
        """Return the robots.txt whose rules apply to an origin. Fetch the file if that is due.

        If everything on the origin is allowed, as after a 404, the file is empty. While an origin is unreachable, the
        last good copy is returned for as long as the access policy uses it.

        Args:
            url: A URL of the origin.
            site_reachable: See `decide`.
        Returns: The file. Its `origin` is that of `url`, so URLs of other origins raise OriginMismatch. It does not
            change if the client fetches the robots.txt again.
        Raises: InvalidURL, ClientClosed, RequestNotSent.
            OriginDisallowed: No file applies, and everything on the origin is disallowed, as after a network error.
        """
        state = self.origin_state(url)
        return state.robots(self._clock(), site_reachable=site_reachable)

    def may_use(
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

        robots.txt, /.well-known/tdmrep.json and the first three RSL licenses that the sources name are fetched if that
        is due, once for all URLs, as robots.txt allows the client. The page itself is not fetched: pass its response if
        there is one, because its headers and its HTML can contain statements, too. What cannot be fetched is a source
        that was not read.

        Args:
            url: The URL of the content, after redirects.
            purpose: `training`, `search` or `ai-use`, or another name that `canfetch.may_use` knows.
            agent: Who collects the content, if it is not the agent of the client. `canfetch.agent(name)` returns that
                of a known crawler.
            response: The response with the content.
            at: As for `decide`. robots.txt, tdmrep.json and licenses are those that were known then. Pass the response
                of that time.
            cross_origin: See `decide`. Files of other origins than that of `url` are always requested without
                credentials.
        Returns: The verdict. `expires_at` is when a file has to be fetched again, or an `unavailable_after` has passed.
        Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent; InvalidOption: `purpose` is unknown;
            MissingExtra: there is HTML to parse, and lxml is not installed; EvidenceError: The answer cannot be
            recorded; NotKnownAtTime: No robots.txt of the time `at` is known.
        Cost: As `canfetch.may_use` if the files are in memory. Otherwise a fetch of each, one after another, and one of
            the robots.txt of each other host. Each takes at most `timeout` seconds.
        """
        if at is not None:
            return self._past_use(self.copy_at(url, at=at), url, purpose, agent, response)
        from canfetch.client.use import question_steps  # noqa: PLC0415 - crawlers that never ask do not parse pages

        steps = question_steps(url, purpose, self._named_agent(agent), response, self._clock())
        perform = partial(self._perform_step, () if cross_origin else (self._origin_of(url),))
        return self._record_use(run_steps(steps, perform))

    def copy_at(self, url: AnyURL, *, at: "datetime") -> "KnownCopy":
        """Return what memory, the store and the history show about the robots.txt of an origin at a time.

        Nothing is fetched. A store has the last good copy and the last attempt of each origin. Before the copy was
        fetched or revalidated, only a history is known. Pass one as `history` to the client for all versions.

            client.copy_at(url, at=datetime(2026, 3, 1, tzinfo=UTC)).decide(url, agent="GPTBot").allowed

        Args:
            url: A URL of the origin.
            at: The time, with a time zone.
        Returns: What was known. Its methods `decide` and `may_use` answer by it.
        Raises: InvalidURL; InvalidOption: `at` has no time zone; TypeError: `at` is not a datetime.
        """
        return self._known_copy(self.origin_state(url, offline=True), url, at)

    def tdm_file(self, url: AnyURL) -> SiteFile:
        """Return the /.well-known/tdmrep.json of an origin, which reserves rights to text and data mining.

        It is fetched as robots.txt allows the client, and kept for a day, or ten minutes if it cannot be fetched.

        Args: url: A URL of the origin.
        Raises: InvalidURL, ClientClosed, RequestNotSent.
        """
        from canfetch.client.use import tdm_file_step  # noqa: PLC0415 - as in `may_use`

        return self.site_file(tdm_file_step(url)).file

    def license_file(self, url: str, *, cross_origin: bool = False) -> SiteFile:
        """Return the RSL license at a URL. It is fetched and kept as `tdm_file`.

        Args:
            url: The URL, such as one of `UseVerdict.license_urls`. An invalid one is a problem of the file.
            cross_origin: See `decide`.
        Raises: ClientClosed, RequestNotSent.
        """
        from canfetch.client.use import license_step  # noqa: PLC0415 - as in `may_use`

        return self.site_file(license_step(url)._replace(cross_origin=cross_origin)).file

    def crawl_delay(self, url: AnyURL, *, agent: str | Agent | None = None) -> float | None:
        """Return the Crawl-delay for an agent on an origin, in seconds. Fetch the file if that is due.

        Args:
            url: A URL of the origin.
            agent: The agent, if it is not the agent of the client.
        Returns: The delay, or None if no file applies or the file has no valid delay for the agent.
        Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent.
        """
        state = self.origin_state(url)
        return state.crawl_delay(self._as_agent(agent), self._clock())

    def sitemaps(self, url: AnyURL, *, cross_origin: bool = False) -> tuple[str, ...]:
        """Return the sitemaps of an origin as written, in file order. Fetch the file if that is due.

        Args:
            url: A URL of the origin.
            cross_origin: See `decide`.
        Returns: The values of the sitemap records. Empty if no file applies: `access` returns the reason.
        Raises: InvalidURL, ClientClosed, RequestNotSent.
        """
        state = self.origin_state(url, cross_origin=cross_origin)
        return state.sitemaps(self._clock())

    def origin_state(
        self, url: AnyURL, *, refresh: bool = False, offline: bool = False, cross_origin: bool = False
    ) -> OriginState:
        """Return the state of the origin of `url`, and fetch its robots.txt if that is due.

        Args:
            url: A URL of the origin.
            refresh: Fetch even if the cached entry is fresh. See `refresh`.
            offline: Use only memory and the store. Takes precedence over `refresh`.
            cross_origin: See `decide`. A file that was requested without credentials is kept in memory only.
        Raises: InvalidURL; ClientClosed: The client is closed and the origin is not in its memory. RequestNotSent: The
            fetch is due, and no request can be sent from this machine.
        """
        responsible = self._client_for(url, cross_origin=cross_origin)
        if responsible is not self:
            return responsible.origin_state(url, refresh=refresh, offline=offline)
        origin, state, need = self._look_up(url, refresh=refresh, offline=offline)
        if state is not None and need is FetchNeed.NO:
            return state
        if state is not None and need is FetchNeed.SOON:
            self._refresh_in_background(state)
            return state
        if offline:
            # Not shared with other threads: a thread that may fetch must not receive an offline result.
            return self._obtain_state(origin, state, refresh=False, offline=True)
        return self._fetch_once(origin, state, refresh=refresh)

    def refresh(self, url: AnyURL) -> OriginState:
        """Fetch the robots.txt of an origin now, as when its owner has changed the file, and return the new state.

        The cached copy is replaced in memory and in the store, even if it is fresh, and even if the origin backs off
        after a failure. If the fetch fails, the last good copy stays in use as after any other failure. The request is
        conditional if the copy has an ETag or a date. A fetch in progress is waited for, and not joined, because it may
        have been sent before the call; several calls at the same time share the next one.

        Args: url: A URL of the origin.
        Returns: The state, as `origin_state` returns it.
        Raises: InvalidURL, ClientClosed. RequestNotSent: No request can be sent from this machine.
        Cost: A wait for a fetch in progress, and a fetch. Each takes at most `timeout` seconds.
        """
        return self.origin_state(url, refresh=True)

    def request_document(
        self, url: str, *, max_bytes: int, user_agent: str | None = None, cross_origin: bool = False
    ) -> Response | Failure:
        """Request a document of a site, such as a sitemap, with the timeouts and the address rules of the client.

        The request has no headers with credentials. Redirects are not followed, and robots.txt is not checked: call
        `decide` first. `canfetch.sitemaps` does both.

        Args:
            url: The URL.
            max_bytes: The size limit of the body. One byte more may be read.
            user_agent: The User-Agent header, if it is not that of the client.
            cross_origin: See `decide`. A session then adds no credentials.
        Raises: InvalidURL, RequestNotSent; ClientClosed: Also if the client was closed and the request fails.
        """
        request = self._document_request(url, max_bytes=max_bytes, user_agent=user_agent, cross_origin=cross_origin)
        return self._send(request)

    def entries(self) -> Iterable[CacheEntry]:
        """Yield the entries of the store, sorted by key. Yield nothing without a store."""
        if self._store is not None:
            for key in self._store.keys():  # noqa: SIM118 - a store is not a dictionary
                entry = self._resilient_store.get(key)
                if entry is not None:
                    yield entry

    def close(self) -> None:
        """Wait for refreshes in the background, then close the transport and the store.

        Requests of other threads are not interrupted. If one of them fails now, its thread raises ClientClosed.
        """
        clients: list[Client] = [self] if self._foreign is None else [self, self._foreign]
        for client in clients:
            client._stop()  # noqa: SLF001 - the same class
        for client in clients:
            client._is_transport_closed = True  # noqa: SLF001 - the same class
        try:
            self._transport.close()
        finally:
            self._resilient_store.close()

    def _stop(self) -> None:
        """Start no more fetches, and wait for refreshes in the background."""
        self._is_closed = True
        with self._lock:
            threads = list(self._refresh_threads)
        for thread in threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _default_transport(self) -> Transport:
        from canfetch.client.transports.http_transport import HTTPTransport  # noqa: PLC0415 - imported only if needed

        return HTTPTransport()

    def _fetch_once(self, origin: Origin, state: OriginState | None, *, refresh: bool) -> OriginState:
        """Fetch an origin, or wait for the thread that is fetching it."""
        name = str(origin)

        def fetched() -> OriginState | None:
            # Another fetch may have finished while this thread waited for the lock.
            known = self._cache.get(name)
            return None if refresh or known is state else known

        def obtain() -> OriginState:
            # A refresh may have waited for another fetch, whose file then is the last good copy.
            return self._obtain_state(origin, self._cache.get(name) or state, refresh=refresh, offline=False)

        return self._once(self._in_flight, name, fetched, obtain, refresh=refresh)

    def _once(
        self,
        table: dict[KeyT, Future[ResultT]],
        key: KeyT,
        known: Callable[[], ResultT | None],
        call: Callable[[], ResultT],
        *,
        refresh: bool = False,
    ) -> ResultT:
        """Return the result of a call that one thread makes for a key at a time, while others wait for it.

        Args:
            table: The calls that are being made.
            known: Returns a result that makes the call superfluous, or None.
            refresh: Do not accept the result of a call that was made before this one.
        """
        too_old: Future[ResultT] | None = None
        while True:
            own: Future[ResultT] | None = None
            try:
                with self._lock:
                    future = table.get(key)
                    if future is None or future is too_old or future.done():
                        result = known()
                        if result is not None:
                            return result
                        own = Future()
                        future = table[key] = own
                if own is not None:
                    result = call()
                    own.set_result(result)
                    return result
            except CanfetchError as error:
                if own is not None:
                    own.set_exception(error)
                raise
            finally:
                if own is not None:
                    # Without effect on a finished future. An interrupt or an exception of a signal handler concerns
                    # only this thread, and after one of the transport, each waiting thread tries itself.
                    own.cancel()
                    with self._lock:
                        if table.get(key) is own:
                            del table[key]
            if refresh and too_old is None:
                # Its request may have been sent before the call, and its response be older.
                # Unlike `concurrent.futures.wait`, it also ends if that call is interrupted.
                with suppress(CancelledError):
                    future.exception()
                too_old = future
                continue
            # One of the waiting threads takes over from one that does not finish.
            with suppress(CancelledError):
                return future.result()

    def site_file(self, step: FileStep) -> KeptFile:
        """Return a file of a site, and until when it is used. It is in memory, or fetched by one thread at a time.

        Args: step: The result of `tdm_file_step` or `license_step`.
        Raises: ClientClosed, RequestNotSent.
        """
        known = partial(self._site_files.get, step, self._clock())
        return self._once(self._file_fetches, step.key, known, partial(self._fetch_site_file, step))

    def _fetch_site_file(self, step: FileStep) -> KeptFile:
        origin = find_origin(step.url)
        named = () if step.cross_origin or origin is None else (origin,)
        file = run_steps(fetch_site_file(step), partial(self._perform_step, named))
        return self._site_files.put(step, file, self._clock())

    def _perform_step(self, named: Collection[Origin], step: "UseStep") -> Any:
        from canfetch.client.use import StateStep  # noqa: PLC0415 - as in `may_use`

        cross_origin = is_foreign(step.url, named)
        match step:
            case DecideStep(url):
                return self.decide(url, cross_origin=cross_origin)
            case FetchStep(url, max_bytes, after_redirect):
                return self.request_document(url, max_bytes=max_bytes, cross_origin=cross_origin or after_redirect)
            case FileStep():
                return self.site_file(self._site_step(step, named))
            case StateStep(url):
                return self.origin_state(url, cross_origin=cross_origin)
            case _:
                raise TypeError(f"unexpected step {type(step).__name__}: only front ends perform it")

    def _obtain_state(self, origin: Origin, state: OriginState | None, *, refresh: bool, offline: bool) -> OriginState:
        perform = without_waiting(self._perform)
        return run_without_waiting(self._run_procedure(perform, origin, state, refresh=refresh, offline=offline))

    def _perform(self, action: Action) -> Any:
        match action:
            case SendRequest(request):
                return self._send(request)
            case Pause(seconds):
                return time.sleep(seconds)
            case _:
                return self._perform_store_action(action)

    def _send(self, request: TransportRequest) -> Response | Failure:
        answer = self._transport.send(self._signed(request))
        if self._is_transport_closed and isinstance(answer, Failure):
            # Closing the transport can have caused it, so it says nothing about the site.
            raise ClientClosed
        return answer

    def _refresh_in_background(self, state: OriginState) -> None:
        with self._lock:
            if str(state.origin) in self._in_flight:
                return
            # The transport and its hooks may read context variables, as they can in a fetch that is waited for.
            thread = threading.Thread(
                target=copy_context().run,
                args=(self._refresh, state),
                name=f"canfetch refresh {state.origin}",
                daemon=True,
            )
            try:
                thread.start()
            except RuntimeError:
                # No thread is available. The stale state remains in use, and the next call tries again.
                return
            # The thread removes itself under the same lock, so it cannot do that before it is added.
            self._refresh_threads.add(thread)

    def _refresh(self, state: OriginState) -> None:
        try:
            # The stale state remains in use, and the next call tries again.
            with suppress(RequestNotSent, ClientClosed):
                self._fetch_once(state.origin, state, refresh=False)
        finally:
            with self._lock:
                self._refresh_threads.discard(threading.current_thread())
