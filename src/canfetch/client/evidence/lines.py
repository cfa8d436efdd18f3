"""The form of a line: one JSON object, canonical, with the hash of the line before it.

    {"at_seconds": 1700000000.0, "format": "canfetch.evidence/1", "previous": "<64 hex digits>",
     "robots": {...}, "segment": "<name>", "sequence": 1, "url": "https://...", "verdict": {...}}

Line 0 opens a segment: it has `"opened"` in place of a decision, `"keeps_octets"`, which says whether the files
themselves are kept, and 64 zeros as `previous`.
"""

import hashlib
import json
from typing import Any, Final

EVIDENCE_FORMAT: Final = "canfetch.evidence/1"
FIRST_PREVIOUS: Final = "0" * 64
SEGMENT_PATTERN: Final = "evidence-*.ndjson"
OCTETS_FOLDER: Final = "octets"
# With its end. Nobody writes a longer one, so that who reads needs no more memory, and takes none for a torn one.
LONGEST_LINE_OCTETS: Final = 16 * 1024 * 1024


def line_of(record: dict[str, Any]) -> bytes:
    """Write a record as one line, without its end: keys sorted, ASCII only, so that its hash is its own."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def hash_of(line: bytes) -> str:
    """Give the hash by which the next line names this one."""
    return hashlib.sha256(line).hexdigest()
