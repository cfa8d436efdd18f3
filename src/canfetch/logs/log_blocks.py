"""The lines of a log in large blocks, decompressed on the way, and the rows that all formats read them into."""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import IO, Any, BinaryIO, Final, Literal, NamedTuple

from canfetch.agents.identity import SignedRequest
from canfetch.errors import MissingExtra

BLOCK_BYTES: Final = 1 << 18
# Longer than any line that a server writes: request lines and headers are limited to 8 or 16 KiB each.
MAX_LINE_BYTES: Final = 1 << 17
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_LONG_LINE_PREFIX_BYTES: Final = 200

# A row is a plain tuple, because a log has millions of them: the host, the client's address, the time as the log writes
# it, the target or URL, the status, the User-Agent header, a line that could not be read, and the request if it is
# signed and the log has its signature. If there is a line that could not be read, all others are empty. A blank line
# is a row whose elements are all empty.
Row = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, SignedRequest | Literal[b""]]


class Block(NamedTuple):
    """Whole lines of a log.

    Attributes:
        lines: The lines, separated by a newline, without one at the end.
        too_long: Whether this is the start of a single line that was too long, whose rest is skipped.
    """

    lines: bytes
    too_long: bool = False


def read_blocks(stream: BinaryIO) -> Iterator[Block]:
    """Yield the lines of a log. gzip and zstd are recognised by their first bytes and decompressed.

    A byte order mark at the start is skipped, and so are NUL bytes. If a log is truncated, servers that do not append
    leave them there.

    Raises: OSError: The log cannot be read, or its compressed data is damaged or cut. MissingExtra: No library for
        zstd is installed.
    Cost: O(bytes); about 512 KiB are in memory.
    """
    with decompressed(stream) as opened:
        yield from _split(opened)


@contextmanager
def decompressed(stream: BinaryIO) -> Iterator["io.BufferedReader[Any]"]:
    """Return a stream of the content of a file. gzip and zstd are recognised by their first bytes.

    Raises: OSError: In the context, the compressed data is damaged or cut. MissingExtra: No library for zstd is
        installed.
    """
    start = stream.read(len(_ZSTD))
    whole = io.BufferedReader(_Rejoined(start, stream), BLOCK_BYTES)
    opened, errors = _open(whole, start)
    try:
        yield opened if opened is whole else io.BufferedReader(opened, BLOCK_BYTES)
    except errors as error:
        raise OSError(f"damaged compressed data: {error}") from None


class _Rejoined(io.RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, start: bytes, stream: BinaryIO) -> None:
        self._start = start
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._start or self._stream.read(len(buffer))
        self._start = b""
        buffer[: len(data)] = data
        return len(data)


def _split(stream: IO[bytes]) -> Iterator[Block]:
    pending = b""
    is_skipping = False
    is_start = True
    while data := stream.read(BLOCK_BYTES):
        if is_start:
            data = data.removeprefix(codecs.BOM_UTF8).lstrip(b"\0")
            is_start = not data
        if is_skipping:
            _, newline, data = data.partition(b"\n")
            is_skipping = not newline
        lines, newline, rest = data.rpartition(b"\n")
        if newline:
            yield Block(pending + lines)
            pending = rest
        else:
            pending += rest
        if len(pending) > MAX_LINE_BYTES:
            yield Block(pending[:_LONG_LINE_PREFIX_BYTES], too_long=True)
            pending, is_skipping = b"", True
    if pending:
        yield Block(pending)


def _open(stream: Any, start: bytes) -> tuple[Any, tuple[type[Exception], ...]]:
    """Return the decompressed stream, and the errors of damaged data other than OSError."""
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=stream), (EOFError, zlib.error)
    if start == _ZSTD:
        return _open_zstd(stream)
    return stream, ()


def _open_zstd(stream: Any) -> tuple[Any, tuple[type[Exception], ...]]:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            module: Any = import_module(name)
        except ImportError:
            continue
        return module.ZstdFile(stream), (EOFError, module.ZstdError)
    try:
        module = import_module("zstandard")
    except ImportError:
        raise MissingExtra("logs compressed with zstd require canfetch[http]: pip install 'canfetch[http]'") from None
    return module.ZstdDecompressor().stream_reader(stream, read_across_frames=True), (EOFError, module.ZstdError)


def bad_row(line: bytes) -> Row:
    """Return the row of a line that could not be read."""
    return (b"", b"", b"", b"", b"", b"", line, b"")
