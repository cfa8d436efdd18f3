"""The line format of a segment: one canonical JSON object per line, with the hash of the line before it.

    {"format": "canfetch.evidence/3", "previous": "<64 hex digits>", "recorded_at": "2026-11-22T01:32:00Z",
     "robots": {...}, "segment": "<name>", "sequence": 1, "url": "https://...", "verdict": {...}}

Times are RFC 3339 strings in UTC. A decision as of a date also contains `"at"`, the time that it is about.

Line 0 opens the segment. Instead of a decision it contains `"opened"` and `"stores_content"`, which is true
if the segment's robots.txt files are stored next to it. Its `previous` is 64 zeros. The last line seals the segment:
it contains `"sealed"`, the number of decisions, and a checksum of itself (see `seals`).

Both contain `"follows"`: the heads of the other segments in the folder that no line refers to yet. A segment that was
changed, cut or removed later does not match the lines that refer to it.
"""

import hashlib
import json
import re
from typing import Any, Final, NamedTuple, Self, TypeGuard

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

EVIDENCE_FORMAT: Final = "canfetch.evidence/3"
INITIAL_HASH: Final = "0" * 64
SEGMENT_PATTERN: Final = "evidence-*.ndjson"
CONTENT_FOLDER: Final = "content"
# Including the line feed. The limit bounds the reader's memory, and distinguishes an overlong line from a torn one.
MAX_LINE_BYTES: Final = 16 * 1024 * 1024
_SEGMENT_NAME: Final = re.compile(r"evidence-[0-9A-Za-z.-]+", re.ASCII)
_SHA256: Final = re.compile("[0-9a-f]{64}")
# Nobody writes a segment with more lines, and int() of a longer string is slow.
_MAX_LINES_DIGITS: Final = 15


class EvidenceHead(NamedTuple):
    """The state of a segment at a point in time. `str(head)` is the form that `--head` accepts.

    Attributes:
        segment: Name of the segment: its file name without `.ndjson`.
        lines: Number of lines of the segment.
        sha256: Hash of the last of these lines, or 64 zeros without any line.
    """

    segment: str
    lines: int
    sha256: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `SEGMENT:LINES:SHA256`.

        Raises: InvalidOption.
        """
        segment, _, rest = text.strip().partition(":")
        lines, _, sha256 = rest.partition(":")
        if lines.isascii() and lines.isdigit() and len(lines) <= _MAX_LINES_DIGITS:
            head = cls(segment, int(lines), sha256)
            if head.is_well_formed:
                return head
        raise InvalidOption(
            f"invalid head {quoted(text)}: expected SEGMENT:LINES:SHA256, "
            "such as evidence-20261122T013200Z-1-0a1b2c3d4e5f:3:... with 64 hex digits"
        )

    @classmethod
    def from_json(cls, value: object) -> Self | None:
        """Return the head that `to_json` wrote, or None if `value` is not a head."""
        if not isinstance(value, dict) or value.keys() != {"segment", "lines", "sha256"}:
            return None
        segment, lines, sha256 = value["segment"], value["lines"], value["sha256"]
        if not isinstance(segment, str) or type(lines) is not int:
            return None
        head = cls(segment, lines, sha256)
        return head if head.is_well_formed else None

    def to_json(self) -> dict[str, str | int]:
        """Return the head as a JSON object."""
        return self._asdict()

    @property
    def is_well_formed(self) -> bool:
        """Whether the fields have the right form. A name that is not well formed could be a path."""
        return (
            _SEGMENT_NAME.fullmatch(self.segment) is not None
            and 0 <= self.lines < 10**_MAX_LINES_DIGITS
            and is_sha256(self.sha256)
        )

    def __str__(self) -> str:
        return f"{self.segment}:{self.lines}:{self.sha256}"


def encode_record(record: dict[str, Any]) -> bytes:
    """Encode `record` as one line without its line feed: sorted keys, ASCII only, so equal records are equal bytes."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def decode_record(line: bytes) -> dict[str, Any] | None:
    """Decode a line, or return None if it is not a JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def hash_line(line: bytes) -> str:
    """Return the SHA-256 of `line` without its line feed in hex, as the next line's `previous` contains it."""
    return hashlib.sha256(line).hexdigest()


def is_sha256(value: object) -> TypeGuard[str]:
    """Return whether `value` is a SHA-256 hash in hex."""
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None
