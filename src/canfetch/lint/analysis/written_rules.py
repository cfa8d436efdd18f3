"""The rules of each group, as written."""

from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.linted_file import LintedFile

_HASH: Final = b"#"


def has_written_rule(file: LintedFile, group_of: Record, value: bytes) -> bool:
    """Return whether the group and kind of a rule have a rule that is written with this value.

    A rule whose path is cut off by a `#` does not count.

    Cost: O(rules) for the first call, then O(1).
    """
    return (group_of.group, group_of.kind, value) in file.compute_once(_written_rules)


def _written_rules(file: LintedFile) -> frozenset[tuple[int | None, RecordKind | None, bytes]]:
    return frozenset(
        (record.group, record.kind, file.value(record))
        for record in file.rule_records
        if record.value is not None and file.content[record.value[1] : record.value[1] + 1] != _HASH
    )
