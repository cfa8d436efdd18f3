"""Usage preferences: whether a site welcomes training, search and AI use of what a crawler fetches."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from canfetch.agents import get_crawler
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import with_notes
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.extensions.usage import Usage
from canfetch.core.text import printable_text
from canfetch.core.urls import AnyURL
from canfetch.pages.page_rules import PageRules

USAGE_TABLE_SCHEMA: Final = "canfetch.usage-table/1"
# Records that cannot be read are listed, too.
_RECORDS: Final = frozenset({"content-signal", "content-usage", "disallowaitraining", "license"})


class AgentUsage(NamedTuple):
    """The preferences of a file on one URL for one agent, by purpose."""

    agent: RequestedAgent
    usages: Mapping[UsagePurpose, Usage]

    def to_json(self) -> dict[str, Any]:
        """Return the preferences and the verdict as JSON."""
        crawler = get_crawler(self.agent.name)
        verdict = self.usages[UsagePurpose.TRAINING].verdict
        return {
            "agent_name": printable_text(self.agent.name),
            "operator": None if crawler is None else crawler.operator,
            "purposes": [] if crawler is None else list(crawler.purposes),
            "honours": [] if crawler is None else list(crawler.honours),
            "allowed": verdict.allowed,
            "line": verdict.line,
            "explanation": printable_text(verdict.explanation),
            "usage": {str(purpose): usage.to_json() for purpose, usage in self.usages.items()},
        }


class UsageTable(NamedTuple):
    """The preferences of a file on one URL for several agents, and the rules of the page, or None."""

    robots: RobotsTxt
    url: str
    agents: Sequence[RequestedAgent]
    page: PageRules | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the preferences for each agent and purpose, and the records that state them.

        The member `crawlers` is an iterator, because each of its items names all records that apply.

        Raises: InvalidURL, OriginMismatch: When an item is computed.
        """
        reservation = None if self.page is None else self.page.reservation
        answer = {
            "schema": USAGE_TABLE_SCHEMA,
            "url": printable_text(self.url),
            "profile": self.robots.profile,
            "crawlers": (self._row(agent).to_json() for agent in self.agents),
            "records": [record.to_json() for record in self.robots.extensions if record.name in _RECORDS],
            "tdm_reservation": None if reservation is None else reservation.to_json(),
            "tdm_file_problem": None if self.page is None or self.page.tdm_file is None else self.page.tdm_file.problem,
        }
        return with_notes(answer, self.agents, self.robots)

    def _row(self, agent: RequestedAgent) -> AgentUsage:
        return AgentUsage(agent, usage_by_purpose(self.robots, self.url, agent.agent))


def usage_by_purpose(
    robots: RobotsTxt, url: AnyURL, agent: Agent, *, if_disallowed: bool = False
) -> dict[UsagePurpose, Usage]:
    """Return the preference of a file on each use of a URL.

    Args: if_disallowed: As for `RobotsTxt.usage`.
    Raises: InvalidURL, OriginMismatch.
    Cost: Three decisions.
    """
    return {
        purpose: robots.usage(url, agent=agent, purpose=purpose, if_disallowed=if_disallowed)
        for purpose in UsagePurpose
    }


def usage_table(
    robots: RobotsTxt, url: str, agents: Sequence[RequestedAgent], *, page: PageRules | None = None
) -> UsageTable:
    """Return the preferences of a file on a URL for each agent and purpose.

    Args: page: The rules of the page, for its TDMRep reservation, or None if they are unknown.
    Cost: Three decisions for each agent, when the table is converted to JSON.
    """
    return UsageTable(robots, url, agents, page)
