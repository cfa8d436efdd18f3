"""Read and decode a response body incrementally, up to one byte past the size limit. All transports use this module.

gzip and deflate are always available. br and zstd need a library that can limit its output. The output of a decoder is
bounded, so a decompression bomb is never expanded.

Names that are not a coding, such as `none`, `utf-8` and `aws-chunked`, are ignored, and so are bytes after a gzip or
deflate stream, as Chromium does in both cases. Failures would close whole sites whose files every browser shows.

Source: RFC 9110 section 8.4.1; RFC 1950 to 1952; RFC 7932; RFC 8878, and RFC 9659 for its window size. The registry of
content codings of IANA. Chromium's `net/filter`, for what browsers accept.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final, Protocol

from canfetch.access.responses import FailureKind, Headers, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.local_errors import is_local_error
from canfetch.client.transports.turns import call_off_loop

# Encoded data is almost always shorter than its content. The limit stops servers that send data without content, such
# as empty blocks or empty gzip members.
_ENCODED_BYTES_FACTOR: Final = 2
_ENCODED_BYTES_ALLOWANCE: Final = 65_536
# Some decoders copy their unused input, which is quadratic in the size of a step.
_STEP_BYTES: Final = 16_384
# They are decoded in a few milliseconds.
_QUICK_BYTES: Final = 1 << 20
# An event loop reads so many pieces of a body before other tasks get a turn.
_PIECES_AT_A_TIME: Final = 64
# A member of gzip or a frame of zstd takes about ten bytes at least, and as much time as kilobytes of content. Servers
# send one, or one for each part of a large file.
_MAX_MEMBERS: Final = 10_000
_GZIP_WBITS: Final = 16 + zlib.MAX_WBITS
# RFC 9659: decoders need not support larger windows, and encoders for the web must not use them.
_ZSTD_WINDOW_BYTES: Final = 1 << 23
_SUCCESS: Final = 2
# The codings that IANA has registered. Bodies with one of them cannot be read without its decoder.
_REGISTERED: Final = frozenset(
    {
        "aes128gcm",
        "br",
        "compress",
        "dcb",
        "dcz",
        "deflate",
        "exi",
        "gzip",
        "pack200-gzip",
        "x-compress",
        "x-gzip",
        "zstd",
    }
)
# Browsers have no limit, and servers do not have more than two.
_MAX_CODINGS: Final = 4
_GZIP_MAGIC: Final = b"\x1f\x8b"


class Decoder(Protocol):
    """An incremental decoder of one content coding."""

    @property
    def finished(self) -> bool:
        """Whether the data so far is a complete stream."""
        ...

    def decode(self, data: bytes, limit: int) -> bytes:
        """Decode the next bytes. Output past `limit` bytes may be dropped.

        Raises: TransportError: ENCODING if `data` is invalid.
        """
        ...


class BodyDecoder:
    """Decodes the body of one response.

    Args:
        headers: Headers of the response. Content-Encoding names the coding.
        max_bytes: Size limit of the decoded body. Decoding stops one byte past it.
    Cost: Memory for the limit and a small multiple of 128 KiB; time linear in the data received.
    """

    def __init__(self, headers: Headers, max_bytes: int) -> None:
        self._max_decoded = max_bytes + 1
        self._max_encoded = _ENCODED_BYTES_FACTOR * self._max_decoded + _ENCODED_BYTES_ALLOWANCE
        self._decoder = _find_decoder(headers, self._max_encoded)
        self._encoded = 0
        self._decoded = bytearray()

    @property
    def full(self) -> bool:
        """Whether the body exceeds the limit, so that no more data is needed."""
        return len(self._decoded) >= self._max_decoded

    @property
    def is_supported(self) -> bool:
        """Whether the codings can be decoded. If not, only an empty body can be read."""
        return not isinstance(self._decoder, UnsupportedDecoder)

    @property
    def is_slow(self) -> bool:
        """Whether to decode a few bytes can take long enough to hold up an event loop."""
        return self._max_decoded > _QUICK_BYTES and not isinstance(self._decoder, IdentityDecoder | TextDecoder)

    @property
    def decoded(self) -> bytes:
        """The body as far as it was fed and decoded."""
        return bytes(self._decoded)

    @property
    def is_finished(self) -> bool:
        """Whether the data that was fed is complete in its coding."""
        return self._decoder.finished

    def feed(self, data: bytes) -> None:
        """Decode the next bytes of the body as received.

        Raises: TransportError: ENCODING if they are invalid in their coding, a coding is unsupported, or there are more
            than four.
        """
        for start in range(0, len(data), _STEP_BYTES):
            if self.full:
                return
            step = data[start : start + _STEP_BYTES]
            self._encoded += len(step)
            self._decoded += self._decoder.decode(step, self._max_decoded - len(self._decoded))
            if self._encoded > self._max_encoded and not self.full:
                raise TransportError(
                    FailureKind.ENCODING, f"{self._encoded} encoded bytes contain only {len(self._decoded)} bytes"
                )

    def finish(self) -> bytes:
        """Return the decoded body after the last byte was fed.

        Raises: TransportError: INCOMPLETE if the encoded data is truncated.
        """
        if not self.full and self._encoded and not self._decoder.finished:
            raise TransportError(FailureKind.INCOMPLETE, "encoded body is truncated")
        return bytes(self._decoded)


def _find_decoder(headers: Headers, max_encoded: int) -> Decoder:
    value = ",".join([value for name, value in headers if name.lower() == "content-encoding"])
    codings = [part.strip().lower() for part in value.split(",")] if value else []
    # `gzip;q=1` is an invalid form of a name that is registered.
    codings = [coding for coding in codings if coding.partition(";")[0].strip() in _REGISTERED]
    if not codings:
        return IdentityDecoder() if value.strip().lower() in {"", "identity"} else TextDecoder(value)
    if len(codings) > _MAX_CODINGS:
        return UnsupportedDecoder(f"more than {_MAX_CODINGS} content codings: {value[:100]}")
    decoders = []
    # RFC 9110 section 8.4: they are listed in the order in which they were applied.
    for coding in reversed(codings):
        # RFC 9110 section 8.4.1.3: x-gzip is an alias of gzip.
        decoder = available_codings().get("gzip" if coding == "x-gzip" else coding)
        if decoder is None:
            return UnsupportedDecoder(f"unsupported content coding: {value[:100]}")
        decoders.append(decoder())
    return decoders[0] if len(decoders) == 1 else ChainDecoder(decoders, max_encoded)


@cache
def accept_encoding() -> str:
    """Return the value of Accept-Encoding: the codings that can be decoded."""
    return ", ".join(available_codings())


@cache
def available_codings() -> dict[str, Callable[[], Decoder]]:
    """Return the decoders that are available, by the name of the coding, in the order of Accept-Encoding.

    Cost: Imports the installed libraries, once.
    """
    decoders: dict[str, Callable[[], Decoder]] = {"gzip": GzipDecoder, "deflate": DeflateDecoder}
    brotli = _find_brotli()
    if brotli is not None:
        decoders["br"] = lambda: BrotliDecoder(brotli)
    zstd = _find_zstd()
    if zstd is not None:
        decoders["zstd"] = zstd
    return decoders


class IdentityDecoder:
    """The decoder for content without a coding."""

    finished = True

    def decode(self, data: bytes, limit: int) -> bytes:
        """Return `data` up to `limit`."""
        return data[:limit]


class UnsupportedDecoder:
    """The decoder for codings that cannot be decoded. A body of no bytes is empty in every coding.

    Args: reason: Why they cannot be decoded.
    """

    finished = True

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def decode(self, data: bytes, limit: int) -> bytes:  # noqa: ARG002 - as other decoders
        """Raises: TransportError: ENCODING."""
        raise TransportError(FailureKind.ENCODING, self._reason)


class TextDecoder:
    """The decoder for content whose coding has no registered name: text, or else something that cannot be decoded.

    Args: name: The name.
    """

    finished = True

    def __init__(self, name: str) -> None:
        self._name = name

    def decode(self, data: bytes, limit: int) -> bytes:
        """Return `data` up to `limit`.

        Raises: TransportError: ENCODING if it contains a null byte.
        """
        if b"\0" in data:
            raise TransportError(FailureKind.ENCODING, f"unsupported content coding: {self._name[:100]}")
        return data[:limit]


class ChainDecoder:
    """The decoder for content with several codings, such as `gzip, gzip` of a server behind a proxy that compresses.

    Args:
        decoders: The decoders, the first one that is needed first.
        max_bytes: Limit of the bytes between two decoders, so that a bomb within a bomb is not expanded.
    """

    def __init__(self, decoders: Sequence[Decoder], max_bytes: int) -> None:
        self._decoders = decoders
        self._left = [max_bytes] * (len(decoders) - 1)

    @property
    def finished(self) -> bool:
        """Whether the data so far is a complete stream of each coding."""
        return all(decoder.finished for decoder in self._decoders)

    def decode(self, data: bytes, limit: int) -> bytes:
        """Decode the next bytes.

        Raises: TransportError: ENCODING if they are invalid, or too many between two decoders.
        """
        for index, decoder in enumerate(self._decoders[:-1]):
            data = decoder.decode(data, self._left[index] + 1)
            self._left[index] -= len(data)
            if self._left[index] < 0:
                raise TransportError(FailureKind.ENCODING, "too many bytes between two content codings")
        return self._decoders[-1].decode(data, limit)


class GzipDecoder:
    """gzip. Several members may follow each other. What follows the last one is ignored, as the gzip program does."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_WBITS)
        # The start of what follows a member, until it shows whether that is another one.
        self._next = b""
        self._is_over = False
        self._members = 1
        self.finished = False

    def decode(self, data: bytes, limit: int) -> bytes:
        """Decode the next bytes."""
        out = b""
        while data and len(out) < limit and not self._is_over:
            if self._stream.eof:
                data, self._next = self._next + data, b""
                if not data.startswith(_GZIP_MAGIC):
                    self._is_over = not _GZIP_MAGIC.startswith(data)
                    self._next = data[:1]
                    break
                self._stream = zlib.decompressobj(_GZIP_WBITS)
                self._members = _next_member(self._members)
            out += _inflate(self._stream, data, limit - len(out))
            self.finished = self._stream.eof
            data = self._stream.unused_data
        return out


