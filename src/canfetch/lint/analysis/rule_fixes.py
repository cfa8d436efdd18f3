"""How fixes change rules: their values are written anew, or their lines go."""

from canfetch.core.records import Record
from canfetch.lint.fixes import Fix, replace_span
from canfetch.lint.linted_file import LintedGroup


def rewrite_value(record: Record, value: bytes) -> Fix | None:
    """Give the fix that writes another value behind a record's key."""
    if record.value is None:
        return None
    # Readers of 1994 and those of Python compare what is written: to them another writing is another rule.
    return replace_span(*record.value, value, changes_verdicts=True)


def remove_line(record: Record, *, changes_verdicts: bool) -> Fix:
    """Give the fix that takes out a line, with its end and the comment behind it."""
    return replace_span(*record.span, b"", changes_verdicts=changes_verdicts)


def count_nonempty_rules(group: LintedGroup) -> int:
    """Count the rules of a group that have a value: without any, its user-agent lines would join the next group."""
    return sum(rule.value != b"" for rule in group.rules)
