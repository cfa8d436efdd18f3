"""Usage preferences: whether a site welcomes training, search and AI use of what a crawler fetches."""

from collections.abc import Sequence
from typing import Any, Final

from canfetch.agents import get_crawler
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.text import printable_text
from canfetch.pages.page_rules import PageRules
from canfetch.web.answers.crawlers import NamedAgent, with_notes

USAGE_TABLE_SCHEMA: Final = "canfetch.usage-table/1"
# Records that cannot be read are listed, too.
_RECORDS: Final = frozenset({"content-signal", "content-usage", "disallowaitraining", "license"})


def usage_json(
    robots: RobotsTxt, url: str, agents: Sequence[NamedAgent], *, page: PageRules | None = None
) -> dict[str, Any]:
    """Return the preferences of a file on a URL for each crawler and purpose, and the records that state them.

    Args: page: The rules of the page, for its TDMRep reservation, or None if they are unknown.
    Raises: InvalidURL, OriginMismatch.
    Cost: Three decisions for each crawler.
    """
    reservation = None if page is None else page.reservation
    answer = {
        "schema": USAGE_TABLE_SCHEMA,
        "url": printable_text(url),
        "profile": robots.profile,
        "crawlers": [_crawler_json(robots, url, agent) for agent in agents],
        "records": [record.to_json() for record in robots.extensions if record.name in _RECORDS],
        "tdm_reservation": None if reservation is None else reservation.to_json(),
        "tdm_file_problem": None if page is None or page.tdm_file is None else page.tdm_file.problem,
    }
    return with_notes(answer, agents, robots)


def _crawler_json(robots: RobotsTxt, url: str, agent: NamedAgent) -> dict[str, Any]:
    crawler = get_crawler(agent.name)
    usages = {str(purpose): robots.usage(url, agent=agent.agent, purpose=purpose) for purpose in UsagePurpose}
    verdict = robots.decide(url, agent=agent.agent)
    return {
        "agent_name": agent.shown_name,
        "operator": None if crawler is None else crawler.operator,
        "purposes": [] if crawler is None else list(crawler.purposes),
        "honours": [] if crawler is None else list(crawler.honours),
        "allowed": verdict.allowed,
        "line": verdict.line,
        "explanation": printable_text(verdict.explanation),
        "usage": {purpose: usage.to_json() for purpose, usage in usages.items()},
    }
