"""A parsed record beyond the RFC, with its position, scope and notes."""

from enum import Flag, StrEnum, auto
from typing import Any, Generic, NamedTuple, TypeVar

from canfetch.core.text import display_text

ParsedT = TypeVar("ParsedT")


class ExtensionScope(StrEnum):
    """The crawlers that a record applies to."""

    FILE = "file"  # all crawlers, wherever the record is
    GROUP = "group"  # the crawlers of the record's group
    NONE = "none"  # no crawler: the record belongs in a group and is outside of all


class ExtensionNote(Flag):
    """Peculiarities of a record."""

    NONE = 0
    UNREADABLE = auto()  # the value is invalid, so the record has no effect
    MISSING_COLON = auto()  # white space in place of the colon
    MISSPELT_KEY = auto()  # a spelling other than the record's name
    UNKNOWN_RECORD = auto()  # no known source defines the record
    OBSOLETE = auto()  # known crawlers no longer read the record
    OUTSIDE_GROUP = auto()  # the record belongs in a group and is outside of all
    UNKNOWN_LABEL = auto()  # no known source defines a label in the value
    UNKNOWN_VALUE = auto()  # a label has a value that is not defined for it
    OLD_LABEL = auto()  # a label of an earlier draft
    NOT_ABSOLUTE = auto()  # a URL without scheme and host in place of an absolute URL
    DECIMAL_COMMA = auto()  # a comma as the decimal point
    TRAILING_SLASH = auto()  # a slash after a host
    TOO_LONG = auto()  # longer than the search engine that defined the record reads


class Extension(NamedTuple, Generic[ParsedT]):
    """A record beyond the RFC.

    Attributes:
        name: The record's name, or the key of an unknown record, in lower case.
        parsed: The parsed value, or None if the value is unreadable or the record unknown.
        value: The value as written, without surrounding white space.
        line: The line number, from 1.
        group: The index in `RobotsTxt.groups` of the group that contains the record, or None. A record can be inside a
            group and still apply to the whole file.
        scope: The crawlers that the record applies to.
        notes: Peculiarities of the record.
        source: The source that defines the record.
    """

    name: str
    parsed: ParsedT
    value: bytes
    line: int
    group: int | None
    scope: ExtensionScope
    notes: ExtensionNote
    source: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.name}: {display_text(self.value)}"

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain values, without `parsed`. Bytes that are not valid UTF-8 are percent-encoded."""
        return {
            "name": self.name,
            "value": display_text(self.value),
            "line": self.line,
            "group": self.group,
            "scope": str(self.scope),
            "notes": [
                note.name.lower().replace("_", "-") for note in ExtensionNote if note in self.notes and note.name
            ],
            "source": self.source,
        }
