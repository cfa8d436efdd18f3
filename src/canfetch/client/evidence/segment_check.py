"""Check one segment: its hash chain, its seal, the lines that others refer to, and its stored files."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch.client.evidence.chain import (
    CONTENT_FOLDER,
    EVIDENCE_FORMAT,
    INITIAL_HASH,
    MAX_LINE_BYTES,
    EvidenceHead,
    decode_record,
    hash_line,
    is_sha256,
)
from canfetch.client.evidence.seals import find_seal_problem
from canfetch.client.evidence.segment_ends import is_seal
from canfetch.client.regular_files import open_regular_file
from canfetch.core.quoting import quoted
from canfetch.core.times import parse_rfc3339, rfc3339
from canfetch.errors import EvidenceError

_NO_LINES: Final = "the segment has only {} of the {} lines that {} refers to: lines were cut off"

# At most 2 MiB each, unless a robots.txt was parsed with a higher limit.
_KEPT_FILES: Final = 8


class Confirmation(NamedTuple):
    """A reference to a line of the segment, from outside the segment.

    Attributes:
        lines: Number of lines up to the line.
        sha256: Hash of the line.
        source: What refers to it, for messages.
    """

    lines: int
    sha256: str
    source: str


class SegmentReport(NamedTuple):
    """The result of verifying one segment.

    A segment without any line was left by a writer that died before its first write.

    Attributes:
        path: The segment's file.
        decisions: Number of decisions and answers about uses on valid lines.
        head: The segment, its number of valid lines, and the hash of the last of them.
        sealed: Whether the last line is a valid seal. A segment has no seal if the recorder was not closed, or if lines
            were cut off at the end.
        confirmed_lines: Number of lines, from the first, that other segments or the given heads confirm. None if
            nothing refers to the segment.
        covered_lines: Number of lines that the given heads cover, directly or through segments that refer to others.
            None if no head was given.
        broken_line: The first invalid line, counted from 1.
        problem: What is wrong with that line, or with the segment if `broken_line` is None.
        torn_bytes: Length of a last line without a line feed. Its write was never acknowledged, so the chain
            is intact.
        missing_content: Hashes of files that the segment should have stored and that do not exist.
        changed_content: Hashes of stored files whose content has another hash now.
        uses: Number of these that are answers about uses.
        recomputed_uses: Number of answers about uses that were computed again from their stored sources, with the same
            result.
        past_decisions: Number of decisions as of a date.
        past_times: The earliest and the latest time that these are about. Empty if there are none.
    """

    path: Path
    decisions: int
    head: EvidenceHead
    sealed: bool
    confirmed_lines: int | None
    covered_lines: int | None
    broken_line: int | None
    problem: str | None
    torn_bytes: int
    missing_content: tuple[str, ...]
    changed_content: tuple[str, ...]
    uses: int = 0
    recomputed_uses: int = 0
    past_decisions: int = 0
    past_times: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Whether the lines that exist form a chain, match all references, and every stored file is unchanged."""
        return self.problem is None and not self.missing_content and not self.changed_content

    @property
    def valid(self) -> bool:
        """Whether the segment is intact and complete: sealed, or confirmed up to its last line from outside."""
        return self.intact and (self.sealed or self.confirmed_lines == self.head.lines)


