"""The rows of an engine become the records beyond the RFC, each read."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar

from canfetch.core.contract import OtherRow
from canfetch.core.extensions.known import KNOWN_RECORDS, known_record
from canfetch.core.extensions.record import Extension, ExtensionNote, ExtensionScope
from canfetch.core.keys import RecordKind

ParsedT = TypeVar("ParsedT")
_MOST_REMEMBERED: Final = 4096


class Extensions(tuple[Extension[Any], ...]):
    """All records of a file that are neither rules nor user-agent lines, in file order."""

    __slots__ = ()

    def of_type(self, parsed_type: type[ParsedT]) -> tuple[Extension[ParsedT], ...]:
        """Give those that could be read and mean that, such as `CleanParam`."""
        return tuple(record for record in self if isinstance(record.parsed, parsed_type))

    def by_name(self, name: str) -> tuple[Extension[Any], ...]:
        """Give those of that name, in any letter case, also where they could not be read."""
        folded = name.lower()
        return tuple(record for record in self if record.name == folded)

    @property
    def unknown(self) -> tuple[Extension[Any], ...]:
        """Those that nobody whom we know of has defined."""
        return tuple(record for record in self if ExtensionNote.UNKNOWN_RECORD in record.notes)


def extensions_of(octets: bytes, rows: Iterable[OtherRow]) -> Extensions:
    """Read all records of a file.

    Args: octets, rows: a file, and what `CompiledFile.other_records` gives of it.
    Cost: O(octets of the records).
    """
    return Extensions(_extensions(octets, rows))


def _extensions(octets: bytes, rows: Iterable[OtherRow]) -> Iterator[Extension[Any]]:
    # Files repeat themselves, and a stranger's may do nothing else: what a record says is read once.
    read: dict[bytes, Extension[Any]] = {}
    for row in rows:
        line, _, key_start, _, _, value_end, group = row
        text = octets[key_start:value_end] if group < 0 else octets[key_start:value_end] + b"\n"
        extension = read.get(text)
        if extension is None:
            extension = _extension(octets, row)
            if len(read) >= _MOST_REMEMBERED:
                read.clear()
            read[text] = extension
        else:
            extension = extension._replace(line=line, group=None if group < 0 else group)
        yield extension


def _extension(octets: bytes, row: OtherRow) -> Extension[Any]:
    line, kind, key_start, key_end, value_start, value_end, group = row
    key = octets[key_start:key_end].lower()
    # The profile knows a sitemap in more spellings than its name.
    known = KNOWN_RECORDS[b"sitemap"] if kind == RecordKind.SITEMAP else known_record(key)
    value = octets[value_start:value_end]
    meaning, notes = known.read(value)
    notes |= known.notes
    if kind == RecordKind.SITEMAP and key != b"sitemap":
        notes |= ExtensionNote.MISSPELT_KEY
    if b":" not in octets[key_end:value_start]:
        notes |= ExtensionNote.MISSING_COLON
    scope = known.scope
    if scope is None:
        scope = ExtensionScope.FILE if group < 0 else ExtensionScope.GROUP
    elif scope is ExtensionScope.GROUP and group < 0:
        scope = ExtensionScope.NONE
        notes |= ExtensionNote.OUTSIDE_GROUP
    return Extension(known.name, meaning, value, line, None if group < 0 else group, scope, notes, known.source)
