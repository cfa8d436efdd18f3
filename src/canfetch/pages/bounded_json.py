"""JSON that a stranger wrote, read within bounds: its depth, its length, its numbers."""

import json
from typing import Any, Final, NamedTuple

JSON_DEPTH_LIMIT: Final = 64
_OPENING: Final = frozenset(b"[{")
_CLOSING: Final = frozenset(b"]}")
_QUOTE, _BACKSLASH = b'"\\'


class JSONResult(NamedTuple):
    """What was read, or why nothing was."""

    value: Any
    problem: str | None


def parse_json(octets: bytes, *, max_bytes: int) -> JSONResult:
    """Read JSON; whatever the octets are, nothing raises.

    Args: max_bytes: what is longer is not read, since a part of it is none.
    Cost: O(octets) up to the limit.
    """
    if len(octets) > max_bytes:
        return JSONResult(None, f"it is longer than {max_bytes} octets")
    if _depth(octets) > JSON_DEPTH_LIMIT:
        return JSONResult(None, f"it is deeper than {JSON_DEPTH_LIMIT} levels")
    try:
        return JSONResult(json.loads(octets), None)
    except ValueError:
        # What cannot be decoded, is no JSON, or has numbers of thousands of digits.
        return JSONResult(None, "it is no JSON")


def _depth(octets: bytes) -> int:
    """Give the greatest number of brackets open at once; in UTF-16 the zeros between them change nothing."""
    depth = deepest = 0
    quoted = escaped = False
    for octet in octets:
        if escaped:
            escaped = False
        elif quoted:
            escaped = octet == _BACKSLASH
            quoted = octet != _QUOTE
        elif octet == _QUOTE:
            quoted = True
        elif octet in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif octet in _CLOSING:
            depth -= 1
    return deepest
