"""Fixes that change the value of a line, remove it or add another one, which ends like the others."""

from canfetch.core.records import Record
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


def line_end(file: LintedFile) -> bytes:
    """Return the most frequent line end of a file, or LF if it has no line end."""
    return file.compute_once(_line_end)


def _line_end(file: LintedFile) -> bytes:
    pairs = file.content.count(b"\r\n")
    feeds = file.content.count(b"\n") - pairs
    returns = file.content.count(b"\r") - pairs
    if pairs > feeds and pairs >= returns:
        return b"\r\n"
    return b"\r" if returns > feeds else b"\n"
