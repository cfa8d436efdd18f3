"""Expectations in TOML. Every error names the entry, the key, and what is expected.

robots = "robots.txt"       # relative to this file
profile = "rfc9309"

[[expect]]
agent = ["Googlebot", "bingbot"]
pattern = "/blog/"          # proved for all URLs that match
allowed = true
why = "The blog brings most visitors."

[[expect]]
agent = "GPTBot"
url = "/members/1"
allowed = false
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch.agents import REGISTRY, Registry
from canfetch.agents.requested import RequestedAgent, is_named, requested_agent, unknown_agent_note
from canfetch.core.agent import Agent
from canfetch.core.choices import unknown_choice
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.profiles import PROFILES, unknown_profile
from canfetch.core.quoting import quoted, reading_hint
from canfetch.errors import InvalidExpectations, InvalidProductToken, InvalidRobotsURL

EXPECTATION_FILE: Final = "robots.expect.toml"
"""The name of a file of expectations, unless another is named."""
_DEFAULT_ROBOTS: Final = "robots.txt"
_TOP: Final = ("robots", "robots_url", "profile", "expect")
_ENTRY: Final = ("agent", "url", "pattern", "allowed", "why")
_HEADER: Final = re.compile(r"^\s*\[\[\s*expect\s*\]\]")
_MAX_BYTES: Final = 1 << 22
_MAX_EXPECTATIONS: Final = 100_000


class Expectation(NamedTuple):
    """What one agent is expected to be allowed.

    Attributes:
        agent_name: The product token.
        agent: The agent, with the fallback tokens of the registry.
        url: A URL or a path, or None.
        pattern: A pattern as in a robots.txt, for all of its URLs, or None.
        allowed: Whether the agent may fetch it.
        why: The reason for the expectation, for messages.
        line: The line of the entry in the file, counted from 1, or 0 if there is no file.
    """

    agent_name: str
    agent: Agent
    url: str | None
    pattern: str | None
    allowed: bool
    why: str = ""
    line: int = 0

    def __str__(self) -> str:
        verb = "may fetch" if self.allowed else "may not fetch"
        return f"{self.agent_name} {verb} {self.url if self.pattern is None else f'all of {self.pattern}'}"


class Expectations(NamedTuple):
    """The content of a file of expectations.

    Attributes:
        robots: The path of the robots.txt, as written.
        robots_url: The URL of the robots.txt, or None for any origin.
        profile: The parsing profile.
        entries: The expectations, in file order. An entry with several agents, URLs or patterns is several of them.
        notes: Notes about unknown agents whose names probably refer to known crawlers: pairs of a name and a text.
    """

    robots: str
    robots_url: str | None
    profile: str
    entries: tuple[Expectation, ...]
    notes: tuple[tuple[str, str], ...] = ()

    def parse(self, content: bytes) -> RobotsTxt:
        """Parse a robots.txt with the profile and for the URL of these expectations.

        Raises: InvalidExpectations: `robots_url` is invalid.
        """
        try:
            return parse(content, url=self.robots_url, profile=self.profile)
        except InvalidRobotsURL as error:
            raise InvalidExpectations(f"robots_url: {error}") from None

    def notes_for(self, robots: RobotsTxt) -> list[str]:
        """Return the texts of the notes about agents that no user-agent line of a robots.txt names."""
        return [text for name, text in self.notes if not is_named(name, robots)]

    def read(self, folder: Path) -> RobotsTxt:
        """Read and parse the robots.txt that the file names.

        Args: folder: The folder of the file of expectations.
        Raises: InvalidExpectations: `robots_url` is invalid; OSError: The robots.txt cannot be read.
        """
        with (folder / self.robots).open("rb") as file:
            return self.parse(file.read(_MAX_BYTES))


def load_expectations(path: str | Path, *, registry: Registry = REGISTRY) -> Expectations:
    """Read a file of expectations.

    Raises: InvalidExpectations; OSError: The file cannot be read.
    """
    with Path(path).open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise InvalidExpectations(f"the file is larger than {_MAX_BYTES >> 20} MiB")
    try:
        return parse_expectations(content.decode("utf-8-sig"), registry=registry)
    except UnicodeDecodeError:
        raise InvalidExpectations("the file is not UTF-8") from None


def parse_expectations(toml: str, *, registry: Registry = REGISTRY) -> Expectations:
    """Parse the content of a file of expectations.

    Args:
        toml: The content.
        registry: Where agents are looked up.
    Raises: InvalidExpectations: The TOML is invalid, a key is unknown or missing, or a value is invalid; TypeError.
    """
    if not isinstance(toml, str):
        raise TypeError(f"toml must be a str, not {type(toml).__name__}{reading_hint(toml)}")
    try:
        table = tomllib.loads(toml)
    except (ValueError, RecursionError) as error:
        raise InvalidExpectations(f"invalid TOML: {error}") from None
    _check_keys(table, _TOP, "")
    profile = _string(table, "profile", "", default="rfc9309")
    if profile not in PROFILES:
        raise InvalidExpectations(unknown_profile(profile))
    entries = table.get("expect", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InvalidExpectations("invalid expect: expected tables, each below a line [[expect]]")
    lines = [number for number, line in enumerate(toml.split("\n"), 1) if _HEADER.match(line)]
    # Entries in another notation have no line of their own.
    places = lines if len(lines) == len(entries) else [0] * len(entries)
    found: list[Expectation] = []
    agents: dict[str, RequestedAgent] = {}
    for number, (entry, line) in enumerate(zip(entries, places, strict=True), 1):
        found += _expectations(entry, f"expect {number}: ", line, registry, agents)
        if len(found) > _MAX_EXPECTATIONS:
            raise InvalidExpectations(f"more than {_MAX_EXPECTATIONS:,} expectations")
    if not found:
        raise InvalidExpectations("no expectations: add a table [[expect]] with agent, pattern or url, and allowed")
    robots = _string(table, "robots", "", default=_DEFAULT_ROBOTS)
    if "://" in robots:
        raise InvalidExpectations(
            f"invalid robots {quoted(robots)}: expected the path of a file; its URL is the value of robots_url"
        )
    robots_url = _string(table, "robots_url", "", default="") or None
    notes = ((name, unknown_agent_note(agent, registry)) for name, agent in agents.items())
    return Expectations(robots, robots_url, profile, tuple(found), tuple((name, text) for name, text in notes if text))


def _expectations(
    entry: Mapping[str, Any], place: str, line: int, registry: Registry, agents: dict[str, RequestedAgent]
) -> Iterator[Expectation]:
    """Yield the expectations of an entry, and add its agents to `agents`."""
    _check_keys(entry, _ENTRY, place, required=("agent", "allowed"))
    allowed = entry["allowed"]
    if not isinstance(allowed, bool):
        raise InvalidExpectations(f"{place}invalid allowed {quoted(allowed)}: expected true or false")
    if ("url" in entry) == ("pattern" in entry):
        raise InvalidExpectations(f"{place}expected either url or pattern")
    key = "url" if "url" in entry else "pattern"
    values = _strings(entry, key, place)
    if key == "pattern":
        for value in values:
            if not value.startswith(("/", "*")):
                raise InvalidExpectations(
                    f"{place}invalid pattern {quoted(value)}: expected one that starts with / or *"
                )
    why = _string(entry, "why", place, default="")
    for name in _strings(entry, "agent", place):
        try:
            agent = agents[name] = requested_agent(name, registry=registry)
        except InvalidProductToken as error:
            raise InvalidExpectations(f"{place}{error}") from None
        for value in values:
            url, pattern = (value, None) if key == "url" else (None, value)
            yield Expectation(name, agent.agent, url, pattern, allowed, why, line)


def _check_keys(
    table: Mapping[str, Any], known: tuple[str, ...], place: str, *, required: tuple[str, ...] = ()
) -> None:
    # Unknown keys first: a misspelt key is missing as well.
    for key in table:
        if key not in known:
            raise InvalidExpectations(place + unknown_choice("key", key, known))
    for key in required:
        if key not in table:
            raise InvalidExpectations(f"{place}{key} is missing")


def _string(table: Mapping[str, Any], key: str, place: str, *, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise InvalidExpectations(f"{place}invalid {key} {quoted(value)}: expected a string")
    return value


def _strings(table: Mapping[str, Any], key: str, place: str) -> list[str]:
    value = table.get(key)
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values or not all(isinstance(one, str) and one for one in values):
        raise InvalidExpectations(f"{place}invalid {key} {quoted(value)}: expected a string, or a list of strings")
    return values
