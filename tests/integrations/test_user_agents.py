"""What the interfaces of Protego and urllib.robotparser share: lenient user agents, and few imports."""

import subprocess
import sys

import pytest

from canfetch import Agent
from canfetch.integrations.lenient_answers import agent_from
from canfetch.integrations.protego import Protego
from canfetch.integrations.robotparser import RobotFileParser

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


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        (
            "from canfetch.integrations.protego import Protego as Parser; "
            "p = Parser.parse('User-agent: *\\nDisallow: /'); assert not p.can_fetch('/', 'a')"
        ),
        (
            "from canfetch.integrations.robotparser import RobotFileParser as Parser; "
            "p = Parser('https://example.com/robots.txt'); p.parse(['User-agent: *', 'Disallow: /']); "
            "assert not p.can_fetch('a', '/')"
        ),
    ],
    ids=["protego", "robotparser"],
)
def test_neither_the_original_nor_the_client_is_imported(program: str) -> None:
    unused = {"protego", "urllib.robotparser", "urllib.request", "canfetch.client", "canfetch.agents"}
    script = f"import sys; {program}; assert isinstance(p, Parser); print({unused} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
