"""Words that programs write for missing values."""

from typing import Final

# JavaScript, JSON and Java. Python's `None` is missing, because people write `none` for an empty rule.
UNSET: Final = frozenset({b"undefined", b"null", b"nan", b"[object object]", b"[object%20object]"})


def is_unset(value: bytes) -> bool:
    """Return whether a value is such a word."""
    return value.lower() in UNSET


def unset_part(url: bytes) -> bytes | None:
    """Return the word in place of a URL or of its scheme, host or first folder, or None."""
    for part in url.split(b"/", 4)[:4]:
        if is_unset(part):
            return part
    return None
