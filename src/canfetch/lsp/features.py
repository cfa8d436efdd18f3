"""The requests of the editor, each answered from the current text of a file.

A request about a document that is not open, or that is not a robots.txt, has an empty answer.
"""

import asyncio
from typing import Final, NamedTuple

from lsprotocol import types

from canfetch.author.formatting import format_robots
from canfetch.lsp.code_actions import FIX_ALL, KINDS, fix_all_action, fix_all_edit, is_requested, quick_fixes
from canfetch.lsp.completion import Completions, Suggestion, complete
from canfetch.lsp.file_view import FileView
from canfetch.lsp.hover import HoverText, hover_at, plain_text
from canfetch.lsp.open_document import Place, Snapshot, Span
from canfetch.lsp.outline import Symbol, folds, highlights, links, symbols
from canfetch.lsp.position_encoding import index_at_column
from canfetch.lsp.protocol_types import to_range, to_text_edits
from canfetch.lsp.server import RobotsServer
from canfetch.lsp.text_edits import NewText, line_edits

# `:` starts a value, `/` a path, and `,` the next value of a list.
_TRIGGERS: Final = (":", "/", ",", " ")
_SYMBOL_KINDS: Final = {
    "group": types.SymbolKind.Namespace,
    "agent": types.SymbolKind.Interface,
    "rule": types.SymbolKind.Key,
    "record": types.SymbolKind.Property,
}
_ITEM_KINDS: Final = {
    "key": types.CompletionItemKind.Keyword,
    "crawler": types.CompletionItemKind.Constant,
    "path": types.CompletionItemKind.File,
    "url": types.CompletionItemKind.Reference,
    "value": types.CompletionItemKind.Value,
    "check": types.CompletionItemKind.EnumMember,
}


def create_server() -> RobotsServer:
    """Return a server that answers all requests below."""
    server = RobotsServer()
    server.feature(types.INITIALIZE)(_initialize)
    server.feature(types.INITIALIZED)(_initialized)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(_did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_did_change_watched_files)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_did_save)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(list(KINDS), resolve_provider=True))(
        _code_action
    )
    server.feature(types.CODE_ACTION_RESOLVE)(_resolve_code_action)
    server.feature(types.TEXT_DOCUMENT_HOVER)(_hover)
    server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(list(_TRIGGERS)))(_completion)
    server.feature(types.TEXT_DOCUMENT_FORMATTING)(_formatting)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(_document_symbol)
    server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(_folding_range)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(_document_highlight)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)(_document_link)
    return server


def _initialize(ls: RobotsServer, params: types.InitializeParams) -> None:
    ls.initialize(params)
    if ls.client.pulls_diagnostics:
        # Declared only to editors that request diagnostics, which the server then never sends unasked.
        options = types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=False, identifier=ls.name
        )
        ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(_diagnostic)


async def _initialized(ls: RobotsServer, _params: types.InitializedParams) -> None:
    await ls.initialized()


def _did_change_configuration(ls: RobotsServer, params: types.DidChangeConfigurationParams) -> None:
    ls.change_settings(params.settings)


def _did_change_watched_files(ls: RobotsServer, _params: types.DidChangeWatchedFilesParams) -> None:
    ls.refresh()


def _did_save(ls: RobotsServer, _params: types.DidSaveTextDocumentParams) -> None:
    # A configuration file may have been saved, too, and not all editors watch files.
    ls.refresh()


async def _diagnostic(
    ls: RobotsServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    analysis = await ls.analysis(params.text_document.uri)
    if analysis is None:
        return types.RelatedFullDocumentDiagnosticReport([])
    result_id = str(analysis.number)
    if params.previous_result_id == result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id)
    return types.RelatedFullDocumentDiagnosticReport(analysis.diagnostics, result_id=result_id)


async def _code_action(ls: RobotsServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    only = params.context.only
    wants_fixes = is_requested(types.CodeActionKind.QuickFix.value, only)
    wants_fix_all = is_requested(FIX_ALL, only)
    if not ls.client.code_action_literals or not (wants_fixes or wants_fix_all):
        return []
    analysis = await ls.analysis(params.text_document.uri)
    if analysis is None:
        return []
    actions: list[types.CodeAction] = []
    if wants_fixes:
        actions += await ls.compute(lambda: list(quick_fixes(analysis, params.range, ls.client)))
    fix_all = fix_all_action(analysis) if wants_fix_all else None
    if fix_all is not None:
        if not ls.client.resolves_edits:
            fix_all.edit = await asyncio.to_thread(fix_all_edit, analysis, ls.client)
        if ls.client.resolves_edits or fix_all.edit is not None:
            actions.append(fix_all)
    return actions


async def _resolve_code_action(ls: RobotsServer, action: types.CodeAction) -> types.CodeAction:
    uri = action.data.get("uri") if isinstance(action.data, dict) else None
    if action.kind == FIX_ALL and isinstance(uri, str):
        analysis = await ls.analysis(uri)
        if analysis is not None:
            action.edit = await asyncio.to_thread(fix_all_edit, analysis, ls.client)
    return action


async def _hover(ls: RobotsServer, params: types.HoverParams) -> types.Hover | None:
    def find(view: FileView, snapshot: Snapshot) -> tuple[HoverText, Span] | None:
        offset = snapshot.offset(params.position.line, params.position.character)
        found = hover_at(view, params.position.line)
        # The comment of a line has no hover.
        if found is None or not found.span[0] <= offset <= found.span[1]:
            return None
        return found, snapshot.span(*found.span)

    found = await ls.with_view(params.text_document.uri, find)
    if found is None:
        return None
    hover, span = found
    return types.Hover(_markup(hover.text, markdown=ls.client.markdown_hover), to_range(span))


def _markup(text: str, *, markdown: bool) -> types.MarkupContent:
    if markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, plain_text(text))


