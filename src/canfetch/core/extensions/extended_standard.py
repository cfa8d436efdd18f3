"""The records of the extended standard of 1996 that are not about time: Comment and Robot-version.

A comment is a message to the operator of the crawler. A version is that of the standard that a group is written for; no
current crawler reads it. `request_rate` and `windows` have the other records.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996).
"""

from typing import NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text

_MAX_BYTES = 32


class Comment(NamedTuple):
    """The message. Bytes that cannot be printed are written as escapes."""

    text: str


def parse_comment(value: bytes) -> tuple[Comment | None, ExtensionNote]:
    """Parse a value: any text."""
    return (Comment(display_text(value)), ExtensionNote.NONE) if value else (None, ExtensionNote.UNREADABLE)


class RobotVersion(NamedTuple):
    """The numbers of the version, such as 2, 0 and 0."""

    numbers: tuple[int, ...]


def parse_robot_version(value: bytes) -> tuple[RobotVersion | None, ExtensionNote]:
    """Parse a value such as `2.0.0`."""
    parts = value.split(b".")
    if len(value) > _MAX_BYTES or not all(part.isdigit() for part in parts):
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return RobotVersion(tuple(map(int, parts))), ExtensionNote.OBSOLETE
