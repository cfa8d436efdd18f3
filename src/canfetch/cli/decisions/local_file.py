"""A local robots.txt that decides about every URL: the file passed with `--robots`."""

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING

from canfetch.cli.decisions.options import DecisionOptions
from canfetch.cli.decisions.robots_files import NamedRobots, URLsWithFiles
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT, read_robots, warn_about_content
from canfetch.cli.shared.requested_urls import RequestedURL
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidRobotsURL

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder


class LocalFile:
    """One file that decides about every URL.

    Args:
        robots: The parsed file.
        name: Its name, as messages and excerpts show it.
        agents: The agents to decide for.
    """

    def __init__(self, robots: RobotsTxt, name: str, agents: list[Agent]) -> None:
        self._robots = robots
        self._name = "standard input" if name == STANDARD_INPUT else name
        self._agents = agents
        self._rules = [self._robots.rules_for(agent) for agent in agents]

    @property
    def only_file(self) -> RobotsTxt:
        """The file."""
        return self._robots

    def assign(self, urls: Generator[RequestedURL]) -> URLsWithFiles:
        """Yield the URLs in order, each with its file or with the error."""
        with closing(urls):
            for url in urls:
                yield url, self

    def decide(self, url: str) -> tuple[Verdict, ...]:
        """Decide about a URL for each agent, in order."""
        return tuple([rules.decide(url) for rules in self._rules])

    def allows_all(self, urls: list[str]) -> bool:
        """Return whether every agent may fetch every URL."""
        return all(all(rules.allows_many(urls)) for rules in self._rules)

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return len(self._robots.content)

    def deciding_file(self) -> NamedRobots:
        """Return the file, with its name."""
        return NamedRobots(self._robots, self._name)

    def with_profile(self, profile: str) -> "LocalFile":
        """Return the same file, parsed with another profile."""
        return LocalFile(self._robots.with_profile(profile), self._name, self._agents)

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        """Record a decision together with the file."""
        evidence.record(url, verdict, content=self._robots.content)

    def close(self) -> None:
        """Do nothing: the file is in memory."""


def read_local_file(
    name: str,
    option: str,
    options: DecisionOptions,
    agents: list[Agent],
    *,
    url: str | None,
    warn: Callable[[str], None],
) -> LocalFile:
    """Read and parse a file.

    Args:
        name: The file, or `-` for standard input.
        option: The option that names the file, for messages.
        options: How to parse it.
        agents: The agents to decide for.
        url: The URL of the file, or None if it is unknown.
        warn: Writes a line to standard error.
    Raises: CommandError: The file cannot be read, or `--robots-url` is invalid.
    """
    content = read_robots(name, option, max_bytes=options.max_bytes)
    try:
        robots = parse(content, url=url, profile=options.profile, max_bytes=options.max_bytes, engine=options.engine)
    except InvalidRobotsURL as error:
        raise CommandError(f"--robots-url: {error}") from None
    warn_about_content(content, name, option, warn=warn)
    return LocalFile(robots, name, agents)
