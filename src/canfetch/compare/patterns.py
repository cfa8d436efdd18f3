"""Ranked patterns: the rules of one agent, as comparisons need them, with the forms of targets that they match.

1. The matching pattern with the lowest rank decides.
2. Ranks of the same pattern are equal in two files of one profile, so that comparisons recognise what files share.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from canfetch.core.escapes import RESERVED_DATA, unescape_literal
from canfetch.core.patterns import parse_pattern, split_segments
from canfetch.core.profiles import Profile
from canfetch.core.text import HEX_DIGITS
from canfetch.core.verdict import Rule

QUERY_MARK: Final = ord("?")
ROBOTS_TXT: Final = b"/robots.txt"
# Comes before the rank of every rule.
_FIRST: Final = -(1 << 62)
_new_tuple: Final = tuple.__new__


class Form(IntEnum):
    """The form of the target that a pattern is compared with."""

    AS_IS = 0
    """The target itself."""
    FORM_B = 1
    """Form (b) of docs/semantics.md: reserved data in the query is encoded."""


ENCODED: Final[dict[Form, tuple[dict[int, bytes], dict[int, bytes]]]] = {
    Form.AS_IS: ({}, {}),
    Form.FORM_B: ({}, {byte: b"%%%02X" % byte for byte in RESERVED_DATA}),
}
"""The bytes that each form encodes: in the path, up to the first `?`, and in the query."""


def in_form(target: bytes, form: Form) -> bytes:
    """Return a form of a target.

    Cost: O(bytes).
    """
    if form is Form.AS_IS:
        return target
    in_path, in_query = ENCODED[form]
    path, mark, query = target.partition(b"?")
    pieces = [in_path.get(byte, b"%c" % byte) for byte in path + mark]
    return b"".join([*pieces, *(in_query.get(byte, b"%c" % byte) for byte in query)])


class Pattern(NamedTuple):
    """One text of a rule.

    Attributes:
        head: The literal bytes at the start.
        middles: The segments after each `*`, none of which is empty.
        anchored: Whether the target must end with the pattern.
        form: The form of the target that it is compared with.
    """

    head: bytes
    middles: tuple[bytes, ...] = ()
    anchored: bool = False
    form: Form = Form.AS_IS


class RankedPattern(NamedTuple):
    """A pattern, its rank, the decision if it decides, and the rule that it belongs to, if any."""

    rank: tuple[int, ...]
    allow: bool
    pattern: Pattern
    rule: Rule | None = None


PatternsOfRules = Callable[[Sequence[Rule], Profile], Iterable[RankedPattern]]
"""Returns the patterns of rules, as `ranked_patterns` does."""
ROBOTS_TXT_PATTERN: Final = Pattern(ROBOTS_TXT, anchored=True)


def exemption(*, allow: bool = True) -> RankedPattern:
    """Return a pattern that decides about `/robots.txt` before all rules."""
    return RankedPattern((_FIRST,), allow, ROBOTS_TXT_PATTERN)


def deciding_patterns(patterns: Iterable[RankedPattern], profile: Profile) -> list[RankedPattern]:
    """Return the patterns that may decide, of those in file order, and that of the exempt `/robots.txt`.

    Cost: O(patterns).
    """
    patterns = list(patterns)
    if profile.first_match:
        patterns = _by_length(patterns)
    if profile.robots_txt_allowed:
        patterns.append(exemption())
    return patterns


def ranked_patterns(rules: Iterable[Rule], profile: Profile) -> Iterator[RankedPattern]:
    """Yield the patterns of rules, with ranks that are equal for rules of which the first line decides."""
    for number, rule in enumerate(rules):
        for pattern, specificity, allow in _patterns(rule, profile):
            rank: tuple[int, ...] = (number,) if profile.first_match else (-specificity, not rule.allow)
            yield _new_tuple(RankedPattern, (rank, allow, pattern, rule))


def _patterns(rule: Rule, profile: Profile) -> Iterator[tuple[Pattern, int, bool]]:
    for text, specificity, form_b in parse_pattern(rule.pattern, allow=rule.allow, profile=profile):
        if profile.literal_paths:
            yield Pattern(unescape_literal(text)), specificity, rule.allow
        else:
            head, middles, anchored = split_segments(text)
            form = Form.FORM_B if form_b else Form.AS_IS
            # A rule with specificity 0 matches everything, and allows.
            yield _new_tuple(Pattern, (head, middles, anchored, form)), specificity, rule.allow or specificity == 0


def _by_length(patterns: Iterable[RankedPattern]) -> list[RankedPattern]:
    """Rank literal prefixes, of which the first one decides, by their length.

    A prefix is never compared if an earlier one starts it. Of the others, the longest one that matches is the first.
    """
    heads: set[bytes] = set()
    lengths: set[int] = set()
    kept: list[RankedPattern] = []
    for one in patterns:
        head = one.pattern.head
        if not any(head[:length] in heads for length in lengths if length <= len(head)):
            heads.add(head)
            lengths.add(len(head))
            kept.append(one._replace(rank=(-len(head), 0)))
    return kept


def fixed_head(pattern: Pattern) -> bytes:
    """Return the head through the first `?`. All forms are the same there."""
    path, mark, _ = pattern.head.partition(b"?")
    return path + mark


def rule_text(one: RankedPattern, profile: Profile) -> bytes:
    """Return the text of a rule as it is written, or `/d/$` for the folder that `Allow: /d/index.html` also allows."""
    assert one.rule is not None
    if profile.index_html and one.rank[0] != -one.rule.specificity:
        folder, slash, _ = one.rule.pattern.rpartition(b"/")
        return folder + slash + b"$"
    return one.rule.pattern


def has_stray_percent(pattern: Pattern) -> bool:
    """Return whether a pattern has a `%` without two digits, or the escape of a digit, which is valid only after a `%`.

    Cost: O(bytes), in C for most patterns.
    """
    return any(b"%" in part and _has_stray(part) for part in (pattern.head, *pattern.middles))


def _has_stray(part: bytes) -> bool:
    for after in part.split(b"%")[1:]:
        digits = after[:2]
        if len(digits) < 2 or digits.strip(b"0123456789ABCDEF"):
            return True
        if int(digits, 16) in HEX_DIGITS:
            return True
    return False
