"""A group for a retired crawler."""

from collections.abc import Iterator

from canfetch.lint.analysis.known_agents import known_agents
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Find names that their operators have retired."""
    for agent, crawler, _ in known_agents(file):
        # bingbot follows an old msnbot group if it has no group of its own.
        if crawler.retired and (crawler.name != "msnbot" or file.groups_named("bingbot")):
            yield Found(agent.span, {"name": crawler.name, "operator": crawler.operator})


CHECK = Check(
    code="CF507",
    name="retired-agent",
    severities=everywhere(Severity.INFO),
    title="A group for a retired crawler",
    message="{operator} has retired `{name}`",
    why="No crawler uses this name any more, so the line has no effect.",
    mend="Check which current crawler should follow the group, and remove this name.",
    source="the operator's documentation, linked in the canfetch crawler registry",
    bad=Given(b"User-agent: DuplexWeb-Google\nDisallow: /private/\n"),
    good=Given(b"User-agent: Googlebot\nDisallow: /private/\n"),
    find=find,
)
