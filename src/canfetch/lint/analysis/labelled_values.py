"""The members of records such as Content-Signal, each a label and a value with their places."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from canfetch.lint.fixes import Edit, Fix

_WHITE_SPACE = b" \t"


class LabelledValue(NamedTuple):
    """A label and its value, with their offsets in the file."""

    label: bytes
    value: bytes
    label_start: int
    value_start: int


def parse_labelled_values(value: bytes, start: int) -> Iterator[LabelledValue]:
    """Yield the members of the form `label=value` between commas. Other members are skipped.

    Args:
        value: The value of the record, or the end of it.
        start: Its offset in the file.
    """
    for part in value.split(b","):
        label, equals, rest = part.partition(b"=")
        if equals:
            label_start = start + len(label) - len(label.lstrip(_WHITE_SPACE))
            value_start = start + len(label) + 1 + len(rest) - len(rest.lstrip(_WHITE_SPACE))
            yield LabelledValue(label.strip(_WHITE_SPACE), rest.strip(_WHITE_SPACE), label_start, value_start)
        start += len(part) + 1


def rename_labels(
    members: list[LabelledValue], labels: Mapping[bytes, bytes], values: Mapping[bytes, bytes]
) -> tuple[list[LabelledValue], Fix | None]:
    """Replace labels and values that have a replacement, and return the members and the fix.

    The fix is None if nothing changes, or if two members would have the same label.
    """
    edits: list[Edit] = []
    renamed: list[LabelledValue] = []
    for member in members:
        label = labels.get(member.label.lower(), member.label)
        value = values.get(member.value.lower(), member.value)
        if label != member.label:
            edits.append(Edit(member.label_start, member.label_start + len(member.label), label))
        if value != member.value:
            edits.append(Edit(member.value_start, member.value_start + len(member.value), value))
        renamed.append(member._replace(label=label, value=value))
    if not edits or len({member.label.lower() for member in renamed}) != len(renamed):
        return renamed, None
    return renamed, Fix(tuple(edits), changes_verdicts=True)
