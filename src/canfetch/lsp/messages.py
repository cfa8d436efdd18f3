"""Messages of the Language Server Protocol on byte streams: reading them in a thread, and writing them.

Source: Language Server Protocol 3.17, "Base Protocol".
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

# The largest message that is read. Editors send a whole document at most.
MAX_MESSAGE_BYTES: Final = 128 << 20
_MAX_HEADER_BYTES: Final = 8192
_MAX_LENGTH_DIGITS: Final = 18
_CHUNK_BYTES: Final = 1 << 20


def read_messages(stream: BinaryIO, max_bytes: int = MAX_MESSAGE_BYTES) -> Iterator[bytes]:
    """Yield the body of each message until the stream ends. That of a message that is too long is empty.

    Lines before a valid `Content-Length` header are skipped.
    """
    while (length := _read_header(stream)) is not None:
        if length > max_bytes:
            if not _skip(stream, length):
                return
            yield b""
            continue
        body = stream.read(length)
        if len(body) < length:
            return
        yield body


def _read_header(stream: BinaryIO) -> int | None:
    """Return the length of the next message, or None at the end of the stream."""
    length: int | None = None
    while line := stream.readline(_MAX_HEADER_BYTES):
        name, colon, value = line.partition(b":")
        if not line.strip():
            if length is not None:
                return length
        elif colon and name.strip().lower() == b"content-length":
            digits = value.strip()
            length = int(digits) if digits.isdigit() and len(digits) <= _MAX_LENGTH_DIGITS else None
    return None


def _skip(stream: BinaryIO, length: int) -> bool:
    while length:
        chunk = stream.read(min(length, _CHUNK_BYTES))
        if not chunk:
            return False
        length -= len(chunk)
    return True


class MessageWriter:
    """Writes messages to a stream. If the stream is closed, they are dropped.

    Args:
        stream: The stream.
        on_close: Called when a message cannot be written, because the editor has gone.
    """

    def __init__(self, stream: BinaryIO, on_close: Callable[[], None]) -> None:
        self._stream = stream
        self._on_close = on_close

    def write(self, data: bytes) -> None:
        """Write a message."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            self._on_close()

    def close(self) -> None:
        """Do nothing: the stream belongs to the process."""
