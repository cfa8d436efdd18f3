"""What a site states for one crawler in addition to its rules: the pace of requests, uses and licenses."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from canfetch.answers.pace import StatedPace, stated_pace
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.document_urls import License
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.usage import Usage
from canfetch.core.urls import AnyURL


class CrawlerStatements(NamedTuple):
    """What a file states for one crawler in addition to its rules.

    Attributes:
        pace: How fast the site asks the crawler to be.
        usages: The preference on each use of a URL, whether the crawler may fetch it or not.
        licenses: The License records that apply.
    """

    pace: StatedPace
    usages: Mapping[UsagePurpose, Usage]
    licenses: tuple[Extension[License], ...]

    @property
    def license_urls(self) -> list[str]:
        """The URLs of the licenses, each once."""
        return list(dict.fromkeys(record.parsed.url for record in self.licenses))


def crawler_statements(robots: RobotsTxt, agent: Agent, now: float, *, url: AnyURL = "/") -> CrawlerStatements:
    """Return what a file states for an agent.

    Args:
        now: The time in seconds since the epoch, for daily windows.
        url: The URL that the preferences are about.
    Raises: InvalidURL, OriginMismatch.
    Cost: Three decisions, and O(records other than rules and user-agent lines).
    """
    return CrawlerStatements(
        stated_pace(robots, agent, now),
        {purpose: robots.usage(url, agent=agent, purpose=purpose, if_disallowed=True) for purpose in UsagePurpose},
        robots.licenses(agent=agent),
    )


def deciding_records(usage: Usage) -> list[Extension[Any]]:
    """Return the records that state a preference, each once. Records that decide are first."""
    deciding = sorted(usage.statements, key=lambda one: one.usage_preference.preference is not usage.preference)
    return list({statement.line: statement.record for statement in deciding}.values())


def usages_json(usages: Mapping[UsagePurpose, Usage]) -> dict[str, Any]:
    """Return preferences by purpose, each with the records that state it, as JSON."""
    return {
        str(purpose): {
            "preference": str(usage.preference),
            "records": [record.to_json() for record in deciding_records(usage)],
        }
        for purpose, usage in usages.items()
    }
