"""Progress bars on standard error, drawn only on a terminal that standard output does not use."""

import os
import stat
import sys
from typing import Any, BinaryIO, Final

import click

from canfetch.cli.shared.terminal import is_terminal, print_message, printable

# Drawing the bar more often than this costs time and shows nothing.
_STEP_BYTES: Final = 64 << 10


class Progress:
    """Progress without a bar; the base class of the bars."""

    def advance(self, amount: int) -> None:
        """Advance by `amount` bytes or items."""

    def print_error(self, line: str) -> None:
        """Write a line to standard error without damaging the bar."""
        # Answers that precede the line must appear before it.
        sys.stdout.flush()
        print_message(line)

    def close(self) -> None:
        """Remove the bar."""


class _Bar(Progress):
    """A bar that is redrawn after every `step`."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._pending = 0

    def advance(self, amount: int) -> None:
        self._pending += amount
        if self._pending >= self._step:
            self.draw(self._pending)
            self._pending = 0

    def draw(self, amount: int) -> None:
        """Move the bar by `amount`."""
        raise NotImplementedError


class _RichBar(_Bar):
    def __init__(self, total: int | None, step: int) -> None:
        from rich.console import Console  # noqa: PLC0415 - optional, and slow to import
        from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, TimeRemainingColumn  # noqa: PLC0415
        from rich.progress import Progress as RichProgress  # noqa: PLC0415 - optional, and slow to import

        super().__init__(step)
        self._rich = RichProgress(
            BarColumn(),
            MofNCompleteColumn() if step == 1 else DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            # Answers go to standard output directly, not through the bar.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._rich.add_task("", total=total)
        self._rich.start()

    def draw(self, amount: int) -> None:
        self._rich.advance(self._task, amount)

    def print_error(self, line: str) -> None:
        sys.stdout.flush()
        self._rich.console.print(printable(line), markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        self._rich.stop()


class _PlainBar(_Bar):
    def __init__(self, total: int, step: int) -> None:
        super().__init__(step)
        self._bar: Any = click.progressbar(length=total, file=sys.stderr)
        self._bar.__enter__()

    def draw(self, amount: int) -> None:
        self._bar.update(amount)

    def print_error(self, line: str) -> None:
        click.echo("\r\x1b[K", nl=False, err=True)
        super().print_error(line)

    def close(self) -> None:
        self._bar.__exit__(None, None, None)


def stream_progress(stream: BinaryIO | None, *, enabled: bool) -> Progress:
    """Return the progress of reading a list, in bytes.

    Args:
        stream: The list, or None for a Progress without a bar.
        enabled: False if standard output writes to the terminal.
    """
    if stream is None or not enabled or not is_terminal(sys.stderr) or stream.isatty():
        return Progress()
    return _bar(_file_size(stream), _STEP_BYTES)


def byte_progress(total: int | None, *, enabled: bool) -> Progress:
    """Return the progress of reading files, in bytes.

    Args:
        total: Their size, or None if it is unknown.
        enabled: False if standard output writes to the terminal.
    """
    return _bar(total, _STEP_BYTES) if enabled and is_terminal(sys.stderr) else Progress()


def item_progress(total: int, *, enabled: bool) -> Progress:
    """Return the progress over `total` items. A single item has no bar."""
    return _bar(total, 1) if enabled and total > 1 and is_terminal(sys.stderr) else Progress()


def _bar(total: int | None, step: int) -> Progress:
    try:
        return _RichBar(total, step)
    except ImportError:
        return Progress() if total is None else _PlainBar(total, step)


def _file_size(stream: BinaryIO) -> int | None:
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
