"""Conversion of positions and edits to the types of the protocol."""

from collections.abc import Sequence

from lsprotocol import types

from canfetch.lsp.open_document import Place, Snapshot, Span
from canfetch.lsp.text_edits import NewText


def to_position(place: Place) -> types.Position:
    """Return a position."""
    return types.Position(place.line, place.column)


def to_range(span: Span) -> types.Range:
    """Return a range."""
    return types.Range(to_position(span.start), to_position(span.end))


def to_place(position: types.Position) -> Place:
    """Return a position of the editor, which may be outside the document."""
    return Place(position.line, position.character)


def to_text_edits(edits: Sequence[NewText]) -> list[types.TextEdit]:
    """Return text edits."""
    return [types.TextEdit(to_range(edit.span), edit.text) for edit in edits]


def to_workspace_edit(snapshot: Snapshot, edits: Sequence[NewText], *, versioned: bool) -> types.WorkspaceEdit:
    """Return the edits of one document.

    Args: versioned: Whether the editor should reject them if the document has changed since.
    """
    converted = to_text_edits(edits)
    if not versioned:
        return types.WorkspaceEdit(changes={snapshot.uri: converted})
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=snapshot.uri, version=snapshot.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, converted)])
