"""The records that RFC 9309 does not define, by name."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from canfetch.core.extensions.record import Extension, ExtensionNote
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
    """Return the names of all records that RFC 9309 does not define, in lower case."""
    return file.compute_once(_by_name).keys()


def known_extensions(file: LintedFile) -> list[Extension[Any]]:
    """Return the records, in file order, that RFC 9309 does not define but some other source does."""
    by_name = file.compute_once(_by_name)
    known = (name for name, places in by_name.items() if not _is_unknown(file.robots.extensions[places[0]]))
    return list(_in_order(file, known))


def _is_unknown(extension: Extension[Any]) -> bool:
    # The name decides.
    return ExtensionNote.UNKNOWN_RECORD in extension.notes


def _in_order(file: LintedFile, names: Iterable[str]) -> Iterator[Extension[Any]]:
    by_name = file.compute_once(_by_name)
    places = sorted(place for name in names for place in by_name.get(name, ()))
    return map(file.robots.extensions.__getitem__, places)


def _by_name(file: LintedFile) -> dict[str, list[int]]:
    by_name: dict[str, list[int]] = {}
    for place, extension in enumerate(file.robots.extensions):
        by_name.setdefault(extension.name, []).append(place)
    return by_name
