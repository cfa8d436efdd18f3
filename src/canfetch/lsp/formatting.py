"""Formatting: that of `canfetch fmt`, as edits of the lines that change."""

from typing import NamedTuple

from canfetch.author.formatting import format_robots
from canfetch.lsp.open_document import Snapshot
from canfetch.lsp.text_edits import NewText, line_edits


class Formatting(NamedTuple):
    """The edits that format a document, or the reason why there are none."""

    edits: list[NewText]
    refusal: str | None = None


def format_document(snapshot: Snapshot) -> Formatting:
    """Format a document. A document with one kind of line end keeps it.

    Cost: That of `format_robots`.
    """
    result = format_robots(snapshot.content)
    if result.refusal is not None:
        return Formatting([], result.refusal)
    text = result.content.decode("utf-8", "surrogateescape")
    edits = line_edits(snapshot, text, keep_line_ends=True)
    if edits is None:
        return Formatting([], "the lines to change contain bytes that are not valid UTF-8")
    return Formatting(edits)
