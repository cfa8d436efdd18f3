"""The language server over standard input and output, with the client of pygls."""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from tests.lsp.editor import PATIENCE, Editor, apply, capabilities, frame, span

from canfetch.lsp.server import MAX_DOCUMENT_CHARACTERS
from canfetch.lsp.stdio import serve

BROKEN = "User-agent: *\nDisalow: /private/\nDisallow: /a/\nDisallow: /a/\n"
EVERYWHERE = span(0, 0, 99, 0)


def uri(name: str) -> str:
    """Return the URI of a robots.txt in a folder of its own that does not exist."""
    return f"file:///nonexistent/{name}/robots.txt"


def codes(diagnostics: list[types.Diagnostic]) -> list[str]:
    return [str(diagnostic.code) for diagnostic in diagnostics]


def identifier(document: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(document)


def insert(line: int, column: int, text: str) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(span(line, column, line, column), text)


def edits_of(action: types.CodeAction) -> list[types.TextEdit]:
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    return [edit for edit in change.edits if isinstance(edit, types.TextEdit)]


@pytest.mark.slow
def test_capabilities(editor: Editor) -> None:
    offered = editor.initialized.capabilities
    assert offered.position_encoding == types.PositionEncodingKind.Utf16
    sync = offered.text_document_sync
    assert isinstance(sync, types.TextDocumentSyncOptions)
    assert (sync.open_close, sync.change) == (True, types.TextDocumentSyncKind.Incremental)
    assert offered.diagnostic_provider is None
    assert isinstance(offered.code_action_provider, types.CodeActionOptions)
    assert offered.code_action_provider.code_action_kinds == ("quickfix", "source.fixAll.canfetch")
    assert offered.hover_provider is True
    assert offered.document_formatting_provider is True


@pytest.mark.slow
def test_diagnostics_follow_each_change(editor: Editor) -> None:
    document = editor.open(uri("changes"), BROKEN)
    found = editor.published(document)
    assert codes(found) == ["CF202", "CF405"]
    misspelt, duplicate = found
    assert (misspelt.range, misspelt.source) == (span(1, 0, 1, 7), "canfetch")
    assert misspelt.severity == types.DiagnosticSeverity.Warning
    assert "`Disalow` is a misspelling of `Disallow`" in misspelt.message
    assert duplicate.tags == (types.DiagnosticTag.Unnecessary,)
    assert duplicate.related_information is not None
    (related,) = duplicate.related_information
    assert (related.location.uri, related.location.range.start.line) == (document, 2)
    assert related.message == "line 3: Disallow: /a/"
    version = editor.change(document, insert(1, 4, "l"), insert(3, 11, "b"))
    assert codes(editor.published(document, version)) == []
    version = editor.change(document, types.TextDocumentContentChangeWholeDocument("Disallow: /x\n"))
    assert codes(editor.published(document, version)) == ["CF301"]
    version = editor.change(
        document, types.TextDocumentContentChangeWholeDocument("Disallow: /x\n\nUser-agent: a\nAllow: /\n")
    )
    (outside,) = (one for one in editor.published(document, version) if one.code == "CF301")
    assert outside.related_information is not None
    assert [one.message for one in outside.related_information] == ["line 3: User-agent: a"]


def test_obsolete_records_are_deprecated(editor: Editor) -> None:
    document = editor.open(uri("obsolete"), "User-agent: *\nDisallow: /a\nNoindex: /b\n")
    (noindex,) = [one for one in editor.published(document) if one.code == "CF611"]
    assert noindex.tags == (types.DiagnosticTag.Deprecated,)


def test_closing_removes_the_diagnostics(editor: Editor) -> None:
    document = editor.open(uri("closed"), BROKEN)
    assert editor.published(document)
    editor.close(document)
    editor.wait_for(lambda: editor.last_published(document).diagnostics == ())
    for request in (
        lambda: editor.request(
            types.TEXT_DOCUMENT_HOVER, types.HoverParams(identifier(document), types.Position(1, 1))
        ),
        lambda: editor.code_actions(document, EVERYWHERE),
        lambda: editor.request(
            types.TEXT_DOCUMENT_FORMATTING,
            types.DocumentFormattingParams(identifier(document), types.FormattingOptions(4, insert_spaces=True)),
        ),
    ):
        assert not request()


@pytest.mark.parametrize(
    "name, language, is_checked",
    [
        ("file:///nonexistent/plain/robots.txt", "plaintext", True),
        ("file:///nonexistent/plain/ROBOTS.TXT", "plaintext", True),
        ("untitled:Untitled-1", "robotstxt", True),
        ("file:///nonexistent/staging.txt", "robots.txt", True),
        ("file:///nonexistent/notes.txt", "plaintext", False),
        ("file:///nonexistent/robots.txt.toml", "toml", False),
        ("nonsense", "plaintext", False),
    ],
)
def test_documents_are_recognised_by_language_or_name(
    editor: Editor, name: str, language: str, *, is_checked: bool
) -> None:
    editor.open(name, "User-agent: *\nDisalow: /\n", language)
    symbols = editor.request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(identifier(name)))
    assert (symbols is not None) == is_checked
    if is_checked:
        assert "CF202" in codes(editor.published(name))
    editor.close(name)


