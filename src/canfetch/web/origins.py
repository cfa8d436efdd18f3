"""Answers about the live files of origins, which are fetched and cached by one client.

Unless the operator allows private addresses, no request reaches one: the client checks the address of each connection,
after redirects and name resolution. Only http and https are fetched.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from canfetch import __version__
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.documents import FetchStep
from canfetch.client.origin_report import origin_json
from canfetch.client.origin_state import OriginState
from canfetch.client.stores import Store
from canfetch.client.transports import AsyncTransport, TransportRequest
from canfetch.client.transports.fetch_rules import NO_RULES, FetchRules
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.text import content_json
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.repository import default_user_agent
from canfetch.web.policy_clients import PolicyClients
from canfetch.web.server.clients import current_client
from canfetch.web.server.shares import Shares
from canfetch.web.web_transport import WEB_SCHEMES, WebTransport

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_TIMEOUT: Final = 20.0
_MAX_WAIT: Final = 10.0
# Of pages and sitemaps in memory. A sitemap counts for 50 MiB while it is fetched, and takes a few times its size.
_MAX_DOCUMENT_BYTES: Final = 512 * 1024 * 1024


# Called before each fetch of a request. It raises an exception if the client may not cause another one.
before_fetch: ContextVar[Callable[[], None] | None] = ContextVar("before_fetch", default=None)


class TooManyFetches(CanfetchError, RuntimeError):
    """Raised when the server fetches as many files or bytes as it may at a time, or for a client."""


class Origins:
    """The origins that a server has fetched.

    Args:
        store: The store of fetched files, or None to keep them in memory only. It is closed with the client.
        allow_private: Whether private and loopback addresses may be fetched.
        max_fetches: The number of fetches at a time, a quarter of them for one client. Decisions about cached files
            are not limited.
        user_agent: The User-Agent header of requests.
        policy: The access policy.
        profile: The parsing profile of the files that are kept.
        tracer: An OpenTelemetry tracer, or None.
        rules: What may be connected to.
        transport: The transport, for tests.
    """

    def __init__(
        self,
        *,
        store: Store | None,
        allow_private: bool = False,
        max_fetches: int = 64,
        user_agent: str | None = None,
        policy: str = "rfc9309",
        profile: str = "rfc9309",
        tracer: "Tracer | None" = None,
        rules: FetchRules = NO_RULES,
        transport: AsyncTransport | None = None,
    ) -> None:
        self.transport = WebTransport(rules=rules) if transport is None else transport
        self.allow_private = allow_private
        self.user_agent = default_user_agent(__version__) if user_agent is None else user_agent
        create = partial(
            AsyncClient,
            user_agent=self.user_agent,
            profile=profile,
            store=store,
            allow_private=allow_private,
            timeout=_TIMEOUT,
            transport=self.transport,
            tracer=tracer,
        )
        self.clients = PolicyClients(create, policy)
        self._fetches = Shares(max_fetches)
        self._fetching: set[asyncio.Task[OriginState]] = set()
        self._document_bytes = Shares(_MAX_DOCUMENT_BYTES)

    async def close(self) -> None:
        """Cancel fetches in progress, and close the store."""
        await self.clients.close()

    async def state(
        self, url: str, *, refresh: bool = False, policy: str | None = None, deadline: float | None = None
    ) -> OriginState:
        """Return the state of the origin of `url`, and fetch its robots.txt if that is due.

        Args:
            policy: The access policy of an edition, or None for that of the server.
            deadline: The time of the event loop at which a file that is not cached is late, or None.
        Raises: InvalidURL; TooManyFetches: As many fetches as allowed are running; TimeoutError: The file is late.
        """
        check_web_url(url)
        client = self.clients.get(policy)
        if not refresh:
            state = client.cached_state(url)
            if state is not None:
                return state
        # The fetch continues after its request, because the file is needed again, and counts until it ends.
        end = self.begin_fetch()
        fetch = asyncio.create_task(client.origin_state(url, refresh=refresh))
        self._fetching.add(fetch)
        fetch.add_done_callback(partial(self._end_fetch, end))
        async with asyncio.timeout_at(deadline):
            await asyncio.wait((fetch,))
        return fetch.result()

    def _end_fetch(self, end: Callable[[], None], fetch: asyncio.Task[OriginState]) -> None:
        end()
        self._fetching.discard(fetch)
        if not fetch.cancelled():
            # asyncio logs exceptions that no task retrieves.
            fetch.exception()

    async def fetch(self, step: FetchStep, *, deadline: float, documents: ExitStack) -> Response | Failure:
        """Send a request for a page or a sitemap, without following redirects.

        Args:
            deadline: The time of the event loop at which a response is late.
            documents: The bytes of the response count as those of the current client until it is closed.
        Raises: TooManyFetches.
        """
        client = current_client.get()
        if not self._document_bytes.take(client, step.max_bytes):
            raise TooManyFetches("too many large files are in memory: try again in a few seconds")
        kept = 0
        try:
            answer = await self._send(step, deadline)
            if isinstance(answer, Response):
                kept = min(len(answer.body), step.max_bytes)
                documents.callback(self._document_bytes.give_back, client, kept)
        finally:
            self._document_bytes.give_back(client, step.max_bytes - kept)
        return answer

    async def _send(self, step: FetchStep, deadline: float) -> Response | Failure:
        request = TransportRequest(
            url=step.url,
            headers=(("User-Agent", self.user_agent), ("Accept", "text/html, */*;q=0.5")),
            max_bytes=step.max_bytes,
            connect_timeout=_MAX_WAIT,
            read_timeout=_MAX_WAIT,
            timeout=_TIMEOUT,
            allow_private=self.allow_private,
        )
        try:
            with ExitStack() as place:
                place.callback(self.begin_fetch())
                async with asyncio.timeout_at(deadline):
                    return await self.transport.send(request)
        except TimeoutError:
            return Failure(step.url, FailureKind.TIMEOUT, "no response in the time of the request")

    def begin_fetch(self) -> Callable[[], None]:
        """Count a fetch of the current client until the returned function is called.

        Raises: TooManyFetches, and what `before_fetch` raises.
        """
        check = before_fetch.get()
        if check is not None:
            check()
        client = current_client.get()
        if not self._fetches.take(client):
            raise TooManyFetches("too many fetches are running: try again in a few seconds")
        return partial(self._fetches.give_back, client)

    async def access_json(self, url: str, *, policy: str | None = None) -> dict[str, Any]:
        """Return how the robots.txt of an origin was obtained and what that means, as verdicts contain it.

        Args: policy: As for `state`.
        Raises: InvalidURL, TooManyFetches.
        """
        state = await self.state(url, policy=policy)
        return state.access_info(time.time()).to_json()

    @property
    def is_ready(self) -> bool:
        """Whether the store works."""
        return self.clients.own.store_error is None


class OriginDecider:
    """Decides about the URLs of one origin, at one moment."""

    def __init__(self, state: OriginState, now: float, profile: str) -> None:
        self._state = _read_with(state, profile)
        self._now = now

    def with_profile(self, profile: str) -> "OriginDecider":
        """Return the decider of another profile, which parses the file again.

        Raises: UnknownProfile.
        """
        return OriginDecider(self._state, self._now, profile)

    def decide(self, url: str, *, agent: Agent) -> Verdict:
        """Return the verdict on a URL of the origin.

        Raises: InvalidURL, OriginMismatch.
        """
        return self._state.decide(url, agent, self._now)


def file_state_json(state: OriginState, now: float) -> dict[str, Any]:
    """Return the state of an origin in the form of `canfetch fetch --format json`, and the content of its file."""
    copy = state.effective_access(now).copy
    return {
        **origin_json(state, now),
        "fresh_for": max(0, round(state.entry.next_fetch_at - now)),
        **({"content": None, "content_encoding": "utf-8"} if copy is None else content_json(copy.content)),
    }


def check_web_url(url: str) -> None:
    """Check that a URL can be fetched.

    Raises: InvalidURL.
    """
    if Origin.from_url(url).scheme not in WEB_SCHEMES:
        raise InvalidURL(f"cannot fetch {quoted(url)}: expected an http or https URL")


def _read_with(state: OriginState, profile: str) -> OriginState:
    return state if profile == state.options.profile.name else state.with_profile(profile)
