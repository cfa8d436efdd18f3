"""The records beyond the RFC by their names, with what is odd about them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from canfetch.core.extensions.record import Extension, ExtensionNote
from canfetch.core.records import Record
from canfetch.lint.linted_file import LintedFile


class PlacedExtension(NamedTuple):
    """A record beyond the RFC with its place in the file; `span` is that of its value, or of a line without one."""

    extension: Extension[Any]
    record: Record
    span: tuple[int, int]

    def has(self, note: ExtensionNote) -> bool:
        """Say whether something is odd about it."""
        return bool(self.extension.notes & note)


def extensions_named(file: LintedFile, *names: str) -> Iterator[PlacedExtension]:
    """Give the records of those names, in lower case, in file order."""
    for extension, record in file.extensions:
        if extension.name in names:
            has_value = record.value is not None and record.value[0] < record.value[1]
            span = record.value if has_value and record.value is not None else file.text_span(record)
            yield PlacedExtension(extension, record, span)
