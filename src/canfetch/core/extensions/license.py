"""License: where the terms of use are, in Really Simple Licensing.

It changes no verdict. Those of a crawler's own groups stand in place of those of the file.

Source: RSL 1.0 of December 2025. Its guide knows the file's alone; the specification knows both.
"""

from typing import NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text
from canfetch.core.urls import split_url


class License(NamedTuple):
    """The URL of the terms, as written."""

    url: str


def parse_license(value: bytes) -> tuple[License | None, ExtensionNote]:
    """Read a value: an absolute URL."""
    split = split_url(value)
    if split is None or not split.scheme:
        return None, ExtensionNote.UNREADABLE | ExtensionNote.NOT_ABSOLUTE
    return License(display_text(value)), ExtensionNote.NONE
