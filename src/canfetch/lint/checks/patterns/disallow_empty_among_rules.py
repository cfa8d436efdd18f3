"""An empty `Disallow` next to other rules."""

from collections.abc import Iterator

from canfetch.lint.analysis.rule_fixes import removing, rules_that_speak
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Find empty disallow rules in groups with other rules."""
    for group in file.groups:
        if not rules_that_speak(group):
            continue
        for rule in group.rules:
            if not rule.allow and not rule.value:
                yield Found(file.content_span(rule.record), fix=removing(rule.record, changes_verdicts=True))


CHECK = Check(
    code="CF414",
    name="disallow-empty-among-rules",
    severities=everywhere(Severity.WARNING),
    title="An empty `Disallow` next to other rules",
    message="an empty `Disallow` has no effect next to other rules",
    why="On its own in a group, an empty `Disallow` allows everything. Next to other rules, crawlers ignore it. "
    "Parsers that use the first matching rule may stop there and miss the rules below.",
    mend="Remove the line.",
    source="RFC 9309 section 2.2; Google, Disallow and Allow",
    bad=Given(b"User-agent: *\nDisallow:\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
