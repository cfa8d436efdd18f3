"""The language server: open files, settings, and diagnostics. `features.py` has the requests of the editor."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from canfetch import __version__
from canfetch.errors import InvalidOption
from canfetch.lint.configuration_file import CONFIGURATION_FILE_NAMES
from canfetch.lsp.analysis import Analysis, analyze
from canfetch.lsp.client_features import ClientFeatures, read_client_features
from canfetch.lsp.editor_settings import SECTION, EditorSettings, parse_editor_settings
from canfetch.lsp.file_view import FileView
from canfetch.lsp.open_document import OpenDocument, Snapshot
from canfetch.lsp.open_file import AnalysisRunner, OpenFile
from canfetch.lsp.position_encoding import UTF_16
from canfetch.lsp.protocol_types import to_place

LOGGER: Final = logging.getLogger("canfetch.lsp")
NAME: Final = "canfetch"
# The names of the language in Neovim and Vim, Helix, and extensions of VS Code.
LANGUAGE_IDS: Final = frozenset({"robots", "robots.txt", "robots-txt", "robots_txt", "robotstxt"})
_FILE_NAME: Final = "robots.txt"
# Crawlers read 500 KiB. A longer file has a finding about its length, up to this limit.
MAX_DOCUMENT_CHARACTERS: Final = 16 << 20
# Diagnostics are sent this long after the last change, and later if an analysis takes longer.
_MIN_DELAY_SECONDS: Final = 0.15
_MAX_DELAY_SECONDS: Final = 1.0

ResultT = TypeVar("ResultT")


class RobotsProtocol(LanguageServerProtocol):
    """The protocol, with documents that change as the protocol specifies.

    Documents of pygls count lines as `str.splitlines` does, and cannot represent invalid UTF-8.
    """

    _server: "RobotsServer"  # type: ignore[mutable-override]  # set once, by the base class

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Open a document."""
        self._server.open_document(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Change a document."""
        self._server.change_document(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Close a document."""
        self._server.close_document(params.text_document.uri)

    @property
    def is_shut_down(self) -> bool:
        """Whether the editor has requested the shutdown."""
        return self._shutdown

    def send_error(self, identifier: int | str | None, error: types.ResponseError) -> None:
        """Answer a request with an error. The identifier of an unreadable request is None."""
        # As a dictionary, because the converter leaves out an identifier that is None.
        body = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": identifier, "error": body})


class RobotsServer(LanguageServer):
    """A language server for robots.txt files."""

    protocol: RobotsProtocol  # type: ignore[mutable-override]  # set once, by the base class

    def __init__(self) -> None:
        super().__init__(NAME, __version__, protocol_cls=RobotsProtocol)
        self.files: dict[str, OpenFile] = {}
        self.client = ClientFeatures()
        self.settings = EditorSettings()
        self.encoding: str = UTF_16
        self._initial_options: object = None
        self._runner: AnalysisRunner | None = None
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._shown: set[str] = set()

    @property
    def is_shut_down(self) -> bool:
        """Whether the editor has requested the shutdown."""
        return self.protocol.is_shut_down

    def send_error(self, identifier: int | str | None, error: types.ResponseError) -> None:
        """Answer a request with an error. The identifier of an unreadable request is None."""
        self.protocol.send_error(identifier, error)

    # --- lifecycle ---------------------------------------------------------------------------------------------------

    def initialize(self, params: types.InitializeParams) -> None:
        """Read the capabilities and the settings of the editor."""
        self.client = read_client_features(params.capabilities)
        self.encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        self._initial_options = _section(params.initialization_options)
        self.apply_settings(None)

    async def initialized(self) -> None:
        """Request the settings, and notifications of changes."""
        watchers = [types.FileSystemWatcher(f"**/{name}") for name in CONFIGURATION_FILE_NAMES]
        options: list[tuple[bool, str, Any]] = [
            (self.client.registers_configuration, types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": SECTION}),
            (
                self.client.registers_watchers,
                types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                types.DidChangeWatchedFilesRegistrationOptions(watchers),
            ),
        ]
        registrations = [
            types.Registration(id=f"canfetch-{method}", method=method, register_options=option)
            for supported, method, option in options
            if supported
        ]
        if registrations:
            await self._ask(self.client_register_capability_async(types.RegistrationParams(registrations)))
        await self.request_settings()

    async def _ask(self, answer: Any) -> Any:
        """Wait for the answer of the editor. An error is logged, and the answer is None."""
        try:
            return await answer
        except JsonRpcException as error:
            LOGGER.warning("the editor rejected a request: %s", error)
            return None

    def report_server_error(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """Log an error of the server, and show it once. Errors of requests are part of their responses."""
        LOGGER.error("internal error: %s", error, exc_info=error)
        if source is not FeatureRequestError:
            self.show_once(f"internal error: {error}", types.MessageType.Error)

    def show_once(self, text: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message to the user, unless it was shown before."""
        if text not in self._shown:
            self._shown.add(text)
            self.window_show_message(types.ShowMessageParams(kind, f"{NAME}: {text}"))

    # --- settings ----------------------------------------------------------------------------------------------------

    async def request_settings(self) -> None:
        """Request the settings of the editor, if it answers that."""
        if not self.client.configuration:
            return
        items = [types.ConfigurationItem(section=SECTION)]
        answer = await self._ask(self.workspace_configuration_async(types.ConfigurationParams(items)))
        self.apply_settings(answer[0] if isinstance(answer, list | tuple) and answer else None)

    def apply_settings(self, value: object) -> None:
        """Use other settings. They are added to those with which the editor started the server."""
        initial = self._initial_options
        if isinstance(initial, dict) and isinstance(value, dict):
            value = {**initial, **value}
        before = self.settings
        try:
            self.settings = parse_editor_settings(initial if value is None else value)
        except InvalidOption as error:
            self.settings = EditorSettings()
            self.show_once(str(error), types.MessageType.Error)
        if self.settings != before:
            self.refresh()

    def change_settings(self, value: object) -> None:
        """Use the settings of a notification, or request them if the editor answers that."""
        if self.client.configuration:
            self._start(self.request_settings())
        else:
            self.apply_settings(_section(value))

    def refresh(self) -> None:
        """Analyse all files again, because the settings have changed."""
        for file in self.files.values():
            file.generation += 1
            self.schedule_diagnostics(file)
        if self.files and self.client.pulls_diagnostics and self.client.refreshes_diagnostics:
            self._start(self._request_refresh())

    async def _request_refresh(self) -> None:
        await self._ask(self.workspace_diagnostic_refresh_async(None))

    # --- documents ---------------------------------------------------------------------------------------------------

    def open_document(self, item: types.TextDocumentItem) -> None:
        """Open a document, if it is a robots.txt."""
        path = to_fs_path(item.uri)
        if not is_robots_file(item.uri, item.language_id):
            LOGGER.info("ignored %s: not a robots.txt", item.uri)
            return
        if (previous := self.files.pop(item.uri, None)) is not None:
            previous.close()
        document = OpenDocument(item.uri, item.language_id, item.version, item.text)
        self.files[item.uri] = file = OpenFile(document, path)
        self.schedule_diagnostics(file, delay=0)

    def change_document(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply changes to an open document. A document that is not open is ignored."""
        file = self.files.get(params.text_document.uri)
        if file is None:
            return
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = to_place(change.range.start), to_place(change.range.end)
                file.document.replace(start, end, change.text, self.encoding)
            else:
                file.document.replace_all(change.text)
        file.document.version = params.text_document.version
        self.schedule_diagnostics(file)

    def close_document(self, uri: str) -> None:
        """Forget a document, and remove its diagnostics from the editor."""
        file = self.files.pop(uri, None)
        if file is None:
            return
        file.close()
        if not self.client.pulls_diagnostics:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def snapshot(self, file: OpenFile) -> Snapshot:
        """Return the current text of a file."""
        return file.document.snapshot(self.encoding)

    # --- analyses ----------------------------------------------------------------------------------------------------

    @property
    def runner(self) -> AnalysisRunner:
        """What runs analyses."""
        if self._runner is None:
            self._runner = AnalysisRunner(self._analyze, self.encoding, asyncio.Lock())
        return self._runner

    def _analyze(self, snapshot: Snapshot, path: str | None) -> Analysis:
        return analyze(snapshot, path, self.settings, self.client)

    async def analysis(self, uri: str) -> Analysis | None:
        """Return the analysis of the current text of a file, or None if it is not open."""
        file = self.files.get(uri)
        if file is None or file.document.length > MAX_DOCUMENT_CHARACTERS:
            return None
        analysis = await file.analyze(self.runner)
        self._show_problem(analysis)
        return None if file.is_closed else analysis

    def _show_problem(self, analysis: Analysis) -> None:
        if analysis.settings.problem is not None:
            self.show_once(analysis.settings.problem, types.MessageType.Error)

    async def with_view(
        self, uri: str, use: Callable[[FileView, Snapshot], ResultT], *, may_be_outdated: bool = False
    ) -> ResultT | None:
        """Return `use(view, snapshot)` for the current text of a file, computed in a thread.

        Args:
            uri: The URI of the file.
            use: Computes the result.
            may_be_outdated: Whether the view of a large file may be that of an earlier text.
        Returns: The result, or None if the file is not open, too long, or in UTF-16.
        """
        file = self.files.get(uri)
        if file is None or file.document.length > MAX_DOCUMENT_CHARACTERS:
            return None
        profile = self.settings.profile
        async with self._turn:
            # The text is taken in the event loop, where it changes, and when its turn has come.
            snapshot = self.snapshot(file)

            def compute() -> ResultT | None:
                view = file.view(profile, snapshot, may_be_outdated=may_be_outdated)
                return use(view, snapshot) if view.has_own_spans else None

            return await asyncio.to_thread(compute)

    async def compute(self, function: Callable[[], ResultT]) -> ResultT:
        """Return `function()`, called in a thread. Views and reports are used in one such thread at a time."""
        async with self._turn:
            return await asyncio.to_thread(function)

    def schedule_diagnostics(self, file: OpenFile, delay: float | None = None) -> None:
        """Send the diagnostics of a file soon, unless the editor requests them itself."""
        if self.client.pulls_diagnostics:
            return
        if file.publishing is not None:
            file.publishing.cancel()
        if delay is None:
            delay = min(max(_MIN_DELAY_SECONDS, file.last_duration), _MAX_DELAY_SECONDS)
        file.publishing = asyncio.get_running_loop().call_later(delay, self._start_publishing, file)

    def _start_publishing(self, file: OpenFile) -> None:
        self._start(self._publish(file))

    async def _publish(self, file: OpenFile) -> None:
        document = file.document
        if document.length > MAX_DOCUMENT_CHARACTERS:
            self.show_once(
                f"{file.name} is over the limit of {MAX_DOCUMENT_CHARACTERS:,} characters, and is not checked"
            )
            diagnostics: list[types.Diagnostic] = []
        else:
            analysis = await file.analyze_once(self.runner)
            if analysis is None or file.is_closed:
                # The change that made it outdated has scheduled the next one.
                return
            self._show_problem(analysis)
            diagnostics = analysis.diagnostics
        version = document.version if self.client.diagnostic_version else None
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, diagnostics, version))

    def _start(self, coroutine: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._report_server_error(error, PyglsError)


def is_robots_file(uri: str, language_id: str) -> bool:
    """Return whether a document is a robots.txt, by its language or its file name."""
    if language_id.lower() in LANGUAGE_IDS:
        return True
    path = to_fs_path(uri) or uri.partition("?")[0]
    return PurePath(path.replace("\\", "/")).name.lower() == _FILE_NAME


def _section(value: object) -> object:
    """Return the settings of canfetch, which some editors nest in an object with the name of the server."""
    return value[SECTION] if isinstance(value, dict) and SECTION in value else value
