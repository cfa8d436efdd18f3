"""The records that RFC 9309 does not define but some other source does: by name, and the members of their values."""

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, NamedTuple

from canfetch.core.contract import OtherRow
from canfetch.core.extensions.collection import Extensions, parse_extensions
from canfetch.core.extensions.known_records import is_known_key
from canfetch.core.extensions.record import Extension, ExtensionNote
from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile

_WHITE_SPACE = b" \t"


class PlacedExtension(NamedTuple):
    """A parsed extension with its record. `span` is that of its value, or of the line if the value is empty."""

    extension: Extension[Any]
    record: Record
    span: tuple[int, int]


def extensions_named(file: LintedFile, *names: str) -> Iterator[PlacedExtension]:
    """Yield the records with one of these names, in file order. `names` are in lower case.

    Cost: O(bytes of these records), and O(records) at the first call.
    """
    return (place_extension(file, extension) for extension in _in_order(file, names))


def extensions_noted(file: LintedFile, name: str, notes: ExtensionNote) -> Iterator[PlacedExtension]:
    """Yield the records with a name, in lower case, and with one of these notes, in file order.

    Cost: As `extensions_named`.
    """
    for extension in _in_order(file, [name]):
        # The truth value of a flag is slow, and most records have no notes.
        if extension.notes is not ExtensionNote.NONE and extension.notes & notes:
            yield place_extension(file, extension)


def sitemap_records(file: LintedFile) -> Iterator[Extension[Any]]:
    """Yield the sitemap records, in file order.

    Cost: As `extensions_named`.
    """
    return _in_order(file, ["sitemap"])


def place_extension(file: LintedFile, extension: Extension[Any]) -> PlacedExtension:
    """Return a record of the file with its place."""
    record = file.records[extension.line - 1]
    has_value = record.value is not None and record.value[0] < record.value[1]
    span = record.value if has_value and record.value is not None else file.text_span(record)
    return PlacedExtension(extension, record, span)


def extension_names(file: LintedFile) -> AbstractSet[str]:
    """Return the names of these records, in lower case."""
    return file.compute_once(_by_name).keys()


def known_extensions(file: LintedFile) -> Extensions:
    """Return the records, in file order."""
    return file.compute_once(_extensions)


def _in_order(file: LintedFile, names: Collection[str]) -> Iterator[Extension[Any]]:
    by_name = file.compute_once(_by_name)
    places = sorted(chain.from_iterable(by_name.get(name, ()) for name in names))
    return map(file.compute_once(_extensions).__getitem__, places)


def _by_name(file: LintedFile) -> dict[str, list[int]]:
    by_name: dict[str, list[int]] = {}
    for place, extension in enumerate(file.compute_once(_extensions)):
        by_name.setdefault(extension.name, []).append(place)
    return by_name


def _extensions(file: LintedFile) -> Extensions:
    return parse_extensions(file.content, _rows(file))


def _rows(file: LintedFile) -> Iterator[OtherRow]:
    """Yield the records that some source defines. A hostile file can have very many others."""
    records = file.records
    others = records.of_kinds(RecordKind.OTHER)
    known = [index for index, key in zip(others, file.keys(others), strict=True) if is_known_key(key.lower())]
    indices = sorted((*known, *records.of_kinds(RecordKind.SITEMAP)))
    places = zip(indices, records.key_spans(indices), records.value_spans(indices), strict=True)
    for index, key, value in places:
        kind, group = records.kind(index), records.group(index)
        yield index + 1, int(kind or RecordKind.OTHER), *key, *value, -1 if group is None else group


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
