"""Robot-version: the version of the standard that a group is written for.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996). No current crawler reads it.
"""

from typing import NamedTuple

from canfetch.core.extensions.record import ExtensionNote

_MAX_BYTES = 32


class RobotVersion(NamedTuple):
    """The numbers of the version, such as 2, 0 and 0."""

    numbers: tuple[int, ...]


def parse_robot_version(value: bytes) -> tuple[RobotVersion | None, ExtensionNote]:
    """Parse a value such as `2.0.0`."""
    parts = value.split(b".")
    if len(value) > _MAX_BYTES or not all(part.isdigit() for part in parts):
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return RobotVersion(tuple(map(int, parts))), ExtensionNote.OBSOLETE
