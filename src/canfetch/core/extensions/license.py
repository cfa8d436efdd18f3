"""License: the URL of the terms of use, in Really Simple Licensing (RSL).

It does not affect verdicts. The License records of a crawler's groups replace those outside groups.

Source: RSL 1.0 of December 2025. Its guide describes records outside groups only; the specification describes both.
"""

from typing import NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text
from canfetch.core.urls import split_url


class License(NamedTuple):
    """The URL of the terms, as written."""

    url: str


def parse_license(value: bytes) -> tuple[License | None, ExtensionNote]:
    """Parse a value: an absolute URL."""
    split = split_url(value)
    if split is None or not split.scheme:
        return None, ExtensionNote.UNREADABLE | ExtensionNote.NOT_ABSOLUTE
    return License(display_text(value)), ExtensionNote.NONE