class DeflateDecoder:
    """deflate: the zlib format of the standard, or a raw deflate stream as some servers send it.

    What follows the stream is ignored.
    """

    def __init__(self) -> None:
        self._head = b""
        self._stream: zlib._Decompress | None = None

    @property
    def finished(self) -> bool:
        """Whether the stream is complete."""
        return self._stream is not None and self._stream.eof

    def decode(self, data: bytes, limit: int) -> bytes:
        """Decode the next bytes."""
        if self._stream is None:
            self._head += data
            if len(self._head) < 2:
                return b""
            data, self._head = self._head, b""
            has_zlib_header = data[0] & 15 == 8 and int.from_bytes(data[:2]) % 31 == 0
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if has_zlib_header else -zlib.MAX_WBITS)
        elif self._stream.eof:
            return b""
        return _inflate(self._stream, data, limit)


class BrotliDecoder:
    """br."""

    def __init__(self, module: Any) -> None:
        self._error: type[Exception] = module.error
        self._stream: Any = module.Decompressor()
        self.finished = False

    def decode(self, data: bytes, limit: int) -> bytes:
        """Decode the next bytes."""
        try:
            out: bytes = self._stream.process(data, output_buffer_limit=limit)
            while len(out) < limit and not self._stream.can_accept_more_data():
                out += self._stream.process(b"", output_buffer_limit=limit - len(out))
            self.finished = self._stream.is_finished()
        except self._error as error:
            raise TransportError(FailureKind.ENCODING, f"br: {error}") from None
        return out[:limit]


