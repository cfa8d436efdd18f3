"""The records that RFC 9309 does not define but some other source does, by name."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from canfetch.core.contract import OtherRow
from canfetch.core.extensions.collection import Extensions, parse_extensions
from canfetch.core.extensions.known_records import is_known_key
from canfetch.core.extensions.record import Extension, ExtensionNote
from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.linted_file import LintedFile


class PlacedExtension(NamedTuple):
    """A parsed extension with its record. `span` is that of its value, or of the line if the value is empty."""

    extension: Extension[Any]
    record: Record
    span: tuple[int, int]

    def has(self, note: ExtensionNote) -> bool:
        """Return whether the extension has a note."""
        return bool(self.extension.notes & note)


def extensions_named(file: LintedFile, *names: str) -> Iterator[PlacedExtension]:
    """Yield the records with one of these names, in file order. `names` are in lower case.

    Cost: O(bytes of these records), and O(records) at the first call.
    """
    for extension in _in_order(file, names):
        record = file.records[extension.line - 1]
        has_value = record.value is not None and record.value[0] < record.value[1]
        span = record.value if has_value and record.value is not None else file.text_span(record)
        yield PlacedExtension(extension, record, span)


def extension_names(file: LintedFile) -> AbstractSet[str]:
    """Return the names of these records, in lower case."""
    return file.compute_once(_by_name).keys()


def known_extensions(file: LintedFile) -> list[Extension[Any]]:
    """Return the records, in file order."""
    return list(file.compute_once(_extensions))


def _in_order(file: LintedFile, names: Iterable[str]) -> Iterator[Extension[Any]]:
    by_name = file.compute_once(_by_name)
    places = sorted(place for name in names for place in by_name.get(name, ()))
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
    indices = records.of_kinds(RecordKind.OTHER, RecordKind.SITEMAP)
    for index, (start, end) in zip(indices, records.key_spans(indices), strict=True):
        if records.kind(index) is RecordKind.SITEMAP or is_known_key(file.content[start:end].lower()):
            record = records[index]
            if record.kind is not None and record.value is not None:
                group = -1 if record.group is None else record.group
                yield record.line, record.kind, start, end, *record.value, group
