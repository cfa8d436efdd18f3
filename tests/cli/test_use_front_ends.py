"""Every front end gives the answer of `may_use`, with the same statements."""

import asyncio
import json
import random
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import pytest
from tests.bulk.generated_usage import generated_content
from tests.cli.conftest import RunCommand
from tests.client.test_may_use import NOW, ROBOTS_URL, TDM_URL, AsyncWeb, Web, ask_async_client, ask_client, ok
from tests.mcp.asking import state_of

import canfetch
from canfetch import bulk
from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.documents import DISALLOWED
from canfetch.client.site_files import SiteFile
from canfetch.client.use import file_source
from canfetch.consent import MissingSource, PageResponse, SourceState, UseVerdict, may_use
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.verdict import RobotsDisallowed
from canfetch.integrations.checked_request import SentRequest
from canfetch.integrations.request_guard import (
    AsyncRequestGuard,
    InvalidRequestURL,
    RequestErrors,
    RequestGuard,
    UseDisallowed,
    use_verdict,
)
from canfetch.web.api.facts import Facts
from canfetch.web.api.use import live_use, use
from canfetch.web.mcp.agents import STAND_IN, parse_agent
from canfetch.web.mcp.arguments import MayFetchArguments
from canfetch.web.mcp.may_fetch import may_fetch
from canfetch.web.mcp.service import FetchedFiles

ORIGIN = "https://example.com"
AGENTS = ["ExampleBot", "Googlebot", "Applebot", "GPTBot", "CCBot"]
NAMES = ["*", "ExampleBot", "Googlebot", "Google-Extended", "GPTBot", "Applebot-Extended", "CCBot"]
URLS = [ORIGIN + path for path in ("/", "/a/b", "/b", "/%C3%A9", "/a?q=/b")]
HEADERS = [
    "",
    "X-Robots-Tag: noai",
    "Content-Usage: train-ai=n, search=y",
    "Content-Signal: x",
    "tdm-reservation: 0",
    "tdm-reservation: 0, 1,x",
    "X-Robots-Tag: nosnippet",
]
TDM_FILES = [None, "[]", '[{"location": "/a/*", "tdm-reservation": 1.0}]', "{", "<p>"]
LICENSE_URL = f"{ORIGIN}/license.xml"
RSL = '<rsl xmlns="https://rslstandard.org/rsl"><content url="%s">%s'
END = "</content></rsl>"
LICENSES = [
    None,
    # Cut.
    RSL % ("/a", '<license><prohibits type="usage">ai-all</prohibits>'),
    RSL % ("/", '<license><permits type="usage">search</permits></license>' + END),
    RSL % ("/", '<license><permits type="usage">ai-train</permits><payment type="crawl"/></license>' + END),
    RSL % ("/", '<license><permits type="usage">all</permits></license>' + END),
    "<html>",
    # White space before the document, and what is none.
    " " * 600 + RSL % ("/", '<license><prohibits type="usage">ai-train</prohibits></license>' + END),
    "<rss/>",
    "No license.",
]
# The status and the HTML of a page.
PAGES: list[tuple[int, bytes | None]] = [
    (200, None),
    (200, b"<meta name=robots content=noai>"),
    (206, b"<meta name=robots content=noai>"),
    (206, b"<p>"),
    (404, b"<meta name=robots content=noai>"),
    (402, None),
]
CELL = ("allowed", "is_final", "explanation", "combination", "statements")
NOT_READ = MissingSource(SourceState.NOT_READ)
OWN = Agent("ExampleBot")
HAS_SCRAPY = find_spec("scrapy") is not None
NONE = Response("", 404, (), b"")