class ZstandardDecoder:
    """zstd by the `zstandard` library, which cannot limit its output and therefore gets little input at a time.

    A block takes at least 4 bytes and decodes to at most 128 KiB, so one step produces at most five blocks.
    """

    _STEP_BYTES: Final = 16

    def __init__(self, module: Any) -> None:
        self._error: type[Exception] = module.ZstdError
        self._decompressor: Any = module.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
        self._stream: Any = self._decompressor.decompressobj()
        self._members = 1
        self.finished = False

    def decode(self, data: bytes, limit: int) -> bytes:
        """Decode the next bytes."""
        out: list[bytes] = []
        length = 0
        for start in range(0, len(data), self._STEP_BYTES):
            step = data[start : start + self._STEP_BYTES]
            while step:
                if self._stream.eof:
                    self._stream = self._decompressor.decompressobj()
                    self._members = _next_member(self._members)
                try:
                    out.append(self._stream.decompress(step))
                except self._error as error:
                    raise TransportError(FailureKind.ENCODING, f"zstd: {error}") from None
                length += len(out[-1])
                self.finished = self._stream.eof
                step = self._stream.unused_data if self.finished else b""
            if length >= limit:
                break
        return b"".join(out)[:limit]


class StdlibZstdDecoder:
    """zstd by the standard library of Python 3.14 and later, or its backport."""

    def __init__(self, module: Any) -> None:
        self._error: type[Exception] = module.ZstdError
        options = {module.DecompressionParameter.window_log_max: _ZSTD_WINDOW_BYTES.bit_length() - 1}
        self._new_stream: Callable[[], Any] = lambda: module.ZstdDecompressor(options=options)
        self._stream = self._new_stream()
        self._members = 1
        self.finished = False

    def decode(self, data: bytes, limit: int) -> bytes:
        """Decode the next bytes."""
        out = b""
        while data and len(out) < limit:
            if self._stream.eof:
                self._stream = self._new_stream()
                self._members = _next_member(self._members)
            try:
                out += self._stream.decompress(data, limit - len(out))
            except self._error as error:
                raise TransportError(FailureKind.ENCODING, f"zstd: {error}") from None
            self.finished = self._stream.eof
            data = self._stream.unused_data if self.finished else b""
        return out