def test_quick_fixes(editor: Editor) -> None:
    document = editor.open(uri("fixes"), BROKEN)
    editor.published(document)
    unsafe, suppression = editor.code_actions(document, span(1, 2, 1, 2), ["quickfix"])
    assert unsafe.title.startswith("Write the key as it is spelt in RFC 9309 (CF202; changes verdicts in strict, ")
    assert (unsafe.is_preferred, unsafe.kind) == (False, types.CodeActionKind.QuickFix)
    assert unsafe.diagnostics is not None
    assert codes(list(unsafe.diagnostics)) == ["CF202"]
    assert apply(BROKEN, edits_of(unsafe)) == BROKEN.replace("Disalow", "Disallow")
    assert suppression.is_preferred is None
    assert "\n# canfetch: allow misspelt-key\nDisalow" in apply(BROKEN, edits_of(suppression))
    safe, *_ = editor.code_actions(document, span(3, 0, 3, 3))
    assert (safe.title, safe.is_preferred) == ("Remove one of the two rules (CF405)", True)
    assert apply(BROKEN, edits_of(safe)) == "User-agent: *\nDisalow: /private/\nDisallow: /a/\n"
    assert editor.code_actions(document, span(0, 0, 0, 3), ["quickfix"]) == []
    assert editor.code_actions(document, EVERYWHERE, ["refactor"]) == []


def test_a_suppressed_finding_disappears(editor: Editor) -> None:
    document = editor.open(uri("suppressed"), BROKEN)
    editor.published(document)
    (*_, suppression) = editor.code_actions(document, span(1, 2, 1, 2), ["quickfix"])
    text = apply(BROKEN, edits_of(suppression))
    version = editor.change(document, types.TextDocumentContentChangeWholeDocument(text))
    assert "CF202" not in codes(editor.published(document, version))


def test_a_suppression_follows_a_byte_order_mark(editor: Editor) -> None:
    text = "\ufeffUser-agent *\nDisallow: /a\n"
    document = editor.open(uri("mark"), text)
    actions = editor.code_actions(document, span(0, 0, 0, 5), ["quickfix"])
    (action,) = [one for one in actions if one.title == "Allow missing-colon (CF201) on this line with a comment"]
    assert apply(text, edits_of(action)) == "\ufeff# canfetch: allow missing-colon\nUser-agent *\nDisallow: /a\n"


