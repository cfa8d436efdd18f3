"""The line format of a segment: one canonical JSON object per line, with the hash of the line before it.

    {"format": "canfetch.evidence/2", "previous": "<64 hex digits>", "recorded_at": "2026-11-22T01:32:00Z",
     "robots": {...}, "segment": "<name>", "sequence": 1, "url": "https://...", "verdict": {...}}

Times are RFC 3339 strings in UTC.

Line 0 opens the segment. Instead of a decision it contains `"opened"` and `"stores_content"`, which is true
if the segment's robots.txt files are stored next to it. Its `previous` is 64 zeros.
"""

import hashlib
import json
from typing import Any, Final

EVIDENCE_FORMAT: Final = "canfetch.evidence/2"
INITIAL_HASH: Final = "0" * 64
SEGMENT_PATTERN: Final = "evidence-*.ndjson"
CONTENT_FOLDER: Final = "content"
# Including the line feed. The limit bounds the reader's memory, and distinguishes an overlong line from a torn one.
MAX_LINE_BYTES: Final = 16 * 1024 * 1024


def encode_record(record: dict[str, Any]) -> bytes:
    """Encode `record` as one line without its line feed: sorted keys, ASCII only, so equal records are equal bytes."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def hash_line(line: bytes) -> str:
    """Return the SHA-256 of `line` in hex, as the next line's `previous` contains it."""
    return hashlib.sha256(line).hexdigest()
