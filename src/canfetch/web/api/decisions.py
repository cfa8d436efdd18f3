"""Endpoints for verdicts: one, many, a stream, explanations, the matrix, and the comparison of two versions."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from canfetch.agents.requested import RequestedAgent, requested_agent
from canfetch.answers.comparison import compare_verdicts
from canfetch.answers.crawlers import requested_agents, with_notes
from canfetch.answers.verdicts import Decider, explain_url, matrix_row, verdict_json, verdict_rows, with_agent_note
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption
from canfetch.web.api.errors import BODY_ERRORS, problem_responses
from canfetch.web.api.requests import (
    AgentName,
    CompareRequest,
    DecideRequest,
    ProfileName,
    QueryURL,
    URLsRequest,
    body_schema,
)
from canfetch.web.api.services import INLINE_BYTES, answer_in_thread, json_response, read_request, services_of
from canfetch.web.api.verdict_responses import Comparison, Explanation, Matrix, VerdictList, VerdictObject
from canfetch.web.api.verdict_stream import NDJSON, answer_stream
from canfetch.web.origins import OriginDecider
from canfetch.web.settings import MAX_EXPLAINED_VERDICTS, MAX_VERDICTS

ROUTER: Final = APIRouter(prefix="/v1", tags=["verdicts"])
# A verdict that names so few lines is written in less time than that.
_INLINE_LINES: Final = 500


@ROUTER.post(
    "/decide",
    response_model=VerdictObject,
    summary="Decide about one URL.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(DecideRequest),
)
async def decide(request: Request) -> Response:
    """Return the verdict on a URL, with the deciding rule. With `content`, nothing is fetched."""
    asked = await read_request(request, DecideRequest)
    agent, content = asked.requested_agent(), asked.file()
    if content is None:
        verdict = await services_of(request).origins.verdict(asked.url, agent.agent, profile=asked.profile)
    else:
        if len(content) > INLINE_BYTES:
            return await answer_in_thread(
                request, lambda: _verdict_answer(asked.url, agent, _verdict_from(asked, content, agent.agent))
            )
        verdict = _verdict_from(asked, content, agent.agent)
    return await _verdict_response(request, asked.url, agent, verdict)


@ROUTER.get(
    "/decide",
    response_model=VerdictObject,
    summary="Decide about one URL with the live file.",
    responses=problem_responses(400, 401, 403, 421, 422, 429, 500, 503),
)
async def decide_live(
    request: Request,
    url: Annotated[QueryURL, Query()],
    agent: Annotated[AgentName, Query()],
    profile: Annotated[ProfileName, Query()] = "rfc9309",
    exact: Annotated[bool, Query()] = False,  # noqa: FBT002 - a parameter of the query
) -> Response:
    """Return the verdict on a URL. Its origin's robots.txt is fetched, unless the cached copy is fresh."""
    named = requested_agent(agent, exact=exact)
    verdict = await services_of(request).origins.verdict(url, named.agent, profile=profile)
    return await _verdict_response(request, url, named, verdict)


@ROUTER.post(
    "/decide/batch",
    response_model=VerdictList,
    summary="Decide about many URLs.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(URLsRequest),
)
async def decide_batch(request: Request) -> Response:
    """Return the verdict on each URL for each agent, in this order. Without `content`, all URLs have one origin."""
    asked = await read_request(request, URLsRequest)
    agents = asked.requested_agents()
    _check_count(asked, MAX_EXPLAINED_VERDICTS)
    decider = await _decider(request, asked, asked.urls[0])

    def compute() -> dict[str, Any]:
        decides = decider()
        rows = (row for url in asked.urls for row in verdict_rows(decides, url, agents))
        return with_notes({"verdicts": rows}, agents, *_files(decides))

    return await answer_in_thread(request, compute)


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


@ROUTER.post(
    "/explain",
    response_model=Explanation,
    summary="Explain a verdict.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(DecideRequest),
)
async def explain(request: Request) -> Response:
    """Return the deciding rule, the losing rules, the group, the compared target, and the verdict of each profile."""
    asked = await read_request(request, DecideRequest)
    agent = asked.requested_agent()
    decider = await _decider(request, asked, asked.url)
    return await answer_in_thread(request, lambda: explain_url(decider(), asked.url, agent).to_json())


@ROUTER.post(
    "/matrix",
    response_model=Matrix,
    summary="Compare agents and URLs in a table.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(URLsRequest),
)
async def matrix_of_verdicts(request: Request) -> Response:
    """Return a row for each URL with a cell for each agent. Without `content`, all URLs have one origin."""
    asked = await read_request(request, URLsRequest)
    agents = asked.requested_agents()
    _check_count(asked, MAX_VERDICTS)
    decider = await _decider(request, asked, asked.urls[0])

    def compute() -> dict[str, Any]:
        decides = decider()
        rows = (matrix_row(decides, url, agents) for url in asked.urls)
        return with_notes({"rows": rows}, agents, *_files(decides))

    return await answer_in_thread(request, compute)


@ROUTER.post(
    "/compare",
    response_model=Comparison,
    summary="Compare two versions of a file by their verdicts.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(CompareRequest),
)
async def compare(request: Request) -> Response:
    """Return the URLs whose verdict changes, and the profiles in which any verdict for any URL and agent changes."""
    asked = await read_request(request, CompareRequest)
    agents = requested_agents(asked.agents, exact=asked.exact)
    _check_verdicts(len(asked.urls) * len(agents), MAX_VERDICTS)
    return await answer_in_thread(
        request,
        lambda: compare_verdicts(
            asked.old.encode(), asked.new.encode(), asked.urls, agents, profile=asked.profile
        ).to_json(),
    )


async def _verdict_response(request: Request, url: str, agent: RequestedAgent, verdict: Verdict) -> Response:
    if len(verdict.also_matched) + len(verdict.group.lines) > _INLINE_LINES:
        return await answer_in_thread(request, partial(_verdict_answer, url, agent, verdict))
    return json_response(_verdict_answer(url, agent, verdict))


def _verdict_answer(url: str, agent: RequestedAgent, verdict: Verdict) -> dict[str, Any]:
    return with_agent_note(verdict_json(url, agent, verdict), agent, verdict)


def _verdict_from(asked: DecideRequest, content: bytes, agent: Agent) -> Verdict:
    robots = parse(content, url=asked.robots_url, profile=asked.profile)
    return robots.decide(asked.url, agent=agent)


async def _decider(
    request: Request, asked: DecideRequest | URLsRequest, url: str
) -> Callable[[], RobotsTxt | OriginDecider]:
    """Return a function that returns the decider, so that parsing happens in a thread.

    Args: url: A URL of the origin, whose live file is used if the request has none.
    """
    content = asked.file()
    if content is not None:
        return partial(parse, content, url=asked.robots_url, profile=asked.profile)
    origins = services_of(request).origins
    return partial(OriginDecider, await origins.state(url), origins.clock(), asked.profile)


def _files(decider: Decider) -> tuple[RobotsTxt, ...]:
    return (decider,) if isinstance(decider, RobotsTxt) else ()


def _check_count(asked: URLsRequest, limit: int) -> None:
    _check_verdicts(len(asked.urls) * len(asked.agents), limit)


def _check_verdicts(count: int, limit: int) -> None:
    if count > limit:
        raise InvalidOption(f"{count} verdicts requested: expected at most {limit}, URLs times agents")
