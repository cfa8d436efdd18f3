"""What an answer depends on besides the request: the time, and what was fetched.

Answers are functions that neither wait nor fetch, so that they can run in a process. A function that misses a fact
raises, the server fetches it, and the function starts again with one fact more.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar

from canfetch.access.editions import choose_profile, get_edition
from canfetch.access.responses import Failure, Response
from canfetch.agents import Crawler
from canfetch.agents.identity import Identity, SignedRequest
from canfetch.client.documents import DecideStep, FetchStep, Step
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.errors import CanfetchError
from canfetch.web.origins import OriginDecider, check_web_url

ResultT = TypeVar("ResultT")
LiveT = TypeVar("LiveT", bound="_LiveRequest")
DEFAULT_PROFILE: Final = "rfc9309"


class StateNeeded(NamedTuple):
    """The robots.txt of the origin of a URL is needed; with `refresh`, a new copy.

    Attributes: policy: The access policy of an edition, or None for that of the server.
    """

    url: str
    refresh: bool = False
    policy: str | None = None

    @property
    def key(self) -> tuple[str, str | None]:
        """The key of the state in the facts."""
        return str(Origin.from_url(self.url)), self.policy


class StatesNeeded(NamedTuple):
    """The robots.txt of several origins are needed. They are fetched side by side, for a limited time."""

    states: tuple[StateNeeded, ...]


class IdentityNeeded(NamedTuple):
    """The identity of the client that sent a recorded request is needed, and hence the keys of its signers.

    Attributes:
        request: The request.
        crawler: The crawler that its User-Agent field names, or None.
        at: When it was received, in seconds since the epoch.
        hosts: The host names of the site, or None for all.
    """

    request: SignedRequest
    crawler: Crawler | None
    at: float
    hosts: tuple[str, ...] | None


Need = StateNeeded | StatesNeeded | FetchStep | IdentityNeeded


class MissingFact(Exception):
    """Raised by an answer that needs something fetched."""

    def __init__(self, need: Need) -> None:
        super().__init__(need)
        self.need = need


class ReadingRequest(Protocol):
    """A request that may name a parsing profile, or an edition."""

    @property
    def profile(self) -> str | None:
        """The name of the profile, or None for that of the edition or the server."""

    @property
    def edition(self) -> str | None:
        """The name of the edition, which sets the profile and the access policy, or None."""


class _OwnReading(NamedTuple):
    profile: str | None = None
    edition: str | None = None


class _LiveRequest(Protocol):
    """A request about files that may have to be fetched."""

    refresh: bool

    @classmethod
    def model_validate_json(cls, json_data: bytes, /) -> Self: ...


OWN_READING: Final = _OwnReading()
"""The reading of requests that name neither a profile nor an edition: that of the server."""


@dataclass(slots=True)
class Facts:
    """The facts that are known.

    Attributes:
        now: The time, in seconds since the epoch.
        own_agent: The agent of the server.
        own_profile: The parsing profile of requests that name none.
        states: The states of origins by access policy, and the errors of those that cannot be fetched.
        responses: The responses, by URL. Failures are kept as well, so that none is repeated.
        response_times: When each of them ended, in seconds since the epoch.
        identity: The identity of the client of the recorded request, and the crawler that the request names.
        refresh: Whether live files are fetched even if the cached copies are fresh.
    """

    now: float
    own_agent: Agent
    own_profile: str = DEFAULT_PROFILE
    states: dict[tuple[str, str | None], OriginState | CanfetchError] = field(default_factory=dict)
    responses: dict[str, Response | Failure] = field(default_factory=dict)
    response_times: dict[str, float] = field(default_factory=dict)
    identity: tuple[Crawler | None, Identity] | None = None
    refresh: bool = False

    def read(self, model: type[LiveT], body: bytes) -> LiveT:
        """Return the request of a body. It decides whether live files are fetched again."""
        asked = model.model_validate_json(body)
        self.refresh = asked.refresh
        return asked

    def profile(self, request: ReadingRequest) -> str:
        """Return the name of the profile of a request.

        Raises: UnknownEdition; InvalidOption: The request has both a profile and an edition.
        """
        return choose_profile(request.profile, request.edition, self.own_profile)

    def state(self, url: str, *, edition: str | None = None) -> OriginState:
        """Return the state of the origin of a URL.

        Args: edition: The edition whose access policy applies, or None for that of the server.
        Raises: MissingFact; InvalidURL, UnknownEdition.
        """
        check_web_url(url)
        need = StateNeeded(url, self.refresh, _policy_of(edition))
        state = self.states.get(need.key)
        if state is None:
            raise MissingFact(need)
        if isinstance(state, CanfetchError):
            raise state
        return state

    def require_states(self, urls: Iterable[str], *, edition: str | None = None) -> None:
        """Require the states of the origins of several URLs.

        Args: edition: As for `state`.
        Raises: MissingFact; InvalidURL, UnknownEdition.
        """
        policy = _policy_of(edition)
        needs = (StateNeeded(url, self.refresh, policy) for url in urls)
        missing = tuple(need for need in needs if need.key not in self.states)
        if missing:
            raise MissingFact(StatesNeeded(missing))

    def decider(self, url: str, request: ReadingRequest = OWN_READING) -> OriginDecider:
        """Return what decides about the URLs of the origin of a URL, as a request has its file fetched and read.

        Raises: MissingFact; InvalidURL, UnknownProfile; and what `profile` raises.
        """
        profile = self.profile(request)
        return OriginDecider(self.state(url, edition=request.edition), self.now, profile)

    def perform(self, agent: Agent, step: Step, *, request: ReadingRequest = OWN_READING) -> Any:
        """Return the result of a step of fetching a document.

        Args: request: The request that selects how each robots.txt is fetched and read.
        Raises: MissingFact; InvalidURL; and what `decider` raises.
        """
        if isinstance(step, DecideStep):
            return self.decider(step.url, request).decide(step.url, agent=agent)
        response = self.responses.get(step.url)
        if response is None:
            raise MissingFact(step)
        return response

    @property
    def size(self) -> int:
        """The bytes of what was fetched."""
        files = (state.file for state in self.states.values() if isinstance(state, OriginState))
        bodies = (answer.body for answer in self.responses.values() if isinstance(answer, Response))
        return sum(len(file.content) for file in files if file is not None) + sum(map(len, bodies))


def _policy_of(edition: str | None) -> str | None:
    return None if edition is None else get_edition(edition).policy
