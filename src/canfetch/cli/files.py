"""Whose robots.txt decides about a URL: the one that was given, or the URL's own, fetched."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from canfetch.cli.asking import Judge
from canfetch.cli.inputs import read_robots
from canfetch.cli.network import open_store
from canfetch.cli.problems import Problem
from canfetch.cli.question import STANDARD_INPUT, Question
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidURL

if TYPE_CHECKING:
    from canfetch.client.known_origin import KnownOrigin


class QuotedFile(NamedTuple):
    """A file that lines are quoted from, and what people call it."""

    robots: RobotsTxt
    name: str


class RobotsFiles(Protocol):
    """Gives what decides for an agent, and the file behind a verdict."""

    def judge(self, agent: Agent) -> Judge:
        """Give what decides about URLs for an agent."""

    def quoted(self, url: str) -> QuotedFile | None:
        """Give the file whose rules decide about a URL, or None where none do."""

    def close(self) -> str | None:
        """Give back what is held, and say what went wrong on the way, if anything did."""


def files_of(question: Question) -> RobotsFiles:
    """Give the files that a question is about.

    Raises: Problem: they cannot be read, or an option does not fit.
    """
    name = question.robots
    if name is not None and "://" not in name:
        return _GivenFile(question, name)
    if question.robots_url is not None:
        raise Problem("--robots-url says where a given file is from: give --robots FILE with it, or leave it out")
    return _FetchedFiles(question, name)


class _GivenFile:
    def __init__(self, question: Question, name: str) -> None:
        self._robots = read_robots(name, question)
        self._name = "standard input" if name == STANDARD_INPUT else name

    def judge(self, agent: Agent) -> Judge:
        return self._robots.rules_for(agent)

    def quoted(self, url: str) -> QuotedFile | None:  # noqa: ARG002 - one file decides about all
        return QuotedFile(self._robots, self._name)

    def close(self) -> None:
        """Nothing is held."""


class _FetchedFiles:
    def __init__(self, question: Question, robots_url: str | None) -> None:
        # None of it is needed beside a given file, and all of it costs a start some time.
        from canfetch.client.sync_client import Client  # noqa: PLC0415

        options = question.network
        store = open_store(options.store)
        try:
            self._client = Client(
                user_agent=options.user_agent,
                agent="*",
                policy=options.policy,
                profile=question.profile,
                limit_octets=question.limit_octets,
                total_seconds=options.timeout,
                connect_seconds=min(10.0, options.timeout),
                read_seconds=min(10.0, options.timeout),
                allow_private=not options.public_only,
                engine=question.engine,
                store=store,
            )
        except CanfetchError as error:
            if store is not None:
                store.close()
            raise Problem(str(error)) from None
        self._options = options
        self._robots_url = robots_url
        self._refreshed: set[str] = set()

    def judge(self, agent: Agent) -> Judge:
        return _ClientJudge(self.known, agent)

    def known(self, url: str) -> "KnownOrigin":
        """Give what is known of a URL's origin, or of the one whose file was named; each is refreshed once."""
        asked = url if self._robots_url is None else self._robots_url
        if self._robots_url is None and url.startswith("/"):
            raise InvalidURL(f"{url!r} has no origin to ask: give an absolute URL, or the file with --robots")
        known = self._client.known(asked, offline=self._options.offline)
        name = str(known.origin)
        if self._options.refresh and name not in self._refreshed:
            self._refreshed.add(name)
            known = self._client.known(asked, refresh=True)
        return known

    def quoted(self, url: str) -> QuotedFile | None:
        known = self.known(url)
        copy = known.standing(known.entry.fetched_at_seconds).copy
        return None if copy is None else QuotedFile(known.robots(copy), known.origin.robots_url)

    def close(self) -> str | None:
        self._client.close()
        return self._client.trouble


class _ClientJudge:
    """Decides by what a client knows, one URL after the other."""

    def __init__(self, known: Callable[[str], "KnownOrigin"], agent: Agent) -> None:
        self._known = known
        self._agent = agent

    def decide(self, url: str) -> Verdict:
        import time  # noqa: PLC0415 - beside a client it is nothing

        return self._known(url).decide(url, self._agent, time.time())

    def allows_many(self, urls: Iterable[str]) -> list[bool]:
        return [self.decide(url).allowed for url in urls]
