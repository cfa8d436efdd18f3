"""Endpoints for the registry of crawlers."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response

from canfetch.agents import REGISTRY, Obeys, Purpose
from canfetch.answers.crawlers import find_crawlers, match_user_agent
from canfetch.client.identity import parse_request_head
from canfetch.client.identity.signature_verifier import parse_hosts
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.pages.dates import parse_date
from canfetch.web.api.errors import BODY_ERRORS, problem_responses
from canfetch.web.api.facts import Facts, IdentityNeeded, MissingFact
from canfetch.web.api.live_responses import CrawlerList, CrawlerObject, FoundCrawler, RequestIdentity
from canfetch.web.api.requests import VerifyRequest
from canfetch.web.api.services import counted_response, endpoint, json_response

ROUTER: Final = APIRouter(prefix="/v1/agents", tags=["crawlers"])
_ERRORS: Final = problem_responses(400, 401, 403, 414, 421, 422, 429, 500)
# Finding the crawler takes up to 8 ms for this many characters.
_MAX_USER_AGENT: Final = 4096
_Filter = Annotated[list[str], Query(max_length=50)]


@cache
def _crawler_texts() -> dict[str, bytes]:
    """Return the JSON of each crawler by its name: the registry of a process does not change."""
    return {crawler.name: to_json(crawler.to_json()) for crawler in REGISTRY.crawlers}


@ROUTER.get("", response_model=CrawlerList, summary="List crawlers.", responses=_ERRORS)
async def list_crawlers(
    request: Request,
    purpose: Annotated[list[Purpose], Query(max_length=50)] = [],  # noqa: B006 - FastAPI copies defaults
    operator: _Filter = [],  # noqa: B006 - FastAPI copies defaults
    obeys: Annotated[list[Obeys], Query(max_length=10)] = [],  # noqa: B006 - FastAPI copies defaults
) -> Response:
    """Return the crawlers that match all filters. A filter that is repeated matches any of its values."""
    texts = _crawler_texts()
    found = b",".join(texts[crawler.name] for crawler in find_crawlers(purpose, operator, obeys))
    return counted_response(request, b'{"crawlers":[%b]}' % found)


@ROUTER.get("/find", response_model=FoundCrawler, summary="Identify a User-Agent header.", responses=_ERRORS)
async def find_crawler(user_agent: Annotated[str, Query(max_length=_MAX_USER_AGENT)]) -> Response:
    """Return the crawler that a User-Agent header identifies, or null. Anyone can send any header."""
    return json_response(match_user_agent(user_agent).to_json())


@endpoint(
    ROUTER,
    "/verify",
    VerifyRequest,
    RequestIdentity,
    summary="Verify the signatures of a recorded request.",
    errors=BODY_ERRORS | problem_responses(501),
    is_small=True,
)
def verify(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return who signed a request (Web Bot Auth), with which key, or why that is not proved.

    The keys of the signer are fetched. `status` is `verified` if the signature proves the crawler of the User-Agent
    field, and else `undecided`.
    """
    if facts.identity is not None:
        named, identity = facts.identity
        return {"crawler": None if named is None else named.name, **identity.to_json()}
    asked = VerifyRequest.model_validate_json(body)
    head = parse_request_head(asked.request.encode("latin-1", "replace"))
    at = facts.now if asked.at is None else parse_date(asked.at)
    if at is None:
        raise InvalidOption(f"invalid at {quoted(asked.at)}: expected a time such as 2026-03-01T12:00:00Z")
    user_agent = head.field("user-agent") or ""
    if len(user_agent) > _MAX_USER_AGENT:
        raise InvalidOption(f"the User-Agent field is longer than {_MAX_USER_AGENT:,} characters")
    crawler = REGISTRY.find_crawler(user_agent)
    hosts = None if asked.host is None else (asked.host,)
    if hosts is not None:
        parse_hosts(hosts)
    raise MissingFact(IdentityNeeded(head, crawler, at, hosts))


@ROUTER.get("/verify", include_in_schema=False)
async def refuse_verify() -> Response:
    """Refuse a GET request for `/verify`, which would otherwise be one for a crawler."""
    raise HTTPException(405, headers={"Allow": "POST"})


@ROUTER.get(
    "/{name}", response_model=CrawlerObject, summary="Show a crawler.", responses=_ERRORS | problem_responses(404)
)
async def get_crawler(name: str) -> Response:
    """Return the crawler with a product token, ignoring case."""
    crawler = REGISTRY.get_crawler(name)
    if crawler is None:
        raise HTTPException(404)
    return json_response(crawler.to_json())
