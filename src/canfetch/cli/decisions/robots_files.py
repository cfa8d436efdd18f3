"""Interfaces of the robots.txt files that decide about URLs. `run.py` selects the implementation."""

from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.requested_urls import RequestedURL
from canfetch.core.document import RobotsTxt
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder


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

    @property
    def only_file(self) -> RobotsTxt | None:
        """The file that decides about every URL, or None if there may be several, or if it has to be fetched."""

    def assign(self, urls: Generator[RequestedURL]) -> URLsWithFiles:
        """Yield the URLs in order, each with its file or with the error."""

    def close(self) -> None:
        """Release connections and the store."""
