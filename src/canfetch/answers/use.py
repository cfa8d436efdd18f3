"""Whether content may be used: what has to be fetched for the answer, and the answer."""

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.pages import fetch_tdm_file
from canfetch.client.documents import DISALLOWED, NotFetched, Step, fetch_document
from canfetch.client.origin_state import OriginState
from canfetch.consent.decision import MissingSource, PageResponse, may_use, with_redirects
from canfetch.consent.verdict import SourceState, UseVerdict
from canfetch.core.document import RobotsTxt
from canfetch.core.redaction import redacted_url
from canfetch.core.text import printable_text
from canfetch.errors import OriginDisallowed


class UseFacts(NamedTuple):
    """What was fetched for an answer.

    Attributes:
        url: The URL of the content, after redirects.
        response: The response, or why there is none.
        tdm: The TDM file of its origin, or why there is none.
        earlier: The URLs that redirected, in order, with the TDM files of their origins.
    """

    url: str
    response: PageResponse | MissingSource
    tdm: bytes | MissingSource
    earlier: tuple[tuple[str, bytes | MissingSource], ...] = ()


def fetch_use_facts(url: str, *, max_bytes: int, with_page: bool) -> Generator[Step, Any, UseFacts]:
    """Fetch a page and the TDM file of its origin. What cannot be fetched is a missing source.

    Args:
        max_bytes: The number of bytes of the page to read.
        with_page: Whether to fetch the page.
    Raises: InvalidURL.
    """
    response: PageResponse | MissingSource = MissingSource(SourceState.NOT_READ)
    earlier: list[tuple[str, bytes | MissingSource]] = []
    if with_page:
        try:
            document = yield from fetch_document(url, max_bytes=max_bytes)
        except NotFetched as error:
            response = MissingSource(SourceState.UNREACHABLE, error.reason)
        else:
            url = document.url
            for hop in document.hops:
                file = yield from _fetch_tdm(hop.url)
                earlier.append((hop.url, file))
            if document.response is None:
                response = MissingSource(SourceState.NOT_READ, DISALLOWED)
            else:
                answer = document.response
                response = PageResponse(answer.status, answer.headers, answer.body)
    return UseFacts(url, response, (yield from _fetch_tdm(url)), tuple(earlier))


def _fetch_tdm(url: str) -> Generator[Step, Any, bytes | MissingSource]:
    file = yield from fetch_tdm_file(url)
    if file.content is not None:
        return file.content
    if file.reason is None:
        return MissingSource(SourceState.ABSENT)
    state = SourceState.NOT_READ if file.reason == DISALLOWED else SourceState.UNREACHABLE
    return MissingSource(state, file.reason)


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


def use_of_content(
    url: str,
    agent: RequestedAgent,
    purpose: str,
    facts: UseFacts,
    state_of: Callable[[str], OriginState],
    *,
    now: float,
) -> UseAnswer:
    """Return whether an agent may use content that was fetched.

    Args: state_of: Returns the state of the origin of a URL.
    Raises: InvalidOption: `purpose` is unknown.
    """

    def decide(content_url: str, response: PageResponse | MissingSource, tdm: bytes | MissingSource) -> UseVerdict:
        robots = _robots_of(state_of(content_url), now)
        return may_use(
            content_url, purpose=purpose, agent=agent.agent, robots=robots, response=response, tdm=tdm, now=now
        )

    redirect = MissingSource(SourceState.ABSENT)
    earlier = [decide(hop, redirect, tdm) for hop, tdm in facts.earlier]
    return UseAnswer(url, agent, with_redirects(decide(facts.url, facts.response, facts.tdm), earlier))


def _robots_of(state: OriginState, now: float) -> RobotsTxt | MissingSource:
    try:
        robots = state.robots(now)
    except OriginDisallowed:
        return MissingSource(SourceState.UNREACHABLE, state.access_info(now).explanation)
    return MissingSource(SourceState.ABSENT) if state.effective_access(now).copy is None else robots


def use_error_json(url: str, agent: RequestedAgent, error: str) -> dict[str, Any]:
    """Return the object for a URL that cannot be decided."""
    return {**_names_json(url, agent), "allowed": None, "error": printable_text(error)}


def _names_json(url: str, agent: RequestedAgent) -> dict[str, Any]:
    return {"url": redacted_url(url), "agent_name": printable_text(agent.name)}
