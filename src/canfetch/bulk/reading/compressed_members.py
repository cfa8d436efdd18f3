"""The members of a compressed file, each checked before it is used. Damage costs the members that it touches.

The compression is gzip or zstd. A file may also have parts that are not compressed, because archives are concatenated.

The gzip module and most readers of archives end at the first error, and some return a truncated last member as if it
were complete.

A file that is compressed with zstd may start with a dictionary.

Source: RFC 1952; RFC 8878; IIPC, Zstandard Compression for WARC Files 1.0.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple, Protocol

from canfetch.errors import MissingExtra

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
ZSTD_DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"
_GZIP_MAGIC: Final = b"\x1f\x8b\x08"
_GZIP_WBITS: Final = 16 + zlib.MAX_WBITS
_READ_BYTES: Final = 1 << 18
# Larger members, such as an archive that was compressed as a whole, are used before their checksum is known.
_MAX_CHECKED_BYTES: Final = 1 << 22
# The bytes after the end of a member are copied, so that the first step is as long as most members.
_FIRST_STEP_BYTES: Final = 1 << 11
_STEP_BYTES: Final = 1 << 14
_OUTPUT_STEP: Final = 1 << 20
# The first bytes of a part that is not compressed are few, because it may end after them.
_FIRST_PLAIN_BYTES: Final = 1 << 12
_LINE_ENDS: Final = re.compile(rb"[\r\n]*")
_ZEROS: Final = re.compile(rb"\0*")
_TOO_LONG: Final = "{} data without an end: not searched further"
# How far back reading continues after an error.
_MAX_RAW_BYTES: Final = 1 << 23
# Most members of archives of robots.txt files cost less.
_RECORD_COST: Final = 1 << 14
# Names in the header and the tables of the first block come before the content.
_GZIP_START_BYTES: Final = 1 << 9
_DICTIONARY_LENGTH_BYTES: Final = 4
_MAX_DICTIONARY_BYTES: Final = 1 << 27
# One bit of the byte after the magic number is reserved.
_ZSTD_NEXT_BYTE: Final = b"[" + b"".join(b"\\x%02x" % byte for byte in range(256) if not byte & 8) + b"]"
# The first block has to be complete before the first byte of content.
_ZSTD_START_BYTES: Final = 1 << 13
# A few bytes can be a block of 128 KiB.
_ZSTD_STEP_BYTES: Final = 1 << 9
# The budget for broken members, and what each byte that is passed adds to it.
_RESERVE: Final = 1 << 26
_EARNED_PER_BYTE: Final = 32
# The part of the budget that one member can take.
_SHARE: Final = 8
# Decompressed bytes cost less time than compressed ones, but a compressed byte can be a thousand decompressed ones.
_OUTPUT_PER_UNIT: Final = 8


class _WorkBudget:
    """A limit on the work for bytes that only look like the start of a member.

    A hostile file can have such a start every few bytes, each of which can be decompressed for megabytes before an
    error. The budget bounds the work for all of them, so that reading takes linear time. A small member is found after
    any number of them. A unit is about the time that a compressed byte takes, and bytes that are passed refill the
    budget.

    Attributes:
        spent: The costs of all broken members.
    Cost: Broken members cost at most 32 for each byte of a file, and their `least` limit.
    """

    def __init__(self) -> None:
        self.spent = 0
        self._left = _RESERVE
        self._offset = 0

    def limit(self, offset: int, least: int) -> int:
        """Return what the member at an offset may cost, which is never less than `least`."""
        if offset > self._offset:
            self._left = min(self._left + _EARNED_PER_BYTE * (offset - self._offset), _RESERVE)
            self._offset = offset
        return max(least, self._left // _SHARE)

    def spend(self, cost: int) -> None:
        """Subtract the cost of a broken member."""
        self.spent += cost
        # After that, members cost their least limit, which does not lead to debts.
        if self._left > 0:
            self._left -= cost


def _cost_of(compressed: int, decompressed: int) -> int:
    """Return the cost of this many bytes."""
    return compressed + decompressed // _OUTPUT_PER_UNIT


def _output_for(cost: int) -> int:
    """Return the number of decompressed bytes that have this cost."""
    return _OUTPUT_PER_UNIT * cost


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
    """A format of members.

    Attributes:
        name: Its name.
        magic: How a member starts.
        next_byte: A class of a regular expression, with the bytes that can follow.
        start_bytes: After this many bytes, the content of a typical member has started.
        decoder: Returns a new decoder.
        error: The exception of the decoder.
    """

    name: str
    magic: bytes
    next_byte: bytes
    start_bytes: int
    decoder: Callable[[], Decoder]
    error: type[Exception]


# The three highest flags are reserved.
GZIP: Final = Compression(
    "gzip", _GZIP_MAGIC, rb"[\x00-\x1f]", _GZIP_START_BYTES, lambda: zlib.decompressobj(_GZIP_WBITS), zlib.error
)


def read_dictionary(stream: ByteStream) -> bytes | None:
    """Return the dictionary of zstd at the start of a file, after its magic number; None if it is cut or too long."""
    length = int.from_bytes(_read_bytes(stream, _DICTIONARY_LENGTH_BYTES), "little")
    content = _read_bytes(stream, length) if length <= _MAX_DICTIONARY_BYTES else b""
    return content if len(content) == length > 0 else None


def zstd_compression(dictionary: bytes = b"") -> Compression:
    """Return zstd with a dictionary, which may be compressed itself.

    Raises: MissingExtra: No package for zstd is installed. ValueError: The dictionary is not valid.
    """
    module, error = _load_zstd()
    try:
        if dictionary.startswith(ZSTD_MAGIC):
            dictionary = _decompress_all(_zstd_decoder(module, b""), dictionary)
        # Raises here if the dictionary is invalid.
        _zstd_decoder(module, dictionary)
    except (error, EOFError, ValueError) as invalid:
        raise ValueError(f"invalid dictionary: {invalid}") from None
    return Compression(
        "zstd",
        ZSTD_MAGIC,
        _ZSTD_NEXT_BYTE,
        _ZSTD_START_BYTES,
        lambda: _ZstdDecoder(_zstd_decoder(module, dictionary)),
        error,
    )


def _load_zstd() -> tuple[Any, type[Exception]]:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            module: Any = import_module(name)
        except ImportError:
            continue
        return module, module.ZstdError
    raise MissingExtra("WARC files compressed with zstd require canfetch[http]: pip install 'canfetch[http]'")


def _zstd_decoder(module: Any, dictionary: bytes) -> Any:
    if hasattr(module, "ZstdDict"):
        return module.ZstdDecompressor(zstd_dict=module.ZstdDict(dictionary) if dictionary else None)
    known = {"dict_data": module.ZstdCompressionDict(dictionary)} if dictionary else {}
    return module.ZstdDecompressor(**known).decompressobj()


def _decompress_all(decoder: Any, data: bytes) -> bytes:
    content = b""
    for start in range(0, len(data), _ZSTD_STEP_BYTES):
        content += decoder.decompress(data[start : start + _ZSTD_STEP_BYTES])
        if decoder.eof or len(content) > _MAX_DICTIONARY_BYTES:
            break
    if not decoder.eof:
        raise EOFError("it is cut or too long")
    return content


def _read_bytes(stream: ByteStream, count: int) -> bytes:
    content = b""
    while len(content) < count and (data := stream.read(count - len(content))):
        content += data
    return content


class _ZstdDecoder:
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
            parts.append(self._decoder.decompress(data[at : at + _ZSTD_STEP_BYTES]))
            size += len(parts[-1])
            at += _ZSTD_STEP_BYTES
        if self._decoder.eof:
            self._after, self.unconsumed_tail = data[at:], b""
        else:
            self.unconsumed_tail = data[at:]
        return b"".join(parts)


class Piece(NamedTuple):
    """Decompressed bytes of a member, or bytes of a part that is not compressed.

    Attributes:
        offset: The offset of the member or part.
        data: The bytes.
        is_first: Whether these are its first bytes.
        is_last: Whether these are its last bytes.
        is_plain: Whether the part is not compressed.
    """

    offset: int
    data: bytes
    is_first: bool
    is_last: bool
    is_plain: bool = False


class BrokenMember(NamedTuple):
    """A member that cannot be decompressed.

    Attributes:
        offset: Its offset.
        reason: What is wrong.
        is_end: Whether the file ends within it.
    """

    offset: int
    reason: str
    is_end: bool


class MemberReader:
    """Reads the members of a compressed file, and the parts of it that are not compressed.

    Args:
        stream: The file, or what follows its dictionary. It needs not be seekable.
        advance: Called with the number of bytes after each read.
        compressions: The formats that members can have.
        offset: How much of the file was read before.
        plain: How a part that is not compressed can start, or nothing if there cannot be one.
        not_a_record: What is reported of bytes that are neither.

    Attributes:
        budget: How much work is spent on bytes that only look like a member.
        record_budget: The same for those whose content starts like a part that is not compressed.
    Cost: O(bytes), with at most 16 MiB in memory.
    """

    def __init__(
        self,
        stream: ByteStream,
        advance: Callable[[int], None],
        compressions: Sequence[Compression] = (GZIP,),
        offset: int = 0,
        *,
        plain: tuple[bytes, ...] = (),
        not_a_record: str = "not a record",
    ) -> None:
        self._stream = stream
        self._compressions = compressions
        self._advance = advance
        self._plain = plain
        self._not_a_record = not_a_record
        self._longest_start = max(map(len, [*plain, *(compression.magic for compression in compressions)]))
        # The group of a match is the number of its compression.
        magics = [b"(%s)(?=%s)" % (re.escape(item.magic), item.next_byte) for item in compressions]
        self._magic = re.compile(b"|".join(magics))
        self._any_start = re.compile(b"|".join([*magics, *(b"(?<=\n)" + re.escape(start) for start in plain)]))
        # Compressed bytes, the offset of the first one, and the start of the current member among them.
        self._raw = b""
        self._offset = offset
        self._at = 0
        self._ended = False
        self._name: str | None = None
        self._is_lost = False
        self._had_plain = False
        self._returned: bytes | None = None
        self.budget = _WorkBudget()
        self.record_budget = _WorkBudget()

    def pieces(self) -> Iterator[Piece | BrokenMember]:
        """Yield the members in order. A member of up to 4 MiB is one piece, whose checksum is correct.

        A part that is not compressed lasts until `return_bytes` is called, or until the file ends.
        """
        while self._has_start():
            compression = next((item for item in self._compressions if self._starts_with(item.magic)), None)
            if compression is not None:
                yield from self._read_member(compression)
            elif self._starts_with(self._plain) and (self._may_be_plain or not self._is_lost):
                self._is_lost, self._had_plain = False, True
                yield from self._plain_pieces()
            else:
                start = self._offset + self._at
                # Only zeros at the end are padding.
                if self._skip_zeros() and not self._is_lost:
                    self._is_lost = True
                    reason = self._not_a_record if self._name is None else f"not {self._name} data"
                    yield BrokenMember(start, reason, is_end=False)
                self._find_start(self._at)
        if self._raw[self._at :].strip(b"\0\r\n") and not self._is_lost:
            yield BrokenMember(self._offset + self._at, "the end of this member is missing", is_end=True)

    @property
    def _may_be_plain(self) -> bool:
        """Whether text after damage can be a part. In compressed files, it may belong to a damaged member."""
        return bool(self._plain) and (self._had_plain or self._name is None)

    def find_magic(self, data: bytes, start: int, end: int) -> int:
        """Return where a member may start in data that is not compressed, or -1."""
        found = self._magic.search(data, start, end)
        return -1 if found is None else found.start()

    def return_bytes(self, data: bytes, *, is_lost: bool) -> None:
        """End a part that is not compressed before the last bytes of it, which may be a member.

        Args: is_lost: Whether damage before them was reported.
        """
        self._returned = data
        self._is_lost = is_lost

    def _has_start(self) -> bool:
        """Skip line ends, and return whether there are enough bytes to recognise a member."""
        while self._has(self._longest_start):
            found = _LINE_ENDS.match(self._raw, self._at)
            if self._is_lost or found is None or found.end() == self._at:
                return True
            self._at = found.end()
        return False

    def _skip_zeros(self) -> bool:
        """Skip zeros, and return whether other bytes follow."""
        while self._has(1):
            found = _ZEROS.match(self._raw, self._at)
            self._at = self._at if found is None else found.end()
            if self._at < len(self._raw):
                return True
        return False

    def _starts_with(self, magic: bytes | tuple[bytes, ...]) -> bool:
        return self._raw.startswith(magic, self._at)

    def _read_member(self, compression: Compression) -> Iterator[Piece | BrokenMember]:
        broken = None
        for piece in self._member(compression):
            if isinstance(piece, BrokenMember):
                broken = piece
            else:
                self._is_lost, self._name = False, compression.name
                yield piece
        if broken is not None:
            # One place of damage can look like several broken members.
            if not self._is_lost:
                yield broken
            self._is_lost = True
            self._find_start(self._at + 1)

    def _plain_pieces(self) -> Iterator[Piece]:
        offset, is_first, size = self._offset + self._at, True, _FIRST_PLAIN_BYTES
        while True:
            if self._at == len(self._raw):
                self._read()
            data = self._raw[self._at : self._at + size]
            self._at += len(data)
            size = min(2 * size, _READ_BYTES)
            yield Piece(offset, data, is_first, not data, is_plain=True)
            is_first = False
            if self._returned is not None:
                self._take_back(self._returned)
                self._returned = None
                return
            if not data:
                return

    def _take_back(self, data: bytes) -> None:
        if self._raw.endswith(data, 0, self._at):
            self._at -= len(data)
            return
        self._offset += self._at - len(data)
        self._raw, self._at = data + self._raw[self._at :], 0

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

    def _find_start(self, start: int) -> None:
        """Continue at the next byte from `start` on that may start a member or a part that is not compressed."""
        pattern = self._any_start if self._may_be_plain else self._magic
        while True:
            found = pattern.search(self._raw, start)
            while found is not None and found.lastindex and self._is_no_member(found.start(), found.lastindex - 1):
                start = found.start() + 1
                found = pattern.search(self._raw, start)
            if found is not None:
                self._at = found.start()
                return
            # The byte before a part that is not compressed has to be known.
            kept = self._longest_start
            self._at = len(self._raw) if self._ended else max(start, len(self._raw) - kept)
            if self._ended:
                return
            self._read()
            start = 0

    def _is_no_member(self, at: int, number: int) -> bool:
        """Return whether a few bytes show that no member starts here, which is faster than to read the member."""
        compression = self._compressions[number]
        count = compression.start_bytes
        data = self._raw[at : at + count]
        if len(data) < count:
            return False
        try:
            decoder = compression.decoder()
            if decoder.decompress(data, 1) or decoder.eof:
                return False
        except compression.error:
            pass
        else:
            if self.budget.limit(self._offset + at, count) > count:
                return False
        self.budget.spend(count)
        return True

    def _read_after(self, fed: int) -> int:
        """Read more bytes, and return how many bytes of the current member are before them."""
        if fed > _MAX_RAW_BYTES:
            # Reading cannot continue before this place after an error.
            self._at += fed
            fed = 0
        self._read()
        return fed

    def _limit(self, offset: int, parts: Sequence[bytes]) -> tuple[_WorkBudget, int]:
        """Return what a member may cost, and the budget that pays for it, by the start of its content."""
        if b"".join(parts).startswith(self._plain):
            return self.record_budget, self.record_budget.limit(offset, _RECORD_COST)
        return self.budget, self.budget.limit(offset, 0)

    def _member(self, compression: Compression) -> Iterator[Piece | BrokenMember]:
        """Yield the member at the current position, and continue after it unless it is broken."""
        offset = self._offset + self._at
        budget, limit, is_known = self.budget, compression.start_bytes, False
        decoder = compression.decoder()
        parts: list[bytes] = []
        size, used, fed, step = 0, False, 0, _FIRST_STEP_BYTES
        produced = cost = 0
        while True:
            # Bytes that are used are not limited, because reading continues after them.
            rest = _OUTPUT_STEP if used else limit - cost
            if rest <= 0 and not is_known:
                (budget, limit), is_known = self._limit(offset, parts), True
                rest = limit - cost
            if rest <= 0:
                budget.spend(cost)
                yield BrokenMember(offset, _TOO_LONG.format(compression.name), is_end=False)
                return
            data = decoder.unconsumed_tail
            if not data:
                data = self._raw[self._at + fed : self._at + fed + min(step, rest)]
                fed += len(data)
                step = _STEP_BYTES
            if not data:
                if self._ended:
                    budget.spend(cost)
                    yield BrokenMember(offset, "the end of this member is missing", is_end=True)
                    return
                fed = self._read_after(fed)
                produced = produced if fed else 0
                continue
            try:
                part = decoder.decompress(data, min(_OUTPUT_STEP, _output_for(rest)))
            except compression.error as error:
                budget.spend(_cost_of(fed, produced))
                reason = str(error).rpartition(": ")[2]
                yield BrokenMember(offset, f"invalid {compression.name} data: {reason}", is_end=False)
                return
            parts.append(part)
            size += len(part)
            produced += len(part)
            cost = _cost_of(fed, produced)
            if decoder.eof:
                break
            if size > _MAX_CHECKED_BYTES:
                yield Piece(offset, b"".join(parts), is_first=not used, is_last=False)
                parts, size, used = [], 0, True
        self._at += fed - len(decoder.unused_data)
        yield Piece(offset, b"".join(parts), is_first=not used, is_last=True)