@pytest.mark.slow
def test_a_very_long_file_is_reported_once(editor: Editor) -> None:
    document = editor.open(uri("long"), "#" * MAX_DOCUMENT_CHARACTERS + "\n")
    assert editor.published(document) == []
    version = editor.change(document, insert(0, 0, "#"))
    assert editor.published(document, version) == []
    assert len([one for one in editor.messages if "/nonexistent/long/robots.txt is over the limit" in one]) == 1
    params = types.HoverParams(identifier(document), types.Position(0, 0))
    assert editor.request(types.TEXT_DOCUMENT_HOVER, params) is None
    assert editor.code_actions(document, EVERYWHERE) == []
    editor.close(document)


@pytest.mark.parametrize("only", [["source.fixAll"], ["source"], ["source.fixAll.canfetch"], [""], None])
def test_fix_all_applies_the_safe_fixes_only(editor: Editor, only: list[str] | None) -> None:
    document = editor.open(uri("fix-all"), BROKEN)
    action = editor.code_actions(document, EVERYWHERE, only)[-1]
    assert (action.kind, action.edit) == ("source.fixAll.canfetch", None)
    resolved = editor.request(types.CODE_ACTION_RESOLVE, action)
    assert apply(BROKEN, edits_of(resolved)) == "User-agent: *\nDisalow: /private/\nDisallow: /a/\n"


def test_fix_all_is_not_offered_without_safe_fixes(editor: Editor) -> None:
    document = editor.open(uri("nothing-safe"), "User-agent: *\nDisalow: /private/\n")
    assert editor.code_actions(document, EVERYWHERE, ["source.fixAll"]) == []


def test_actions_that_cannot_be_resolved_stay_as_they_are(editor: Editor) -> None:
    for data in (None, {"uri": uri("unknown")}, {"uri": 1}, "x"):
        action = types.CodeAction("title", kind="source.fixAll.canfetch", data=data)
        assert editor.request(types.CODE_ACTION_RESOLVE, action).edit is None


def test_formatting(editor: Editor) -> None:
    text = "user-agent:*\r\nDISALLOW :/a\r\nDisallow: /b\r\n"
    document = editor.open(uri("format"), text)
    options = types.FormattingOptions(4, insert_spaces=True)
    edits = editor.request(
        types.TEXT_DOCUMENT_FORMATTING, types.DocumentFormattingParams(identifier(document), options)
    )
    assert apply(text, edits) == "User-agent: *\r\nDisallow: /a\r\nDisallow: /b\r\n"
    assert {edit.range.start.line for edit in edits} == {0, 1}
    page = editor.open(uri("page"), "<!doctype html>\n<p>not a robots.txt</p>\n")
    params = types.DocumentFormattingParams(identifier(page), options)
    assert editor.request(types.TEXT_DOCUMENT_FORMATTING, params) is None
    editor.wait_for(lambda: any("cannot format /nonexistent/page/robots.txt" in one for one in editor.messages))


