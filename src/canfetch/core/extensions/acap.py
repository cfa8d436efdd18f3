"""ACAP, the Automated Content Access Protocol (2007 to 2011): permissions that publishers set beside crawl rules.

All its fields start with `ACAP-`. No current crawler reads them; they are parsed and never enforced.

Source: ACAP 1.0 of November 2007, as used in files.
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text

PREFIX: Final = b"acap-"
_PERMISSIONS: Final = ("allow", "disallow")


class AcapField(NamedTuple):
    """An ACAP field.

    Attributes:
        permission: `allow` or `disallow`, as in `ACAP-disallow-crawl`, or None for other fields.
        use: The use that the permission is about, or the name of the field if it has no permission.
        argument: The value as written: a path, the name of a resource set, or a crawler.
    """

    permission: str | None
    use: str
    argument: bytes


def parse_acap_field(key: bytes, value: bytes) -> tuple[AcapField | None, ExtensionNote]:
    """Parse a field from its key, in lower case, and its value.

    Cost: O(bytes).
    """
    name = display_text(key[len(PREFIX) :])
    permission, dash, use = name.partition("-")
    if dash and use and permission in _PERMISSIONS:
        return AcapField(permission, use, value), ExtensionNote.OBSOLETE
    if not name:
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return AcapField(None, name, value), ExtensionNote.OBSOLETE
