"""The robots.txt that decides about a URL: the file passed with `--robots`, or the file of the URL's origin."""

import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple, Protocol

from canfetch.cli.decisions.options import DecisionOptions
from canfetch.cli.decisions.urls import RequestedURL
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT, read_robots, warn_about_content
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.origin import check_origin, parse_robots_url
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidRobotsURL, InvalidURL

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder
    from canfetch.client.origin_state import OriginState


class NamedRobots(NamedTuple):
    """A parsed file, and the name that messages and excerpts show."""

    robots: RobotsTxt
    name: str


class RobotsFile(Protocol):
    """A robots.txt and the agents to decide for."""

    def decide(self, url: str) -> tuple[Verdict, ...]:
        """Decide about a URL for each agent, in order."""

    def allows_all(self, urls: list[str]) -> bool:
        """Return whether every agent may fetch every URL."""

    def deciding_file(self) -> NamedRobots | None:
        """Return the file whose rules decide, or None if no rules apply."""

    def with_profile(self, profile: str) -> "RobotsFile":
        """Return the same file, parsed with another profile.

        Cost: O(bytes of the file).
        """

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        """Record a decision together with the file."""


URLsWithFiles = Generator[tuple[RequestedURL, RobotsFile | CanfetchError | CommandError]]


class RobotsFiles(Protocol):
    """Finds the file that decides about each URL."""

    def assign(self, urls: Generator[RequestedURL]) -> URLsWithFiles:
        """Yield the URLs in order, each with its file or with the error."""

    def close(self) -> None:
        """Release connections and the store."""


def open_robots_files(options: DecisionOptions, agents: list[Agent], *, warn: Callable[[str], None]) -> RobotsFiles:
    """Return the files that the options select.

    Args:
        agents: The agents to decide for.
        warn: Writes a line to standard error.
    Raises: CommandError: The file cannot be read, or an option is invalid.
    """
    robots = options.robots
    if robots is not None and "://" not in robots:
        parsed = _parse_local(robots, options)
        warn_about_content(parsed.content, robots, warn=warn)
        return _LocalFile(parsed, robots, agents)
    if options.robots_url is not None:
        raise CommandError("--robots-url requires --robots FILE")
    return _FetchedFiles(options, robots, agents, warn=warn)


class _LocalFile:
    """One file that decides about every URL."""

    def __init__(self, robots: RobotsTxt, name: str, agents: list[Agent]) -> None:
        self._robots = robots
        self._name = "standard input" if name == STANDARD_INPUT else name
        self._agents = agents
        self._rules = [self._robots.rules_for(agent) for agent in agents]

    def assign(self, urls: Generator[RequestedURL]) -> URLsWithFiles:
        with closing(urls):
            for url in urls:
                yield url, self

    def decide(self, url: str) -> tuple[Verdict, ...]:
        return tuple([rules.decide(url) for rules in self._rules])

    def allows_all(self, urls: list[str]) -> bool:
        return all(all(rules.allows_many(urls)) for rules in self._rules)

    def deciding_file(self) -> NamedRobots:
        return NamedRobots(self._robots, self._name)

    def with_profile(self, profile: str) -> "_LocalFile":
        return _LocalFile(self._robots.with_profile(profile), self._name, self._agents)

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        evidence.record(url, verdict, content=self._robots.content)

    def close(self) -> None:
        """Do nothing: the file is in memory."""


class _FetchedFiles:
    """The file of each URL's origin, or of one origin for all URLs."""

    def __init__(
        self, options: DecisionOptions, robots_url: str | None, agents: list[Agent], *, warn: Callable[[str], None]
    ) -> None:
        # Importing the client takes time that a run with a local file does not have to spend.
        from canfetch.cli.shared.origin_lookup import OriginLookup  # noqa: PLC0415

        self._robots_url = None if robots_url is None else _to_robots_url(robots_url)
        self._agents = agents
        self._lookup = OriginLookup(
            options.network,
            warn=warn,
            profile=options.profile,
            max_bytes=options.max_bytes,
            engine=options.engine,
        )

    def assign(self, urls: Generator[RequestedURL]) -> URLsWithFiles:
        last: _FetchedFile | None = None
        rows = self._lookup.states(urls, to_url=self._lookup_url, to_weight=lambda url: len(url.url))
        with closing(rows):
            for url, state in rows:
                if isinstance(state, CanfetchError | CommandError):
                    yield url, state
                    continue
                if last is None or last.state is not state:
                    last = _FetchedFile(state, self._agents, check_origin=self._robots_url is not None)
                yield url, last

    def close(self) -> None:
        self._lookup.close()

    def _lookup_url(self, url: RequestedURL) -> str:
        if url.error:
            raise CommandError(url.error)
        if self._robots_url is not None:
            return self._robots_url
        if url.url.startswith("/"):
            raise InvalidURL(f"cannot fetch robots.txt for {quoted(url.url)}: expected an absolute URL, or --robots")
        return url.url


class _FetchedFile:
    """The state of one origin."""

    def __init__(self, state: "OriginState", agents: list[Agent], *, check_origin: bool) -> None:
        self.state = state
        self._agents = agents
        self._check_origin = check_origin

    def decide(self, url: str) -> tuple[Verdict, ...]:
        now, state = self._now(url), self.state
        return tuple([state.decide(url, agent, now) for agent in self._agents])

    def allows_all(self, urls: list[str]) -> bool:
        # Every URL is checked, so that an invalid one is reported even after a disallowed one.
        allowed = True
        for url in urls:
            now = self._now(url)
            for agent in self._agents:
                allowed = self.state.allows(url, agent, now) and allowed
        return allowed

    def deciding_file(self) -> NamedRobots | None:
        state = self.state
        copy = state.effective_access(state.entry.fetched_at).copy
        return None if copy is None else NamedRobots(state.parse_copy(copy), state.origin.robots_url)

    def with_profile(self, profile: str) -> "_FetchedFile":
        return _FetchedFile(self.state.with_profile(profile), self._agents, check_origin=self._check_origin)

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        evidence.record(url, verdict, self.state)

    def _now(self, url: str) -> float:
        if self._check_origin:
            # Without a file, the decision itself does not compare origins.
            check_origin(self.state.origin, url, None)
        return time.time()


def _parse_local(name: str, options: DecisionOptions) -> RobotsTxt:
    content = read_robots(name, max_bytes=options.max_bytes)
    try:
        return parse(
            content,
            url=options.robots_url,
            profile=options.profile,
            max_bytes=options.max_bytes,
            engine=options.engine,
        )
    except InvalidRobotsURL as error:
        raise CommandError(f"--robots-url: {error}") from None


def _to_robots_url(option: str) -> str:
    """Return the robots.txt URL for the value of `--robots`. For an origin without a path, this is its robots.txt."""
    scheme, _, rest = option.partition("://")
    is_origin = rest and not rest.partition("/")[2]
    url = f"{scheme}://{rest.removesuffix('/')}/robots.txt" if is_origin else option
    try:
        return parse_robots_url(url).robots_url
    except InvalidRobotsURL as error:
        raise CommandError(f"--robots: {error}") from None
