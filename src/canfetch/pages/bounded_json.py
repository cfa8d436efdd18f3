"""JSON from untrusted sources, parsed with limits on its size and depth."""

import json
from typing import Any, Final, NamedTuple

MAX_JSON_DEPTH: Final = 64
_OPENING: Final = frozenset(b"[{")
_CLOSING: Final = frozenset(b"]}")
_QUOTE, _BACKSLASH = b'"\\'


class JSONResult(NamedTuple):
    """The parsed value, or the problem that prevents parsing."""

    value: Any
    problem: str | None


def parse_json(content: bytes, *, max_bytes: int) -> JSONResult:
    """Parse JSON. Never raises, whatever `content` is.

    Args:
        content: The file.
        max_bytes: The size limit. A longer file is not parsed, because part of a JSON document is not valid JSON.
    Cost: O(bytes) up to the limit.
    """
    if len(content) > max_bytes:
        return JSONResult(None, f"longer than {max_bytes} bytes")
    if _depth(content) > MAX_JSON_DEPTH:
        return JSONResult(None, f"nested deeper than {MAX_JSON_DEPTH} levels")
    try:
        return JSONResult(json.loads(content), None)
    except ValueError:
        # Undecodable bytes, invalid JSON, or numbers with thousands of digits.
        return JSONResult(None, "invalid JSON")


def _depth(content: bytes) -> int:
    """Return the greatest number of open brackets. The zero bytes of UTF-16 do not change the result."""
    depth = deepest = 0
    quoted = escaped = False
    for byte in content:
        if escaped:
            escaped = False
        elif quoted:
            escaped = byte == _BACKSLASH
            quoted = byte != _QUOTE
        elif byte == _QUOTE:
            quoted = True
        elif byte in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif byte in _CLOSING:
            depth -= 1
    return deepest
