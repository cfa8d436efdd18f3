"""SIGTERM during the start of a server, before the server handles the signal itself, and during a run."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from canfetch.cli.shared.command_errors import EXIT_OK


def exit_at_sigterm() -> None:
    """Exit with 0 at SIGTERM from now on."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_OK))


def call_at_sigterm(function: Callable[[], object]) -> None:
    """Call a function at the next SIGTERM, and exit with 0 at the one after it."""

    def call(*_: object) -> None:
        signal.signal(signal.SIGTERM, _end)
        function()

    signal.signal(signal.SIGTERM, call)


@contextmanager
def called_before_end(function: Callable[[], object]) -> Iterator[None]:
    """Call a function when SIGTERM ends the process within the block."""

    def end(*_: object) -> None:
        function()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)

    previous: Any = signal.SIG_DFL
    # Only the main thread can handle signals.
    with suppress(ValueError):
        previous = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        with suppress(ValueError):
            signal.signal(signal.SIGTERM, previous)


def _end(*_: object) -> NoReturn:
    os._exit(EXIT_OK)
