"""A `User-agent` line without a name."""

from collections.abc import Iterator
from functools import partial

from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find user-agent lines without a value."""
    for index, value in zip(file.user_agents, file.user_agent_values, strict=True):
        if not value:
            yield LineOccurrence(index + 1, partial(_occurrence, file, index))


def _occurrence(file: LintedFile, index: int) -> Occurrence:
    record = file.records[index]
    group = file.group_of(record)
    # Without the group, everything is allowed too.
    allows_all = group is not None and not any(rule.specificity and not rule.allow for rule in group.rules)
    return Occurrence(file.text_span(record), harmless=allows_all)


CHECK = Check(
    code="CF510",
    name="empty-agent",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A `User-agent` line without a name",
    message="the line does not name a crawler",
    why="An empty name matches no crawler. If the group has no other `User-agent` line, its rules apply to no crawler.",
    how_to_fix="Write the crawler's product token, or `*` for all crawlers without their own group.",
    source="RFC 9309 section 2.2.1; Lighthouse, robots-txt",
    bad=b"User-agent:\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
)