def test_hover_completion_and_outline(editor: Editor) -> None:
    document = editor.open(
        uri("outline"), "Sitemap: https://example.com/s.xml\nUser-agent: GPTBot\nDisallow: /a # why\nAllow: \n"
    )
    hover = editor.request(types.TEXT_DOCUMENT_HOVER, types.HoverParams(identifier(document), types.Position(2, 3)))
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert "Read by OpenAI (GPTBot)." in hover.contents.value
    assert hover.range == span(2, 0, 2, 12)
    for nowhere in ((2, 14), (4, 0), (99, 0)):
        params = types.HoverParams(identifier(document), types.Position(*nowhere))
        assert editor.request(types.TEXT_DOCUMENT_HOVER, params) is None
    found = editor.request(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionParams(identifier(document), types.Position(3, 7))
    )
    (path,) = found.items
    assert (path.label, path.text_edit) == ("/a", types.TextEdit(span(3, 7, 3, 7), "/a"))
    symbols = editor.request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(identifier(document)))
    assert [(one.name, len(one.children or ())) for one in symbols] == [
        ("Sitemap: https://example.com/s.xml", 0),
        ("GPTBot", 3),
    ]
    (fold,) = editor.request(types.TEXT_DOCUMENT_FOLDING_RANGE, types.FoldingRangeParams(identifier(document)))
    assert (fold.start_line, fold.end_line) == (1, 3)
    (link,) = editor.request(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkParams(identifier(document)))
    assert (link.range, link.target) == (span(0, 9, 0, 34), "https://example.com/s.xml")
    where = types.DocumentHighlightParams(identifier(document), types.Position(2, 12))
    (highlight,) = editor.request(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, where)
    assert highlight.range == span(2, 10, 2, 12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeffUser-agent: *\r\nDisallow: /é😀\r\nDisalow: /\x00x\r\n",
        "User-agent: *\rDisallow: /a\r",
        "\udcff\udcfeU\x00s\x00e\x00r\x00",
        "\ud800 lone: \udc80\nDisallow: /\udce9*\n",
        "\x0b\x0c\x1c\x85\u2028Disalow: /\n",
        "\x00" * 100,
        "Disallow: /" + "é" * 5000,
        "#" * 5000 + "\n" * 500,
    ],
    ids=range(9),
)
def test_any_text_is_checked_formatted_and_outlined(editor: Editor, text: str) -> None:
    document = editor.open(uri("any-text"), text)
    document_id = identifier(document)
    place = types.Position(1, 2)
    version = editor.change(document, insert(0, 0, "Disalow: /x\n"))
    for diagnostic in editor.published(document, version):
        assert diagnostic.range.start.line <= diagnostic.range.end.line
        diagnostic.message.encode()
    for action in editor.code_actions(document, EVERYWHERE):
        assert action.edit is not None or editor.request(types.CODE_ACTION_RESOLVE, action)
    for method, params in (
        (types.TEXT_DOCUMENT_HOVER, types.HoverParams(document_id, place)),
        (types.TEXT_DOCUMENT_COMPLETION, types.CompletionParams(document_id, place)),
        (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(document_id)),
        (types.TEXT_DOCUMENT_FOLDING_RANGE, types.FoldingRangeParams(document_id)),
        (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, types.DocumentHighlightParams(document_id, place)),
        (types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkParams(document_id)),
        (
            types.TEXT_DOCUMENT_FORMATTING,
            types.DocumentFormattingParams(document_id, types.FormattingOptions(4, insert_spaces=True)),
        ),
    ):
        editor.request(method, params)
    editor.close(document)


def test_only_the_last_of_rapid_changes_has_to_be_published(editor: Editor) -> None:
    document = editor.open(uri("rapid"), "User-agent: *\nDisallow: /.html\n")
    version = 0
    for _ in range(50):
        version = editor.change(document, insert(1, 11, "x"))
    (diagnostics, text) = editor.published(document, version), f"/{'x' * 50}.html"
    assert diagnostics == []
    hover = editor.request(types.TEXT_DOCUMENT_HOVER, types.HoverParams(identifier(document), types.Position(1, 1)))
    assert f"Disallow: {text}" in hover.contents.value


def test_a_cancelled_request_is_answered_and_others_continue(editor: Editor) -> None:
    document = editor.open(uri("cancelled"), "User-agent: *\nDisallow: /\n")
    editor.notify(types.CANCEL_REQUEST, types.CancelParams("unknown"))
    hover = editor.request(types.TEXT_DOCUMENT_HOVER, types.HoverParams(identifier(document), types.Position(1, 1)))
    assert hover is not None


@pytest.mark.slow
@pytest.mark.parametrize("method, name", [("$/cancelRequest", "id"), ("window/workDoneProgress/cancel", "token")])
def test_cancellations_with_an_invalid_identifier_have_no_effect(method: str, name: str) -> None:
    editor = Editor(capabilities())
    document = editor.open(uri("invalid-identifier"), "User-agent: *\nDisallow: /\n")
    for value in ("{}", "[]", "null", "1.5"):
        editor.write(frame(f'{{"jsonrpc": "2.0", "method": "{method}", "params": {{"{name}": {value}}}}}'.encode()))
    hover = editor.request(types.TEXT_DOCUMENT_HOVER, types.HoverParams(identifier(document), types.Position(1, 1)))
    assert hover is not None
    assert editor.shut_down() == 0
    assert editor.standard_error.count("invalid message") == 4
    assert "Traceback" not in editor.standard_error


