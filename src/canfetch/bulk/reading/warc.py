"""WARC, WET and ARC files: the responses, resources and texts in them, as captures.

`response` records are HTTP responses. `resource` and `conversion` records, as in WET files, have only the content, and
count as files without a response. A `revisit` record refers to the content of another record; it is set aside, because
without that content it would be an empty file that allows everything.

Source: ISO 28500 (WARC 1.1) section 6.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from canfetch.access.responses import Headers
from canfetch.bulk.reading.captures import EMPTY, MAX_CONTENT_BYTES, Capture, Fault, Name
from canfetch.bulk.reading.compressed_members import (
    GZIP,
    ZSTD_DICTIONARY_MAGIC,
    ZSTD_MAGIC,
    BrokenMember,
    ByteStream,
    Compression,
    MemberReader,
    Piece,
    read_dictionary,
    zstd_compression,
)
from canfetch.bulk.reading.http_messages import BrokenMessage, parse_response
from canfetch.bulk.reading.times import parse_warc_date
from canfetch.bulk.reading.warc_records import WARC, BrokenRecord, RecordFormat, RecordParser, WarcRecord
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.text import printable_text
from canfetch.errors import InvalidURL, MissingExtra

_HEAD_BYTES: Final = 4
_TYPES: Final = frozenset(["response", "resource", "conversion", "revisit"])
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+-]*):")
_WEB_SCHEMES: Final = frozenset(["http", "https"])

Item = Capture | Fault
# The offset of a record, or of the compressed member in which it starts.
_Placed = tuple[int, WarcRecord | BrokenRecord]


def read_warc(
    stream: ByteStream,
    source: str,
    *,
    wants: Callable[[str], bool],
    advance: Callable[[int], None],
    record_format: RecordFormat = WARC,
) -> Iterator[Item]:
    """Yield the captures of a WARC file, which may be compressed with gzip or zstd, and the records that are set aside.

    Args:
        stream: The file. It needs not be seekable.
        source: Its name.
        wants: Whether the capture of a URL is needed. The bodies of other captures are not decoded.
        advance: Called with the number of bytes after each read.
        record_format: The format of the records.
    Raises: MissingExtra: The file is compressed with zstd, and no package for it is installed.
    Cost: O(bytes), with a few MiB in memory.
    """
    damage: tuple[int, BrokenRecord] | None = None
    is_empty = True
    for offset, record in _records(stream, advance, record_format):
        is_empty = False
        if damage is not None:
            # The archive does not end there.
            yield _to_fault(damage, source)._replace(is_end=False)
        damage = (offset, record) if isinstance(record, BrokenRecord) else None
        item = None if isinstance(record, BrokenRecord) else _to_item(record, offset, source, wants, record_format)
        if item is not None:
            yield item
    if damage is not None:
        # No record follows, so that any number of them may be missing.
        yield _to_fault(damage, source)._replace(is_end=True)
    if is_empty:
        yield Fault(source, 0, EMPTY, is_end=True, lost=None)


def _to_fault(damage: tuple[int, BrokenRecord], source: str) -> Fault:
    offset, record = damage
    # Everything up to the next record is lost, and nothing shows how many records that is.
    return Fault(source, offset, record.reason, record.is_end, lost=None)


def _records(stream: ByteStream, advance: Callable[[int], None], record_format: RecordFormat) -> Iterator[_Placed]:
    head = b""
    while len(head) < _HEAD_BYTES and (data := stream.read(_HEAD_BYTES - len(head))):
        head += data
    if head != ZSTD_DICTIONARY_MAGIC:
        zstd = _zstd(is_needed=head == ZSTD_MAGIC)
        return _read_parts(_Rewound(head, stream), advance, zstd, record_format)
    dictionary = read_dictionary(stream)
    if dictionary is None:
        return iter([(0, BrokenRecord(0, "the dictionary at the start is cut or too long", is_end=True))])
    offset = 2 * _HEAD_BYTES + len(dictionary)
    advance(offset)
    try:
        compression = zstd_compression(dictionary)
    except ValueError as error:
        return iter([(0, BrokenRecord(0, str(error), is_end=True))])
    return _read_parts(stream, advance, [compression], record_format, offset)


def _read_parts(
    stream: ByteStream,
    advance: Callable[[int], None],
    zstd: list[Compression],
    record_format: RecordFormat,
    offset: int = 0,
) -> Iterator[_Placed]:
    plain, not_a_record = record_format.plain, f"not {record_format.name}"
    reader = MemberReader(stream, advance, [GZIP, *zstd], offset, plain=plain, not_a_record=not_a_record)
    return _PartRecords(reader, record_format).records()


def _zstd(*, is_needed: bool) -> list[Compression]:
    """Return zstd, or nothing if no package for it is installed and the file does not start with it."""
    try:
        return [zstd_compression()]
    except MissingExtra:
        if is_needed:
            raise
        return []


class _PartRecords:
    """Finds the records in the members of a file, and in its parts that are not compressed.

    Concatenated files can have both.

    Args:
        reader: Reads the file.
        record_format: The format of the records.
    """

    def __init__(self, reader: MemberReader, record_format: RecordFormat) -> None:
        self._reader = reader
        self._format = record_format
        # A record can continue in the next member.
        self._parser = RecordParser(record_format)
        self._start = 0
        self._plain = RecordParser(record_format)
        # After damage in a part that is not compressed, a member may be the body of a response.
        self._is_doubtful = False

    def records(self) -> Iterator[_Placed]:
        """Yield the records in order, with their offsets or those of their members."""
        for piece in self._reader.pieces():
            if isinstance(piece, BrokenMember):
                # The first records of a long member were used. The one at the damage is lost.
                self._parser.reset()
                yield piece.offset, BrokenRecord(piece.offset, piece.reason, piece.is_end)
                continue
            self._is_doubtful = self._is_doubtful and not piece.is_plain and not self._has_record(piece.data)
            if self._is_doubtful:
                continue
            yield from self._end_record(piece)
            yield from self._plain_records(piece) if piece.is_plain else self._member_records(piece)
        for last in self._parser.end():
            yield self._start, last

    def _has_record(self, data: bytes) -> bool:
        """Return whether a member has the start of a record, and is not the body of a response."""
        return self._format.starts_at(data, 0) or self._format.find_next(data, 0, len(data)) >= 0

    def _end_record(self, piece: Piece) -> Iterator[_Placed]:
        """Report a record that is not complete before a piece that starts with another one."""
        if not piece.is_first or self._parser.is_between_records or not self._format.starts_at(piece.data, 0):
            return
        was_lost = self._parser.is_lost
        self._parser.reset()
        if not was_lost:
            yield self._start, BrokenRecord(self._start, f"the record is shorter than its {self._format.length_name}")

    def _member_records(self, piece: Piece) -> Iterator[_Placed]:
        if self._parser.is_between_records or piece.is_first:
            self._start = piece.offset
        for record in self._parser.feed(piece.data, is_member_end=piece.is_last):
            yield self._start, record

    def _plain_records(self, piece: Piece) -> Iterator[_Placed]:
        if piece.is_first:
            self._plain = RecordParser(self._format, piece.offset, self._reader.find_magic)
        parser = self._plain
        for record in parser.feed(piece.data):
            yield record.offset, record
        if piece.is_last:
            for record in parser.end():
                yield record.offset, record
        if parser.rest is not None:
            self._is_doubtful = parser.is_lost
            self._reader.return_bytes(parser.rest, is_lost=parser.is_lost)


class _Rewound:
    """A stream with the bytes that were read to recognise it."""

    def __init__(self, head: bytes, stream: ByteStream) -> None:
        self._head = head
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        head, self._head = self._head, b""
        return head or self._stream.read(size)


def _to_item(
    record: WarcRecord, offset: int, source: str, wants: Callable[[str], bool], record_format: RecordFormat
) -> Capture | Fault | None:
    name = _name_of(record, record_format)
    if name is None:
        return None
    if isinstance(name, str):
        return Fault(source, offset, name)
    if not wants(name.url):
        return None
    kind = _kind_of(record)
    if kind == "revisit":
        return Fault(source, offset, f"the content of {name.url} is in another record, which was not searched")
    status: int | None = None
    headers: Headers = ()
    content = record.block[:MAX_CONTENT_BYTES]
    if kind == "response":
        try:
            status, headers, content = parse_response(record.block, is_complete=not record.is_cut)
        except BrokenMessage as error:
            return Fault(source, offset, f"{name.url}: {error}")
    if "warc-truncated" in record.fields and len(content) < DEFAULT_MAX_BYTES:
        reason = printable_text(record.fields["warc-truncated"][:40])
        return Fault(source, offset, f"{name.url}: the crawler truncated the content ({reason})")
    try:
        time = parse_warc_date(record.fields.get("warc-date"))
    except ValueError as error:
        return Fault(source, offset, f"{name.url}: {record_format.date_name}: {printable_text(str(error))}")
    return Capture(name.owner, name.url, time, status, headers, content, source, offset)


def _kind_of(record: WarcRecord) -> str:
    return record.fields.get("warc-type", "").lower()


def _name_of(record: WarcRecord, record_format: RecordFormat) -> Name | str | None:
    """Return the name of a record's file, None if it does not have one, or what is wrong with the record."""
    kind = _kind_of(record)
    if not kind:
        return "the record has no WARC-Type"
    if kind not in _TYPES:
        return None
    uri = record.fields.get("warc-target-uri", "").removeprefix("<").removesuffix(">")
    scheme = _SCHEME.match(uri)
    # Archives have records of other schemes, such as dns:example.com. Without any, the record is damaged.
    if scheme is not None and scheme[1].lower() not in _WEB_SCHEMES:
        return None
    try:
        if "://" in uri:
            return Name.of_request(uri)
    except InvalidURL:
        pass
    return f"invalid {record_format.url_name} {printable_text(uri[:200])!r}"
