"""Endpoints that fetch: robots.txt files, their access state, sitemaps and pages. And pages that are passed."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from canfetch.access.editions import get_edition
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import requested_agents
from canfetch.answers.pages import PageTable, decide_page, fetch_page, page_table, parse_header_lines
from canfetch.answers.resources import decide_resources, fetch_resources
from canfetch.answers.site_facts import site_facts, site_facts_of
from canfetch.answers.sitemaps import fetch_sitemap
from canfetch.client.documents import DISALLOWED, DecideStep, FetchStep, NotFetched, Step, quoted_url, run_steps
from canfetch.core.agent import Agent
from canfetch.core.document import parse
from canfetch.core.verdict import Verdict
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import parse_page
from canfetch.web.api.errors import BODY_ERRORS, problem_responses
from canfetch.web.api.facts import Facts, ReadingRequest
from canfetch.web.api.live_responses import FetchedFile, SiteFactsObject, SitemapObject
from canfetch.web.api.page_responses import LivePageRows, PageRows
from canfetch.web.api.requests import (
    FactsRequest,
    FetchRequest,
    LivePageRequest,
    OptionalEdition,
    PageRequest,
    QueryURL,
    SitemapRequest,
)
from canfetch.web.api.services import endpoint, json_response, services_of
from canfetch.web.api.verdict_responses import AccessObject
from canfetch.web.origins import check_web_url, file_state_json

ROUTER: Final = APIRouter(prefix="/v1")
_FETCH_ERRORS: Final = BODY_ERRORS | problem_responses(424)


@endpoint(ROUTER, "/fetch", FetchRequest, FetchedFile, summary="Fetch a robots.txt.", tags=["origins"], is_small=True)
def fetch(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the response, its redirects and headers, how long it is fresh, what it permits, and the file."""
    asked = facts.read(FetchRequest, body)
    return file_state_json(facts.state(asked.url, edition=asked.edition), facts.now)


@endpoint(
    ROUTER, "/facts", FactsRequest, SiteFactsObject, summary="Find everything that a file states.", tags=["files"]
)
def facts_of_site(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return who may fetch what, delays, rates, visit times, host, sitemaps, usage preferences and licenses."""
    asked = facts.read(FactsRequest, body)
    content, agents = asked.file(), requested_agents(asked.agents, exact=asked.exact)
    profile = facts.profile(asked)
    if asked.url is not None:
        state = facts.state(asked.url, edition=asked.edition)
        return site_facts_of(state, agents, now=facts.now, profile=profile).to_json()
    return site_facts(parse(content or b"", profile=profile), agents, now=facts.now).to_json()


@ROUTER.get(
    "/access",
    response_model=AccessObject,
    tags=["origins"],
    summary="Describe the access to an origin.",
    responses=problem_responses(400, 401, 403, 414, 421, 422, 429, 500, 503),
)
async def access(
    request: Request,
    url: Annotated[QueryURL, Query()],
    edition: Annotated[OptionalEdition, Query()] = None,
) -> Response:
    """Return how the robots.txt of an origin was obtained, and what that permits."""
    policy = None if edition is None else get_edition(edition).policy
    return json_response(await services_of(request).origins.access_json(url, policy=policy))


@endpoint(
    ROUTER,
    "/sitemap",
    SitemapRequest,
    SitemapObject,
    summary="List the URLs of a sitemap.",
    tags=["origins"],
    errors=_FETCH_ERRORS,
)
def sitemap(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Fetch one sitemap, and return its URLs. Sitemaps that an index lists are not fetched."""
    asked = facts.read(SitemapRequest, body)
    check_web_url(asked.url)
    steps = fetch_sitemap(asked.url, max_urls=asked.limit)
    return run_steps(steps, partial(facts.perform, facts.own_agent)).to_json()


@endpoint(
    ROUTER,
    "/page",
    PageRequest,
    PageRows,
    summary="Check the rules of a page.",
    tags=["pages"],
    errors=BODY_ERRORS | problem_responses(501),
)
def page(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return what each crawler may do with a page, from its headers and its HTML."""
    asked = PageRequest.model_validate_json(body)
    agents, headers = requested_agents(asked.agents, exact=asked.exact), parse_header_lines(asked.headers)
    rules = parse_page(asked.html or None, headers=headers, url=asked.url, tdm_file=asked.tdm_file)
    file = asked.robots_file()
    robots = None if file is None else parse(file, profile=facts.profile(asked))
    return page_table(asked.url, rules, agents, robots=robots, now=facts.now, dialect=asked.dialect).to_json()


@endpoint(
    ROUTER,
    "/page/fetch",
    LivePageRequest,
    LivePageRows,
    summary="Fetch a page, and check its rules.",
    tags=["pages"],
    errors=_FETCH_ERRORS | problem_responses(501),
)
def live_page(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Fetch a page once, and return what each crawler may do with it.

    The server is a crawler with its own product token. It requests the page if robots.txt allows that to this token and
    to at least one of the crawlers. For a crawler that may not fetch the page, its rules have no effect. With
    `resources`, the answer has the scripts, styles, images and frames of the HTML, with the verdicts on them.
    """
    asked = facts.read(LivePageRequest, body)
    agents = requested_agents(asked.agents, exact=asked.exact)
    check_web_url(asked.url)
    rows = []
    for agent in agents:
        steps = fetch_page(asked.url, max_bytes=DEFAULT_MAX_PAGE_BYTES)
        view = run_steps(steps, partial(perform_for, facts, agent.agent, asked))
        rows.append(decide_page(asked.url, agent, view, now=facts.now, dialect=asked.dialect))
    answer = PageTable(rows).to_json()
    if asked.resources:
        is_fetched = any(row.view.fetched is not None and row.view.fetched.status is not None for row in rows)
        answer["resources"] = _resources(asked, agents, facts) if is_fetched else None
    return answer


def perform_for(facts: Facts, agent: Agent, asked: ReadingRequest, step: Step) -> Any:
    """Return the result of a step for a crawler. Only what robots.txt also allows to the server is fetched.

    Raises: MissingFact; NotFetched, InvalidURL.
    """
    if isinstance(step, FetchStep):
        verdict = facts.perform(facts.own_agent, DecideStep(step.url))
        if not verdict.allowed:
            token = facts.own_agent.tokens[0]
            by_server = f"for {token}, this server"
            raise NotFetched(f"robots.txt disallows {quoted_url(step.url)} {by_server}", f"{DISALLOWED} {by_server}")
    return facts.perform(agent, step, request=asked)


def _resources(asked: LivePageRequest, agents: Sequence[RequestedAgent], facts: Facts) -> Mapping[str, Any]:
    steps = fetch_resources(asked.url, max_bytes=DEFAULT_MAX_PAGE_BYTES)
    found = run_steps(steps, partial(facts.perform, facts.own_agent))
    facts.require_states(found.origins().values(), edition=asked.edition)

    def decide(url: str, agent: Agent) -> Verdict:
        return facts.decider(url, asked).decide(url, agent=agent)

    return decide_resources(found, agents, decide).to_json()
