"""An open robots.txt with what is computed from it: the analysis of its current text, and the engine's view.

At most one analysis of a file runs at a time, outside the event loop. A text that is outdated before its turn comes is
never analysed, and the result for an outdated text is dropped.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from canfetch.lsp.analysis import Analysis
from canfetch.lsp.file_view import FileView
from canfetch.lsp.open_document import OpenDocument, Snapshot

# Parsing a larger file takes longer than the time between two keystrokes.
_LARGE_CHARACTERS: Final = 50_000


class _Key(NamedTuple):
    """What an analysis depends on: the revision of the text, and the generation of the settings."""

    revision: int
    generation: int


class OpenFile:
    """An open robots.txt. Its methods are called in the event loop.

    Args:
        document: The document.
        path: Its path, or None if it is not a file.
    """

    def __init__(self, document: OpenDocument, path: str | None) -> None:
        self.document = document
        self.path = path
        # Settings have changed since the last analysis if this number has.
        self.generation = 0
        self.is_closed = False
        self.last_duration = 0.0
        self.publishing: asyncio.TimerHandle | None = None
        self._analysis: Analysis | None = None
        self._key: _Key | None = None
        self._task: asyncio.Task[None] | None = None
        self._view: tuple[int, str, FileView] | None = None

    @property
    def name(self) -> str:
        """The name for messages."""
        return self.path or self.document.uri

    @property
    def current_key(self) -> _Key:
        """What the next analysis depends on."""
        return _Key(self.document.revision, self.generation)

    @property
    def is_analyzed(self) -> bool:
        """Whether the last analysis is that of the current text."""
        return self._key == self.current_key

    async def analyze(self, runner: "AnalysisRunner") -> Analysis:
        """Return the analysis of the current text. If the text changes meanwhile, it is that of the new text."""
        while self._analysis is None or not self.is_analyzed:
            await self.analyze_once(runner)
        return self._analysis

    async def analyze_once(self, runner: "AnalysisRunner") -> Analysis | None:
        """Wait for one analysis, and return it unless the text has changed meanwhile."""
        if not self.is_analyzed:
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._run(runner))
            # A cancelled request does not cancel the analysis, for which others may wait.
            await asyncio.shield(self._task)
        return self._analysis if self.is_analyzed else None

    async def _run(self, runner: "AnalysisRunner") -> None:
        async with runner.turn:
            # Other files may have been analysed first, so the text is taken now.
            key = self.current_key
            snapshot = self.document.snapshot(runner.encoding)
            start = time.monotonic()
            analysis = await asyncio.to_thread(runner.analyze, snapshot, self.path)
            self.last_duration = time.monotonic() - start
        self._analysis, self._key = analysis, key

    def view(self, profile: str, snapshot: Snapshot, *, may_be_outdated: bool = False) -> FileView:
        """Return the engine's view of a snapshot, which is kept for the next request.

        Args:
            profile: The parsing profile.
            snapshot: The text.
            may_be_outdated: Return the last view of a large file, even if the text has changed since.
        """
        last = self._view
        is_enough = may_be_outdated and len(snapshot.text) > _LARGE_CHARACTERS
        if last is None or last[1] != profile or (last[0] != snapshot.revision and not is_enough):
            last = self._view = snapshot.revision, profile, FileView(snapshot.content, profile)
        return last[2]

    def close(self) -> None:
        """Publish no more diagnostics."""
        self.is_closed = True
        if self.publishing is not None:
            self.publishing.cancel()


class AnalysisRunner(NamedTuple):
    """How files are analysed: in a thread, one after the other.

    Attributes:
        analyze: Analyses a snapshot of a document with a path.
        encoding: The position encoding.
        turn: Held during an analysis.
    """

    analyze: Callable[[Snapshot, str | None], Analysis]
    encoding: str
    turn: asyncio.Lock