@pytest.mark.slow
def test_columns_are_in_the_negotiated_encoding() -> None:
    editor = Editor(capabilities(encodings=["utf-8", "utf-16"]))
    assert editor.initialized.capabilities.position_encoding == "utf-8"
    column = 6
    document = editor.open(uri("encoding"), "# 😀\nUser-agent: *\nDisallow: /a\n")
    version = editor.change(document, insert(0, column, "!"), insert(2, 0, "# 😀 "))
    editor.published(document, version)
    folded = editor.request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(identifier(document)))
    assert folded[0].range.end.line == 1
    version = editor.change(document, types.TextDocumentContentChangeWholeDocument("User-agent: *\nDisallow: /😀*\n"))
    (star,) = [one for one in editor.published(document, version) if one.code == "CF403"]
    assert star.range.start.character == 11 + column - 2
    assert editor.shut_down() == 0


@pytest.mark.slow
def test_unknown_encodings_are_utf_16() -> None:
    editor = Editor(types.ClientCapabilities())
    assert editor.initialized.capabilities.position_encoding == types.PositionEncodingKind.Utf16
    document = editor.open(uri("minimal"), BROKEN)
    # An editor that declares nothing gets no version, no tags, and no code actions.
    editor.wait_for(lambda: document in editor._published)
    last = editor.last_published(document)
    assert last.version is None
    assert {one.tags for one in last.diagnostics} == {None}
    assert editor.code_actions(document, EVERYWHERE) == []
    hover = editor.request(types.TEXT_DOCUMENT_HOVER, types.HoverParams(identifier(document), types.Position(0, 1)))
    assert hover.contents.kind == types.MarkupKind.PlainText
    flat = editor.request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(identifier(document)))
    assert [(one.name, one.container_name) for one in flat][:2] == [("*", None), ("User-agent: *", "*")]
    assert editor.exit() == 1


@pytest.fixture(scope="module")
def puller() -> Iterator[Editor]:
    """Return an editor that requests diagnostics, and answers requests of the server."""
    editor = Editor(capabilities(pull=True, workspace=True), settings={"severities": "google", "ignore": ["CF301"]})
    editor.wait_for(lambda: len(editor.registered) == 2)
    # The server requests the settings after the registrations. Until it has them, the probe has a finding.
    probe = editor.open(uri("probe"), "Disallow: /\n")
    deadline = time.monotonic() + PATIENCE
    while codes(pull(editor, probe).items):
        assert time.monotonic() < deadline
    editor.close(probe)
    yield editor
    assert editor.shut_down() == 0
    assert editor.standard_error == ""


def pull(editor: Editor, document: str, previous: str | None = None) -> Any:
    params = types.DocumentDiagnosticParams(identifier(document), previous_result_id=previous)
    return editor.request(types.TEXT_DOCUMENT_DIAGNOSTIC, params)


@pytest.mark.slow
def test_diagnostics_are_pulled_and_not_pushed(puller: Editor) -> None:
    assert isinstance(puller.initialized.capabilities.diagnostic_provider, types.DiagnosticOptions)
    document = puller.open(uri("pull"), BROKEN)
    report = pull(puller, document)
    assert codes(report.items) == ["CF202", "CF405"]
    same = pull(puller, document, report.result_id)
    assert (same.kind, same.result_id) == ("unchanged", report.result_id)
    puller.change(document, insert(1, 4, "l"))
    assert codes(pull(puller, document, report.result_id).items) == ["CF405"]
    puller.close(document)
    assert pull(puller, document).items == ()
    assert document not in puller._published