async def _completion(ls: RobotsServer, params: types.CompletionParams) -> types.CompletionList:
    number, column = params.position.line, params.position.character

    def find(view: FileView, snapshot: Snapshot) -> tuple[Completions, types.Range] | None:
        if not 0 <= number < len(snapshot.lines):
            return None
        line = snapshot.lines[number].rstrip("\r\n")
        index = index_at_column(line, column, snapshot.encoding)
        found = complete(view, number, line, index)
        start = snapshot.column(number, found.start)
        return found, to_range(Span(Place(number, start), Place(number, snapshot.column(number, index))))

    # Names and paths of the text before the last change are good enough while typing.
    found = await ls.with_view(params.text_document.uri, find, may_be_outdated=True)
    if found is None:
        return types.CompletionList(is_incomplete=False, items=[])
    completions, span = found
    items = [_item(ls, item, span, order) for order, item in enumerate(completions.items)]
    return types.CompletionList(is_incomplete=completions.is_incomplete, items=items)


def _item(ls: RobotsServer, item: Suggestion, span: types.Range, order: int) -> types.CompletionItem:
    return types.CompletionItem(
        label=item.label,
        kind=_ITEM_KINDS[item.kind],
        detail=item.detail or None,
        documentation=_markup(item.documentation, markdown=ls.client.markdown_completion)
        if item.documentation
        else None,
        deprecated=item.deprecated or None,
        sort_text=f"{order:04}",
        filter_text=item.label,
        text_edit=types.TextEdit(span, item.text),
    )


async def _formatting(ls: RobotsServer, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
    file = ls.files.get(params.text_document.uri)
    if file is None:
        return None
    formatting = await asyncio.to_thread(format_document, ls.snapshot(file))
    if formatting.refusal is not None:
        ls.show_once(f"cannot format {file.name}: {formatting.refusal}")
        return None
    return to_text_edits(formatting.edits)


async def _document_symbol(
    ls: RobotsServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    uri = params.text_document.uri
    if ls.client.nested_symbols:
        return await ls.with_view(
            uri, lambda view, snapshot: [_nested_symbol(symbol, snapshot) for symbol in symbols(view)]
        )
    return await ls.with_view(
        uri,
        lambda view, snapshot: [flat for symbol in symbols(view) for flat in _flat_symbols(symbol, snapshot)],
    )


def _nested_symbol(symbol: Symbol, snapshot: Snapshot) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name,
        detail=symbol.detail or None,
        kind=_SYMBOL_KINDS[symbol.kind],
        range=to_range(snapshot.span(*symbol.span)),
        selection_range=to_range(snapshot.span(*symbol.selection)),
        children=[_nested_symbol(child, snapshot) for child in symbol.children] or None,
    )


def _flat_symbols(symbol: Symbol, snapshot: Snapshot, parent: str | None = None) -> list[types.SymbolInformation]:
    location = types.Location(snapshot.uri, to_range(snapshot.span(*symbol.span)))
    own = types.SymbolInformation(location, symbol.name, _SYMBOL_KINDS[symbol.kind], container_name=parent)
    return [own, *(flat for child in symbol.children for flat in _flat_symbols(child, snapshot, symbol.name))]


async def _folding_range(ls: RobotsServer, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
    def find(view: FileView, _snapshot: Snapshot) -> list[types.FoldingRange]:
        return [
            types.FoldingRange(
                fold.start,
                fold.end,
                kind=types.FoldingRangeKind.Comment if fold.is_comment else types.FoldingRangeKind.Region,
            )
            for fold in folds(view)
        ]

    return await ls.with_view(params.text_document.uri, find)


async def _document_highlight(
    ls: RobotsServer, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    def find(view: FileView, snapshot: Snapshot) -> list[types.DocumentHighlight]:
        spans = highlights(view, params.position.line)
        return [
            types.DocumentHighlight(to_range(snapshot.span(*span)), types.DocumentHighlightKind.Text) for span in spans
        ]

    return await ls.with_view(params.text_document.uri, find)


async def _document_link(ls: RobotsServer, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
    def find(view: FileView, snapshot: Snapshot) -> list[types.DocumentLink]:
        return [types.DocumentLink(to_range(snapshot.span(*span)), target) for span, target in links(view)]

    return await ls.with_view(params.text_document.uri, find)


class Formatting(NamedTuple):
    """The edits that format a document, or the reason why it cannot be formatted."""

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
