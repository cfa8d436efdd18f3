"""A group for a retired crawler."""

from collections.abc import Iterator

from canfetch.lint.analysis.agent_names import known_agents
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names that their operators have retired."""
    for agent, crawler, _ in known_agents(file):
        # bingbot follows an old msnbot group if it has no group of its own.
        if crawler.retired and (crawler.name != "msnbot" or file.groups_named("bingbot")):
            yield Occurrence(agent.span, {"name": crawler.name, "operator": crawler.operator})


CHECK = Check(
    code="CF507",
    name="retired-agent",
    severities=everywhere(Severity.INFO),
    title="A group for a retired crawler",
    message="{operator} has retired `{name}`",
    why="Crawlers no longer use this name, so the line has no effect.",
    how_to_fix="Check which current crawler should follow the group, and remove this name.",
    source="The operator's documentation, linked in the canfetch crawler registry",
    bad=b"User-agent: DuplexWeb-Google\nDisallow: /private/\n",
    good=b"User-agent: Googlebot\nDisallow: /private/\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
)
