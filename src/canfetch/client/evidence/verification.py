"""Read evidence and check that its hash chains are intact.

An intact chain proves that no line before the last was changed, removed or inserted, unless all later lines were
rewritten as well. It does not prove that:

- the last line was not changed, and no lines were cut off the end, unless its hash was stored elsewhere;
- no whole segment was removed, unless the segment names were stored elsewhere;
- the evidence as a whole was not rewritten;
- the recorded decisions were true.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from canfetch.client.evidence.chain import (
    CONTENT_FOLDER,
    EVIDENCE_FORMAT,
    INITIAL_HASH,
    MAX_LINE_BYTES,
    SEGMENT_PATTERN,
    hash_line,
)
from canfetch.core.quoting import quoted
from canfetch.errors import EvidenceError

_SHA256 = re.compile("[0-9a-f]{64}")


class SegmentReport(NamedTuple):
    """The result of verifying one segment.

    A segment without any line was left by a writer that died before its first write. It is valid and contains
    no decision.

    Attributes:
        path: The segment's file.
        decisions: Number of decisions on valid lines.
        head: Hash of the last valid line.
        broken_line: The first invalid line, counted from 1.
        problem: What is wrong with that line.
        torn_bytes: Length of a last line without a line feed. Its write was never acknowledged, so the segment
            stays valid.
        missing_content: Hashes of robots.txt files that the segment should have stored and that do not exist.
        changed_content: Hashes of stored robots.txt files whose content has another hash now.
    """

    path: Path
    decisions: int
    head: str
    broken_line: int | None
    problem: str | None
    torn_bytes: int
    missing_content: tuple[str, ...]
    changed_content: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether the chain is intact and every stored file exists unchanged."""
        return self.broken_line is None and not self.missing_content and not self.changed_content


def verify_folder(folder: Path) -> Iterator[SegmentReport]:
    """Verify every segment in `folder`, sorted by name.

    Raises: EvidenceError: `folder` is not a folder, or contains no segment.
    """
    if not folder.is_dir():
        raise EvidenceError(f"{folder}: not a folder")
    segments = sorted(folder.glob(SEGMENT_PATTERN))
    if not segments:
        raise EvidenceError(f"{folder}: no evidence found: expected files named {SEGMENT_PATTERN}")
    return map(verify_segment, segments)


def verify_segment(path: Path) -> SegmentReport:
    """Verify one segment.

    Raises: EvidenceError: A file cannot be read.
    Cost: O(bytes), with one line or one robots.txt in memory at a time.
    """
    previous, sequence, torn = INITIAL_HASH, 0, 0
    hashes: set[str] = set()
    stores_content = False
    problem: str | None = None
    try:
        with path.open("rb") as lines:
            while problem is None and (line := lines.readline(MAX_LINE_BYTES + 1)):
                if len(line) > MAX_LINE_BYTES:
                    problem = f"line is longer than {MAX_LINE_BYTES} bytes"
                    break
                if not line.endswith(b"\n"):
                    torn = len(line)
                    break
                record = _decode_record(line)
                problem = _find_problem(record, path.stem, sequence, previous)
                if problem is None and record is not None:
                    previous = hash_line(line[:-1])
                    sequence += 1
                    stores_content = stores_content or record.get("stores_content") is True
                    if stores_content:
                        hashes.update(_content_hashes(record))
    except OSError as error:
        raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from None
    missing, changed = _check_content(path.parent / CONTENT_FOLDER, hashes)
    broken_line = None if problem is None else sequence + 1
    return SegmentReport(path, max(0, sequence - 1), previous, broken_line, problem, torn, missing, changed)


def _decode_record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _find_problem(record: dict[str, Any] | None, segment: str, sequence: int, previous: str) -> str | None:
    if record is None:
        return "not a JSON object"
    if record.get("format") != EVIDENCE_FORMAT:
        return f"unsupported format {quoted(record.get('format'))}: expected {EVIDENCE_FORMAT!r}"
    if record.get("segment") != segment:
        return f"line of another segment: {quoted(record.get('segment'))}"
    if record.get("sequence") != sequence:
        return (
            f"unexpected sequence number {quoted(record.get('sequence'))}: expected {sequence}; "
            "lines were removed or inserted"
        )
    if record.get("previous") != previous:
        return "hash of the previous line does not match: one of the two lines was changed"
    return None


def _content_hashes(record: dict[str, Any]) -> Iterator[str]:
    robots = record.get("robots")
    copy = robots.get("copy") if isinstance(robots, dict) else None
    if isinstance(copy, dict) and isinstance(copy.get("sha256"), str):
        yield copy["sha256"]


def _check_content(folder: Path, hashes: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    missing, changed = [], []
    for sha256 in sorted(hashes):
        path = folder / sha256
        try:
            # Anything but a hash could be a path out of the folder.
            if not _SHA256.fullmatch(sha256) or not path.is_file():
                missing.append(sha256)
            elif hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
                changed.append(sha256)
        except OSError as error:
            raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from None
    return tuple(missing), tuple(changed)
