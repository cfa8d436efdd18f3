"""Content codings, undone piece by piece and never further than asked: a bomb stays folded.

gzip and deflate are always there; br and zstd where a decoder that can stop half-way is installed.

Source: RFC 9110 section 8.4.1; RFC 1950 to 1952; RFC 7932; RFC 8878, and RFC 9659 for its window.
"""

import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final, Protocol

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failing import Failed


class Coding(Protocol):
    """One coding, being undone."""

    @property
    def ended(self) -> bool:
        """Whether the coded text is whole so far."""
        ...

    def decode(self, octets: bytes, most: int) -> bytes:
        """Decode the next octets; what comes past `most` octets may be dropped.

        Raises: Failed: ENCODING, for what this coding cannot be.
        """
        ...


@cache
def codings() -> dict[str, Callable[[], Coding]]:
    """Give the codings that can be undone here, by name, in the order of the question to servers.

    Cost: imports the decoders that are installed, once.
    """
    known: dict[str, Callable[[], Coding]] = {"gzip": Gzip, "deflate": Deflate}
    brotli = _brotli_module()
    if brotli is not None:
        known["br"] = lambda: Brotli(brotli)
    zstd = _zstd()
    if zstd is not None:
        known["zstd"] = zstd
    return known


class Identity:
    """No coding at all."""

    ended = True

    def decode(self, octets: bytes, most: int) -> bytes:
        """Give them back."""
        return octets[:most]


class Gzip:
    """gzip; its members may follow each other, and nothing else may."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP)
        self.ended = False

    def decode(self, octets: bytes, most: int) -> bytes:
        """Decode the next octets."""
        out = b""
        while octets and len(out) < most:
            if self._stream.eof:
                self._stream = zlib.decompressobj(_GZIP)
            out += _inflate(self._stream, octets, most - len(out))
            self.ended = self._stream.eof
            octets = self._stream.unused_data
        return out


class Deflate:
    """deflate: in the zlib format, as it should be, or without, as some servers have it."""

    def __init__(self) -> None:
        self._head = b""
        self._stream: zlib._Decompress | None = None

    @property
    def ended(self) -> bool:
        """Whether the stream is whole."""
        return self._stream is not None and self._stream.eof

    def decode(self, octets: bytes, most: int) -> bytes:
        """Decode the next octets."""
        if self._stream is None:
            self._head += octets
            if len(self._head) < 2:
                return b""
            octets, self._head = self._head, b""
            named = octets[0] & 15 == 8 and int.from_bytes(octets[:2]) % 31 == 0
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if named else -zlib.MAX_WBITS)
        elif self._stream.eof and octets:
            raise _trailing("deflate")
        out = _inflate(self._stream, octets, most)
        if self._stream.unused_data:
            raise _trailing("deflate")
        return out


class Brotli:
    """br."""

    def __init__(self, module: Any) -> None:
        self._error: type[Exception] = module.error
        self._stream: Any = module.Decompressor()
        self.ended = False

    def decode(self, octets: bytes, most: int) -> bytes:
        """Decode the next octets."""
        try:
            out: bytes = self._stream.process(octets, output_buffer_limit=most)
            while len(out) < most and not self._stream.can_accept_more_data():
                out += self._stream.process(b"", output_buffer_limit=most - len(out))
            self.ended = self._stream.is_finished()
        except self._error as error:
            raise Failed(FailureKind.ENCODING, f"br: {error}") from None
        return out[:most]


class Zstandard:
    """zstd by the `zstandard` library, whose streams cannot stop half-way: it gets little at a time.

    A block takes 4 octets at least and gives 128 KiB at most, so that no step gives more than five blocks.
    """

    _STEP: Final = 16

    def __init__(self, module: Any) -> None:
        self._error: type[Exception] = module.ZstdError
        self._decompressor: Any = module.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_OCTETS)
        self._stream: Any = self._decompressor.decompressobj()
        self.ended = False

    def decode(self, octets: bytes, most: int) -> bytes:
        """Decode the next octets."""
        out: list[bytes] = []
        length = 0
        for start in range(0, len(octets), self._STEP):
            piece = octets[start : start + self._STEP]
            while piece:
                if self._stream.eof:
                    self._stream = self._decompressor.decompressobj()
                try:
                    out.append(self._stream.decompress(piece))
                except self._error as error:
                    raise Failed(FailureKind.ENCODING, f"zstd: {error}") from None
                length += len(out[-1])
                self.ended = self._stream.eof
                piece = self._stream.unused_data if self.ended else b""
            if length >= most:
                break
        return b"".join(out)[:most]


class StandardZstd:
    """zstd by the standard library, from Python 3.14 on, or its backport."""

    def __init__(self, module: Any) -> None:
        self._error: type[Exception] = module.ZstdError
        window = {module.DecompressionParameter.window_log_max: _ZSTD_WINDOW_OCTETS.bit_length() - 1}
        self._begin: Callable[[], Any] = lambda: module.ZstdDecompressor(options=window)
        self._stream = self._begin()
        self.ended = False

    def decode(self, octets: bytes, most: int) -> bytes:
        """Decode the next octets."""
        out = b""
        while octets and len(out) < most:
            if self._stream.eof:
                self._stream = self._begin()
            try:
                out += self._stream.decompress(octets, most - len(out))
            except self._error as error:
                raise Failed(FailureKind.ENCODING, f"zstd: {error}") from None
            self.ended = self._stream.eof
            octets = self._stream.unused_data if self.ended else b""
        return out


_GZIP: Final = 16 + zlib.MAX_WBITS
# RFC 9659: a decoder need not take more, and no encoder for the web may.
_ZSTD_WINDOW_OCTETS: Final = 1 << 23


def _inflate(stream: "zlib._Decompress", octets: bytes, most: int) -> bytes:
    try:
        return stream.decompress(octets, most)
    except zlib.error as error:
        raise Failed(FailureKind.ENCODING, str(error)) from None


def _trailing(coding: str) -> Failed:
    return Failed(FailureKind.ENCODING, f"octets after the end of {coding}")


def _brotli_module() -> Any | None:
    for name in ("brotli", "brotlicffi"):
        try:
            module = import_module(name)
            # Before 1.2 a stream could not be told where to stop: such a library is as good as none.
            module.Decompressor().process(b"", output_buffer_limit=1)
        except (ImportError, TypeError, AttributeError):
            continue
        return module
    return None


def _zstd() -> Callable[[], Coding] | None:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        return lambda: StandardZstd(module)
    try:
        zstandard = import_module("zstandard")
    except ImportError:
        return None
    return lambda: Zstandard(zstandard)
