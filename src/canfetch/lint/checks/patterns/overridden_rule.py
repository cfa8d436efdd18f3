"""A rule that never decides, because opposite rules always win."""

from collections.abc import Iterator

from canfetch.core.keys import RecordKind
from canfetch.lint.analysis.ineffective_rules import Cause, ineffective_occurrences
from canfetch.lint.check import Check, LineOccurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find rules that lose to an opposite rule for each URL that they match."""
    return ineffective_occurrences(file, Cause.OVERRIDDEN)


CHECK = Check(
    code="CF426",
    name="overridden-rule",
    severities=everywhere(Severity.WARNING),
    title="A rule that opposite rules always override",
    message="`{pattern}` never decides, because of {rules} (line {lines})",
    why="For each URL that the rule matches, an opposite rule matches too, and is longer, or is an `Allow` of the same "
    "length. So crawlers act as if the rule did not exist. Parsers that use the first matching rule may decide "
    "differently.",
    how_to_fix="Remove the rule, or the one that wins. To make an exception, write a longer pattern. "
    "If a group is left without rules, write an empty `Disallow:` there.",
    source="RFC 9309 section 2.2.2; Google, order of precedence for rules",
    bad=b"User-agent: *\nAllow: /grid/\nDisallow: /grid/*\n",
    good=b"User-agent: *\nDisallow: /grid/*\n",
    find=find,
    needs=(RecordKind.ALLOW,),
    fixable=True,
    removes_redundant_lines=True,
)
