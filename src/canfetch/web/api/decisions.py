"""Endpoints for verdicts: one, many, a stream, explanations, the matrix, and the comparison of two versions."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.comparison import compare_verdicts
from canfetch.answers.crawlers import requested_agents, with_notes
from canfetch.answers.verdicts import Decider, error_json, explain_url, matrix_row, verdict_json, with_agent_note
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.verdict import GroupChoice, GroupSelection, Rule, Verdict
from canfetch.errors import CanfetchError, InvalidOption
from canfetch.web.api.errors import BODY_ERRORS, problem_responses
from canfetch.web.api.facts import Facts
from canfetch.web.api.outcomes import AnswerTooLarge
from canfetch.web.api.requests import (
    AgentName,
    CompareRequest,
    DecideRequest,
    OptionalEdition,
    OptionalProfile,
    QueryURL,
    Refresh,
    URLsRequest,
)
from canfetch.web.api.services import endpoint, respond_to
from canfetch.web.api.verdict_responses import Comparison, Explanation, Matrix, VerdictList, VerdictObject
from canfetch.web.api.verdict_stream import NDJSON, answer_stream
from canfetch.web.origins import OriginDecider
from canfetch.web.settings import MAX_ANSWER_BYTES, MAX_EXPLAINED_VERDICTS, MAX_VERDICTS

ROUTER: Final = APIRouter(prefix="/v1", tags=["verdicts"])
_VERDICTS_SCHEMA: Final = "canfetch.verdicts/1"
# An index in JSON: a digit and a comma.
_INDEX_BYTES: Final = 2
_NO_GROUP: Final = GroupSelection(GroupChoice.NONE, None, ())


@endpoint(ROUTER, "/decide", DecideRequest, VerdictObject, summary="Decide about one URL.", is_small=True)
def decide(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the verdict on a URL, with the deciding rule. With `content`, nothing is fetched."""
    asked = facts.read(DecideRequest, body)
    agent = asked.requested_agent()
    verdict = _decider(asked, asked.url, facts).decide(asked.url, agent=agent.agent)
    return with_agent_note(verdict_json(asked.url, agent, verdict), agent, verdict)


@ROUTER.get(
    "/decide",
    response_model=VerdictObject,
    summary="Decide about one URL with the file of its origin.",
    responses=problem_responses(400, 401, 403, 414, 421, 422, 429, 500, 503),
)
async def decide_live(
    request: Request,
    *,
    url: Annotated[QueryURL, Query()],
    agent: Annotated[AgentName, Query()],
    profile: Annotated[OptionalProfile, Query()] = None,
    edition: Annotated[OptionalEdition, Query()] = None,
    exact: Annotated[bool, Query()] = False,
    refresh: Annotated[Refresh, Query()] = False,
) -> Response:
    """Return the verdict on a URL. Its origin's robots.txt is fetched, unless the cached copy is fresh."""
    asked = {"url": url, "agent": agent, "profile": profile, "edition": edition, "exact": exact, "refresh": refresh}
    return await respond_to(request, decide, to_json(asked), is_small=True)