class Situation:
    """A site, and a purpose."""

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)  # noqa: S311 - the same sites in every run
        self.license = dice.choice(LICENSES)
        named = b"" if self.license is None else f"License: {LICENSE_URL}\n".encode()
        self.content = named + generated_content(dice, NAMES)
        self.header = dice.choice(HEADERS)
        self.tdm = dice.choice(TDM_FILES)
        self.purpose = dice.choice(["training", "search", "ai-use"])
        self.status, self.html = dice.choice(PAGES)

    @property
    def robots(self) -> RobotsTxt:
        return parse(self.content)

    @property
    def response(self) -> PageResponse | MissingSource:
        name, _, value = self.header.partition(": ")
        return PageResponse(200, [(name, value)]) if name else NOT_READ

    @property
    def answers(self) -> dict[str, Response | Failure]:
        """The responses for the files of the site."""
        files = {ROBOTS_URL: self.content, TDM_URL: self.tdm, LICENSE_URL: self.license}
        return {
            url: ok(file if isinstance(file, bytes) else file.encode())
            for url, file in files.items()
            if file is not None
        }

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers of the page."""
        name, _, value = self.header.partition(": ")
        media_type = "text/plain" if self.html is None else "text/html"
        return [("Content-Type", media_type), *([(name, value)] if name else [])]

    @property
    def page(self) -> PageResponse:
        """The response with the page. What is not HTML is read, but contains nothing."""
        return PageResponse(self.status, self.headers, self.html or b" ")

    def fetched_files(self, *agents: Agent) -> dict[str, Any]:
        """Return the sources of a front end that fetches, as these agents may."""

        def source(url: str, content: str | None) -> bytes | MissingSource:
            if not all(self.robots.allows(url, agent=agent) for agent in agents):
                return MissingSource(SourceState.NOT_READ, DISALLOWED)
            return MissingSource(SourceState.ABSENT) if content is None else content.encode()

        license_file = {} if self.license is None else {LICENSE_URL: source(LICENSE_URL, self.license)}
        return {"tdm": source(TDM_URL, self.tdm), "license": license_file}

    def verdict(self, url: str, agent: str, **sources: Any) -> UseVerdict:
        """Return the answer of the function on the sources that a front end has."""
        all_sources = {"robots": self.robots, "response": self.response, "tdm": self.tdm or NOT_READ, **sources}
        return may_use(url, purpose=self.purpose, agent=canfetch.agent(agent), now=NOW, **all_sources)


def cell(verdict: UseVerdict) -> dict[str, Any]:
    converted = verdict.to_json()
    return {key: converted[key] for key in CELL}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 40, 10))
def test_front_ends_give_the_answer_of_the_library(run: RunCommand, folder: Any, start: int) -> None:
    for seed in range(start, start + 10):
        site = Situation(seed)
        expected = {(url, agent): cell(site.verdict(url, agent)) for url in URLS for agent in AGENTS}
        assert command_answers(site, run, folder) == expected
        assert http_answers(site) == expected


def command_answers(site: Situation, run: RunCommand, folder: Any) -> dict[tuple[str, str], Any]:
    (folder / "robots.txt").write_bytes(site.content)
    options = ["--robots", "robots.txt", *(["--response-header", site.header] if site.header else [])]
    if site.tdm is not None:
        (folder / "tdm.json").write_text(site.tdm)
        options += ["--tdm-file", "tdm.json"]
    agents = [option for agent in AGENTS for option in ("--agent", agent)]
    ran = run("use", *URLS, "--purpose", site.purpose, *agents, *options, "--format", "ndjson")
    rows = [json.loads(line) for line in ran.lines]
    return {(row["url"], row["agent_name"]): {key: row[key] for key in CELL} for row in rows}


def http_answers(site: Situation) -> dict[tuple[str, str], Any]:
    answers = {}
    for url in URLS:
        body = {"content": site.content.decode(), "url": url, "agents": AGENTS, "headers": site.header}
        table = use(json.dumps({**body, "tdm_file": site.tdm}).encode(), Facts(NOW, Agent("ExampleBot")))
        for row in table["crawlers"]:
            answers[url, row["agent_name"]] = {key: row["uses"][site.purpose][key] for key in CELL}
    return answers


@pytest.mark.slow
def test_clients_give_the_answer_of_the_library() -> None:
    for seed in range(40):
        site = Situation(seed)
        files = site.fetched_files(OWN)
        keys = [(url, agent) for url in URLS for agent in AGENTS]
        response = None if isinstance(site.response, MissingSource) else site.response
        questions = [
            (url, {"purpose": site.purpose, "agent": canfetch.agent(agent), "response": response})
            for url, agent in keys
        ]
        expected = [cell(site.verdict(url, agent, **files)) for url, agent in keys]
        for ask in (ask_client, ask_async_client):
            assert [cell(verdict) for verdict in ask(Web(site.answers), questions)] == expected


async def scrapy_answers(site: Situation, agent: Agent, urls: list[str]) -> list[dict[str, Any]]:
    """Return the answers of the checks of a crawl."""
    from scrapy import Request
    from scrapy.http import HtmlResponse, TextResponse
    from tests.integrations.scrapy.crawlers import make_crawler

    from canfetch.integrations.scrapy.agents import RequestAgents
    from canfetch.integrations.scrapy.crawl_settings import CrawlSettings
    from canfetch.integrations.scrapy.response_checks import USE_VERDICT_KEY, UseChecks

    crawler = make_crawler({"CANFETCH_PURPOSE": site.purpose, "CANFETCH_MARK_USES": True, "CANFETCH_AGENT": agent})
    settings, web = CrawlSettings.from_crawler(crawler), AsyncWeb(site.answers)
    agents, requests = RequestAgents(settings.agent, settings.user_agent), [Request(url) for url in urls]
    async with AsyncClient(user_agent="ExampleBot/1.0", agent=agents.default, transport=web, clock=web.clock) as client:
        checks = UseChecks(crawler, client, agents, settings)
        for request in requests:
            kind, body = (TextResponse, b"x") if site.html is None else (HtmlResponse, site.html)
            await checks.check(request, kind(request.url, status=site.status, headers=site.headers, body=body))
    return [cell(request.meta[USE_VERDICT_KEY]) for request in requests]


class Page:
    """A response, to which a guard attaches its verdicts."""


@pytest.mark.slow
def test_guards_of_http_clients_and_crawls_give_the_answer_of_the_library() -> None:
    for seed in range(40):
        site = Situation(seed)
        for name in AGENTS:
            agent = canfetch.agent(name)
            response, files = site.page, site.fetched_files(agent)
            allowed = [url for url in URLS if site.robots.allows(url, agent=agent)]
            expected = [cell(site.verdict(url, name, response=response, **files)) for url in allowed]
            assert guard_answers(site, agent) == expected
            assert asyncio.run(async_guard_answers(site, agent)) == expected
            if HAS_SCRAPY:
                assert asyncio.run(scrapy_answers(site, agent, allowed)) == expected


def attached_cell(page: Page) -> dict[str, Any]:
    verdict = use_verdict(page)
    assert verdict is not None
    return cell(verdict)


ERRORS = RequestErrors(RobotsDisallowed, UseDisallowed, InvalidRequestURL)


def guard_answers(site: Situation, agent: Agent) -> list[dict[str, Any]]:
    web, answers = Web(site.answers), []
    guard = RequestGuard(web, ERRORS, **guard_options(site, agent, web))
    for url in URLS:
        page = Page()
        with suppress(RobotsDisallowed):
            sent = SentRequest(url, guard.check(url).verdict, site.status, site.headers)
            guard.examine(page, sent, lambda: site.html)
            answers.append(attached_cell(page))
    guard.close()
    return answers


async def async_guard_answers(site: Situation, agent: Agent) -> list[dict[str, Any]]:
    web, answers = AsyncWeb(site.answers), []
    guard = AsyncRequestGuard(web, ERRORS, **guard_options(site, agent, web))
    for url in URLS:
        page = Page()
        with suppress(RobotsDisallowed):
            sent = SentRequest(url, (await guard.check(url)).verdict, site.status, site.headers)

            async def html() -> bytes | None:
                return site.html

            await guard.examine(page, sent, html, lambda: None)
            answers.append(attached_cell(page))
    await guard.close()
    return answers


def guard_options(site: Situation, agent: Agent, web: Web) -> dict[str, Any]:
    options = {"user_agent": "ExampleBot/1.0", "agent": agent, "clock": web.clock}
    return {**options, "purpose": site.purpose, "mark_uses": True}


@pytest.mark.slow
def test_the_server_that_fetches_gives_the_answer_of_the_library() -> None:
    for seed in range(40):
        site = Situation(seed)
        state = state_of(site.content, origin=ORIGIN, now=NOW)
        for url in URLS:
            page = Response(url, site.status, tuple(site.headers), site.html or b"x")
            responses = {**site.answers, url: page}
            facts = Facts(
                NOW, OWN, states={(ORIGIN, None): state}, responses=dict.fromkeys([TDM_URL, LICENSE_URL], NONE)
            )
            facts.responses.update(responses)
            body = json.dumps({"url": url, "agents": AGENTS, "purpose": site.purpose}).encode()
            for row in live_use(body, facts)["rows"]:
                agent = canfetch.agent(row["agent_name"])
                sources = {"response": live_response(site, url, agent), **site.fetched_files(agent, OWN)}
                expected = cell(site.verdict(url, row["agent_name"], **sources))
                assert {key: row[key] for key in CELL} == expected


def live_response(site: Situation, url: str, agent: Agent) -> PageResponse | MissingSource:
    """Return the page as the server fetches it for an agent."""
    if not site.robots.allows(url, agent=agent):
        return MissingSource(SourceState.NOT_READ, DISALLOWED)
    if not site.robots.allows(url, agent=OWN):
        return MissingSource(SourceState.UNREACHABLE, DISALLOWED)
    return site.page


@pytest.mark.slow
def test_the_tool_for_agents_gives_the_answer_of_the_library() -> None:
    for seed in range(40):
        site = Situation(seed)
        file = SiteFile(None if site.tdm is None else site.tdm.encode()) if site.purpose == "training" else None
        sources: dict[str, Any] = {"tdm": NOT_READ if file is None else file_source(file), "response": NOT_READ}
        licenses = {} if site.license is None else {LICENSE_URL: SiteFile(site.license.encode())}
        sources["license"] = {url: file_source(one) for url, one in licenses.items()}
        for url in URLS:
            for agent in AGENTS:
                asked = MayFetchArguments(url=url, purpose=site.purpose)  # type: ignore[arg-type]
                state = state_of(site.content, origin=ORIGIN)
                result: Any = may_fetch(
                    state, asked, parse_agent(agent, STAND_IN), NOW, FetchedFiles(file, licenses)
                ).result
                assert result.use_allowed is site.verdict(url, agent, **sources).allowed


@pytest.mark.slow
def test_columns_give_the_answer_of_the_library() -> None:
    for seed in range(40):
        site = Situation(seed)
        keys = [(url, agent) for url in URLS for agent in AGENTS]
        contents, urls, agents = [site.content] * len(keys), [url for url, _ in keys], [agent for _, agent in keys]
        column = bulk.may_use(contents, agents, urls, purpose=site.purpose, use_registry=True)
        for (url, agent), row in zip(keys, column.to_pylist(), strict=True):
            verdict = site.verdict(url, agent, response=NOT_READ, tdm=NOT_READ)
            deciding = verdict.decided_by[0] if verdict.decided_by else None
            use = {True: "allow", False: "disallow", None: "unknown"}[verdict.allowed]
            stated = (None,) * 3 if deciding is None else (str(deciding.kind), deciding.line, deciding.note)
            assert (row["use"], row["kind"], row["line"], row["note"]) == (use, *stated)
            unread = dict.fromkeys(source.name for source in verdict.unread)
            assert row["unread"] == (None if verdict.is_final else ", ".join(unread))
