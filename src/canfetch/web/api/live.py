"""Endpoints that fetch: robots.txt files, their access state, sitemaps and pages. And pages that are passed."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from canfetch.answers.crawlers import requested_agents
from canfetch.answers.pages import page_table, parse_header_lines
from canfetch.core.document import parse
from canfetch.pages.page_rules import parse_page
from canfetch.web.api.errors import BODY_ERRORS, problem_responses
from canfetch.web.api.live_responses import FetchedFile, SitemapObject
from canfetch.web.api.page_responses import PageRows
from canfetch.web.api.requests import (
    FetchRequest,
    LivePageRequest,
    PageRequest,
    QueryURL,
    SitemapRequest,
    body_schema,
)
from canfetch.web.api.services import answer_in_thread, json_response, read_request, services_of
from canfetch.web.api.verdict_responses import AccessObject
from canfetch.web.documents import DocumentFetcher

ROUTER: Final = APIRouter(prefix="/v1")
_FETCH_ERRORS: Final = BODY_ERRORS | problem_responses(424)


@ROUTER.post(
    "/fetch",
    response_model=FetchedFile,
    tags=["origins"],
    summary="Fetch a robots.txt.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(FetchRequest),
)
async def fetch(request: Request) -> Response:
    """Return the response, its redirects and headers, how long it is fresh, what it permits, and the file."""
    asked = await read_request(request, FetchRequest)
    return json_response(await services_of(request).origins.file_json(asked.url, refresh=asked.refresh))


@ROUTER.get(
    "/access",
    response_model=AccessObject,
    tags=["origins"],
    summary="Describe the access to an origin.",
    responses=problem_responses(400, 401, 403, 421, 422, 429, 500, 503),
)
async def access(request: Request, url: Annotated[QueryURL, Query()]) -> Response:
    """Return how the robots.txt of an origin was obtained, and what that permits."""
    return json_response(await services_of(request).origins.access_json(url))


@ROUTER.post(
    "/sitemap",
    response_model=SitemapObject,
    tags=["origins"],
    summary="List the URLs of a sitemap.",
    responses=_FETCH_ERRORS,
    openapi_extra=body_schema(SitemapRequest),
)
async def sitemap(request: Request) -> Response:
    """Fetch one sitemap, and return its URLs. Sitemaps that an index lists are not fetched."""
    asked = await read_request(request, SitemapRequest)
    fetcher = DocumentFetcher(services_of(request).origins)
    return json_response((await fetcher.sitemap(asked.url, max_urls=asked.limit)).to_json())


@ROUTER.post(
    "/page",
    response_model=PageRows,
    tags=["pages"],
    summary="Check the rules of a page.",
    responses=BODY_ERRORS | problem_responses(501),
    openapi_extra=body_schema(PageRequest),
)
async def page(request: Request) -> Response:
    """Return what each crawler may do with a page, from its headers and its HTML."""
    asked = await read_request(request, PageRequest)
    agents, headers = requested_agents(asked.agents, exact=asked.exact), parse_header_lines(asked.headers)
    now = services_of(request).origins.clock()

    def compute() -> dict[str, Any]:
        rules = parse_page(asked.html or None, headers=headers, url=asked.url, tdm_file=asked.tdm_file)
        robots = None if asked.robots is None else parse(asked.robots.encode(), profile=asked.profile)
        return page_table(asked.url, rules, agents, robots=robots, now=now, dialect=asked.dialect).to_json()

    return await answer_in_thread(request, compute)


@ROUTER.post(
    "/page/fetch",
    response_model=PageRows,
    tags=["pages"],
    summary="Fetch a page, and check its rules.",
    responses=_FETCH_ERRORS | problem_responses(501),
    openapi_extra=body_schema(LivePageRequest),
)
async def live_page(request: Request) -> Response:
    """Fetch a page as each crawler would, if robots.txt allows it, and return what the crawler may do with it."""
    asked = await read_request(request, LivePageRequest)
    fetcher = DocumentFetcher(services_of(request).origins)
    agents = requested_agents(asked.agents, exact=asked.exact)
    return json_response((await fetcher.page(asked.url, agents, dialect=asked.dialect)).to_json())