class SegmentCheck:
    """Checks the lines of one segment in order.

    Args:
        path: The segment's file.
        key: The key that the seal must have been made with, or None.
        confirmations: The references to lines of the segment.
    """

    def __init__(self, path: Path, key: bytes | None, confirmations: Sequence[Confirmation]) -> None:
        self._path = path
        self._key = key
        # By number of lines: the hashes, each with what refers to it.
        self._expected: dict[int, dict[str, str]] = {}
        for lines, sha256, source in confirmations:
            self._expected.setdefault(lines, {})[sha256] = source
        self._last_expected = max(self._expected, default=0)
        self._head = EvidenceHead(path.stem, 0, INITIAL_HASH)
        self._sealed = False
        self._torn_bytes = 0
        self._problem: str | None = None
        self._stores_content = False
        self._hashes: set[str] = set()
        self._content = _StoredContent(path.parent / CONTENT_FOLDER)
        self._uses = 0
        self._recomputed_uses = 0
        self._past_decisions = 0
        self._past_times: tuple[float, float] = inf, -inf

    def run(self, *, size: int | None = None, covered_lines: int | None = None) -> SegmentReport:
        """Read the segment and return the report.

        Args:
            size: Number of bytes to read, so that a segment that is being written is checked up to a point in time.
                Lines that confirmations refer to are read in any case. None reads the file up to its current size.
            covered_lines: See `SegmentReport`.
        Raises: EvidenceError: A file cannot be read.
        Cost: O(bytes), with one line in memory at a time.
        """
        try:
            self._read(size)
        except OSError as error:
            raise EvidenceError(f"{self._path}: cannot be read: {error.strerror}") from None
        lines = self._head.lines
        broken_line = None if self._problem is None else lines + 1
        missing, changed = self._content.find_problems(self._hashes)
        return SegmentReport(
            path=self._path,
            decisions=max(0, lines - 1 - self._sealed),
            head=self._head,
            sealed=self._sealed,
            confirmed_lines=max((count for count in self._expected if count <= lines), default=None),
            covered_lines=None if covered_lines is None else min(covered_lines, lines),
            broken_line=broken_line,
            problem=self._problem,
            torn_bytes=self._torn_bytes,
            missing_content=missing,
            changed_content=changed,
            uses=self._uses,
            recomputed_uses=self._recomputed_uses,
            past_decisions=self._past_decisions,
            past_times=tuple(map(rfc3339, self._past_times)) if self._past_decisions else (),
        )

    def _read(self, size: int | None) -> None:
        with open_regular_file(self._path) as file:
            remaining = os.fstat(file.fileno()).st_size if size is None else size
            while (remaining > 0 or self._head.lines < self._last_expected) and self._problem is None:
                line = file.readline(MAX_LINE_BYTES + 1)
                if not line:
                    break
                remaining -= len(line)
                if self._sealed:
                    self._problem = "the segment continues after its seal"
                elif len(line) > MAX_LINE_BYTES:
                    self._problem = f"line is longer than {MAX_LINE_BYTES} bytes"
                elif not line.endswith(b"\n"):
                    self._torn_bytes = len(line)
                    break
                else:
                    self._problem = self._check_line(line[:-1])
        if self._problem is None and self._head.lines < self._last_expected:
            source = next(iter(self._expected[self._last_expected].values()))
            self._problem = _NO_LINES.format(self._head.lines, self._last_expected, source)

    def _check_line(self, line: bytes) -> str | None:
        """Return what is wrong with a line, or add it to the chain and return None."""
        record = decode_record(line)
        if record is None:
            return "not a JSON object"
        problem = self._find_problem(record)
        sealed = is_seal(record)
        if problem is None and sealed:
            problem = find_seal_problem(record, line, self._head.lines - 1, self._key)
        if problem is not None:
            return problem
        lines, sha256 = self._head.lines + 1, hash_line(line)
        for expected_sha256, source in self._expected.get(lines, {}).items():
            if expected_sha256 != sha256:
                return f"not the line that {source} refers to: this line or an earlier one was changed"
        hashes = tuple(_content_hashes(record))
        if "use" in record:
            problem = self._check_use(record, hashes)
            if problem is not None:
                return problem
        if "at" in record and not self._add_past_time(record["at"]):
            return f"invalid time of a decision as of a date: {quoted(record['at'])}"
        self._head = EvidenceHead(self._head.segment, lines, sha256)
        self._sealed = sealed
        self._stores_content = self._stores_content or record.get("stores_content") is True
        if self._stores_content:
            self._hashes.update(hashes)
        return None

    def _check_use(self, record: dict[str, Any], hashes: Sequence[str]) -> str | None:
        """Return how an answer about a use differs from that of its sources, or count it and return None."""
        from canfetch.client.evidence.use_records import find_copy_problem, find_use_problem  # noqa: PLC0415 - parses pages

        # Sources that are missing or were changed are reported by their hashes.
        is_complete = self._stores_content and all(self._content.state(sha256) is _State.INTACT for sha256 in hashes)
        problem = find_use_problem(record, self._content.read) if is_complete else None
        if problem is None:
            problem = find_copy_problem(record)
        if problem is None:
            self._uses += 1
            self._recomputed_uses += is_complete
        return problem

    def _add_past_time(self, at: object) -> bool:
        """Count a decision as of a date, or return False if the time is invalid."""
        try:
            seconds = parse_rfc3339(at) if isinstance(at, str) else None
        except ValueError:
            seconds = None
        if seconds is None:
            return False
        earliest, latest = self._past_times
        self._past_decisions += 1
        self._past_times = min(earliest, seconds), max(latest, seconds)
        return True

    def _find_problem(self, record: dict[str, Any]) -> str | None:
        segment, lines, previous = self._head
        if record.get("format") != EVIDENCE_FORMAT:
            return f"unsupported format {quoted(record.get('format'))}: expected {EVIDENCE_FORMAT!r}"
        if record.get("segment") != segment:
            return f"line of another segment: {quoted(record.get('segment'))}"
        if record.get("sequence") != lines:
            return (
                f"unexpected sequence number {quoted(record.get('sequence'))}: expected {lines}; "
                "lines were removed or inserted"
            )
        if record.get("previous") != previous:
            return "hash of the previous line does not match: one of the two lines was changed"
        if (record.get("opened") is True) != (lines == 0):
            return "the first line must open the segment, and no other line"
        if (lines == 0 or is_seal(record)) and not _are_heads(record.get("follows")):
            return f"invalid references to other segments: {quoted(record.get('follows'))}"
        return None


