"""An editor: a client of the language server that runs in another process, driven by synchronous tests."""

import asyncio
import re
import sys
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ResultT = TypeVar("ResultT")

# A loaded machine needs seconds for an analysis. Nothing waits that long unless it is broken.
PATIENCE: Final = 300


def capabilities(
    *, encodings: Sequence[str] = ("utf-16",), pull: bool = False, workspace: bool = False
) -> types.ClientCapabilities:
    """Return the capabilities of an editor that supports everything that the server uses.

    Args:
        encodings: The position encodings, the preferred one first.
        pull: Whether the editor requests diagnostics.
        workspace: Whether it answers requests about settings, registrations and new diagnostics.
    """
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(
            position_encodings=[types.PositionEncodingKind(encoding) for encoding in encodings]
        ),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                version_support=True,
                related_information=True,
                code_description_support=True,
                tag_support=types.ClientDiagnosticsTagOptions(list(types.DiagnosticTag)),
            ),
            code_action=types.CodeActionClientCapabilities(
                code_action_literal_support=types.ClientCodeActionLiteralOptions(
                    types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
                ),
                data_support=True,
                resolve_support=types.ClientCodeActionResolveOptions(["edit"]),
            ),
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            completion=types.CompletionClientCapabilities(
                completion_item=types.ClientCompletionItemOptions(documentation_format=[types.MarkupKind.Markdown])
            ),
            document_symbol=types.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
            diagnostic=types.DiagnosticClientCapabilities() if pull else None,
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            configuration=workspace,
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=workspace),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=workspace),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=workspace),
        ),
    )


