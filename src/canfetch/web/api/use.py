"""Endpoints about the uses of content: of files in the request, and of content that is fetched."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from fastapi import APIRouter
from pydantic import BaseModel, Field

from canfetch.agents import Purpose
from canfetch.answers.crawlers import requested_agents, with_notes
from canfetch.answers.use import UseAnswer, use_table
from canfetch.client.documents import run_steps
from canfetch.client.origin_state import OriginState
from canfetch.client.site_files import FileStep, fetch_site_file, kept_file
from canfetch.client.use import RequestTimeStep, StateStep, UseQuestion, UseStep, fetch_use
from canfetch.consent.verdict import SourceState, StatementKind
from canfetch.core.agent import Agent
from canfetch.core.document import parse as parse_robots
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.origin import Origin
from canfetch.core.redaction import redacted_url
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.web.api.errors import BODY_ERRORS, problem_responses
from canfetch.web.api.facts import Facts
from canfetch.web.api.file_responses import ExtensionObject
from canfetch.web.api.live import perform_for
from canfetch.web.api.requests import LiveUseRequest, UseRequest
from canfetch.web.api.services import endpoint
from canfetch.web.api.verdict_responses import AgentNotes, AgentObject
from canfetch.web.origins import check_web_url

ROUTER: Final = APIRouter(prefix="/v1", tags=["uses"])


class UseStatementObject(BaseModel):
    """A statement of a site on a use."""

    kind: StatementKind
    standard: str
    source: str
    place: str
    line: int | None = Field(description="The line of robots.txt or of the HTML, or null for other sources.")
    text: str
    preference: Preference
    note: str
    is_condition: bool


class UseSourceObject(BaseModel):
    """A place where a site can state something, and whether it was read."""

    name: str
    state: SourceState
    detail: str
    url: str | None = Field(
        description="The URL of a license, of a file that a redirect led to on another host or port, and of each of "
        "several sources with the same name, which redirects of the content have."
    )
    fetched_at: str | None = Field(description="When the content was fetched, or null if there is none.")
    requested_at: str | None = Field(description="When the last request for it ended, whatever the result, or null.")


class UseObject(BaseModel):
    """Whether a use is allowed."""

    allowed: bool | None = Field(description="Null if nothing is stated.")
    is_final: bool = Field(description="Whether no source that was not read could change the answer.")
    expires_at: str | None
    explanation: str
    combination: str = Field(description="The rule by which statements result in the answer.")
    statements: list[UseStatementObject]
    unlisted_statements: int = Field(description="The number of statements that are not listed, over 100 of a kind.")


class CrawlerUsesObject(BaseModel):
    """Whether one crawler may fetch a URL, and whether each use of its content is allowed."""

    agent_name: str
    operator: str | None
    purposes: list[Purpose]
    honours: list[str]
    control_token: bool = Field(
        description="Whether it fetches nothing: `allowed` is then whether the use of the URL is permitted."
    )
    allowed: bool
    line: int | None
    explanation: str
    licenses: list[UseSourceObject] = Field(description="The RSL documents that the sources name for the crawler.")
    uses: dict[UsagePurpose, UseObject]


class UseTableObject(BaseModel):
    """Whether crawlers may use the content of a URL, by crawler and purpose."""

    schema_: str = Field(alias="schema")
    url: str
    profile: str
    sources: list[UseSourceObject]
    crawlers: list[CrawlerUsesObject]
    records: list[ExtensionObject]
    agent_notes: AgentNotes = []


class UseAnswerObject(UseObject):
    """Whether one crawler may use the content of a URL, as `canfetch use --format json` writes it."""

    schema_: str = Field(alias="schema")
    url: str
    agent_name: str
    content_url: str = Field(description="The URL after redirects.")
    purpose: UsagePurpose
    agent: AgentObject
    decided_by: list[UseStatementObject]
    sources: list[UseSourceObject]


class LiveUseRows(BaseModel):
    """The answer for each crawler."""

    rows: list[UseAnswerObject]
    agent_notes: AgentNotes = []


@endpoint(ROUTER, "/use", UseRequest, UseTableObject, summary="Check what content may be used for.")
def use(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return for each crawler and purpose whether the use is allowed, and each statement on it.

    The robots.txt, the headers of the response and the TDM file are those in the request.
    """
    asked = UseRequest.model_validate_json(body)
    robots = parse_robots(asked.file(), profile=facts.profile(asked))
    agents = requested_agents(asked.agents, exact=asked.exact)
    headers, tdm_file = asked.headers, asked.tdm_file
    return use_table(robots, asked.url, agents, headers=headers, tdm_file=tdm_file, now=facts.now).to_json()


@endpoint(
    ROUTER,
    "/use/fetch",
    LiveUseRequest,
    LiveUseRows,
    summary="Fetch content, and check whether it may be used for a purpose.",
    errors=BODY_ERRORS | problem_responses(424, 501),
)
def live_use(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Fetch a page, and what its site states elsewhere, and return the answer for each crawler.

    That is the robots.txt and the TDM file of its origin, and the first three RSL licenses that are named.

    The server is a crawler with its own product token. It fetches what robots.txt allows to this token and to at least
    one of the crawlers. What it could not read is a source that was not read.
    """
    asked = facts.read(LiveUseRequest, body)
    check_web_url(asked.url)
    agents = requested_agents(asked.agents, exact=asked.exact)
    profile = facts.profile(asked)
    # Each file is parsed once for all crawlers.
    states: dict[str, OriginState] = {}

    def perform(agent: Agent, step: UseStep) -> Any:
        match step:
            case StateStep(url):
                origin = str(Origin.from_url(url))
                if origin not in states:
                    states[origin] = facts.state(url, edition=asked.edition).with_profile(profile)
                return states[origin]
            case RequestTimeStep(url):
                return next((at for one, at in facts.response_times.items() if redacted_url(one) == url), None)
            case FileStep():
                file = run_steps(fetch_site_file(step), partial(perform, agent))
                return kept_file(file, facts.response_times.get(step.url, facts.now))
            case _:
                return perform_for(facts, agent, asked, step)

    rows = []
    for agent in agents:
        question = UseQuestion(asked.purpose, agent.agent, facts.now)
        steps = fetch_use(asked.url, question, max_bytes=DEFAULT_MAX_PAGE_BYTES)
        verdict = run_steps(steps, partial(perform, agent.agent)).verdict
        rows.append(UseAnswer(asked.url, agent, verdict).to_json())
    return with_notes({"rows": rows}, agents)
