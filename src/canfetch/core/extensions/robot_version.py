"""Robot-version: by which version of the standard the group is written.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996). Nobody reads it today.
"""

from typing import NamedTuple

from canfetch.core.extensions.record import ExtensionNote

_LONGEST_OCTETS = 32


class RobotVersion(NamedTuple):
    """The version's numbers, such as 2, 0 and 0."""

    numbers: tuple[int, ...]


def parse_robot_version(value: bytes) -> tuple[RobotVersion | None, ExtensionNote]:
    """Read a value such as `2.0.0`."""
    parts = value.split(b".")
    if len(value) > _LONGEST_OCTETS or not all(part.isdigit() for part in parts):
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return RobotVersion(tuple(map(int, parts))), ExtensionNote.OBSOLETE
