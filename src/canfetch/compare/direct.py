"""Targets that are found without a search.

No target that matches a pattern is shorter than the bytes of the pattern, apart from those that a form encodes. If one
of exactly these bytes has the wanted decisions, the search is not necessary. So it is only made for the few rules that
others cover.
"""

from canfetch.compare.forms import Form, in_form
from canfetch.compare.patterns import Pattern
from canfetch.core.patterns import Segments


def direct_match(pattern: Pattern) -> bytes | None:
    """Return a shortest target that a pattern matches, or None if it is not that simple. No URL may have it."""
    target = b"".join((pattern.head, *pattern.middles))
    target = target if target.startswith(b"/") else b"/" + target
    return target if len(target) == least_length(pattern) and matches(pattern, target) else None


def least_length(pattern: Pattern) -> int:
    """Return a length that no target is below that a pattern matches."""
    parts = pattern.head, *pattern.middles
    length = sum(map(len, parts)) + (not pattern.head.startswith(b"/"))
    if not pattern.head and pattern.middles and pattern.middles[0].startswith(b"/"):
        length -= 1
    if pattern.form is not Form.AS_IS:
        # Each escape may be one byte of the target.
        length -= 2 * sum(part.count(b"%") for part in parts)
    return length


def matches(pattern: Pattern, target: bytes) -> bool:
    """Return whether a pattern matches a target.

    Cost: O(bytes of the target times bytes of the pattern) at worst.
    """
    target = in_form(target, pattern.form)
    segments = Segments(pattern.head, pattern.middles, pattern.anchored)
    return target.startswith(pattern.head) and segments.matches_after_head(target)
