"""The first and the last line of a segment: its head, whether it is sealed, and the segments that it refers to."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from canfetch.client.evidence.chain import (
    INITIAL_HASH,
    MAX_LINE_BYTES,
    EvidenceHead,
    decode_record,
    hash_line,
)
from canfetch.client.regular_files import open_regular_file

_BLOCK_BYTES: Final = 16 * 1024


class SegmentEnds(NamedTuple):
    """What the first and the last complete line of a segment contain. Nothing else of the segment was checked.

    Attributes:
        head: The head, with the last complete line. `lines` is what that line states.
        size: Size of the file in bytes before it was read.
        sealed: Whether the last line is a seal.
        opening_follows: The heads that the first line refers to.
        seal_follows: The heads that the seal refers to.
    """

    head: EvidenceHead
    size: int
    sealed: bool
    opening_follows: tuple[EvidenceHead, ...]
    seal_follows: tuple[EvidenceHead, ...]


def read_ends(path: Path) -> SegmentEnds:
    """Read the first and the last complete line of a segment.

    Cost: O(bytes of the two lines), and O(bytes of the segment) if the last line was damaged.
    Raises: OSError.
    """
    with open_regular_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        first = file.readline(MAX_LINE_BYTES + 1)
        if not first.endswith(b"\n"):
            return SegmentEnds(
                EvidenceHead(path.stem, 0, INITIAL_HASH), size, sealed=False, opening_follows=(), seal_follows=()
            )
        last = _read_last_line(file, size, first)
        opening, closing = decode_record(first), decode_record(last)
        head = EvidenceHead(path.stem, _line_number(file, closing), hash_line(last.removesuffix(b"\n")))
    sealed = is_seal(closing)
    return SegmentEnds(head, size, sealed, followed_heads(opening), followed_heads(closing) if sealed else ())


def is_seal(record: dict[str, Any] | None) -> bool:
    """Return whether a decoded line is a seal."""
    return record is not None and record.get("sealed") is True


def followed_heads(record: dict[str, Any] | None) -> tuple[EvidenceHead, ...]:
    """Return the heads that a decoded line refers to. Values that are not heads are left out."""
    values = None if record is None else record.get("follows")
    heads = map(EvidenceHead.from_json, values if isinstance(values, list) else ())
    return tuple(head for head in heads if head is not None)


def _read_last_line(file: IO[bytes], size: int, first: bytes) -> bytes:
    """Return the last complete line. If it is longer than the maximum, its start is cut off."""
    tail, start = b"", size
    while start > 0 and len(tail) <= MAX_LINE_BYTES:
        # Each read doubles the tail, so that a long line is not copied for every block.
        length = min(max(_BLOCK_BYTES, len(tail)), start)
        start -= length
        file.seek(start)
        tail = file.read(length) + tail
        end = tail.rfind(b"\n")
        line_start = tail.rfind(b"\n", 0, end) + 1 if end > 0 else 0
        if line_start:
            return tail[line_start : end + 1]
    return first if start == 0 else tail[: tail.rfind(b"\n") + 1]


def _line_number(file: IO[bytes], record: dict[str, Any] | None) -> int:
    sequence = None if record is None else record.get("sequence")
    if type(sequence) is int and sequence >= 0:
        return sequence + 1
    file.seek(0)
    return sum(block.count(b"\n") for block in _blocks(file))


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(1 << 20):
        yield block