def test_changed_settings_cause_another_request(puller: Editor) -> None:
    document = puller.open(uri("settings"), BROKEN)
    before = pull(puller, document)
    refreshes = puller.refreshes
    puller.settings = {"ignore": ["CF4"]}
    puller.notify(types.WORKSPACE_DID_CHANGE_CONFIGURATION, types.DidChangeConfigurationParams(None))
    puller.wait_for(lambda: puller.refreshes > refreshes)
    assert codes(pull(puller, document, before.result_id).items) == ["CF202"]


def test_fixes_can_be_safe_for_some_profiles(puller: Editor) -> None:
    puller.settings = {"fix-for": ["googlebot"]}
    refreshes = puller.refreshes
    document = puller.open(uri("fix-for"), "User-agent: *\nDisalow: /private/\n")
    puller.notify(types.WORKSPACE_DID_CHANGE_CONFIGURATION, types.DidChangeConfigurationParams(None))
    puller.wait_for(lambda: puller.refreshes > refreshes)
    fix, _, fix_all = puller.code_actions(document, span(1, 2, 1, 2))
    assert (fix.diagnostics is not None, fix.is_preferred) == (True, True)
    resolved = puller.request(types.CODE_ACTION_RESOLVE, fix_all)
    assert apply("User-agent: *\nDisalow: /private/\n", edits_of(resolved)) == "User-agent: *\nDisallow: /private/\n"


def test_invalid_settings_are_shown_and_ignored(puller: Editor) -> None:
    document = puller.open(uri("invalid-settings"), BROKEN)
    for settings, message in [
        ({"severitys": "google"}, "unknown key 'severitys': did you mean"),
        ({"ignore": ["CF9999"]}, "unknown check 'CF9999'"),
        ({"profile": "gogle"}, "settings of the editor, profile: unknown profile 'gogle'"),
        ({"profile": 1}, "settings of the editor, profile: expected a name"),
        (["google"], "settings of the editor: expected an object"),
    ]:
        puller.settings = settings
        puller.notify(types.WORKSPACE_DID_CHANGE_CONFIGURATION, types.DidChangeConfigurationParams(None))
        puller.wait_for(lambda message=message: any(message in shown for shown in puller.messages))
        assert codes(pull(puller, document).items) == ["CF202", "CF405"]


def test_registrations(puller: Editor) -> None:
    methods = {registration.method for registration in puller.registered}
    assert methods == {types.WORKSPACE_DID_CHANGE_CONFIGURATION, types.WORKSPACE_DID_CHANGE_WATCHED_FILES}


@pytest.mark.slow
def test_configuration_files_and_initialization_options(tmp_path: Path) -> None:
    configuration = tmp_path / "canfetch.toml"
    configuration.write_text('[lint]\nignore = ["CF405"]\nlanguage = "de"\n', encoding="utf-8")
    options = {"canfetch": {"select": ["CF202", "CF405"], "language": None}}
    editor = Editor(capabilities(), options=options)
    document = (tmp_path / "sub" / "robots.txt").as_uri()
    editor.open(document, BROKEN)
    found = editor.published(document)
    assert codes(found) == ["CF202"]
    assert "ist ein Schreibfehler" in found[0].message
    # Without a watcher, saving reads the files again.
    configuration.write_text('[lint]\nselect = ["nonsense"]\n', encoding="utf-8")
    editor.notify(types.TEXT_DOCUMENT_DID_SAVE, types.DidSaveTextDocumentParams(identifier(document)))
    editor.wait_for(lambda: any("unknown check 'nonsense'" in message for message in editor.messages))
    editor.wait_for(lambda: codes(list(editor.last_published(document).diagnostics)) == ["CF202", "CF405"])
    editor.notify(
        types.WORKSPACE_DID_CHANGE_CONFIGURATION,
        types.DidChangeConfigurationParams({"canfetch": {"select": ["CF405"], "profile": "yandex"}}),
    )
    editor.wait_for(lambda: codes(list(editor.last_published(document).diagnostics)) == ["CF405"])
    assert editor.shut_down() == 0


