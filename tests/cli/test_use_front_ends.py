"""Every front end gives the answer of `may_use`, with the same statements."""

import json
import random
from typing import Any

import pytest
from tests.bulk.generated_usage import generated_content
from tests.cli.conftest import RunCommand
from tests.client.test_may_use import NOW, ROBOTS_URL, TDM_URL, Web, ask_async_client, ask_client, ok
from tests.mcp.asking import state_of

import canfetch
from canfetch import bulk
from canfetch.client.site_files import SiteFile
from canfetch.client.use import file_source
from canfetch.consent import MissingSource, PageResponse, SourceState, UseVerdict, may_use
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.web.api.facts import Facts
from canfetch.web.api.use import use_answer
from canfetch.web.mcp.agents import STAND_IN, parse_agent
from canfetch.web.mcp.arguments import MayFetchArguments
from canfetch.web.mcp.may_fetch import FetchedFiles, may_fetch

ORIGIN = "https://example.com"
AGENTS = ["ExampleBot", "Googlebot", "Applebot", "GPTBot", "CCBot"]
NAMES = ["*", "ExampleBot", "Googlebot", "Google-Extended", "GPTBot", "Applebot-Extended", "CCBot"]
URLS = [ORIGIN + path for path in ("/", "/a/b", "/b", "/%C3%A9", "/a?q=/b")]
HEADERS = ["", "X-Robots-Tag: noai", "Content-Usage: train-ai=n, search=y", "Content-Signal: x", "tdm-reservation: 0"]
TDM_FILES = [None, "[]", '[{"location": "/a/*", "tdm-reservation": 1}]', "{", "<p>"]
CELL = ("allowed", "is_final", "explanation", "statements")
NOT_READ = MissingSource(SourceState.NOT_READ)


class Situation:
    """A site, and a purpose."""

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)  # noqa: S311 - the same sites in every run
        self.content = generated_content(dice, NAMES)
        self.header = dice.choice(HEADERS)
        self.tdm = dice.choice(TDM_FILES)
        self.purpose = dice.choice(["training", "search", "ai-use"])

    @property
    def robots(self) -> RobotsTxt:
        return parse(self.content)

    @property
    def response(self) -> PageResponse | MissingSource:
        name, _, value = self.header.partition(": ")
        return PageResponse(200, [(name, value)]) if name else NOT_READ

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
        table = use_answer(json.dumps({**body, "tdm_file": site.tdm}).encode(), Facts(NOW, Agent("ExampleBot")))
        for row in table["crawlers"]:
            answers[url, row["agent_name"]] = {key: row["uses"][site.purpose][key] for key in CELL}
    return answers


@pytest.mark.slow
def test_clients_give_the_answer_of_the_library() -> None:
    for seed in range(40):
        site = Situation(seed)
        may_fetch_file = site.robots.allows(TDM_URL, agent="ExampleBot")
        file = SiteFile(None if site.tdm is None else site.tdm.encode())
        tdm = file_source(file) if may_fetch_file else MissingSource(SourceState.NOT_READ, "robots.txt disallows it")
        answers = {ROBOTS_URL: ok(site.content)} | ({} if site.tdm is None else {TDM_URL: ok(site.tdm.encode())})
        keys = [(url, agent) for url in URLS for agent in AGENTS]
        response = None if isinstance(site.response, MissingSource) else site.response
        questions = [
            (url, {"purpose": site.purpose, "agent": canfetch.agent(agent), "response": response})
            for url, agent in keys
        ]
        expected = [cell(site.verdict(url, agent, tdm=tdm)) for url, agent in keys]
        for ask in (ask_client, ask_async_client):
            assert [cell(verdict) for verdict in ask(Web(dict(answers)), questions)] == expected


@pytest.mark.slow
def test_the_tool_for_agents_gives_the_answer_of_the_library() -> None:
    for seed in range(40):
        site = Situation(seed)
        file = SiteFile(None if site.tdm is None else site.tdm.encode()) if site.purpose == "training" else None
        tdm = NOT_READ if file is None else file_source(file)
        for url in URLS:
            for agent in AGENTS:
                asked = MayFetchArguments(url=url, purpose=site.purpose)  # type: ignore[arg-type]
                state = state_of(site.content, origin=ORIGIN)
                result: Any = may_fetch(state, asked, parse_agent(agent, STAND_IN), NOW, FetchedFiles(file)).result
                assert result.use_allowed is site.verdict(url, agent, response=NOT_READ, tdm=tdm).allowed


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
            kind, line = (None, None) if deciding is None else (str(deciding.kind), deciding.line)
            assert (row["use"], row["kind"], row["line"]) == (use, kind, line)
