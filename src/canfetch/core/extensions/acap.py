"""ACAP, the Automated Content Access Protocol of publishers, 2007 to 2011: permissions beside crawling.

Its fields all begin with `ACAP-`. Nobody reads them today; they are taken apart and not judged.

Source: ACAP 1.0 of November 2007, as far as files show it.
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text

PREFIX: Final = b"acap-"
_PERMISSIONS: Final = ("allow", "disallow")


class AcapField(NamedTuple):
    """One field: `allow` or `disallow` and the use, as of `ACAP-disallow-crawl`, or None and the field's name.

    `argument` is its value as written: a path, the name of a resource set, a crawler.
    """

    permission: str | None
    use: str
    argument: bytes


def parse_acap_field(key: bytes, value: bytes) -> tuple[AcapField | None, ExtensionNote]:
    """Read a field, its key in lower case.

    Cost: O(octets).
    """
    name = display_text(key[len(PREFIX) :])
    permission, dash, use = name.partition("-")
    if dash and use and permission in _PERMISSIONS:
        return AcapField(permission, use, value), ExtensionNote.OBSOLETE
    if not name:
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return AcapField(None, name, value), ExtensionNote.OBSOLETE
