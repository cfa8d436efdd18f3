"""The options `--history` and `--at`, and the answers of a history as of a date."""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Self

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.network_options import reject_network_options
from canfetch.cli.shared.single_value_option import Option
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError

if TYPE_CHECKING:
    from datetime import datetime

    from canfetch.client.watch import WatchHistory

DEFAULT_HISTORY: Final = "robots-history.sqlite3"


def history_option() -> Option:
    """Return `--history` for commands that always have a history."""
    return Option(
        ["--history"],
        metavar="FILE",
        default=DEFAULT_HISTORY,
        help="SQLite file with all versions. Several processes can share it.",
    )


def past_options() -> Iterator[Option]:
    """Yield `--at` and `--history` for commands that can answer as of a date."""
    yield Option(
        ["--at"],
        metavar="TIME",
        help="Decide by the robots.txt that was known at this time, such as 2026-03-01 or 2026-03-01T12:00:00Z, in UTC "
        "without a zone. Nothing is fetched.",
    )
    yield Option(
        ["--history"],
        metavar="FILE",
        help=f"File of 'canfetch watch' for --at.  [default: {DEFAULT_HISTORY}]",
    )


class PastHistory:
    """A history, and the time of `--at`. Use it as a context manager.

    Args:
        at: The value of `--at`.
        path: The value of `--history`, or None for the default.
        warn: Writes a line to standard error, or None without warnings.
    Raises: CommandError: The time is invalid, the history cannot be opened, or an option of requests has no effect.
    """

    def __init__(self, at: str, path: str | None, *, warn: Callable[[str], None] | None) -> None:
        reject_network_options("--at")
        self.at = parse_time(at)
        if warn is not None and self.at.timestamp() > time.time():
            warn(f"canfetch: warning: --at {quoted(at)} is in the future: the last known copy decides")
        self.history = open_history(DEFAULT_HISTORY if path is None else path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the history."""
        self.history.close()


def open_history(path: str) -> "WatchHistory":
    """Open a history for reading.

    Raises: CommandError: It does not exist, or cannot be read.
    """
    from pathlib import Path  # noqa: PLC0415 - commands without a history start faster

    from canfetch.client.watch import WatchHistory  # noqa: PLC0415 - as above

    if not Path(path).exists():
        raise CommandError(f"--history {quoted(path)} does not exist: 'canfetch watch' creates it")
    try:
        return WatchHistory(Path(path), read_only=True)
    except StoreError as error:
        raise CommandError(f"--history {error}") from None


def open_past(
    at: str | None, path: str | None, others: Iterator[str], *, warn: Callable[[str], None] | None
) -> PastHistory | None:
    """Return the history that the options select, or None without `--at`.

    Args:
        others: The options in use that select other files.
        warn: Writes a line to standard error, or None without warnings.
    Raises: CommandError.
    """
    if at is None:
        if path is not None:
            raise CommandError("--history requires --at TIME")
        return None
    other = next(others, None)
    if other is not None:
        raise CommandError(f"--at and {other} cannot be used together")
    return PastHistory(at, path, warn=warn)


def parse_time(text: str) -> "datetime":
    """Return the time of `--at`.

    Raises: CommandError: It is invalid.
    """
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415 - as above

    from canfetch.pages.dates import parse_date  # noqa: PLC0415 - for --at only

    seconds = parse_date(text)
    if seconds is None:
        raise CommandError(f"invalid --at {quoted(text)}: expected a time such as 2026-03-01 or 2026-03-01T12:00:00Z")
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except OverflowError:
        raise CommandError(f"invalid --at {quoted(text)}: expected a year from 1 to 9999") from None
