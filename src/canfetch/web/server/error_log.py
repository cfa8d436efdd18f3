"""Logging to standard error. A server does not wait for it: if nothing read the pipe, no request would be answered."""

import logging
import select
import sys
import time
from typing import Final, TextIO

# How long a message waits for the reader of a full pipe. Those that follow do not wait.
_WAIT_SECONDS: Final = 0.2
# What a pipe takes at once if it takes anything. A character has four bytes at most.
_PART_CHARACTERS: Final = getattr(select, "PIPE_BUF", 512) // 4


class ErrorLogHandler(logging.StreamHandler[TextIO]):
    """Logs to standard error. While that is a full pipe, messages are dropped, and their number is logged afterwards.

    Args: stream: The stream. Default: standard error.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__(stream)
        self._dropped = 0
        # What ends the line before the next message.
        self._start = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message as far as the stream takes it in time."""
        try:
            text = self.format(record) + self.terminator
            if self._dropped:
                text = f"{self._start}dropped messages, because standard error was not read: {self._dropped}\n{text}"
            give_up_at = time.monotonic() + (0.0 if self._dropped else _WAIT_SECONDS)
            for start in range(0, len(text), _PART_CHARACTERS):
                if not self._is_writable(max(0.0, give_up_at - time.monotonic())):
                    self._dropped += 1
                    return
                self.stream.write(text[start : start + _PART_CHARACTERS])
                self.flush()
                # Of a message that is cut.
                self._start = "\n"
            self._dropped, self._start = 0, ""
        except Exception:  # noqa: BLE001 - as in all handlers
            self.handleError(record)

    def _is_writable(self, seconds: float) -> bool:
        """Return whether the stream takes a part, and wait for that at most for some seconds."""
        if sys.platform == "win32":
            return True
        try:
            return bool(select.select([], [self.stream], [], seconds)[1])
        except (OSError, TypeError, ValueError):
            # It is closed, or has no descriptor.
            return True
