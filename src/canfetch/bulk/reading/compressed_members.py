"""The members of a compressed file, each checked before it is used. Damage costs the members that it touches.

The gzip module and most readers of archives end at the first error, and some return a truncated last member as if it
were complete.

Source: RFC 1952.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol

MAGIC: Final = b"\x1f\x8b\x08"
_GZIP_WBITS: Final = 16 + zlib.MAX_WBITS
_READ_BYTES: Final = 1 << 18
# Larger members, such as an archive that was compressed as a whole, are used before their checksum is known.
_MAX_CHECKED_BYTES: Final = 1 << 22
# What follows the end of a member is copied, so that the first step is as long as most members.
_FIRST_STEP_BYTES: Final = 1 << 11
_STEP_BYTES: Final = 1 << 14
_OUTPUT_STEP: Final = 1 << 20
# How far back reading continues after an error.
_MAX_RAW_BYTES: Final = 1 << 23
# After this many bytes in broken members, reading continues at the place of the error instead.
_MAX_WASTED_BYTES: Final = 1 << 27


class ByteStream(Protocol):
    """Anything that bytes can be read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, and none only at the end."""


class Decoder(Protocol):
    """Decompresses one member, as `zlib.decompressobj` does."""

    @property
    def eof(self) -> bool:
        """Whether the member is complete."""

    @property
    def unused_data(self) -> bytes:
        """The bytes after its end."""

    @property
    def unconsumed_tail(self) -> bytes:
        """The bytes that are not decompressed yet."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return about `max_length` decompressed bytes at most."""


class Compression(NamedTuple):
    """A format of members: its name, how a member starts, its decoder, and the exception of the decoder."""

    name: str
    magic: bytes
    decoder: Callable[[], Decoder]
    error: type[Exception]


GZIP: Final = Compression("gzip", MAGIC, lambda: zlib.decompressobj(_GZIP_WBITS), zlib.error)


class Piece(NamedTuple):
    """Decompressed bytes of a member: the offset of the member, and whether these are its first and its last bytes."""

    offset: int
    data: bytes
    is_first: bool
    is_last: bool


class BrokenMember(NamedTuple):
    """A member that cannot be decompressed.

    Attributes:
        offset: Its offset.
        reason: What is wrong.
        is_end: Whether the file ends within it.
        was_used: Whether the first part of it was already yielded.
    """

    offset: int
    reason: str
    is_end: bool
    was_used: bool


class MemberReader:
    """Reads the members of a compressed file.

    Args:
        stream: The file, or what follows its dictionary. It needs not be seekable.
        advance: Called with the number of bytes after each read.
        compression: The format of the members.
        offset: How much of the file was read before.

    Attributes:
        wasted_bytes: The bytes of broken members that were decompressed.
    Cost: O(bytes), with at most 16 MiB in memory.
    """

    def __init__(
        self, stream: ByteStream, advance: Callable[[int], None], compression: Compression = GZIP, offset: int = 0
    ) -> None:
        self._stream = stream
        self._compression = compression
        self._advance = advance
        # Compressed bytes, the offset of the first one, and the start of the current member among them.
        self._raw = b""
        self._offset = offset
        self._at = 0
        self._ended = False
        # How much of the current member was decompressed.
        self._fed = 0
        self.wasted_bytes = 0

    def pieces(self) -> Iterator[Piece | BrokenMember]:
        """Yield the members in order. A member of up to 4 MiB is one piece, whose checksum is correct."""
        lost = False
        name, magic = self._compression.name, self._compression.magic
        while self._has(len(magic)):
            if not self._raw.startswith(magic, self._at):
                if not lost and self._raw[self._at :].strip(b"\0"):
                    lost = True
                    yield BrokenMember(self._offset + self._at, f"not {name} data", is_end=False, was_used=False)
                self._find_magic(self._at)
                continue
            broken = None
            for piece in self._member():
                if isinstance(piece, BrokenMember):
                    broken = piece
                else:
                    lost = False
                    yield piece
            if broken is not None:
                # One place of damage can look like several broken members.
                if not lost:
                    yield broken
                lost = True
                # A hostile file could have a member that ends late at each byte.
                self.wasted_bytes += self._fed
                self._find_magic(self._at + (1 if self.wasted_bytes < _MAX_WASTED_BYTES else max(self._fed, 1)))
        if self._raw[self._at :].strip(b"\0") and not lost:
            yield BrokenMember(self._offset + self._at, "the file ends within this member", is_end=True, was_used=False)

    def _has(self, count: int) -> bool:
        while len(self._raw) - self._at < count and not self._ended:
            self._read()
        return len(self._raw) - self._at >= count

    def _read(self) -> None:
        """Read more bytes. Those before the current member are dropped, unless damage was found in it."""
        data = self._stream.read(_READ_BYTES)
        self._advance(len(data))
        self._ended = not data
        self._raw = self._raw[self._at :] + data
        self._offset += self._at
        self._at = 0

    def _find_magic(self, start: int) -> None:
        """Continue at the next byte from `start` on that may start a member."""
        magic = self._compression.magic
        while True:
            found = self._raw.find(magic, start)
            if found >= 0:
                self._at = found
                return
            self._at = len(self._raw) if self._ended else max(start, len(self._raw) - len(magic) + 1)
            if self._ended:
                return
            self._read()
            start = 0

    def _member(self) -> Iterator[Piece | BrokenMember]:
        """Yield the member at the current position, and continue after it unless it is broken."""
        offset = self._offset + self._at
        decoder = self._compression.decoder()
        parts: list[bytes] = []
        size, used, fed, step = 0, False, 0, _FIRST_STEP_BYTES
        while True:
            data = decoder.unconsumed_tail
            if not data:
                data = self._raw[self._at + fed : self._at + fed + step]
                fed += len(data)
                self._fed = fed
                step = _STEP_BYTES
            if not data:
                if self._ended:
                    yield BrokenMember(offset, "the file ends within this member", is_end=True, was_used=used)
                    return
                if fed > _MAX_RAW_BYTES:
                    # Reading cannot continue before this place after an error.
                    self._at += fed
                    fed = self._fed = 0
                self._read()
                continue
            try:
                part = decoder.decompress(data, _OUTPUT_STEP)
            except self._compression.error as error:
                reason = str(error).rpartition(": ")[2]
                yield BrokenMember(
                    offset, f"invalid {self._compression.name} data: {reason}", is_end=False, was_used=used
                )
                return
            parts.append(part)
            size += len(part)
            if decoder.eof:
                break
            if size > _MAX_CHECKED_BYTES:
                yield Piece(offset, b"".join(parts), is_first=not used, is_last=False)
                parts, size, used = [], 0, True
        self._at += fed - len(decoder.unused_data)
        yield Piece(offset, b"".join(parts), is_first=not used, is_last=True)
