"""Noindex, Nofollow and Noarchive in robots.txt: what page-level rules say, for paths.

Google read them, without ever documenting it, until 1 September 2019; they say nothing to it today. A path
is read as that of a rule; of several that match, each counts, since each only restricts: that is ours.

Source: Google's announcement of July 2019.
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.record import ExtensionNote

PAGE_RULES: Final = ("noindex", "nofollow", "noarchive")


class PathPageRule(NamedTuple):
    """A page-level rule for the paths that the pattern matches."""

    rule: str
    path: bytes


def parse_page_rule(rule: str, value: bytes) -> tuple[PathPageRule | None, ExtensionNote]:
    """Read a value: a pattern, as that of a rule."""
    if value[:1] not in (b"/", b"*"):
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return PathPageRule(rule, value), ExtensionNote.OBSOLETE
