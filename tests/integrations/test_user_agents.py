"""Agents from the user agents that other libraries accept."""

import pytest

from canfetch import Agent
from canfetch.integrations.protego import Protego
from canfetch.integrations.robotparser import RobotFileParser
from canfetch.integrations.user_agents import agent_from

FILE = "User-agent: *\nDisallow: /\n\nUser-agent: Mediapartners-Google*\nDisallow:\n"
NAMES = ["Mediapartners-Google", "Mediapartners-Google*", "mediapartners-google*", "Mediapartners-Google*/2.1"]


@pytest.mark.parametrize(
    "user_agent, token",
    [
        ("ExampleBot*", "ExampleBot"),
        ("ExampleBot**", "ExampleBot"),
        ("Example*Bot", "Example"),
        ("ExampleBot,OtherBot", "ExampleBot"),
        ("ExampleBot;", "ExampleBot;"),
        ("ExampleBot*/1.0", "ExampleBot"),
        ("ExampleBot,OtherBot/1.0", "ExampleBot"),
        ("*", "*"),
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0", "Mozilla"),
        ("Chrome", "Chrome"),
    ],
)
def test_agent_of_a_text(user_agent: str, token: str) -> None:
    assert agent_from(user_agent) == Agent(token)


@pytest.mark.parametrize("text", ["*foo", "**", ",foo", "", "\x00"], ids=["star", "stars", "comma", "empty", "control"])
def test_text_without_a_token_has_no_group(text: str) -> None:
    assert not Protego.parse("User-agent: *\nDisallow: /\n\nUser-agent: foo\nDisallow:\n").can_fetch("/x", text)


@pytest.mark.parametrize("name", NAMES)
def test_name_spelled_as_in_its_line_selects_its_group(name: str) -> None:
    assert Protego.parse(FILE).can_fetch("https://example.com/x", name)
    parser = RobotFileParser()
    parser.parse(FILE.splitlines())
    assert parser.can_fetch(name, "https://example.com/x")