def _are_heads(value: object) -> bool:
    return isinstance(value, list) and all(EvidenceHead.from_json(item) is not None for item in value)


def _content_hashes(record: dict[str, Any]) -> Iterator[str]:
    robots = record.get("robots")
    copy = robots.get("copy") if isinstance(robots, dict) else None
    if isinstance(copy, dict) and isinstance(copy.get("sha256"), str):
        yield copy["sha256"]
    if "use" in record:
        from canfetch.client.evidence.use_records import content_hashes  # noqa: PLC0415 - parses pages

        yield from content_hashes(record)


class _State(Enum):
    """Whether a stored file is as it was recorded."""

    INTACT = auto()
    MISSING = auto()
    CHANGED = auto()


class _StoredContent:
    """The stored files of a folder. Each is checked once.

    Raises: EvidenceError: A file cannot be read. All methods raise it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._states: dict[str, _State] = {}
        # The sources that the last answers had in common.
        self.read = lru_cache(_KEPT_FILES)(self._read)

    def find_problems(self, hashes: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the hashes of files that are missing, and of files that were changed."""
        states = {sha256: self.state(sha256) for sha256 in sorted(hashes)}
        missing, changed = (
            tuple(sha256 for sha256, state in states.items() if state is wanted)
            for wanted in (_State.MISSING, _State.CHANGED)
        )
        return missing, changed

    def state(self, sha256: str) -> _State:
        """Return whether the file with a hash exists and is unchanged."""
        if sha256 not in self._states:
            self._states[sha256] = self._find_state(sha256)
        return self._states[sha256]

    def _find_state(self, sha256: str) -> _State:
        # Anything but a hash could be a path out of the folder. The recorder does not follow a link in place of the
        # folder either. What it leads to is not part of the evidence.
        if not is_sha256(sha256) or self._folder.is_symlink():
            return _State.MISSING
        path = self._folder / sha256
        with _converted_errors(path):
            if not path.is_file():
                return _State.MISSING
            with open_regular_file(path) as file:
                same = hashlib.file_digest(file, "sha256").hexdigest() == sha256
        return _State.INTACT if same else _State.CHANGED

    def _read(self, sha256: str) -> bytes | None:
        if self.state(sha256) is not _State.INTACT:
            return None
        path = self._folder / sha256
        with _converted_errors(path), open_regular_file(path) as file:
            return file.read()


@contextmanager
def _converted_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from None
