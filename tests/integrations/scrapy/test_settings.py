"""The settings of a crawl, and the add-on that changes them."""

import asyncio
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.conf import build_component_list
from tests.integrations.scrapy.crawlers import make_crawler, since_2_18

from canfetch import Agent
from canfetch.errors import InvalidOption
from canfetch.integrations.scrapy import Addon, RobotParser, RobotsMiddleware
from canfetch.integrations.scrapy.agents import RequestAgents
from canfetch.integrations.scrapy.crawl_settings import CrawlSettings

SCRAPYS_OWN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"


def read(settings: dict[str, Any], spider: Any = None) -> CrawlSettings:
    return CrawlSettings.from_crawler(make_crawler(settings, spider=spider))


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"CANFETCH_POLICY": "rfc"}, "invalid CANFETCH_POLICY: unknown access policy 'rfc'"),
        ({"CANFETCH_POLICY": 3}, "invalid CANFETCH_POLICY: "),
        ({"CANFETCH_EDITION": "rfc"}, "invalid CANFETCH_EDITION: unknown edition 'rfc'"),
        (
            {"CANFETCH_EDITION": "google", "CANFETCH_POLICY": "google"},
            "CANFETCH_EDITION and CANFETCH_POLICY cannot be used together: ",
        ),
        ({"CANFETCH_PROFILE": "rfc"}, "invalid CANFETCH_PROFILE: unknown profile 'rfc'"),
        ({"CANFETCH_AGENT": "a bot"}, "invalid CANFETCH_AGENT 'a bot': "),
        (
            {"CANFETCH_AGENT": "GPTBot,CCBot"},
            "invalid CANFETCH_AGENT 'GPTBot,CCBot': invalid agent 'GPTBot,CCBot': expected one name",
        ),
        (
            {"CANFETCH_AGENT": ["GPTBot,CCBot"]},
            "invalid CANFETCH_AGENT ['GPTBot,CCBot']: invalid agent 'GPTBot,CCBot': expected one name",
        ),
        ({"CANFETCH_AGENT": 7}, "invalid CANFETCH_AGENT 7: "),
        ({"CANFETCH_AGENT": []}, "invalid CANFETCH_AGENT []: "),
        ({"CANFETCH_MIN_DELAY": -1}, "invalid CANFETCH_MIN_DELAY -1: expected a finite number of seconds, 0 or more"),
        ({"CANFETCH_MAX_DELAY": "inf"}, "invalid CANFETCH_MAX_DELAY 'inf': "),
        (
            {"CANFETCH_MIN_DELAY": 9, "CANFETCH_MAX_DELAY": 8},
            "invalid CANFETCH_MIN_DELAY 9: expected at most CANFETCH_MAX_DELAY, 8",
        ),
        ({"CANFETCH_TIMEOUT": 0}, "invalid CANFETCH_TIMEOUT 0: expected a finite number of seconds, 0.001 or more"),
        ({"CANFETCH_TIMEOUT": "soon"}, "invalid CANFETCH_TIMEOUT 'soon': "),
        ({"CANFETCH_OBEY_DELAY": "maybe"}, "invalid CANFETCH_OBEY_DELAY 'maybe': expected True or False"),
        ({"CANFETCH_PROCESSES": 0}, "invalid CANFETCH_PROCESSES 0: expected an integer, 1 or more"),
        ({"CANFETCH_PROCESSES": "x"}, "invalid CANFETCH_PROCESSES 'x': expected an integer, 1 or more"),
        ({"CANFETCH_PAGE_RULES": "meta"}, "invalid CANFETCH_PAGE_RULES: unknown value 'meta': "),
        ({"CANFETCH_REQUIRED_USES": ["index"]}, "invalid CANFETCH_REQUIRED_USES: unknown use 'index': "),
        (
            {"CANFETCH_PURPOSE": "trainin"},
            "invalid CANFETCH_PURPOSE: unknown purpose 'trainin': did you mean 'training'",
        ),
        ({"USER_AGENT": "Bot\n"}, "invalid USER_AGENT 'Bot\\n': expected printable ASCII characters"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_invalid_settings_are_reported_with_their_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        read(settings)
    assert str(raised.value).startswith(message)


@since_2_18
@pytest.mark.parametrize(
    "settings, name",
    [
        ({"CANFETCH_STORE": "postgres://localhost"}, "CANFETCH_STORE"),
        ({"CANFETCH_EVIDENCE": "/dev/null/folder"}, "CANFETCH_EVIDENCE"),
        ({"CANFETCH_SKIP_REPORT": "/dev/null/folder/a"}, "CANFETCH_SKIP_REPORT"),
    ],
    ids=["store", "evidence", "skip-report"],
)
def test_invalid_stores_evidence_and_skip_reports_are_reported(settings: dict[str, Any], name: str) -> None:
    async def create() -> None:
        RobotsMiddleware.from_crawler(make_crawler({"ROBOTSTXT_OBEY": True, **settings}))

    with pytest.raises(InvalidOption, match=f"^invalid {name}: "):
        asyncio.run(create())


def test_disabled_middleware() -> None:
    with pytest.raises(NotConfigured):
        RobotsMiddleware.from_crawler(make_crawler())


def test_defaults() -> None:
    settings = read({})
    assert settings.user_agent.startswith("Scrapy/")
    assert (settings.policy, settings.profile, settings.timeout) == ("rfc9309", "rfc9309", 30.0)
    assert (settings.obey_delay, settings.processes) == (True, 1)
    assert (settings.bounds.min_delay, settings.bounds.max_delay) == (0.0, 60.0)
    assert (settings.agent, settings.store, settings.evidence, settings.page_rules) == (None, None, None, None)


def test_edition_sets_the_policy_and_the_profile() -> None:
    settings = read({"CANFETCH_EDITION": "google2019"})
    assert (settings.policy, settings.profile) == ("google2019", "google2019")


def test_settings_of_the_command_line_are_strings() -> None:
    settings = read(
        {
            "CANFETCH_POLICY": "rfc9309+min_freshness=0",
            "CANFETCH_MAX_DELAY": "5",
            "CANFETCH_OBEY_DELAY": "0",
            "CANFETCH_PROCESSES": "4",
            "CANFETCH_REQUIRED_USES": "may_index,may_follow",
            "CANFETCH_PURPOSE": "AI_train",
            "CANFETCH_MARK_USES": "1",
        }
    )
    assert settings.policy == "rfc9309+min_freshness=0"
    assert (settings.bounds.max_delay, settings.obey_delay, settings.processes) == (5.0, False, 4)
    assert settings.required_uses == ("may_index", "may_follow")
    assert (settings.purpose, settings.mark_uses) == ("training", True)
    assert settings.page_rules == "headers"


@pytest.mark.parametrize(
    "settings, spider, user_agent",
    [
        ({"USER_AGENT": "A/1"}, None, "A/1"),
        ({"USER_AGENT": "A/1"}, SimpleNamespace(user_agent="B/1"), "B/1"),
        (
            {"USER_AGENT": "A/1", "DEFAULT_REQUEST_HEADERS": {"user-agent": "C/1"}},
            SimpleNamespace(user_agent="B/1"),
            "C/1",
        ),
        ({"USER_AGENT": None}, None, "Scrapy"),
    ],
    ids=["setting", "spider", "default headers", "none"],
)
def test_user_agent_is_the_one_that_scrapy_sends(settings: dict[str, Any], spider: Any, user_agent: str) -> None:
    assert read(settings, spider).user_agent == user_agent


@pytest.mark.parametrize(
    "settings, agent",
    [
        ({}, "HeaderBot"),
        ({"ROBOTSTXT_USER_AGENT": "RobotsBot/3.0"}, "RobotsBot"),
        ({"ROBOTSTXT_USER_AGENT": "RobotsBot", "CANFETCH_AGENT": "OwnBot"}, "OwnBot"),
        ({"CANFETCH_AGENT": ["OwnBot-News", "OwnBot"]}, Agent(["OwnBot-News", "OwnBot"])),
        ({"CANFETCH_AGENT": Agent("OwnBot", star_applies=False)}, Agent("OwnBot", star_applies=False)),
    ],
    ids=["header", "robotstxt", "token", "chain", "agent"],
)
def test_agent_of_a_request(settings: dict[str, Any], agent: str | Agent) -> None:
    values = read(settings)
    agents = RequestAgents(values.agent, values.user_agent)
    request = Request("https://example.com", headers={"User-Agent": "HeaderBot/1.0"})
    assert agents.find(request) == (agent if isinstance(agent, Agent) else Agent(agent))
    assert agents.find(Request("https://example.com")) == (agents.find(request) if settings else Agent("Scrapy"))


def test_user_agent_of_a_browser_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    browser = "Mozilla/5.0 (X11; Linux x86_64)"
    with caplog.at_level(logging.WARNING):
        assert RequestAgents(None, browser).default == Agent("Mozilla")
        assert "names no crawler, so usually the rules for '*' apply" in caplog.text
        caplog.clear()
        RequestAgents(Agent("ExampleBot"), browser)
        assert not caplog.text


def updated(settings: dict[str, Any]) -> Settings:
    changed = Settings(settings)
    Addon().update_settings(changed)
    return changed


def downloader_middlewares(settings: Any) -> Any:
    if hasattr(settings, "get_component_priority_dict_with_base"):
        return settings.get_component_priority_dict_with_base("DOWNLOADER_MIDDLEWARES")
    return settings.getwithbase("DOWNLOADER_MIDDLEWARES")


def test_addon_replaces_the_middleware_and_the_parser() -> None:
    settings = updated({})
    assert settings.getbool("ROBOTSTXT_OBEY")
    assert settings["ROBOTSTXT_PARSER"] is RobotParser
    middlewares = downloader_middlewares(settings)
    assert middlewares[RobotsMiddleware] == 100
    assert middlewares[SCRAPYS_OWN] is None


@pytest.mark.parametrize("key", [SCRAPYS_OWN, RobotsTxtMiddleware], ids=["string", "class"])
def test_addon_keeps_the_order_of_the_project(key: Any) -> None:
    settings = updated({"DOWNLOADER_MIDDLEWARES": {key: 42}})
    middlewares = downloader_middlewares(settings)
    assert middlewares[RobotsMiddleware] == 42
    enabled = build_component_list(middlewares)
    assert enabled.count(RobotsMiddleware) == 1
    assert not {SCRAPYS_OWN, RobotsTxtMiddleware} & set(enabled)


@pytest.mark.slow
def test_project_overrides_the_addon() -> None:
    assert not updated({"ROBOTSTXT_OBEY": False}).getbool("ROBOTSTXT_OBEY")
    assert updated({"ROBOTSTXT_PARSER": "x.Parser"})["ROBOTSTXT_PARSER"] == "x.Parser"
