"""Comment: a message to the operator of the crawler.

Source: "An Extended Standard for Robot Exclusion" (Conner, 1996).
"""

from typing import NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text


class Comment(NamedTuple):
    """The message. Bytes that cannot be printed are written as escapes."""

    text: str


def parse_comment(value: bytes) -> tuple[Comment | None, ExtensionNote]:
    """Parse a value: any text."""
    return (Comment(display_text(value)), ExtensionNote.NONE) if value else (None, ExtensionNote.UNREADABLE)
