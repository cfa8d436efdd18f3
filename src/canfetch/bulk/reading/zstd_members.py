"""The members of a WARC file that is compressed with zstd, which may start with a dictionary.

Source: IIPC, Zstandard Compression for WARC Files 1.0; RFC 8878.
"""

from importlib import import_module
from typing import Any, Final

from canfetch.bulk.reading.compressed_members import ByteStream, Compression
from canfetch.errors import MissingExtra

MAGIC: Final = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"
_LENGTH_BYTES: Final = 4
_MAX_DICTIONARY_BYTES: Final = 1 << 27
# One bit of the byte after the magic number is reserved.
_NEXT_BYTE: Final = b"[" + b"".join(b"\\x%02x" % byte for byte in range(256) if not byte & 8) + b"]"
# The first block has to be complete before the first byte of content.
_START_BYTES: Final = 1 << 13
# A few bytes can be a block of 128 KiB.
_STEP_BYTES: Final = 1 << 9


def read_dictionary(stream: ByteStream) -> bytes | None:
    """Return the dictionary at the start of a file, after its magic number; None if it is cut or too long."""
    length = int.from_bytes(_read(stream, _LENGTH_BYTES), "little")
    content = _read(stream, length) if length <= _MAX_DICTIONARY_BYTES else b""
    return content if len(content) == length > 0 else None


def zstd(dictionary: bytes = b"") -> Compression:
    """Return the compression with a dictionary, which may be compressed itself.

    Raises: MissingExtra: No package for zstd is installed. ValueError: The dictionary is not valid.
    """
    module, error = _load()
    try:
        if dictionary.startswith(MAGIC):
            dictionary = _decompress_all(_decoder(module, b""), dictionary)
        # Raises here if the dictionary is invalid.
        _decoder(module, dictionary)
    except (error, EOFError, ValueError) as invalid:
        raise ValueError(f"invalid dictionary: {invalid}") from None
    return Compression("zstd", MAGIC, _NEXT_BYTE, _START_BYTES, lambda: _Stepwise(_decoder(module, dictionary)), error)


def _load() -> tuple[Any, type[Exception]]:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            module: Any = import_module(name)
        except ImportError:
            continue
        return module, module.ZstdError
    raise MissingExtra("WARC files compressed with zstd require canfetch[http]: pip install 'canfetch[http]'")


def _decoder(module: Any, dictionary: bytes) -> Any:
    if hasattr(module, "ZstdDict"):
        return module.ZstdDecompressor(zstd_dict=module.ZstdDict(dictionary) if dictionary else None)
    known = {"dict_data": module.ZstdCompressionDict(dictionary)} if dictionary else {}
    return module.ZstdDecompressor(**known).decompressobj()


def _decompress_all(decoder: Any, data: bytes) -> bytes:
    content = b""
    for start in range(0, len(data), _STEP_BYTES):
        content += decoder.decompress(data[start : start + _STEP_BYTES])
        if decoder.eof or len(content) > _MAX_DICTIONARY_BYTES:
            break
    if not decoder.eof:
        raise EOFError("it is cut or too long")
    return content


def _read(stream: ByteStream, count: int) -> bytes:
    content = b""
    while len(content) < count and (data := stream.read(count - len(content))):
        content += data
    return content


class _Stepwise:
    """Decompresses in steps that bound the output, with the attributes of `zlib.decompressobj`."""

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder
        self.unconsumed_tail = b""
        self._after = b""

    @property
    def eof(self) -> bool:
        return bool(self._decoder.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._decoder.unused_data) + self._after

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        parts: list[bytes] = []
        size = at = 0
        while at < len(data) and size < max_length and not self._decoder.eof:
            parts.append(self._decoder.decompress(data[at : at + _STEP_BYTES]))
            size += len(parts[-1])
            at += _STEP_BYTES
        if self._decoder.eof:
            self._after, self.unconsumed_tail = data[at:], b""
        else:
            self.unconsumed_tail = data[at:]
        return b"".join(parts)
