"""What an answer depends on besides the request: the time, and what was fetched.

Answers are functions that neither wait nor fetch, so that they can run in a process. A function that misses a fact
raises, the server fetches it, and the function starts again with one fact more.
"""

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from canfetch.access.responses import Failure, Response
from canfetch.client.documents import DecideStep, FetchStep, Step
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.errors import CanfetchError
from canfetch.web.origins import OriginDecider, check_web_url

ResultT = TypeVar("ResultT")
DEFAULT_PROFILE: Final = "rfc9309"


class StateNeeded(NamedTuple):
    """The robots.txt of the origin of a URL is needed; with `refresh`, a new copy."""

    url: str
    refresh: bool = False


Need = StateNeeded | FetchStep


class MissingFact(Exception):
    """Raised by an answer that needs something fetched."""

    def __init__(self, need: Need) -> None:
        super().__init__(need)
        self.need = need


class ProfileRequest(Protocol):
    """A request that may name a parsing profile."""

    @property
    def profile(self) -> str | None:
        """The name of the profile, or None for that of the server."""


@dataclass(slots=True)
class Facts:
    """The facts that are known.

    Attributes:
        now: The time, in seconds since the epoch.
        own_agent: The agent of the server.
        own_profile: The parsing profile of requests that name none.
        states: The states of origins, and the errors of those that cannot be fetched.
        responses: The responses, by URL. Failures are kept as well, so that none is repeated.
    """

    now: float
    own_agent: Agent
    own_profile: str = DEFAULT_PROFILE
    states: dict[str, OriginState | CanfetchError] = field(default_factory=dict)
    responses: dict[str, Response | Failure] = field(default_factory=dict)

    def profile(self, request: ProfileRequest) -> str:
        """Return the name of the profile of a request."""
        return self.own_profile if request.profile is None else request.profile

    def state(self, url: str, *, refresh: bool = False) -> OriginState:
        """Return the state of the origin of a URL.

        Raises: MissingFact; InvalidURL.
        """
        check_web_url(url)
        state = self.states.get(str(Origin.from_url(url)))
        if state is None:
            raise MissingFact(StateNeeded(url, refresh))
        if isinstance(state, CanfetchError):
            raise state
        return state

    def decider(self, url: str, profile: str | None = None) -> OriginDecider:
        """Return what decides about the URLs of the origin of a URL.

        Args: profile: The parsing profile, or None for that of the server.

        Raises: MissingFact; InvalidURL, UnknownProfile.
        """
        return OriginDecider(self.state(url), self.now, self.own_profile if profile is None else profile)

    def perform(self, agent: Agent, step: Step) -> Any:
        """Return the result of a step of fetching a document.

        Raises: MissingFact; InvalidURL.
        """
        if isinstance(step, DecideStep):
            return self.decider(step.url).decide(step.url, agent=agent)
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
