"""The robots.txt of each URL's origin as it was known at a time: the files of `--at`."""

from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING

from canfetch.cli.decisions.robots_files import NamedRobots, URLsWithFiles
from canfetch.cli.shared.history_options import PastHistory
from canfetch.cli.shared.requested_urls import RequestedURL
from canfetch.client.watch import KnownCopy
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin, check_origin
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder


class PastFiles:
    """The file of each URL's origin in a history.

    Args:
        past: The history, and the time.
        agents: The agents to decide for.
        profile: How files are parsed.
    """

    def __init__(self, past: PastHistory, agents: list[Agent], *, profile: str) -> None:
        self._past = past
        self._agents = agents
        self._profile = profile
        self._last: PastFile | None = None

    @property
    def only_file(self) -> None:
        """None: there may be several files."""

    def assign(self, urls: Generator[RequestedURL]) -> URLsWithFiles:
        """Yield the URLs in order, each with its file or with the error."""
        with closing(urls):
            for url in urls:
                yield url, self._find(url.url)

    def _find(self, url: str) -> "PastFile | CanfetchError":
        try:
            if self._last is None or self._last.known.origin != Origin.from_url(url):
                known = self._past.history.copy_at(url, at=self._past.at)
                self._last = PastFile(known, self._agents, self._profile)
        except CanfetchError as error:
            return error
        return self._last if self._last.known.observation else self._last.known.unknown()

    def close(self) -> None:
        """Close the history."""
        self._past.close()


class PastFile:
    """What was known about one origin.

    Args:
        known: What was known, with a copy.
        agents: The agents to decide for.
        profile: How the file is parsed.
    """

    def __init__(self, known: KnownCopy, agents: list[Agent], profile: str) -> None:
        self.known = known
        self._agents = agents
        self._profile = profile

    def decide(self, url: str) -> tuple[Verdict, ...]:
        """Decide about a URL for each agent, in order."""
        check_origin(self.known.origin, url, None)
        verdicts = [self.known.decide(url, agent=agent, profile=self._profile).verdict for agent in self._agents]
        return tuple(verdict for verdict in verdicts if verdict is not None)

    def allows_all(self, urls: list[str]) -> bool:
        """Return whether every agent may fetch every URL."""
        verdicts = [verdict for url in urls for verdict in self.decide(url)]
        return all(verdict.allowed for verdict in verdicts)

    def deciding_file(self) -> NamedRobots | None:
        """Return the file whose rules decide, or None if no rules apply."""
        robots = self.known.robots(self._profile)
        return None if robots is None else NamedRobots(robots, self.known.origin.robots_url)

    def with_profile(self, profile: str) -> "PastFile":
        """Return the same file, parsed with another profile."""
        return PastFile(self.known, self._agents, profile)

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        """Record a decision together with the file."""
        robots = self.known.robots(self._profile)
        evidence.record(url, verdict, content=None if robots is None else robots.render(), at=self.known.at)
