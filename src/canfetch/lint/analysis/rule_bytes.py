"""The rules whose values contain certain bytes, so that a check reads only the rules that it may report."""

from typing import Final

from canfetch.core.records import Record
from canfetch.lint.linted_file import LintedFile, LintedRule

# Most values have no other bytes.
_COMMON: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/"


def rule_records_with(file: LintedFile, *marks: bytes) -> list[Record]:
    """Return the allow and disallow lines, in file order, whose value contains one of these bytes.

    Args: marks: Single bytes other than letters, digits, `-`, `_` and `/`.
    Cost: O(these lines), and O(bytes of rules) at the first call.
    """
    by_byte = file.compute_once(_by_byte)
    found = [by_byte[mark] for mark in marks if mark in by_byte]
    if len(found) < 2:
        return found[0] if found else []
    by_line = {record.line: record for records in found for record in records}
    return [by_line[line] for line in sorted(by_line)]


def rules_with(file: LintedFile, *marks: bytes) -> list[LintedRule]:
    """Return the rules of groups, in file order, whose value contains one of these bytes."""
    by_line = file.compute_once(_by_line)
    records = rule_records_with(file, *marks)
    return [rule for record in records if (rule := by_line.get(record.line)) is not None]


def _by_byte(file: LintedFile) -> dict[bytes, list[Record]]:
    by_number: dict[int, list[Record]] = {}
    for record in file.rule_records:
        for byte in set(file.value(record).translate(None, _COMMON)):
            by_number.setdefault(byte, []).append(record)
    return {bytes([byte]): records for byte, records in by_number.items()}


def _by_line(file: LintedFile) -> dict[int, LintedRule]:
    return {rule.record.line: rule for rule in file.rules}
