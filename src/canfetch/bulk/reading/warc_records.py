"""The records of a web archive, WARC or ARC, from its bytes in any pieces. A broken record costs one record.

A record is accepted if it has the announced length and a line end follows. After anything else, the parser continues
at the next line that starts a record.

Source: ISO 28500 (WARC 1.1) sections 4 to 6; Burner and Kahle, Arc File Format, versions 1 and 2,
https://archive.org/web/researcher/ArcFileFormat.php.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol

from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES

_VERSION: Final = b"WARC/"
_NEXT_RECORD: Final = b"\nWARC/"
_MAX_HEAD_BYTES: Final = 1 << 16
# The head of a response and as much of its body as is used. The rest of a longer record is skipped.
_MAX_BLOCK_BYTES: Final = MAX_CONTENT_BYTES + (1 << 17)
_MAX_LENGTH_DIGITS: Final = 15
# Enough to recognise the start of a compressed member.
_MEMBER_BYTES: Final = 5
_CUT: Final = "the archive ends within this record"
_LINE_ENDS: Final = b"\r\n"
# A longer line is not a header of ARC.
_MAX_ARC_LINE_BYTES: Final = 1 << 14
_SCHEME: Final = rb"[A-Za-z][A-Za-z0-9+.-]{0,31}:"
_URL_START: Final = re.compile(_SCHEME)
_MAX_AFTER_SCHEME: Final = _MAX_ARC_LINE_BYTES - 2048
_MAX_ADDRESS_BYTES: Final = 64
_DATE_DIGITS: Final = 14
# What is between the date and the length in ARC, such as the content type.
_MAX_OTHER_BYTES: Final = 1024
# Bytes whose rest can be missing.
_CUT_ARC_HEADER: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,31}(?::[^\n]*)?\Z")
_NEXT_URL: Final = re.compile(rb"\n(?=%s)" % _SCHEME)
_DESCRIPTION: Final = "filedesc:"


class WarcRecord(NamedTuple):
    """A record: its offset, its fields by name in lower case, and its block, cut if `is_cut`."""

    offset: int
    fields: dict[str, str]
    block: bytes
    is_cut: bool = False


class BrokenRecord(NamedTuple):
    """Bytes that are not a complete record: their offset, and what is wrong with them."""

    offset: int
    reason: str
    is_end: bool = False


class RecordFormat(Protocol):
    """How the records of a format start.

    Attributes:
        name: What a record is called, with its article.
        length_name: The name of the length of a record.
        url_name: The name of its URL.
        date_name: The name of its date.
        plain: How an archive that is not compressed can start.
        trailer_bytes: How many bytes follow a block.
        can_end_with_member: Whether nothing follows the block of some records that are compressed by themselves.
    """

    name: str
    length_name: str
    url_name: str
    date_name: str
    plain: tuple[bytes, ...]
    trailer_bytes: int
    can_end_with_member: bool

    def starts_at(self, data: bytes, start: int) -> bool:
        """Return whether a record starts at a position."""

    def may_start_at(self, data: bytes, start: int) -> bool:
        """Return whether a record could start at a position if more bytes followed."""

    def find_next(self, data: bytes, start: int, end: int) -> int:
        """Return the position of a line end before a record, or -1."""

    def kept_from(self, data: bytes, start: int) -> int:
        """Return from where on bytes without a record can be the start of one with the bytes that follow."""

    def find_head(self, data: bytes, start: int, limit: int) -> tuple[int, int]:
        """Return the end of the header that starts at a position and the start of its block, or -1 and -1."""

    def parse_head(self, head: bytes) -> dict[str, str]:
        """Return the fields of a header as those of WARC, by name in lower case."""


class _WarcFormat:
    """WARC: each record starts with a version line."""

    name: str = "a WARC record"
    length_name: str = "Content-Length"
    url_name: str = "WARC-Target-URI"
    date_name: str = "WARC-Date"
    plain: tuple[bytes, ...] = (_VERSION,)
    trailer_bytes: int = 2
    can_end_with_member: bool = False

    def starts_at(self, data: bytes, start: int) -> bool:
        return data.startswith(_VERSION, start)

    def may_start_at(self, data: bytes, start: int) -> bool:
        return _VERSION.startswith(data[start : start + len(_VERSION)])

    def find_next(self, data: bytes, start: int, end: int) -> int:
        return data.find(_NEXT_RECORD, start, end)

    def kept_from(self, data: bytes, start: int) -> int:
        return max(start, len(data) - len(_NEXT_RECORD) + 1)

    def find_head(self, data: bytes, start: int, limit: int) -> tuple[int, int]:
        # A header ends before the next record, or it is cut.
        following = data.find(_NEXT_RECORD, start, limit)
        return _find_head_end(data, start, limit if following < 0 else following + 1)

    def parse_head(self, head: bytes) -> dict[str, str]:
        return _parse_fields(head)


class _ArcFormat:
    """ARC, the predecessor of WARC: the fields of each record are one line.

        http://example.com/robots.txt 192.0.2.1 20080430204825 text/plain 200

    Version 2 has more fields between the content type and the length. The first record, `filedesc:`, describes the
    file.
    """

    name: str = "an ARC record"
    length_name: str = "length"
    url_name: str = "URL"
    date_name: str = "date"
    plain: tuple[bytes, ...] = (b"filedesc:", b"http://", b"https://", b"dns:")
    trailer_bytes: int = 1
    can_end_with_member: bool = True

    def starts_at(self, data: bytes, start: int) -> bool:
        return _URL_START.match(data, start) is not None and _find_arc_header(data, start, len(data)) is not None

    def may_start_at(self, data: bytes, start: int) -> bool:
        return len(data) - start <= _MAX_ARC_LINE_BYTES and _CUT_ARC_HEADER.match(data, start) is not None

    def find_next(self, data: bytes, start: int, end: int) -> int:
        for found in _NEXT_URL.finditer(data, start, end):
            if _find_arc_header(data, found.end(), end) is not None:
                return found.start()
        return -1

    def kept_from(self, data: bytes, start: int) -> int:
        line_end = data.rfind(b"\n", max(start, len(data) - _MAX_ARC_LINE_BYTES))
        return len(data) if line_end < 0 else line_end

    def find_head(self, data: bytes, start: int, limit: int) -> tuple[int, int]:
        end = data.find(b"\n", start, limit)
        return end, end + 1 if end >= 0 else -1

    def parse_head(self, head: bytes) -> dict[str, str]:
        found = _parse_arc_header(head) if _URL_START.match(head) else None
        if found is None:
            return {}
        url, date, length = (part.decode("utf-8", "replace") for part in found)
        kind = "warcinfo" if url.startswith(_DESCRIPTION) else "response"
        return {"warc-type": kind, "warc-target-uri": url, "warc-date": date, "content-length": length}


WARC: Final[RecordFormat] = _WarcFormat()
ARC: Final[RecordFormat] = _ArcFormat()


class RecordParser:
    """Splits bytes into records.

    Args:
        record_format: The format of the records.
        offset: The offset of the first byte.
        find_member: Returns where a compressed member may start between two positions of bytes, or -1. Parsing ends
            there if it is not within a record.

    Attributes:
        rest: The bytes from the start of a member on, or None if parsing has not ended.
    Cost: O(bytes); about 2 MiB are in memory.
    """

    def __init__(
        self,
        record_format: RecordFormat = WARC,
        offset: int = 0,
        find_member: Callable[[bytes, int, int], int] | None = None,
    ) -> None:
        self._format = record_format
        self._buffer = b""
        self._at = 0
        # The offset of the first byte of the buffer.
        self._offset = offset
        self._find_member = find_member
        self.rest: bytes | None = None
        self._skip = 0
        self._lost = False
        # How many bytes have to follow a block.
        self._needed = record_format.trailer_bytes

    def feed(self, data: bytes, *, is_member_end: bool = False) -> Iterator[WarcRecord | BrokenRecord]:
        """Add bytes, and yield the records that are complete now.

        Args: is_member_end: Whether a compressed member ends after them.
        """
        self._needed = 0 if is_member_end and self._format.can_end_with_member else self._format.trailer_bytes
        self._offset += self._at
        self._buffer = self._buffer[self._at :] + data
        self._at = 0
        yield from self._parse(is_end=False)

    def end(self) -> Iterator[WarcRecord | BrokenRecord]:
        """Yield what remains at the end of the bytes, and start anew."""
        yield from self._parse(is_end=True)
        if self._skip:
            yield BrokenRecord(self._offset + self._at, _CUT, is_end=True)
        was_lost = self._lost and self.rest is not None
        self.reset()
        self._lost = was_lost

    def reset(self) -> None:
        """Drop what remains of the bytes, and start anew."""
        self._offset += len(self._buffer)
        self._buffer, self._at, self._skip, self._lost = b"", 0, 0, False

    @property
    def is_between_records(self) -> bool:
        """Whether all bytes so far belong to complete records."""
        return not self._skip and not self._buffer[self._at :].strip(_LINE_ENDS)

    @property
    def is_lost(self) -> bool:
        """Whether the last bytes are not a record, which was reported."""
        return self._lost

    def _parse(self, *, is_end: bool) -> Iterator[WarcRecord | BrokenRecord]:
        while self._skip_block() and self._skip_blank():
            if not self._format.starts_at(self._buffer, self._at):
                is_start = self._format.may_start_at(self._buffer, self._at)
                is_short = self._find_member is not None and len(self._buffer) - self._at < _MEMBER_BYTES
                if (is_start or is_short) and not is_end:
                    return
                if self._ends_at_member(self._at, self._at + _MEMBER_BYTES, only_here=True):
                    return
                if is_start:
                    yield BrokenRecord(self._offset + self._at, _CUT, is_end=True)
                    self._at = len(self._buffer)
                    return
                if not self._lost:
                    yield BrokenRecord(self._offset + self._at, f"not {self._format.name}")
                if not self._find_next(self._at, is_end=is_end):
                    return
                continue
            found = self._parse_record(is_end=is_end)
            if found is None:
                return
            yield found

    def _skip_block(self) -> bool:
        step = min(self._skip, len(self._buffer) - self._at)
        self._skip -= step
        self._at += step
        return not self._skip

    def _skip_blank(self) -> bool:
        end = len(self._buffer)
        while self._at < end and self._buffer[self._at] in _LINE_ENDS:
            self._at += 1
        return self._at < end

    def _find_next(self, start: int, *, is_end: bool) -> bool:
        """Continue at the next record, or drop the bytes that cannot be the start of one."""
        self._lost = True
        found = self._format.find_next(self._buffer, start, len(self._buffer))
        if self._ends_at_member(start, found if found >= 0 else len(self._buffer)):
            return False
        if found >= 0:
            self._at = found + 1
            self._lost = False
            return True
        self._at = len(self._buffer) if is_end else self._format.kept_from(self._buffer, start)
        return False

    def _ends_at_member(self, start: int, end: int, *, only_here: bool = False) -> bool:
        """Return whether a member may start between two positions, and end there in this case."""
        found = -1 if self._find_member is None else self._find_member(self._buffer, start, end)
        if found < 0 or (only_here and found != start):
            return False
        self.rest = self._buffer[found:]
        self._at = len(self._buffer)
        return True

    def _parse_record(self, *, is_end: bool) -> WarcRecord | BrokenRecord | None:
        """Return the record at the current position, or None if more bytes are needed."""
        buffer, start = self._buffer, self._at
        offset = self._offset + start
        limit = min(start + _MAX_HEAD_BYTES, len(buffer))
        head_end, body = self._format.find_head(buffer, start, limit)
        is_cut = self._has_start(start + 1, limit if head_end < 0 else head_end)
        if head_end < 0 or is_cut:
            if is_cut:
                return self._broken(offset, "the header is cut", start + 1, is_end=is_end)
            if len(buffer) - start > _MAX_HEAD_BYTES:
                return self._broken(offset, "the header is too long", start + 1, is_end=is_end)
            return self._cut_off(offset, is_end=is_end)
        fields = self._format.parse_head(buffer[start:head_end])
        length = fields.get("content-length", "")
        if not (length.isascii() and length.isdecimal() and len(length) <= _MAX_LENGTH_DIGITS):
            return self._broken(offset, f"{self._format.length_name} is missing or invalid", head_end, is_end=is_end)
        size = int(length)
        kept = min(size, _MAX_BLOCK_BYTES)
        available = len(buffer) - body
        if available < kept or (not is_end and size == kept and available < size + self._needed):
            if is_end and self._has_start(body, len(buffer)):
                return self._broken(
                    offset, f"the record is shorter than its {self._format.length_name}", body, is_end=is_end
                )
            return self._cut_off(offset, is_end=is_end)
        if size > kept:
            if self._format.find_next(buffer, body, body + kept) >= 0:
                return self._broken(offset, f"{self._format.length_name} is too large", body, is_end=is_end)
            self._at, self._skip = body + kept, size - kept
            return WarcRecord(offset, fields, buffer[body : body + kept], is_cut=True)
        if available > size and buffer[body + size] not in _LINE_ENDS:
            return self._broken(offset, f"{self._format.length_name} is wrong", body, is_end=is_end)
        self._at = body + size
        return WarcRecord(offset, fields, buffer[body : body + size])

    def _has_start(self, start: int, end: int) -> bool:
        """Return whether a record or a member may start between two positions."""
        record = self._format.find_next(self._buffer, start, end)
        return record >= 0 or (self._find_member is not None and self._find_member(self._buffer, start, end) >= 0)

    def _broken(self, offset: int, reason: str, search_from: int, *, is_end: bool) -> BrokenRecord:
        self._find_next(search_from, is_end=is_end)
        return BrokenRecord(offset, reason)

    def _cut_off(self, offset: int, *, is_end: bool) -> BrokenRecord | None:
        if not is_end:
            return None
        self._at = len(self._buffer)
        return BrokenRecord(offset, _CUT, is_end=True)


def _find_head_end(buffer: bytes, start: int, limit: int) -> tuple[int, int]:
    """Return the end of a header and the start of its block, or -1 and -1."""
    standard = buffer.find(b"\r\n\r\n", start, limit)
    bare = buffer.find(b"\n\n", start, limit if standard < 0 else standard)
    if bare >= 0:
        return bare, bare + 2
    return (standard, standard + 4) if standard >= 0 else (-1, -1)


def _parse_fields(head: bytes) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in head.decode("utf-8", "replace").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


def _find_arc_header(data: bytes, start: int, end: int) -> tuple[bytes, bytes, bytes] | None:
    """Return the fields of the header at `start`, where a URL starts, as `_parse_arc_header`."""
    line_end = data.find(b"\n", start, min(start + _MAX_ARC_LINE_BYTES, end))
    return None if line_end < 0 else _parse_arc_header(data[start:line_end])


def _parse_arc_header(line: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Return the URL, the date and the length of a header, or None.

    Between them are an address and, after the date, maybe other fields. The URL can have spaces, so that the last date
    that fits is the one.

    Cost: O(bytes). The fields are found from the end: a regular expression would try each space of the URL.
    """
    text, _, length = line.removesuffix(b"\r").rstrip(b" \t").rpartition(b" ")
    if len(length) > _MAX_LENGTH_DIGITS or not length.isdigit():
        return None
    fields = text.split(b" ")
    longest = text.find(b":") + 1 + _MAX_AFTER_SCHEME
    end = len(text)
    for date, address in zip(reversed(fields[2:]), reversed(fields[1:-1]), strict=True):
        other_bytes = len(text) - end - 1
        if other_bytes > _MAX_OTHER_BYTES:
            break
        start = end - len(date) - 1
        url_end = start - len(address) - 1
        # Without other fields, the length follows after one space.
        if (
            other_bytes
            and len(date) == _DATE_DIGITS
            and date.isdigit()
            and 0 < len(address) <= _MAX_ADDRESS_BYTES
            and url_end <= longest
        ):
            return text[:url_end], date, length
        end = start
    return None
