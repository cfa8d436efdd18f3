"""SIGTERM during the start of a server, which takes a second, and before the server handles the signal itself."""

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

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


def _end(*_: object) -> NoReturn:
    os._exit(EXIT_OK)