class Editor:
    """A client with its own event loop in a thread.

    Args:
        client: What the editor supports.
        options: The initialization options.
        settings: The answer to `workspace/configuration`.
        cwd: The folder in which the server starts.
    """

    def __init__(
        self,
        client: types.ClientCapabilities,
        *,
        options: object = None,
        settings: object = None,
        cwd: Path | None = None,
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._published: dict[str, list[types.PublishDiagnosticsParams]] = {}
        self._changed = threading.Condition()
        self.messages: list[str] = []
        self.registered: list[types.Registration] = []
        self.refreshes = 0
        # What the server has written to standard error, once it has exited.
        self.standard_error = ""
        self.settings = settings
        self._versions: dict[str, int] = {}
        self._client = LanguageClient("test-editor", "1")
        self._add_handlers()
        self.run(self._client.start_io(sys.executable, "-W", "error", "-m", "canfetch", "lsp", cwd=cwd))
        self.initialized: types.InitializeResult = self.request(
            types.INITIALIZE, types.InitializeParams(capabilities=client, initialization_options=options)
        )
        self.notify(types.INITIALIZED, types.InitializedParams())

    def _add_handlers(self) -> None:
        def publish(params: types.PublishDiagnosticsParams) -> None:
            with self._changed:
                self._published.setdefault(params.uri, []).append(params)
                self._changed.notify_all()

        def show(params: types.ShowMessageParams) -> None:
            with self._changed:
                self.messages.append(params.message)
                self._changed.notify_all()

        def configuration(params: types.ConfigurationParams) -> list[object]:
            assert [item.section for item in params.items] == ["canfetch"]
            return [self.settings]

        def register(params: types.RegistrationParams) -> None:
            with self._changed:
                self.registered += params.registrations
                self._changed.notify_all()

        def refresh(_params: Any) -> None:
            with self._changed:
                self.refreshes += 1
                self._changed.notify_all()

        for method, handler in (
            (types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, publish),
            (types.WINDOW_SHOW_MESSAGE, show),
            (types.WORKSPACE_CONFIGURATION, configuration),
            (types.CLIENT_REGISTER_CAPABILITY, register),
            (types.WORKSPACE_DIAGNOSTIC_REFRESH, refresh),
        ):
            self._client.feature(method)(handler)

    def run(self, coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Run a coroutine in the editor's event loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)

    def send(self, method: str, params: object) -> "Future[Any]":
        """Send a request, and return the future of its answer."""

        async def send() -> Future[Any]:
            return self._client.protocol.send_request(method, params)

        return self.run(send())

    def request(self, method: str, params: object = None) -> Any:
        """Send a request, and return the answer."""
        return self.send(method, params).result(PATIENCE)

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""

        async def notify() -> None:
            self._client.protocol.notify(method, params)

        self.run(notify())

    def write(self, data: bytes) -> None:
        """Write bytes that may be anything to the server."""

        async def write() -> None:
            writer = self._client.protocol.writer
            assert writer is not None
            writer.write(data)

        self.run(write())

    def wait_for(self, condition: Any) -> None:
        """Wait until `condition()` is true. It is checked whenever the server has sent something."""
        with self._changed:
            assert self._changed.wait_for(condition, PATIENCE)

    # --- documents ---------------------------------------------------------------------------------------------------

    def open(self, uri: str, text: str, language_id: str = "robots") -> str:
        """Open a document, and return its URI."""
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, language_id, 1, text)
        self.notify(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> int:
        """Change a document, and return its new version."""
        self._versions[uri] = version = self._versions.get(uri, 0) + 1
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        self.notify(types.TEXT_DOCUMENT_DID_CHANGE, types.DidChangeTextDocumentParams(identifier, list(changes)))
        return version

    def close(self, uri: str) -> None:
        """Close a document."""
        self.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def published(self, uri: str, version: int = 1) -> list[types.Diagnostic]:
        """Wait for the diagnostics of a version of a document, and return them."""
        self.wait_for(lambda: any(one.version == version for one in self._published.get(uri, [])))
        return list(next(one.diagnostics for one in self._published[uri] if one.version == version))

    def last_published(self, uri: str) -> types.PublishDiagnosticsParams:
        """Return what was published last."""
        return self._published[uri][-1]

    def code_actions(self, uri: str, where: types.Range, only: Sequence[str] | None = None) -> list[types.CodeAction]:
        """Return the code actions for a range."""
        kinds = None if only is None else [types.CodeActionKind(kind) if kind == "quickfix" else kind for kind in only]
        context = types.CodeActionContext([], only=kinds)
        answer = self.request(
            types.TEXT_DOCUMENT_CODE_ACTION,
            types.CodeActionParams(types.TextDocumentIdentifier(uri), where, context),
        )
        return list(answer)

    def shut_down(self) -> int:
        """Shut the server down, and return its exit code."""
        self.request(types.SHUTDOWN)
        return self.exit()

    def exit(self) -> int:
        """Send `exit`, and return the exit code of the server."""
        process = self._client._server
        assert process is not None
        if process.returncode is None:
            self.notify(types.EXIT)
        assert process.stderr is not None
        self.standard_error = self.run(asyncio.wait_for(process.stderr.read(), PATIENCE)).decode()
        self.run(asyncio.wait_for(process.wait(), PATIENCE))
        self.run(self._client.stop())  # type: ignore[no-untyped-call]
        assert process.returncode is not None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        return process.returncode


def span(start_line: int, start: int, end_line: int, end: int) -> types.Range:
    """Return a range."""
    return types.Range(types.Position(start_line, start), types.Position(end_line, end))


def apply(text: str, edits: Sequence[types.TextEdit]) -> str:
    """Apply edits whose columns count UTF-16 code units, as an editor does."""
    offsets = [(_offset(text, edit.range.start), _offset(text, edit.range.end), edit.new_text) for edit in edits]
    for start, end, new in sorted(offsets, key=lambda edit: edit[:2], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _offset(text: str, position: types.Position) -> int:
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text)), len(text)]
    line = text[starts[position.line] :]
    units = 0
    for index, character in enumerate(line):
        if units >= position.character:
            return starts[position.line] + index
        units += 2 if character > "\uffff" else 1
    return len(text)


def frame(body: bytes) -> bytes:
    """Return a message of the protocol with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
