"""The records of a WARC file whose parts are compressed or not, as in concatenated files."""

from collections.abc import Iterator

from canfetch.bulk.reading.compressed_members import BrokenMember, MemberReader, Piece
from canfetch.bulk.reading.warc_records import VERSION, BrokenRecord, RecordParser, WarcRecord

# The offset of a record, or of the compressed member in which it starts.
_Placed = tuple[int, WarcRecord | BrokenRecord]


class PartRecords:
    """Finds the records in the members of a file, and in its parts that are not compressed.

    Args: reader: Reads the file.
    """

    def __init__(self, reader: MemberReader) -> None:
        self._reader = reader
        # A record can continue in the next member.
        self._parser = RecordParser()
        self._start = 0
        self._plain = RecordParser()
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
            self._is_doubtful = self._is_doubtful and not piece.is_plain and VERSION not in piece.data
            if self._is_doubtful:
                continue
            yield from self._end_record(piece)
            yield from self._plain_records(piece) if piece.is_plain else self._member_records(piece)
        for last in self._parser.end():
            yield self._start, last

    def _end_record(self, piece: Piece) -> Iterator[_Placed]:
        """Report a record that is not complete before a piece that starts with another one."""
        if not piece.is_first or self._parser.is_between_records or not piece.data.startswith(VERSION):
            return
        was_lost = self._parser.is_lost
        self._parser.reset()
        if not was_lost:
            yield self._start, BrokenRecord(self._start, "the record is shorter than its Content-Length")

    def _member_records(self, piece: Piece) -> Iterator[_Placed]:
        if self._parser.is_between_records or piece.is_first:
            self._start = piece.offset
        for record in self._parser.feed(piece.data):
            yield self._start, record

    def _plain_records(self, piece: Piece) -> Iterator[_Placed]:
        if piece.is_first:
            self._plain = RecordParser(piece.offset, self._reader.find_magic)
        parser = self._plain
        for record in parser.feed(piece.data):
            yield record.offset, record
        if piece.is_last:
            for record in parser.end():
                yield record.offset, record
        if parser.rest is not None:
            self._is_doubtful = parser.is_lost
            self._reader.return_bytes(parser.rest, is_lost=parser.is_lost)
