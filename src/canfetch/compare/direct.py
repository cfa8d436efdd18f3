"""Targets that are found without a search.

No target that matches a pattern is shorter than the bytes of the pattern, apart from those that a form encodes. If one
of exactly these bytes has the wanted decisions, the search is not necessary. So it is only made for the few rules that
others cover.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise, permutations
from typing import Final, NamedTuple

from canfetch.compare.patterns import ENCODED, Form, Pattern, fixed_head, in_form
from canfetch.core.patterns import Segments

# For longer texts, the time must not grow with the square of their length.
_MAX_COMPARED: Final = 64
# For more patterns, the segments of two of them are not joined.
_MAX_JOINED: Final = 4
# Of escapes.
_DIGITS: Final = b"0123456789ABCDEF"
_DIGIT_BYTES: Final = frozenset(b"%c" % digit for digit in _DIGITS)
# The digits of the escapes in form (b), and the bytes that they encode.
_DECODED: Final = {escape[1:]: b"%c" % byte for byte, escape in ENCODED[Form.FORM_B][1].items()}


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
        length = max(0, length - _encoded(parts))
    return length


def _encoded(parts: Sequence[bytes]) -> int:
    """Return how many bytes of the segments of a pattern a target may lack, because its form encodes some bytes."""
    # Each escape may be one byte of the target.
    count = 2 * sum(part.count(b"%") for part in parts)
    for previous, part in pairwise(parts):
        digits = sum(byte in _DIGITS for byte in part[:2])
        # A segment may start with the digits of an escape that starts before it, maybe in the previous segment.
        if b"%" in previous[-2:] or (len(previous) == 1 and previous in _DIGITS):
            count += digits
        elif digits == 2:
            count += 1
    return count


def as_is(patterns: Sequence[Pattern]) -> Sequence[Pattern]:
    """Return patterns with the same shortest common targets that are compared with the target itself.

    This is possible for one pattern that is a head in form (b), and others that do not extend into its escapes: the
    shortest targets contain the characters that the form encodes. In other cases, the patterns themselves are returned.
    """
    encoded = [one for one in patterns if one.form is not Form.AS_IS]
    shortest = _shortest_head(encoded[0]) if len(encoded) == 1 else None
    if shortest is None:
        return patterns
    path = fixed_head(encoded[0])
    for one in patterns:
        if one is not encoded[0] and (not path.startswith(one.head) or any(map(_may_be_in_escape, one.middles))):
            return patterns
    return [shortest if one is encoded[0] else one for one in patterns]


def _shortest_head(pattern: Pattern) -> Pattern | None:
    """Return the shortest head of the targets that a pattern in form (b) matches, if the pattern is only a head."""
    if pattern.form is not Form.FORM_B or pattern.middles or pattern.anchored or b"%" in pattern.head[-2:]:
        return None
    path, mark, query = pattern.head.partition(b"?")
    first, *rest = query.split(b"%")
    decoded = [_DECODED.get(part[:2], b"%" + part[:2]) + part[2:] for part in rest]
    return Pattern(b"".join([path, mark, first, *decoded]))


def _may_be_in_escape(segment: bytes) -> bool:
    """Return whether a segment may be in an escape that starts before it, or has one."""
    return b"%" in segment or segment[:1] in _DIGIT_BYTES


def have_no_target(matched: Sequence[Pattern], avoided: Sequence[Pattern]) -> bool:
    """Return whether it is plain that no target matches all of some patterns and none of others."""
    if any(_covers(one, other) for one in avoided for other in matched):
        return True
    head = _common_head(matched)
    if any(not one.anchored and matches(one, head) for one in avoided):
        # Whatever follows the head, the pattern still matches.
        return True
    anchored = [one for one in matched if one.anchored and one.form is Form.AS_IS]
    if any(not one.middles and one.head and not all(matches(other, one.head) for other in matched) for one in anchored):
        return True
    ends = sorted(((one.middles or (one.head,))[-1] for one in anchored), key=len)
    return any(not ends[-1].endswith(end) for end in ends)


def _covers(one: Pattern, other: Pattern) -> bool:
    """Return whether the text of `other` shows that `one` matches all that it matches."""
    if one.form is not other.form or not other.head.startswith(one.head) or (one.anchored and not other.anchored):
        return False
    parts = other.head, *other.middles
    at, position = 0, len(one.head)
    for middle in one.middles[:-1] if one.anchored else one.middles:
        while (found := parts[at].find(middle, position)) < 0:
            at, position = at + 1, 0
            if at == len(parts):
                return False
        position = found + len(middle)
    if not one.anchored:
        return True
    if not one.middles:
        return one.head == other.head and not other.middles
    last = one.middles[-1]
    start = position if at == len(parts) - 1 else 0
    return len(parts[-1]) - start >= len(last) and parts[-1].endswith(last)


def common_targets(patterns: Sequence[Pattern], *, shortest: bool) -> Iterator[bytes]:
    """Yield common targets of patterns that are simple to find. There may be others.

    A common target starts with the longest head. The segments of a pattern that are not in this head follow it, apart
    from the bytes at the start of the first one that the head ends with. The segments of a second pattern follow them.

    Args: shortest: Yield only targets that no other one is shorter than.
    """
    rests = _rests(patterns)
    longest = max(rests, key=_length_of, default=None)
    if longest is None or not longest.head.startswith(b"/"):
        return
    target = _followed_by(longest.head, longest.shared, longest.segments)
    if all(matches(one, target) for one in patterns):
        yield target
        return
    if len(rests) > _MAX_JOINED:
        return
    least = _least_length_of(rests)
    for one, other in permutations([rest for rest in rests if rest.segments], 2):
        first = _followed_by(one.head, one.shared, one.segments)
        target = _followed_by(first, _shared(one.segments[-1], other.segments[0]), other.segments)
        if (not shortest or len(target) == least) and all(matches(each, target) for each in patterns):
            yield target


def _followed_by(text: bytes, shared: int, segments: Iterable[bytes]) -> bytes:
    """Return a text that some segments follow. Its last bytes are the first ones of the first segment."""
    return text + b"".join(segments)[shared:]


def least_common_length(patterns: Sequence[Pattern]) -> int:
    """Return a length that no common target of patterns is below.

    Besides the bytes of each pattern, it contains the longest segments of two patterns. Unless one contains the other,
    they share at most the bytes with which one ends and the other starts.
    """
    return _least_length_of(_rests(patterns))


def _least_length_of(rests: Sequence["_Rest"]) -> int:
    return max((*map(_length_of, rests), *(_length_of_two(*two) for two in combinations(rests, 2))), default=0)


def _common_head(patterns: Iterable[Pattern]) -> bytes:
    """Return the bytes that common targets start with."""
    heads = (one.head for one in patterns if one.form is Form.AS_IS and one.head)
    return max(heads, key=len, default=b"/")


class _Rest(NamedTuple):
    """What is left of a pattern after the head that common targets start with.

    Attributes:
        head: The common head.
        segments: The segments that are not in it.
        shared: The bytes at the start of the first of these segments that the head ends with.
    """

    head: bytes
    segments: Sequence[bytes]
    shared: int


def _rests(patterns: Sequence[Pattern]) -> list[_Rest]:
    head = _common_head(patterns)
    return [_rest(head, one) for one in patterns if one.form is Form.AS_IS]


def _rest(head: bytes, pattern: Pattern) -> _Rest:
    position = len(pattern.head)
    for number, middle in enumerate(pattern.middles):
        found = head.find(middle, position)
        if found < 0:
            return _Rest(head, pattern.middles[number:], _shared(head[position:], middle))
        position = found + len(middle)
    return _Rest(head, (), 0)


def _shared(one: bytes, other: bytes) -> int:
    """Return the most bytes with which one text ends and the other starts."""
    most = min(len(one), len(other))
    if most <= _MAX_COMPARED:
        return next((each for each in range(most, 0, -1) if one.endswith(other[:each])), 0)
    # The longest end of the text that is also its start. -1 is not a byte.
    text = [*other[:most], -1, *one[-most:]]
    borders = [0]
    for value in text[1:]:
        border = borders[-1]
        while border and text[border] != value:
            border = borders[border - 1]
        borders.append(border + (text[border] == value))
    return borders[-1]


def _length_of(rest: _Rest) -> int:
    return len(rest.head) + sum(map(len, rest.segments)) - rest.shared


def _length_of_two(one: _Rest, other: _Rest) -> int:
    if not one.segments or not other.segments:
        return 0
    first, second = (max(rest.segments, key=len) for rest in (one, other))
    if first in second or second in first:
        return 0
    shared = max(_shared(first, second), _shared(second, first))
    return len(one.head) - max(one.shared, other.shared) + len(first) + len(second) - shared


def matches(pattern: Pattern, target: bytes) -> bool:
    """Return whether a pattern matches a target.

    Cost: O(bytes of the target times bytes of the pattern) at worst.
    """
    target = in_form(target, pattern.form)
    segments = Segments(pattern.head, pattern.middles, pattern.anchored)
    return target.startswith(pattern.head) and segments.matches_after_head(target)
