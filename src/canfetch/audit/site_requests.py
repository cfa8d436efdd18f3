"""The requests of an audit: counted, one after another, and at the pace that the site declares."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Final

from canfetch.access.pacing import Pace, request_interval
from canfetch.access.responses import Failure, Response
from canfetch.agents import REGISTRY, Crawler
from canfetch.client.documents import DecideStep, FetchStep, NotFetched, run_steps
from canfetch.client.origin_pace import declared_pace
from canfetch.client.origin_state import OriginState
from canfetch.client.pacers import Pacer
from canfetch.client.request_headers import is_foreign
from canfetch.client.site_files import FileStep, KeptFile, fetch_site_file, kept_file
from canfetch.client.sync_client import Client
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.profiles import get_profile
from canfetch.core.source import UTF_16_MARKS
from canfetch.core.text import counted
from canfetch.core.verdict import Access, Verdict
from canfetch.errors import CanfetchError

# The longest delay between two requests that the audit waits for.
_MAX_DELAY: Final = 60.0
_SERVER_ERROR: Final = 5
_GOOGLE: Final = "Google"


class RequestLimitReached(NotFetched):
    """Raised when the audit has sent as many requests as it may send."""


def is_utf_16(state: OriginState) -> bool:
    """Return whether the robots.txt of an origin is in UTF-16, with a byte order mark."""
    copy = state.entry.copy
    return copy is not None and copy.content.startswith(UTF_16_MARKS)


class SiteRequests:
    """Sends the requests of one audit.

    Args:
        client: The client.
        named: The origins that the caller named, which receive credentials.
        max_requests: The number of requests that may be sent. A robots.txt counts as one, with its redirects.
        delay: The shortest time between two requests for pages of an origin, in seconds.
        clock: Returns seconds since the epoch.
        sleep: Blocks for a number of seconds, or None.

    Attributes:
        sent: The number of requests that were sent.
    """

    def __init__(
        self,
        client: Client,
        named: Collection[Origin],
        *,
        max_requests: int,
        delay: float,
        clock: Callable[[], float],
        sleep: Callable[[float], object] | None,
    ) -> None:
        self.sent = 0
        self.clock = clock
        self._client = client
        self._named = named
        self._max_requests = max_requests
        bounds = Pace(min_delay=delay, max_delay=max(delay, _MAX_DELAY))
        self._bounds = bounds
        self._pacer = Pacer(client.options.agent, bounds, clock=clock, sleep=sleep)
        self._states: dict[str, OriginState | CanfetchError] = {}
        self._states_for_google: dict[str, OriginState] = {}
        self._files: dict[str, KeptFile] = {}

    def state(self, url: str, *, refresh: bool = False) -> OriginState:
        """Return the state of the origin of a URL. Its robots.txt is fetched once in an audit, if that is due.

        Args: refresh: Fetch it even if a cached copy is fresh, and confirm a failure by a second request.
        Raises: InvalidURL, ClientClosed, RequestNotSent, RequestLimitReached.
        """
        name = str(Origin.from_url(url))
        known = self._states.get(name)
        if known is None:
            self._count()
            try:
                cross_origin = is_foreign(url, self._named)
                known = self._client.origin_state(url, refresh=refresh, cross_origin=cross_origin)
                if refresh and known.effective_access(self.clock()).access is Access.UNREACHABLE:
                    self._count()
                    known = self._client.origin_state(url, refresh=True, cross_origin=cross_origin)
            except CanfetchError as error:
                known = error
            self._states[name] = known
        if isinstance(known, CanfetchError):
            raise known
        return known

    def decide(self, url: str, agent: Agent | None = None) -> Verdict:
        """Return whether an agent may fetch a URL. The default is the agent of the client.

        Raises: As `state`.
        """
        state = self.state(url)
        if agent is None:
            return state.decide(url, self._client.options.agent, self.clock())
        crawler = REGISTRY.get_crawler(agent.tokens[0]) if is_utf_16(state) else None
        return self.state_for(state, crawler).decide(url, agent, self.clock())

    def state_for(self, state: OriginState, crawler: Crawler | None) -> OriginState:
        """Return the state of an origin as a crawler reads it. Those of Google find no rules in UTF-16."""
        if crawler is None or crawler.operator != _GOOGLE or not is_utf_16(state):
            return state
        name = str(state.origin)
        if name not in self._states_for_google:
            options = state.options._replace(profile=get_profile("google"))
            self._states_for_google[name] = OriginState(state.origin, state.entry, options)
        return self._states_for_google[name]

    def fetch(
        self, url: str, *, max_bytes: int, user_agent: str | None = None, cross_origin: bool = False
    ) -> Response | Failure:
        """Send one request when it is its turn. robots.txt is not checked.

        Args: cross_origin: Whether a redirect has led to another origin, so that no credentials are sent.
        Raises: As `state`.
        """
        state = self.state(url)
        self._count()
        self._pacer.wait(state)
        cross_origin = cross_origin or is_foreign(url, self._named)
        return self._client.request_document(url, max_bytes=max_bytes, user_agent=user_agent, cross_origin=cross_origin)

    def interval(self, url: str) -> float:
        """Return the seconds between two requests for pages of the origin of a URL.

        Raises: As `state`.
        """
        pace = declared_pace(self.state(url), self._client.options.agent, self._bounds)
        return request_interval(pace, now=self.clock())

    def confirmed_fetch(
        self, url: str, *, max_bytes: int, user_agent: str | None = None, cross_origin: bool = False
    ) -> Response | Failure:
        """Send a request, and once more after a failure of the server or of the connection: it can be an accident.

        Raises: As `state`.
        """
        send = partial(self.fetch, url, max_bytes=max_bytes, user_agent=user_agent, cross_origin=cross_origin)
        response = send()
        if isinstance(response, Failure) or response.status // 100 == _SERVER_ERROR:
            response = send()
        return response

    def perform(self, step: Any) -> Any:
        """Perform a step of a procedure of `canfetch.client`.

        Raises: As `state`.
        """
        match step:
            case DecideStep(url):
                return self.decide(url)
            case FetchStep(url, max_bytes, cross_origin):
                return self.confirmed_fetch(url, max_bytes=max_bytes, cross_origin=cross_origin)
            case FileStep(url):
                if url not in self._files:
                    file = run_steps(fetch_site_file(step), self.perform)
                    self._files[url] = kept_file(file, self.clock())
                return self._files[url]
            case _:
                return self.state(step.url)

    def _count(self) -> None:
        if self.sent >= self._max_requests:
            raise RequestLimitReached(
                f"the limit of {counted(self._max_requests, 'request')} is reached", "limit of requests"
            )
        self.sent += 1

    @property
    def is_exhausted(self) -> bool:
        """Whether the limit of requests is reached."""
        return self.sent >= self._max_requests
