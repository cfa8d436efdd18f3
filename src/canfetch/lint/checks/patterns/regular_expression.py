"""A regular expression instead of a pattern."""

from collections.abc import Iterator

from canfetch.lint.analysis.foreign_syntax import looks_like_regex, possible_regex
from canfetch.lint.analysis.rule_values import rule_records_matching, rule_values
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values with the syntax of regular expressions."""
    for record in rule_records_matching(file, possible_regex(rule_values(file).text)):
        value = file.value(record)
        if record.value is not None and looks_like_regex(value):
            yield Occurrence(record.value, {"pattern": file.text(value)})


CHECK = Check(
    code="CF416",
    name="regular-expression",
    severities=everywhere(Severity.ERROR),
    title="A regular expression instead of a pattern",
    message="`{pattern}` is not read as a regular expression: patterns support only `*` and a final `$`",
    why="No crawler supports regular expressions in robots.txt. All characters except `*` and a final `$` are "
    "literal, so the rule hardly ever matches the intended URLs.",
    how_to_fix="Write one pattern for each path, with `*` for any run of characters.",
    source="RFC 9309 section 2.2.3; Google, URL matching based on path values",
    bad=b"User-agent: *\nDisallow: /(cart|checkout)/.*\n",
    good=b"User-agent: *\nDisallow: /cart/\nDisallow: /checkout/\n",
    find=find,
    supersedes=("CF218", "CF40", "CF41", "CF42"),
)
