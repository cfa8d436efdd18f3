"""Noindex, Nofollow and Noarchive in robots.txt: page-level rules for paths.

Google read them until 1 September 2019 without documenting them. Current crawlers ignore them. A path is a pattern, as
in a rule. All matching records apply, because each of them only restricts; no source defines that case.

Source: Google's announcement of July 2019.
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.record import ExtensionNote

PAGE_RULES: Final = ("noindex", "nofollow", "noarchive")


class PathPageRule(NamedTuple):
    """A page-level rule for the paths that match `path`."""

    rule: str
    path: bytes


def parse_page_rule(rule: str, value: bytes) -> tuple[PathPageRule | None, ExtensionNote]:
    """Parse a value: a pattern, as in a rule."""
    if value[:1] not in (b"/", b"*"):
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return PathPageRule(rule, value), ExtensionNote.OBSOLETE
