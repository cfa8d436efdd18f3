"""A record beyond the RFC, read: what it says, where it stands, and what is odd about it."""

from enum import Flag, StrEnum, auto
from typing import Any, Generic, NamedTuple, TypeVar

from canfetch.core.text import display_text

ParsedT = TypeVar("ParsedT")


class ExtensionScope(StrEnum):
    """Whom a record speaks to."""

    FILE = "file"  # everyone, wherever it stands
    GROUP = "group"  # the crawlers of the group in which it stands
    NONE = "none"  # a record of groups that stands in none


class ExtensionNote(Flag):
    """What is odd about a record beyond the RFC."""

    NONE = 0
    UNREADABLE = auto()  # its value is not what the record wants: it says nothing
    MISSING_COLON = auto()  # white space stands for the colon
    MISSPELT_KEY = auto()  # a spelling other than the record's name
    UNKNOWN_RECORD = auto()  # nobody whom we know of has defined it
    OBSOLETE = auto()  # nobody whom we know of honours it any more
    OUTSIDE_GROUP = auto()  # it belongs in a group, and stands in none
    UNKNOWN_LABEL = auto()  # a label in it that nobody whom we know of has defined
    UNKNOWN_VALUE = auto()  # a label in it whose value is none of those defined
    OLD_LABEL = auto()  # a label of an earlier draft
    PATH_BEFORE_SIGNALS = auto()  # a path where content signals have none: it says nothing
    NOT_ABSOLUTE = auto()  # a URL without scheme and host, where a whole one is wanted
    DECIMAL_COMMA = auto()  # a comma as the decimal point
    TRAILING_SLASH = auto()  # a slash behind a host
    TOO_LONG = auto()  # longer than the engine that defined it reads


class Extension(NamedTuple, Generic[ParsedT]):
    """One record beyond the RFC.

    `name` is the record's name, or the key where it is unknown, in lower case; `meaning` what
    its value says, or None where that cannot be read; `value` the value as written, stripped; `line` counts
    from 1. `group` is the index in `RobotsTxt.groups` of the group in which it stands, also where it speaks
    to everyone, or None. `source` is who defined it.
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
        """Give the record in plain values, without its meaning; octets that are no UTF-8 are escapes."""
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
