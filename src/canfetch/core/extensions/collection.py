"""All records beyond the RFC of one file, with their parsed values."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar

from canfetch.core.contract import OtherRow
from canfetch.core.extensions.known_records import KNOWN_RECORDS, known_record
from canfetch.core.extensions.record import Extension, ExtensionNote, ExtensionScope
from canfetch.core.keys import RecordKind

ParsedT = TypeVar("ParsedT")
_CACHED_RECORDS_LIMIT: Final = 4096
_new_tuple: Final = tuple.__new__


class Extensions(tuple[Extension[Any], ...]):
    """All records of a file other than rules and user-agent lines, in file order."""

    __slots__ = ()

    def of_type(self, parsed_type: type[ParsedT]) -> tuple[Extension[ParsedT], ...]:
        """Return the records whose parsed value has this type, such as `CleanParam`."""
        return tuple(record for record in self if isinstance(record.parsed, parsed_type))

    def by_name(self, name: str) -> tuple[Extension[Any], ...]:
        """Return the records with this name, case-insensitively, including unreadable ones."""
        folded = name.lower()
        return tuple(record for record in self if record.name == folded)

    @property
    def unknown(self) -> tuple[Extension[Any], ...]:
        """The records that no known source defines."""
        return tuple(record for record in self if ExtensionNote.UNKNOWN_RECORD in record.notes)


def parse_extensions(content: bytes, rows: Iterable[OtherRow]) -> Extensions:
    """Parse all records of a file.

    Args:
        content: The file.
        rows: The result of `CompiledFile.other_records`.
    Cost: O(bytes of the records).
    """
    return Extensions(_extensions(content, rows))


def _extensions(content: bytes, rows: Iterable[OtherRow]) -> Iterator[Extension[Any]]:
    # Real files repeat records, and a hostile one may contain nothing else, so that each text is parsed once.
    cache: dict[bytes, Extension[Any]] = {}
    for row in rows:
        line, _, key_start, _, _, value_end, group = row
        text = content[key_start:value_end] if group < 0 else content[key_start:value_end] + b"\n"
        extension = cache.get(text)
        if extension is None:
            extension = _extension(content, row)
            if len(cache) >= _CACHED_RECORDS_LIMIT:
                cache.clear()
            cache[text] = extension
        else:
            name, parsed, value, _, _, scope, notes, source = extension
            own_group = None if group < 0 else group
            extension = _new_tuple(Extension, (name, parsed, value, line, own_group, scope, notes, source))
        yield extension


def _extension(content: bytes, row: OtherRow) -> Extension[Any]:
    line, kind, key_start, key_end, value_start, value_end, group = row
    key = content[key_start:key_end].lower()
    # Engines accept more spellings of a sitemap key than the record's name.
    known = KNOWN_RECORDS[b"sitemap"] if kind == RecordKind.SITEMAP else known_record(key)
    value = content[value_start:value_end]
    parsed, notes = known.parse(value)
    if known.notes is not ExtensionNote.NONE:
        notes = _with_note(notes, known.notes)
    if kind == RecordKind.SITEMAP and key != b"sitemap":
        notes = _with_note(notes, ExtensionNote.MISSPELT_KEY)
    if b":" not in content[key_end:value_start]:
        notes = _with_note(notes, ExtensionNote.MISSING_COLON)
    scope = known.scope
    if scope is None:
        scope = ExtensionScope.FILE if group < 0 else ExtensionScope.GROUP
    elif scope is ExtensionScope.GROUP and group < 0:
        scope = ExtensionScope.NONE
        notes = _with_note(notes, ExtensionNote.OUTSIDE_GROUP)
    own_group = None if group < 0 else group
    return _new_tuple(Extension, (known.name, parsed, value, line, own_group, scope, notes, known.source))


def _with_note(notes: ExtensionNote, note: ExtensionNote) -> ExtensionNote:
    # Combining flags is slow, and most records have at most one note.
    return note if notes is ExtensionNote.NONE else notes | note
