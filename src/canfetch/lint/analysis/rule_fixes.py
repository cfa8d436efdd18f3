"""Fixes that change the value of a rule or remove its line."""

from canfetch.core.records import Record
from canfetch.lint.analysis.line_ends import line_end
from canfetch.lint.fixes import Edit, Fix, replace_span
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule


def rewrite_value(record: Record, value: bytes) -> Fix | None:
    """Return the fix that replaces a record's value, or None if it has no value."""
    if record.value is None:
        return None
    # Parsers of 1994 and Python's robotparser compare values as written, so another spelling is another rule to them.
    return replace_span(*record.value, value, changes_verdicts=True)


def remove_line(record: Record, *, changes_verdicts: bool) -> Fix:
    """Return the fix that removes a line, including its comment and its line end."""
    return replace_span(*record.span, b"", changes_verdicts=changes_verdicts)


def add_rule_below(file: LintedFile, rule: LintedRule, pattern: bytes) -> Edit:
    """Return the edit that writes a line below a rule, which disallows another pattern."""
    end = rule.record.span[0] + len(file.line_content(rule.record))
    return Edit(end, end, line_end(file) + b"Disallow: " + pattern)


def count_nonempty_rules(group: LintedGroup) -> int:
    """Return the number of rules with a value. Without any rule, a group would merge with the next one."""
    return sum(rule.value != b"" for rule in group.rules)