@endpoint(ROUTER, "/decide/batch", URLsRequest, VerdictList, summary="Decide about many URLs.")
def decide_batch(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the verdict on each URL for each agent, in this order. Without `content`, all URLs have one origin.

    Groups and rules are listed once, and verdicts refer to them by index.
    """
    asked = facts.read(URLsRequest, body)
    agents = asked.requested_agents()
    _check_count(asked, MAX_EXPLAINED_VERDICTS)
    decider = _decider(asked, asked.urls[0], facts)
    found = ListedVerdicts(decider, asked.urls, agents)
    answer = found.to_json()
    return with_notes({**answer, "verdicts": bounded_verdicts(answer["verdicts"], found)}, agents, *_files(decider))


class ListedVerdicts:
    """The verdicts on several URLs, each with every agent, computed while they are written.

    Args:
        decider: Decides about the URLs.
        urls: The URLs.
        agents: The agents.

    Attributes:
        min_list_bytes: The least size of the lists of rules in JSON. It grows with each list that is new, so that a
            writer can stop before the lists are larger than its limit.
    """

    def __init__(self, decider: Decider, urls: Iterable[str], agents: Sequence[RequestedAgent]) -> None:
        self._decider = decider
        self._urls = urls
        self._agents = agents
        self._groups: dict[GroupSelection, int] = {}
        self._rules: dict[Rule, int] = {}
        # The indexes of the rules of each list, as bytes: lists of numbers would take twice the memory or more.
        self._rule_lists: dict[bytes, int] = {}
        self.min_list_bytes = 0

    def to_json(self) -> dict[str, Any]:
        """Return the verdicts as JSON.

        The members `verdicts`, `groups`, `rules` and `rule_lists` are iterators, to be read in this order: the others
        are complete after the last verdict. Only one verdict is in memory at a time.
        """
        return {
            "schema": _VERDICTS_SCHEMA,
            "verdicts": self._verdicts(),
            "groups": _later(lambda: (group.to_json() for group in self._groups)),
            "rules": _later(lambda: (rule.to_json() for rule in self._rules)),
            "rule_lists": _later(lambda: (array("I", packed).tolist() for packed in self._rule_lists)),
        }

    def _verdicts(self) -> Iterator[dict[str, Any]]:
        for url in self._urls:
            for agent in self._agents:
                try:
                    verdict = self._decider.decide(url, agent=agent.agent)
                except CanfetchError as error:
                    yield error_json(url, agent.name, str(error))
                else:
                    yield self._listed(url, agent, verdict)

    def _listed(self, url: str, agent: RequestedAgent, verdict: Verdict) -> dict[str, Any]:
        # Without its group and rules, which can be as large as the file.
        answer = verdict_json(url, agent, verdict._replace(also_matched=(), group=_NO_GROUP))
        del answer["schema"]
        answer["rule"] = None if verdict.rule is None else self._rule(verdict.rule)
        answer["also_matched"] = self._rule_list(verdict.also_matched)
        answer["group"] = self._groups.setdefault(verdict.group, len(self._groups))
        return answer

    def _rule(self, rule: Rule) -> int:
        return self._rules.setdefault(rule, len(self._rules))

    def _rule_list(self, rules: Sequence[Rule]) -> int:
        packed = array("I", map(self._rule, rules)).tobytes()
        if packed not in self._rule_lists:
            self._rule_lists[packed] = len(self._rule_lists)
            self.min_list_bytes += _INDEX_BYTES * len(rules)
        return self._rule_lists[packed]


def _later(items: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Yield the items that exist when the first one is read."""
    yield from items()


def bounded_verdicts(
    verdicts: Iterator[dict[str, Any]], found: ListedVerdicts, *, max_bytes: int = MAX_ANSWER_BYTES
) -> Iterator[dict[str, Any]]:
    """Yield verdicts, unless the lists that are written after them are larger than an answer.

    Raises: AnswerTooLarge.
    """
    for verdict in verdicts:
        if found.min_list_bytes > max_bytes:
            raise AnswerTooLarge(max_bytes)
        yield verdict


@ROUTER.post(
    "/decide/stream",
    summary="Decide about a stream of URLs.",
    responses={**BODY_ERRORS, 200: {"content": {NDJSON: {"schema": {"type": "string"}}}}},
    openapi_extra={
        "requestBody": {"required": True, "content": {NDJSON: {"schema": {"type": "string"}}}},
    },
    response_class=StreamingResponse,
)
async def decide_stream(request: Request) -> Response:
    """Read one question a line, and write one verdict a line.

    A line with `content` and without `url` sets the file for the lines after it. Without such a line, the live file of
    each URL's origin is fetched. Read the response while you send the request.
    """
    return await answer_stream(request)


@endpoint(ROUTER, "/explain", DecideRequest, Explanation, summary="Explain a verdict.")
def explain(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the deciding rule, the losing rules, the group, the compared target, and the verdict of each profile."""
    asked = facts.read(DecideRequest, body)
    return explain_url(_decider(asked, asked.url, facts), asked.url, asked.requested_agent()).to_json()


@endpoint(ROUTER, "/matrix", URLsRequest, Matrix, summary="Compare agents and URLs in a table.")
def matrix_of_verdicts(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return a row for each URL with a cell for each agent. Without `content`, all URLs have one origin."""
    asked = facts.read(URLsRequest, body)
    agents = asked.requested_agents()
    _check_count(asked, MAX_VERDICTS)
    decider = _decider(asked, asked.urls[0], facts)
    rows = (matrix_row(decider, url, agents) for url in asked.urls)
    return with_notes({"rows": rows}, agents, *_files(decider))


@endpoint(ROUTER, "/compare", CompareRequest, Comparison, summary="Compare two versions of a file by their verdicts.")
def compare(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the URLs whose verdict changes, and the profiles in which any verdict for any URL and agent changes."""
    asked = CompareRequest.model_validate_json(body)
    agents = requested_agents(asked.agents, exact=asked.exact)
    _check_verdicts(len(asked.urls) * len(agents), MAX_VERDICTS)
    old, new = asked.versions()
    return compare_verdicts(old, new, asked.urls, agents, profile=facts.profile(asked)).to_json()


def _decider(asked: DecideRequest | URLsRequest, url: str, facts: Facts) -> RobotsTxt | OriginDecider:
    """Return the file of a request, or the live one.

    Args: url: A URL of the origin, whose live file is used if the request has none.
    Raises: MissingFact.
    """
    content = asked.file()
    if content is None:
        return facts.decider(url, asked)
    return parse(content, url=asked.robots_url, profile=facts.profile(asked))


def _files(decider: Decider) -> tuple[RobotsTxt, ...]:
    return (decider,) if isinstance(decider, RobotsTxt) else ()


def _check_count(asked: URLsRequest, limit: int) -> None:
    _check_verdicts(len(asked.urls) * len(asked.agents), limit)


def _check_verdicts(count: int, limit: int) -> None:
    if count > limit:
        raise InvalidOption(f"{count} verdicts requested: expected at most {limit}, URLs times agents")
