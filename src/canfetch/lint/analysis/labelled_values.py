"""Labels and their values in records such as Content-Signal, each with its place."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from canfetch.lint.fixes import Edit, Fix

_WHITE_SPACE = b" \t"


class LabelledValue(NamedTuple):
    """A label, its value, and where both are in the file."""

    label: bytes
    value: bytes
    label_start: int
    value_start: int


def parse_labelled_values(value: bytes, start: int) -> Iterator[LabelledValue]:
    """Give what commas part, each as `label=value`; what has no `=` is left out.

    Args: start: where in the file the value begins.
    """
    for part in value.split(b","):
        label, equals, said = part.partition(b"=")
        if equals:
            label_start = start + len(label) - len(label.lstrip(_WHITE_SPACE))
            value_start = start + len(label) + 1 + len(said) - len(said.lstrip(_WHITE_SPACE))
            yield LabelledValue(label.strip(_WHITE_SPACE), said.strip(_WHITE_SPACE), label_start, value_start)
        start += len(part) + 1


def rename_labels(
    members: list[LabelledValue], labels: Mapping[bytes, bytes], values: Mapping[bytes, bytes]
) -> tuple[list[LabelledValue], Fix | None]:
    """Give the members with labels and values as the maps have them, and the fix that writes them so.

    There is no fix where two members would have one label, or nothing changes.
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
