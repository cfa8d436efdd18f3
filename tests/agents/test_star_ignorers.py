"""The crawlers that ignore `*` do so wherever a caller passes their name, with or without the registry."""

from collections.abc import Callable

import pytest

import canfetch
from canfetch.agents import REGISTRY
from canfetch.agents.requested import requested_agent
from canfetch.bulk import allows as column_allows
from canfetch.bulk import matrix
from canfetch.core.agent import STAR_IGNORERS, Agent, as_agent
from canfetch.integrations.protego import Protego
from canfetch.integrations.robotparser import RobotFileParser
from canfetch.integrations.scrapy.agents import agent_of_header
from canfetch.pages import parse_page

NAMES = [crawler.name for crawler in REGISTRY.crawlers if not crawler.star_applies]
CLOSED = b"User-agent: *\nCrawl-delay: 5\nDisallow: /\n"
NAMED = b"User-agent: *\nAllow: /\n\nUser-agent: %b\nDisallow: /\n"


def _protego(content: bytes, name: str, engine: str) -> bool:
    del engine
    return Protego.parse(content.decode()).can_fetch("/x", name)


def _robotparser(content: bytes, name: str, engine: str) -> bool:
    del engine
    parser = RobotFileParser()
    parser.parse(content.decode().splitlines())
    return parser.can_fetch(name, "/x")


PLACES: dict[str, Callable[[bytes, str, str], bool]] = {
    "allows": lambda content, name, engine: canfetch.allows(content, "/x", agent=name, engine=engine),
    "file": lambda content, name, engine: canfetch.parse(content, engine=engine).allows("/x", agent=name),
    "decide": lambda content, name, engine: canfetch.parse(content, engine=engine).decide("/x", agent=name).allowed,
    "rules": lambda content, name, engine: canfetch.parse(content, engine=engine).rules_for(name).allows("/x"),
    "one token": lambda content, name, engine: canfetch.parse(content, engine=engine).allows("/x", agent=Agent(name)),
    "value": lambda content, name, engine: column_allows(content, name, "/x", engine=engine).to_pylist()[0],
    "column": lambda content, name, engine: column_allows(content, [name, "b"], "/x", engine=engine).to_pylist()[0],
    "bytes": lambda content, name, engine: column_allows(content, [name.encode()], "/x", engine=engine).to_pylist()[0],
    "matrix": lambda content, name, engine: matrix(content, [name, "b"], "/x", engine=engine).to_pylist()[0][name],
    "registry column": lambda content, name, engine: column_allows(
        content, [name], "/x", use_registry=True, engine=engine
    ).to_pylist()[0],
    "Protego": _protego,
    "urllib.robotparser": _robotparser,
}


def test_core_and_registry_have_the_same_crawlers() -> None:
    assert {name.lower() for name in NAMES} == STAR_IGNORERS


@pytest.mark.parametrize("place", PLACES)
def test_google_special_case_crawlers_and_yandex_star_does_not_apply(place: str, engine: str) -> None:
    allows = PLACES[place]
    for name in NAMES:
        for spelling in (name, name.lower(), name.upper()):
            assert allows(CLOSED, spelling, engine), spelling
            assert not allows(NAMED % name.encode(), spelling, engine), spelling
    assert not allows(CLOSED, "ExampleBot", engine)
    assert not allows(CLOSED, "AdsBot", engine)


def test_star_applies_if_the_caller_says_so(engine: str) -> None:
    robots = canfetch.parse(CLOSED, engine=engine)
    agent = Agent("AdsBot-Google", star_applies=True)
    assert not robots.allows("/", agent=agent)
    assert robots.crawl_delay(agent=agent) == 5
    assert robots.crawl_delay(agent="AdsBot-Google") is None
    assert not column_allows(CLOSED, agent, "/", engine=engine).to_pylist()[0]
    assert repr(agent) == "Agent(['AdsBot-Google'], star_applies=True)"
    # The first token is the name of the crawler.
    assert not robots.allows("/", agent=Agent(["ExampleBot", "AdsBot-Google"]))


@pytest.mark.parametrize("name", NAMES)
def test_names_and_headers_in_other_interfaces(name: str) -> None:
    expected = canfetch.agent(name)
    assert as_agent(name) == requested_agent(name, exact=True).agent == expected
    assert agent_of_header(f"Mozilla/5.0 (compatible; {name}/1.0)") == agent_of_header(f"{name}/1.0") == expected
    with canfetch.Client(user_agent=f"{name}/1.0 (+https://example.com/bot)") as client:
        assert client.options.agent == expected
    page = parse_page(headers=[("X-Robots-Tag", "noindex")])
    assert page.decide(agent=name, now=0).may_index.allowed
    assert not page.decide(agent="ExampleBot", now=0).may_index.allowed
