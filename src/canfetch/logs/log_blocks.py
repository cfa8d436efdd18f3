"""The lines of a log in large blocks, decompressed on the way, and the rows that all formats read them into."""

import codecs
import io
import re
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, Final, Literal, NamedTuple

from canfetch.agents.identity import SignedRequest
from canfetch.errors import MissingExtra

BLOCK_BYTES: Final = 1 << 18
# Longer than any line that a server writes: request lines and headers are limited to 8 or 16 KiB each.
MAX_LINE_BYTES: Final = 1 << 17
_GZIP: Final = b"\x1f\x8b"
_GZIP_WBITS: Final = 16 + zlib.MAX_WBITS
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
# The first frame can be one to skip, as those that pzstd writes.
_ZSTD_SKIPPED: Final = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_PACKAGES: Final = ("compression.zstd", "backports.zstd", "zstandard")
# Compressed bytes that are decompressed at once. They produce at most 8 MiB with gzip, and 16 MiB with zstd.
_GZIP_STEP_BYTES: Final = 8192
_ZSTD_STEP_BYTES: Final = 512
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

    Raises: OSError: After the lines before the fault, the log cannot be read, or its compressed data is damaged or cut.
        MissingExtra: No library for zstd is installed.
    Cost: O(bytes); about 512 KiB are in memory, and what a step of decompression produces.
    """
    return _split(decompressed(stream))


def decompressed(stream: BinaryIO) -> "io.BufferedReader[Any]":
    """Return a stream of the content of a file. gzip and zstd are recognised by their first bytes.

    Raises: MissingExtra: No library for zstd is installed. When it is read, OSError: the compressed data is damaged or
        cut. `read1` and `readline` return what is before the fault.
    """
    start = stream.read(len(_ZSTD))
    raw: io.RawIOBase = _Rejoined(start, stream)
    if start.startswith(_GZIP):
        raw = _Members(raw, lambda: zlib.decompressobj(_GZIP_WBITS), zlib.error, _GZIP_STEP_BYTES, padding=b"\0")
    elif start == _ZSTD or _ZSTD_SKIPPED.fullmatch(start):
        raw = _Members(raw, *_find_zstd(), _ZSTD_STEP_BYTES)
    return io.BufferedReader(raw, BLOCK_BYTES)


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


class _Members(io.RawIOBase):
    """The content of a compressed stream of one or more members, which are called frames in zstd.

    Args:
        new_decoder: Returns a decoder of a member, with the attributes of `zlib.decompressobj`.
        error: The error of a decoder for damaged data.
        step: The bytes that are decompressed at once.
        padding: Bytes that are skipped after a member.
    """

    def __init__(
        self,
        stream: io.RawIOBase,
        new_decoder: Callable[[], Any],
        error: type[Exception],
        step: int,
        *,
        padding: bytes = b"",
    ) -> None:
        self._stream = io.BufferedReader(stream)
        self._new_decoder = new_decoder
        self._error = error
        self._step = step
        self._padding = padding
        # None between members.
        self._decoder: Any = None
        self._rest = b""
        self._content = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._content and (data := self._rest or self._stream.read1(self._step)):
            self._decompress(data)
        if not self._content and self._decoder is not None:
            raise OSError("damaged compressed data: it ends before the end of a member")
        part, self._content = self._content[: len(buffer)], self._content[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def _decompress(self, data: bytes) -> None:
        self._rest = b""
        if self._decoder is None:
            data = data.lstrip(self._padding) if self._padding else data
            if not data:
                return
            self._decoder = self._new_decoder()
        try:
            self._content = memoryview(self._decoder.decompress(data))
        except self._error as error:
            raise OSError(f"damaged compressed data: {error}") from None
        if self._decoder.eof:
            self._rest = self._decoder.unused_data
            self._decoder = None


def _read_chunks(stream: "io.BufferedReader[Any]") -> Iterator[bytes]:
    """Yield the content in chunks of a block. If the stream cannot be read to its end, yield what is before that."""
    error: OSError | None = None
    data = b"-"
    while data and error is None:
        chunk = bytearray()
        try:
            while len(chunk) < BLOCK_BYTES and (data := stream.read1(BLOCK_BYTES - len(chunk))):
                chunk += data
        except OSError as found:
            error = found
        if chunk:
            yield bytes(chunk)
    if error is not None:
        raise error


def _split(stream: "io.BufferedReader[Any]") -> Iterator[Block]:
    pending = b""
    is_skipping = False
    is_start = True
    for chunk in _read_chunks(stream):
        data = chunk
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


def _find_zstd() -> tuple[Callable[[], Any], type[Exception]]:
    for name in _PACKAGES:
        try:
            module: Any = import_module(name)
        except ImportError:
            continue
        if hasattr(module, "ZstdFile"):
            return module.ZstdDecompressor, module.ZstdError
        return module.ZstdDecompressor().decompressobj, module.ZstdError
    raise MissingExtra("logs compressed with zstd require canfetch[http]: pip install 'canfetch[http]'")


def bad_row(line: bytes) -> Row:
    """Return the row of a line that could not be read."""
    return (b"", b"", b"", b"", b"", b"", line, b"")
