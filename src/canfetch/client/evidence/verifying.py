"""Reading evidence again, and saying what it proves.

A chain that holds proves that no line in it was changed, left out or put in since the last line was
written, by anybody who did not write all later lines anew. It does not prove that no lines were cut off
its end, unless the hash of the last line was kept elsewhere; nor that no segment was removed, unless their
names were; nor that the whole was not written anew; nor that what was recorded was true.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from canfetch.client.evidence.lines import (
    EVIDENCE_FORMAT,
    FIRST_PREVIOUS,
    LONGEST_LINE_OCTETS,
    OCTETS_FOLDER,
    SEGMENT_PATTERN,
    hash_of,
)
from canfetch.core.quoting import quoted
from canfetch.errors import EvidenceError

_SHA256 = re.compile("[0-9a-f]{64}")


class SegmentReport(NamedTuple):
    """What a segment proves.

    `decisions` counts the lines that hold; `broken_at` is the first line, from 1, that does not, and
    `problem` says why. `torn_octets` counts the octets of a last line that was never finished: it is no
    decision that was acknowledged, and breaks nothing. `missing_octets` and `changed_octets` name the
    hashes of files that the segment says it keeps and that are not there, or are not theirs any more. `head` is
    the hash of the last line that holds. A segment without a line is that of a writer that died before its
    first, and holds no decision.
    """

    path: Path
    decisions: int
    head: str
    broken_at: int | None
    problem: str | None
    torn_octets: int
    missing_octets: tuple[str, ...]
    changed_octets: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the chain is whole, and every kept file its own."""
        return self.broken_at is None and not self.missing_octets and not self.changed_octets


def verify_folder(folder: Path) -> Iterator[SegmentReport]:
    """Verify every segment of a folder, in order of name.

    Raises: EvidenceError: there is no such folder, or no segment in it.
    """
    if not folder.is_dir():
        raise EvidenceError(f"{folder}: is no folder of evidence")
    segments = sorted(folder.glob(SEGMENT_PATTERN))
    if not segments:
        raise EvidenceError(f"{folder}: holds no segment of evidence ({SEGMENT_PATTERN})")
    return map(verify_segment, segments)


def verify_segment(path: Path) -> SegmentReport:
    """Verify one segment.

    Raises: EvidenceError: it cannot be read.
    Cost: O(octets), one line in memory at a time.
    """
    previous, sequence, torn = FIRST_PREVIOUS, 0, 0
    hashes: set[str] = set()
    keeps_octets = False
    problem: str | None = None
    try:
        with path.open("rb") as lines:
            while problem is None and (line := lines.readline(LONGEST_LINE_OCTETS + 1)):
                if len(line) > LONGEST_LINE_OCTETS:
                    problem = f"is longer than {LONGEST_LINE_OCTETS} octets, and no line is"
                    break
                if not line.endswith(b"\n"):
                    torn = len(line)
                    break
                record = _record(line)
                problem = _problem(record, path.stem, sequence, previous)
                if problem is None and record is not None:
                    previous = hash_of(line[:-1])
                    sequence += 1
                    keeps_octets = keeps_octets or record.get("keeps_octets") is True
                    if keeps_octets:
                        hashes.update(_kept_hashes(record))
    except OSError as error:
        raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from None
    missing, changed = _check_octets(path.parent / OCTETS_FOLDER, hashes)
    broken_at = None if problem is None else sequence + 1
    return SegmentReport(path, max(0, sequence - 1), previous, broken_at, problem, torn, missing, changed)


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        # Brackets within brackets without end are no JSON that anybody wrote.
        return None
    return record if isinstance(record, dict) else None


def _problem(record: dict[str, Any] | None, segment: str, sequence: int, previous: str) -> str | None:
    if record is None:
        return "is no JSON object"
    if record.get("format") != EVIDENCE_FORMAT:
        return f"has format {quoted(record.get('format'))}, not {EVIDENCE_FORMAT!r}"
    if record.get("segment") != segment:
        return f"is of segment {quoted(record.get('segment'))}"
    if record.get("sequence") != sequence:
        return f"has sequence {quoted(record.get('sequence'))}, not {sequence}: lines are missing, or were put in"
    if record.get("previous") != previous:
        return "does not name the line before it: one of them was changed"
    return None


def _kept_hashes(record: dict[str, Any]) -> Iterator[str]:
    robots = record.get("robots")
    copy = robots.get("copy") if isinstance(robots, dict) else None
    if isinstance(copy, dict) and isinstance(copy.get("sha256"), str):
        yield copy["sha256"]


def _check_octets(folder: Path, hashes: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    missing, changed = [], []
    for sha256 in sorted(hashes):
        place = folder / sha256
        try:
            # What is no hash names no file that was kept, and might name any other.
            if not _SHA256.fullmatch(sha256) or not place.is_file():
                missing.append(sha256)
            elif hashlib.sha256(place.read_bytes()).hexdigest() != sha256:
                changed.append(sha256)
        except OSError as error:
            raise EvidenceError(f"{place}: cannot be read: {error.strerror}") from None
    return tuple(missing), tuple(changed)
