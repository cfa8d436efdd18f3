"""The log of the client on standard error: its warnings, and everything else with `--verbose`."""

import logging
from collections.abc import Callable
from typing import Final

from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.client.loggers import FETCH_LOGGER, LOGGER
from canfetch.client.stores.locations import restore_scheme

# By the number of -v.
_LEVELS: Final = (logging.WARNING, logging.INFO, logging.DEBUG)


class LogOutput:
    """Writes the log until it is closed. The base class of what `open_log_output` returns, which writes nothing."""

    def close(self) -> None:
        """Stop writing."""


def open_log_output(print_line: Callable[[str], None], options: NetworkOptions) -> LogOutput:
    """Write the log of the client, at the level that the options select.

    Answers show failed fetches anyway, so without `--verbose` they are not written.

    Args: print_line: Writes a line to standard error.
    Returns: The output. It writes nothing if another output is open, so that no line appears twice.
    """
    if any(isinstance(handler, _Handler) for handler in LOGGER.handlers):
        return LogOutput()
    return _OpenOutput(_Handler(print_line, options))


class _OpenOutput(LogOutput):
    def __init__(self, handler: "_Handler") -> None:
        self._handler = handler
        self._previous_level = LOGGER.level
        LOGGER.addHandler(handler)
        LOGGER.setLevel(handler.level)

    def close(self) -> None:
        LOGGER.removeHandler(self._handler)
        LOGGER.setLevel(self._previous_level)


class _Handler(logging.Handler):
    def __init__(self, print_line: Callable[[str], None], options: NetworkOptions) -> None:
        super().__init__(_LEVELS[min(options.verbose, len(_LEVELS) - 1)])
        self._print_line = print_line
        self._store = options.store
        if not options.verbose:
            self.addFilter(lambda record: record.name != FETCH_LOGGER.name)

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        self._print_line(f"canfetch: {restore_scheme(record.getMessage(), self._store)}")
