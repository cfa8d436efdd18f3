"""Whether crawlers may use the content of a URL: the answer for one of them, and the table for several uses."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from canfetch.agents import get_crawler
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import names_json, with_notes
from canfetch.answers.pages import parse_head
from canfetch.consent.decision import UseSources, read_sources
from canfetch.consent.licenses import LICENSE, MAX_PLACES
from canfetch.consent.purposes import is_control_token
from canfetch.consent.sources import MissingSource, PageResponse
from canfetch.consent.verdict import SourceState, UseSource, UseVerdict
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption

USE_TABLE_SCHEMA: Final = "canfetch.use-table/1"
# License records times crawlers and uses: each is a statement in the table.
MAX_LICENSE_STATEMENTS: Final = 50_000
# Records that cannot be read are listed, too.
_RECORDS: Final = frozenset({"content-signal", "content-usage", "disallowaitraining", "license"})
# The keys of a verdict that differ between the crawlers and uses of a table.
_CELL_KEYS: Final = (
    *("allowed", "is_final", "expires_at", "explanation", "combination", "statements"),
    "unlisted_statements",
)


class UseAnswer(NamedTuple):
    """Whether one agent may use the content of a URL.

    Attributes:
        url: The URL as written. That of the verdict is the URL after redirects.
        agent: The agent.
        verdict: The answer.
    """

    url: str
    agent: RequestedAgent
    verdict: UseVerdict

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON. `url` is the URL as written, and `content_url` that after redirects."""
        verdict = self.verdict.to_json()
        return {
            **names_json(self.url, self.agent),
            "content_url": verdict.pop("url"),
            **verdict,
        }


def use_error_json(url: str, agent: RequestedAgent, error: str) -> dict[str, Any]:
    """Return the object for a URL that cannot be decided."""
    return {**names_json(url, agent), "allowed": None, "error": printable_text(error)}


class CrawlerUses(NamedTuple):
    """Whether one crawler may fetch a URL, and whether each use of its content is allowed.

    A control token fetches nothing. For it, `fetch` is whether the use of the URL is permitted.
    """

    agent: RequestedAgent
    fetch: Verdict
    uses: Mapping[UsagePurpose, UseVerdict]

    def to_json(self) -> dict[str, Any]:
        """Return the verdicts as JSON."""
        crawler = get_crawler(self.agent.name)
        return {
            "agent_name": printable_text(self.agent.name),
            "operator": None if crawler is None else crawler.operator,
            "purposes": [] if crawler is None else list(crawler.purposes),
            "honours": [] if crawler is None else list(crawler.honours),
            "control_token": is_control_token(self.agent.name),
            "allowed": self.fetch.allowed,
            "line": self.fetch.line,
            "explanation": printable_text(self.fetch.explanation),
            "licenses": [source.to_json() for source in self._licenses],
            "uses": {str(purpose): _cell_json(verdict) for purpose, verdict in self.uses.items()},
        }

    @property
    def _licenses(self) -> Iterator[UseSource]:
        """The RSL documents that the sources name for the crawler, which are the same for each use."""
        verdict = next(iter(self.uses.values()))
        return (source for source in verdict.sources if source.name == LICENSE)


def _cell_json(verdict: UseVerdict) -> dict[str, Any]:
    converted = verdict.to_json()
    return {key: converted[key] for key in _CELL_KEYS}


class UseTable(NamedTuple):
    """Whether several crawlers may use the content of a URL, for each purpose.

    Attributes:
        robots: The robots.txt of the origin.
        agents: The crawlers.
        sources: What the site states, with the robots.txt.
    """

    robots: RobotsTxt
    agents: Sequence[RequestedAgent]
    sources: UseSources

    def to_json(self) -> dict[str, Any]:
        """Return the verdicts for each crawler and purpose, and the records of the file that state something.

        The member `crawlers` is an iterator, because each of its items names all statements that apply.

        Raises: InvalidURL, OriginMismatch: When an item is computed.
        """
        answer = {
            "schema": USE_TABLE_SCHEMA,
            "url": printable_text(self.sources.url),
            "profile": self.robots.profile,
            "sources": [source.to_json() for source in self.sources.states],
            "crawlers": (row.to_json() for row in self.rows()),
            "records": [record.to_json() for record in self.robots.extensions if record.name in _RECORDS],
        }
        return with_notes(answer, self.agents, self.robots)

    def rows(self) -> Iterator[CrawlerUses]:
        """Yield the verdicts for each crawler.

        Cost: As four decisions for each purpose.
        """
        for agent in self.agents:
            uses = self.sources.decide(agent.agent, UsagePurpose)
            yield CrawlerUses(agent, self.robots.decide(self.sources.url, agent=agent.agent), uses)


def use_table(
    robots: RobotsTxt, url: str, agents: Sequence[RequestedAgent], *, headers: str, tdm_file: str | None, now: float
) -> UseTable:
    """Return the table for sources that a user has pasted.

    Args:
        headers: The head of the response, one header a line, or an empty text if it is unknown. Without a status line,
            the status is 200.
        tdm_file: The TDM file of the origin, or None if it is unknown.
    Raises: InvalidURL; InvalidOption: A line of `headers` is not a header, or the file has too many License records for
        so many crawlers.
    """
    places = sum(min(len(robots.licenses(agent=agent.agent)), MAX_PLACES) for agent in agents)
    if places * len(UsagePurpose) > MAX_LICENSE_STATEMENTS:
        raise InvalidOption(
            f"{places * len(UsagePurpose)} statements of License lines requested: expected at most "
            f"{MAX_LICENSE_STATEMENTS}, License lines times agents and uses"
        )
    unread = MissingSource(SourceState.NOT_READ)
    status, fields = parse_head(headers)
    response = PageResponse(status or 200, fields) if fields or status else unread
    tdm = unread if tdm_file is None else tdm_file
    return UseTable(robots, agents, read_sources(url, robots=robots, response=response, tdm=tdm, now=now))