def exchange(*messages: dict[str, Any] | bytes) -> tuple[int, list[Any]]:
    """Send messages to a server in this process, and return its exit code and its messages."""
    bodies = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    output = io.BytesIO()
    frames = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    code = serve(io.BytesIO(frames), output)
    parts = output.getvalue().split(b"Content-Length: ")[1:]
    return code, [json.loads(part.partition(b"\r\n\r\n")[2]) for part in parts]


def request(number: int, method: str, params: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_requests_in_the_wrong_order_have_an_error() -> None:
    code, answers = exchange(
        b"{",
        b'{"jsonrpc": "1.0"}',
        request(1, "textDocument/hover", {}),
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}},
        request(2, "initialize", {"capabilities": {}}),
        request(3, "initialize", {"capabilities": {}}),
        request(4, "unknown/request"),
        request(5, "textDocument/hover", {"position": "x"}),
        request(6, "shutdown"),
        request(7, "textDocument/hover", {}),
        {"jsonrpc": "2.0", "method": "exit"},
        request(8, "shutdown"),
    )
    found = [(answer["id"], answer.get("error", {}).get("code")) for answer in answers]
    assert found == [
        (None, types.ErrorCodes.ParseError),
        (None, types.ErrorCodes.InvalidRequest),
        (1, types.ErrorCodes.ServerNotInitialized),
        (2, None),
        (3, types.ErrorCodes.InvalidRequest),
        (4, types.ErrorCodes.MethodNotFound),
        (5, types.ErrorCodes.InvalidParams),
        (6, None),
        (7, types.ErrorCodes.InvalidRequest),
    ]
    assert code == 0


def test_a_closed_input_ends_the_server() -> None:
    assert exchange() == (1, [])
    assert exchange(request(1, "initialize", {"capabilities": {}}))[0] == 1


def test_a_closed_output_ends_the_server() -> None:
    output = io.BytesIO()
    output.close()
    body = json.dumps(request(1, "initialize", {"capabilities": {}})).encode()
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as stdin, os.fdopen(write_end, "wb") as editor:
        editor.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        editor.flush()
        assert serve(stdin, output) == 1


def test_bytes_that_are_not_utf8_arrive(editor: Editor) -> None:
    document = uri("bytes")
    item = f'"uri": "{document}", "languageId": "robots", "version": 1, "text": "User-agent: *\\nDisallow: /'
    body = (
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {%s\xe9\\n"}}}'
        % item.encode()
    )
    editor.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert "CF107" in codes(editor.published(document))


@pytest.mark.slow
def test_without_the_extra_the_error_names_it() -> None:
    program = "import sys; sys.modules['pygls'] = None\nfrom canfetch.cli.main import run\nsys.exit(run(['lsp']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'canfetch: the language server requires pygls: pip install "canfetch[lsp]"\n'


@pytest.mark.slow
def test_invalid_messages_do_not_end_the_server() -> None:
    editor = Editor(capabilities())
    document = editor.open(uri("robust"), "User-agent: *\nDisallow: /\n")

    for body in (
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"jsonrpc": "1.0", "method": "x"}',
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "2.0", "method": 1}',
        b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}',
        b'{"jsonrpc": "2.0", "method": "unknown/notification", "params": 1}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": 5}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"contentChanges": [{}]}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "unknown:"}}}',
        b'{"jsonrpc": "2.0", "id": "x", "result": null}',
    ):
        editor.write(frame(body))
    editor.change("file:///nonexistent/unknown/robots.txt", insert(0, 0, "x"))
    hover = editor.request(types.TEXT_DOCUMENT_HOVER, types.HoverParams(identifier(document), types.Position(1, 1)))
    assert hover is not None
    assert editor.shut_down() == 0
    assert editor.standard_error.count("invalid message") == 5
