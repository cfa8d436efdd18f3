"""Whether content may be used: what has to be fetched for the answer, and the answer."""

from collections.abc import Generator
from typing import Any, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.pages import fetch_tdm_file
from canfetch.client.documents import DISALLOWED, NotFetched, Step, fetch_document
from canfetch.client.origin_state import OriginState
from canfetch.consent.decision import MissingSource, PageResponse, may_use
from canfetch.consent.verdict import SourceState, UseVerdict
from canfetch.core.document import RobotsTxt
from canfetch.core.text import printable_text
from canfetch.errors import OriginDisallowed


class UseFacts(NamedTuple):
    """What was fetched for an answer.

    Attributes:
        url: The URL of the content, after redirects.
        response: The response, or why there is none.
        tdm: The TDM file of its origin, or why there is none.
    """

    url: str
    response: PageResponse | MissingSource
    tdm: bytes | MissingSource


def fetch_use_facts(url: str, *, max_bytes: int, with_page: bool) -> Generator[Step, Any, UseFacts]:
    """Fetch a page and the TDM file of its origin. What cannot be fetched is a missing source.

    Args:
        max_bytes: The number of bytes of the page to read.
        with_page: Whether to fetch the page.
    Raises: InvalidURL; NotFetched: The robots.txt cannot be looked up.
    """
    response: PageResponse | MissingSource = MissingSource(SourceState.NOT_READ)
    if with_page:
        try:
            document = yield from fetch_document(url, max_bytes=max_bytes)
        except NotFetched as error:
            response = MissingSource(SourceState.UNREACHABLE, error.reason)
        else:
            url = document.url
            if document.response is None:
                response = MissingSource(SourceState.NOT_READ, DISALLOWED)
            else:
                answer = document.response
                response = PageResponse(answer.status, answer.headers, answer.body)
    file = yield from fetch_tdm_file(url)
    tdm: bytes | MissingSource
    if file.content is not None:
        tdm = file.content
    elif file.reason is None:
        tdm = MissingSource(SourceState.ABSENT)
    else:
        state = SourceState.NOT_READ if file.reason == DISALLOWED else SourceState.UNREACHABLE
        tdm = MissingSource(state, file.reason)
    return UseFacts(url, response, tdm)


class UseAnswer(NamedTuple):
    """Whether one agent may use the content of a URL.

    Attributes:
        url: The URL as written. That of the verdict is the URL after redirects.
        agent: The agent.
        verdict: The answer.
    """

    url: str
    agent: RequestedAgent
    verdict: UseVerdict

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON. `url` is the URL as written, and `content_url` that after redirects."""
        verdict = self.verdict.to_json()
        return {
            **_names_json(self.url, self.agent),
            "content_url": verdict.pop("url"),
            **verdict,
        }


def use_of_origin(
    url: str, agent: RequestedAgent, purpose: str, facts: UseFacts, state: OriginState, *, now: float
) -> UseAnswer:
    """Return whether an agent may use content that was fetched.

    Args: state: The state of the origin of the content.
    Raises: InvalidOption: `purpose` is unknown.
    """
    robots: RobotsTxt | MissingSource
    try:
        robots = state.robots(now)
    except OriginDisallowed:
        robots = MissingSource(SourceState.UNREACHABLE, state.access_info(now).explanation)
    else:
        if state.effective_access(now).copy is None:
            robots = MissingSource(SourceState.ABSENT)
    verdict = may_use(
        facts.url,
        purpose=purpose,
        agent=agent.agent,
        robots=robots,
        response=facts.response,
        tdm=facts.tdm,
        now=now,
    )
    return UseAnswer(url, agent, verdict)


def use_error_json(url: str, agent: RequestedAgent, error: str) -> dict[str, Any]:
    """Return the object for a URL that cannot be decided."""
    return {**_names_json(url, agent), "allowed": None, "error": printable_text(error)}


def _names_json(url: str, agent: RequestedAgent) -> dict[str, Any]:
    return {"url": printable_text(url), "agent_name": printable_text(agent.name)}
