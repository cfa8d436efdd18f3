"""The records that state preferences on usage, selected for the groups of an agent.

`GroupExtensions` matches them with a target. The native engine does the same for many URLs, with the plain values that
`statement_rows` returns.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from canfetch.core.contract import OtherRow
from canfetch.core.extensions.collection import Extensions, ParsedT, parse_extensions
from canfetch.core.extensions.content_signal import ContentSignal
from canfetch.core.extensions.content_usage import ContentUsage
from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.core.extensions.path_rules import AITrainingRule
from canfetch.core.extensions.preference import Preference, UsagePurpose, most_restrictive
from canfetch.core.extensions.record import Extension, ExtensionScope
from canfetch.core.extensions.usage import UsageStatement, explain_statements

AnyUsageRecord = Extension[ContentSignal] | Extension[ContentUsage] | Extension[AITrainingRule]

_NAMES: Final = ("content-signal", "content-usage", "disallowaitraining", "allowaitraining")
USAGE_KEYS: Final = frozenset(key for key, known in KNOWN_RECORDS.items() if known.name in _NAMES)
"""The keys of these records, in lower case."""

_EVERY_PATH: Final = b"/"

StatementRow = tuple[int, bytes, tuple[tuple[bool, str] | None, ...]]
"""The line of a record, its path, and its statements on each purpose: whether they disallow it, and their text."""


class UsageRecords(NamedTuple):
    """The records that state preferences to the crawlers of some groups.

    Attributes:
        signals: Content-Signal records, each with its path.
        usages: Content-Usage records, each with its path.
        training: Rules on AI training, each with its path.

    Of each kind, the most specific records for a URL count.
    """

    signals: list[tuple[bytes, Extension[ContentSignal]]]
    usages: list[tuple[bytes, Extension[ContentUsage]]]
    training: list[tuple[bytes, Extension[AITrainingRule]]]


def select_usage_records(records: Extensions, groups: frozenset[int]) -> UsageRecords:
    """Return the records that apply to the crawlers of `groups`.

    Cost: O(records).
    """
    own = Extensions(record for record in records if record.group in groups)
    signals = tuple(record for record in records.of_type(ContentSignal) if record.parsed.has_effect)
    return UsageRecords(
        [(record.parsed.path or _EVERY_PATH, record) for record in of_groups_or_file(signals, groups)],
        [(record.parsed.path or _EVERY_PATH, record) for record in own.of_type(ContentUsage)],
        [(record.parsed.path, record) for record in own.of_type(AITrainingRule)],
    )


def of_groups_or_file(
    records: tuple[Extension[ParsedT], ...], groups: frozenset[int]
) -> tuple[Extension[ParsedT], ...]:
    """Return the records in `groups`, or else those that apply to the whole file."""
    own = tuple(record for record in records if record.group in groups)
    return own or tuple(record for record in records if record.scope is ExtensionScope.FILE)


def statements_of(record: AnyUsageRecord, purpose: UsagePurpose) -> Iterator[UsageStatement]:
    """Yield what a record states about a purpose."""
    return (UsageStatement(record, usage) for usage in record.parsed.usage_preferences if usage.purpose is purpose)


def statement_rows(
    content: bytes, rows: Iterable[OtherRow], groups: Iterable[int]
) -> tuple[list[StatementRow], list[StatementRow], list[StatementRow]]:
    """Return the signals, the Content-Usage records and the rules on AI training as plain values, in file order.

    Args:
        content: The file.
        rows: Those of `CompiledFile.other_records` whose key is in `USAGE_KEYS`.
        groups: The groups of an agent.
    Cost: O(bytes of the records).
    """
    selected = select_usage_records(parse_extensions(content, rows), frozenset(groups))
    return (
        [_row(path, record) for path, record in selected.signals],
        [_row(path, record) for path, record in selected.usages],
        [_row(path, record) for path, record in selected.training],
    )


def _row(path: bytes, record: AnyUsageRecord) -> StatementRow:
    statements = [UsageStatement(record, usage) for usage in record.parsed.usage_preferences]
    return record.line, path, tuple(_cell(statements, purpose) for purpose in UsagePurpose)


def _cell(statements: list[UsageStatement], purpose: UsagePurpose) -> tuple[bool, str] | None:
    own = [statement for statement in statements if statement.usage_preference.purpose is purpose]
    if not own:
        return None
    preference = most_restrictive(statement.usage_preference.preference for statement in own)
    return preference is Preference.DISALLOW, explain_statements(own)
