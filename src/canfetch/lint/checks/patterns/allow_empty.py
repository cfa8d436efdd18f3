"""An empty `Allow`."""

from collections.abc import Iterator

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.lint.analysis.line_fixes import count_nonempty_rules, remove_line
from canfetch.lint.analysis.rule_values import EMPTY_VALUE, rule_records_matching, rules_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find allow lines without a value."""
    has_value: dict[int, bool] = {}
    for rule in rules_matching(file, EMPTY_VALUE):
        if not rule.allow:
            continue
        if rule.group not in has_value:
            has_value[rule.group] = count_nonempty_rules(file.groups[rule.group]) > 0
        fix = remove_line(rule.record, changes_verdicts=True) if has_value[rule.group] else None
        yield Occurrence(file.text_span(rule.record), fix=fix)
    for record in rule_records_matching(file, EMPTY_VALUE):
        if record.group is None and record.kind is RecordKind.ALLOW:
            yield Occurrence(file.text_span(record))


CHECK = Check(
    code="CF413",
    name="allow-empty",
    severities=everywhere(Severity.WARNING),
    title="An empty `Allow`",
    message="an empty `Allow` allows nothing",
    why="Current crawlers ignore an empty `Allow`. In older Yandex documentation it disallows everything, and in some "
    "simple parsers it allows everything.",
    how_to_fix="Remove the line, or write `Allow: /` to allow everything. "
    "If a group is left without rules, write an empty `Disallow:` there.",
    source="RFC 9309 section 2.2; Google, Disallow and Allow",
    bad=b"User-agent: *\nAllow:\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Note.EMPTY_VALUE,),
    fixable=True,
    removes_redundant_lines=True,
)
