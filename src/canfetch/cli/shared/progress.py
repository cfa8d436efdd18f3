"""How far a long list is: on standard error, on a terminal, and only where no answers run through it."""

import os
import stat
import sys
from typing import Any, BinaryIO, Final

import click

from canfetch.cli.shared.terminal import is_terminal, shown

# A bar that moves more often than this many octets only costs time.
_STEP_OCTETS: Final = 64 << 10


class Progress:
    """No bar; the base of those that draw one."""

    def advance(self, octets: int) -> None:
        """Go on by the octets of one line."""

    def say(self, line: str) -> None:
        """Write a line to standard error without spoiling the bar."""
        # What is answered before the line must not come after it.
        sys.stdout.flush()
        click.echo(shown(line), err=True)

    def close(self) -> None:
        """Take the bar away."""


class _Bar(Progress):
    """Count octets, and draw now and then."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._gone = 0

    def advance(self, octets: int) -> None:
        self._gone += octets
        if self._gone >= self._step:
            self.draw(self._gone)
            self._gone = 0

    def draw(self, octets: int) -> None:
        """Move the bar."""
        raise NotImplementedError


class _RichBar(_Bar):
    def __init__(self, total: int | None, step: int) -> None:
        from rich.console import Console  # noqa: PLC0415 - an extra, and slow to import
        from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, TimeRemainingColumn  # noqa: PLC0415
        from rich.progress import Progress as RichProgress  # noqa: PLC0415 - the same

        super().__init__(step)
        self._rich = RichProgress(
            BarColumn(),
            MofNCompleteColumn() if step == 1 else DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            # The answers go where they are sent, not through the bar.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._rich.add_task("", total=total)
        self._rich.start()

    def draw(self, octets: int) -> None:
        self._rich.advance(self._task, octets)

    def say(self, line: str) -> None:
        sys.stdout.flush()
        self._rich.console.print(shown(line), markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        self._rich.stop()


class _PlainBar(_Bar):
    def __init__(self, total: int, step: int) -> None:
        super().__init__(step)
        self._bar: Any = click.progressbar(length=total, file=sys.stderr)
        self._bar.__enter__()

    def draw(self, octets: int) -> None:
        self._bar.update(octets)

    def say(self, line: str) -> None:
        click.echo("\r\x1b[K", nl=False, err=True)
        super().say(line)

    def close(self) -> None:
        self._bar.__exit__(None, None, None)


def progress_over(stream: BinaryIO | None, *, wanted: bool) -> Progress:
    """Give what shows the progress over a list, or a Progress that shows nothing.

    Args:
        stream: the list, or None where there is none.
        wanted: whether standard output leaves the terminal free.
    """
    if stream is None or not wanted or not is_terminal(sys.stderr) or stream.isatty():
        return Progress()
    return _bar(_size_of(stream), _STEP_OCTETS)


def progress_of(total: int, *, wanted: bool) -> Progress:
    """Give what shows how many of `total` things are done; one alone needs no bar."""
    return _bar(total, 1) if wanted and total > 1 and is_terminal(sys.stderr) else Progress()


def _bar(total: int | None, step: int) -> Progress:
    try:
        return _RichBar(total, step)
    except ImportError:
        return Progress() if total is None else _PlainBar(total, step)


def _size_of(stream: BinaryIO) -> int | None:
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