def _next_member(number: int) -> int:
    """Return the number of the next member of a stream.

    Raises: TransportError: ENCODING if there are too many.
    """
    if number >= _MAX_MEMBERS:
        raise TransportError(FailureKind.ENCODING, f"more than {_MAX_MEMBERS} members in one body")
    return number + 1


def _inflate(stream: "zlib._Decompress", data: bytes, limit: int) -> bytes:
    try:
        return stream.decompress(data, limit)
    except zlib.error as error:
        raise TransportError(FailureKind.ENCODING, str(error)) from None


def _find_brotli() -> Any | None:
    for name in ("brotli", "brotlicffi"):
        try:
            module = import_module(name)
            # Versions before 1.2 cannot limit their output.
            module.Decompressor().process(b"", output_buffer_limit=1)
        except (ImportError, TypeError, AttributeError) as error:
            _check_missing(error)
            continue
        return module
    return None


def _find_zstd() -> Callable[[], Decoder] | None:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            module = import_module(name)
        except ImportError as error:
            _check_missing(error)
            continue
        return lambda: StdlibZstdDecoder(module)
    try:
        zstandard = import_module("zstandard")
    except ImportError as error:
        _check_missing(error)
        return None
    return lambda: ZstandardDecoder(zstandard)


def _check_missing(error: Exception) -> None:
    """Raise the error of a library that is installed, and cannot be imported now. The next request tries again."""
    if is_local_error(error):
        raise error


class ResponseBuilder:
    """A response whose body is still being read.

    Args:
        is_decoded: Whether the body is decoded before it is fed.
    Raises: TransportError: PROTOCOL if `status` is not the status of a final response.
    """

    def __init__(self, request: TransportRequest, status: int, headers: Headers, *, is_decoded: bool = False) -> None:
        if not 200 <= status <= 999:
            raise TransportError(FailureKind.PROTOCOL, f"invalid status {status}")
        self._request = request
        self._status = status
        self._headers = headers
        self._body = (
            BodyDecoder(() if is_decoded else headers, request.max_bytes) if status // 100 == _SUCCESS else None
        )
        self._pieces = 0

    @property
    def needs_data(self) -> bool:
        """Whether more of the body has to be read."""
        return self._body is not None and not self._body.full

    @property
    def is_slow(self) -> bool:
        """Whether `feed` can take long enough to hold up an event loop."""
        return self._body is not None and self._body.is_slow

    def feed(self, data: bytes) -> None:
        """Add the next bytes of the body as received."""
        if self._body is not None:
            self._body.feed(data)

    async def feed_async(self, data: bytes) -> None:
        """Add the next bytes of the body as received, while other tasks of the event loop get turns."""
        self._pieces += 1
        if self.is_slow:
            await call_off_loop(lambda: self.feed(data))
            return
        self.feed(data)
        if self._pieces % _PIECES_AT_A_TIME == 0:
            await asyncio.sleep(0)

    def read(self, chunks: Iterator[bytes]) -> Response:
        """Read as much of the body as needed, and return the response."""
        while self.needs_data:
            chunk = next(chunks, None)
            if chunk is None:
                break
            self.feed(chunk)
        return self.build()

    async def read_async(self, chunks: AsyncIterator[bytes]) -> Response:
        """Read as much of the body as needed, and return the response."""
        while self.needs_data:
            chunk = await anext(chunks, None)
            if chunk is None:
                break
            await self.feed_async(chunk)
        return self.build()

    def build(self) -> Response:
        """Return the response, after its body was fed.

        Raises: TransportError: INCOMPLETE if the encoded body is truncated.
        """
        body = b"" if self._body is None else self._body.finish()
        return Response(self._request.url, self._status, self._headers, body)
