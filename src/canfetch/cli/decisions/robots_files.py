"""Whose robots.txt decides about a URL: the one that was given, or the URL's own, fetched."""

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple, Protocol

from canfetch.cli.decisions.options import STANDARD_INPUT, Question
from canfetch.cli.decisions.urls import MOST_CHARACTERS, AskedURL
from canfetch.cli.shared.input_files import read_robots
from canfetch.cli.shared.problems import Problem
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.origin import check_origin, parse_robots_url
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidRobotsURL, InvalidURL

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder
    from canfetch.client.origin_state import OriginState


class QuotedFile(NamedTuple):
    """A file that lines are quoted from, and what people call it."""

    robots: RobotsTxt
    name: str


class RobotsFile(Protocol):
    """A robots.txt, and what it says to those who ask."""

    def decide(self, url: str) -> tuple[Verdict, ...]:
        """Decide about a URL for each agent, in order."""

    def allows_all(self, urls: list[str]) -> bool:
        """Say whether every agent may fetch every URL."""

    def quoted(self) -> QuotedFile | None:
        """Give the file whose rules decide, or None where none do."""

    def with_profile(self, profile: str) -> "RobotsFile":
        """Give the same file, read by another profile.

        Cost: O(octets of the file).
        """

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        """Put a decision on the record, with what is known of the file."""


Paired = Generator[tuple[AskedURL, RobotsFile | CanfetchError | Problem]]


class RobotsFiles(Protocol):
    """Gives each URL the file that decides about it."""

    def of(self, urls: Generator[AskedURL]) -> Paired:
        """Yield the URLs in their order, each with its file, or with what keeps it from having one."""

    def close(self) -> None:
        """Give back what is held."""


def files_of(question: Question, agents: list[Agent], *, say: Callable[[str], None]) -> RobotsFiles:
    """Give the files that a question is about.

    Args:
        agents: who asks, in order.
        say: writes a line to standard error.
    Raises: Problem: they cannot be read, or an option does not fit.
    """
    name = question.robots
    if name is not None and "://" not in name:
        return _GivenFile(read_robots(name, question), name, agents)
    if question.robots_url is not None:
        raise Problem("--robots-url says where a given file is from: give --robots FILE with it, or leave it out")
    return _FetchedFiles(question, name, agents, say=say)


class _GivenFile:
    """One file, which decides about every URL."""

    def __init__(self, robots: RobotsTxt, name: str, agents: list[Agent]) -> None:
        self._robots = robots
        self._name = "standard input" if name == STANDARD_INPUT else name
        self._agents = agents
        self._rules = [self._robots.rules_for(agent) for agent in agents]

    def of(self, urls: Generator[AskedURL]) -> Paired:
        with closing(urls):
            for asked in urls:
                yield asked, self

    def decide(self, url: str) -> tuple[Verdict, ...]:
        return tuple(rules.decide(url) for rules in self._rules)

    def allows_all(self, urls: list[str]) -> bool:
        return all(all(rules.allows_many(urls)) for rules in self._rules)

    def quoted(self) -> QuotedFile:
        return QuotedFile(self._robots, self._name)

    def with_profile(self, profile: str) -> "_GivenFile":
        return _GivenFile(self._robots.with_profile(profile), self._name, self._agents)

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        evidence.record(url, verdict, content=self._robots.content)

    def close(self) -> None:
        """Nothing is held."""


class _FetchedFiles:
    """Each URL's own file, or that of one origin; origins are asked at the same time."""

    def __init__(
        self, question: Question, robots_url: str | None, agents: list[Agent], *, say: Callable[[str], None]
    ) -> None:
        # None of it is needed beside a given file, and all of it costs a start some time.
        from canfetch.cli.shared.origin_lookup import Origins  # noqa: PLC0415

        self._robots_url = None if robots_url is None else _robots_url(robots_url)
        self._agents = agents
        self._origins = Origins(
            question.network,
            say=say,
            profile=question.profile,
            max_bytes=question.max_bytes,
            engine=question.engine,
        )

    def of(self, urls: Generator[AskedURL]) -> Paired:
        last: _FetchedFile | None = None
        rows = self._origins.ahead(
            urls, url_of=self._asked_of, weight_of=lambda asked: len(asked.url), most_weight=MOST_CHARACTERS
        )
        with closing(rows):
            for asked, known in rows:
                if isinstance(known, CanfetchError | Problem):
                    yield asked, known
                    continue
                if last is None or last.known is not known:
                    last = _FetchedFile(known, self._agents, is_named=self._robots_url is not None)
                yield asked, last

    def close(self) -> None:
        self._origins.close()

    def _asked_of(self, asked: AskedURL) -> str:
        if asked.problem:
            raise Problem(asked.problem)
        if self._robots_url is not None:
            return self._robots_url
        if asked.url.startswith("/"):
            raise InvalidURL(
                f"{quoted(asked.url)} has no origin to ask: give an absolute URL, or the file with --robots"
            )
        return asked.url


class _FetchedFile:
    """What is known of an origin, for those who ask."""

    def __init__(self, known: "OriginState", agents: list[Agent], *, is_named: bool) -> None:
        self.known = known
        self._agents = agents
        self._is_named = is_named

    def decide(self, url: str) -> tuple[Verdict, ...]:
        now = self._now_for(url)
        return tuple(self.known.decide(url, agent, now) for agent in self._agents)

    def allows_all(self, urls: list[str]) -> bool:
        # Every URL is asked about, so that a bad one is told whatever the others come to.
        allowed = True
        for url in urls:
            now = self._now_for(url)
            for agent in self._agents:
                allowed = self.known.allows(url, agent, now) and allowed
        return allowed

    def quoted(self) -> QuotedFile | None:
        known = self.known
        copy = known.effective_access(known.entry.fetched_at).copy
        return None if copy is None else QuotedFile(known.parse_copy(copy), known.origin.robots_url)

    def with_profile(self, profile: str) -> "_FetchedFile":
        return _FetchedFile(self.known.with_profile(profile), self._agents, is_named=self._is_named)

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        evidence.record(url, verdict, self.known)

    def _now_for(self, url: str) -> float:
        import time  # noqa: PLC0415 - beside a client it is nothing

        if self._is_named:
            # Where there is no file, nothing else tells that it rules over another origin.
            check_origin(self.known.origin, url, None)
        return time.time()


def _robots_url(given: str) -> str:
    """Give the robots.txt URL that is meant; an origin alone means its own."""
    scheme, _, place = given.partition("://")
    is_origin = place and not place.partition("/")[2]
    url = f"{scheme}://{place.removesuffix('/')}/robots.txt" if is_origin else given
    try:
        return parse_robots_url(url).robots_url
    except InvalidRobotsURL as error:
        raise Problem(f"--robots: {error}") from None
