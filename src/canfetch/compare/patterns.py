"""Ranked patterns: the rules of one agent, as comparisons need them.

1. The matching pattern with the lowest rank decides. After the rewrite of urllib.robotparser, the pattern whose match
   ends last decides, and the rank only if several end there.
2. Ranks of the same pattern are equal in two files of one profile, so that comparisons recognise what files share.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from canfetch.compare.forms import Form
from canfetch.core.escapes import unescape_literal
from canfetch.core.patterns import parse_pattern, split_segments
from canfetch.core.profiles import Profile
from canfetch.core.reference.robotparser.paths import old_path, rewritten_path
from canfetch.core.text import HEX_DIGITS
from canfetch.core.verdict import Rule

ROBOTS_TXT: Final = b"/robots.txt"
# Comes before the rank of every rule.
_FIRST: Final = -(1 << 62)


class Pattern(NamedTuple):
    """One text of a rule.

    Attributes:
        head: The literal bytes at the start.
        middles: The segments after each `*`, none of which is empty.
        anchored: Whether the target must end with the pattern.
        form: The form of the target that it is compared with.
        grows: Whether the pattern ends with `*`, if the length of the match matters.
    """

    head: bytes
    middles: tuple[bytes, ...] = ()
    anchored: bool = False
    form: Form = Form.AS_IS
    grows: bool = False


class RankedPattern(NamedTuple):
    """A pattern, its rank, the decision if it decides, and the rule that it belongs to, if any."""

    rank: tuple[int, ...]
    allow: bool
    pattern: Pattern
    rule: Rule | None = None


class Side(NamedTuple):
    """One side of a comparison: a decision for each target.

    Attributes:
        patterns: Its patterns, in any order.
        default: The decision if none matches.
        longest_match: Whether the pattern whose match ends last decides.
    """

    patterns: Sequence[RankedPattern]
    default: bool = True
    longest_match: bool = False


ROBOTS_TXT_PATTERN: Final = Pattern(ROBOTS_TXT, anchored=True)


def exemption(*, allow: bool = True) -> RankedPattern:
    """Return a pattern that decides about `/robots.txt` before all rules."""
    return RankedPattern((_FIRST,), allow, ROBOTS_TXT_PATTERN)


def side_of(rules: Iterable[Rule], profile: Profile, *, for_urls: bool = False) -> Side:
    """Return the decisions of rules in file order.

    Args: for_urls: Whether they decide about URLs in normal form, which urllib.robotparser converts, and not about its
        targets.
    Cost: O(bytes of the rules).
    """
    patterns = list(ranked_patterns(rules, profile))
    if for_urls and profile.robotparser:
        form = Form.REQUOTED if profile.robotparser_rewritten else Form.QUOTED
        patterns = [one._replace(pattern=one.pattern._replace(form=form)) for one in patterns]
    return side_of_patterns(patterns, profile)


def side_of_patterns(patterns: Iterable[RankedPattern], profile: Profile) -> Side:
    """Return the decisions of patterns in file order.

    Cost: O(patterns).
    """
    patterns = list(patterns)
    if decides_in_file_order(profile):
        patterns = _by_length(patterns)
    if profile.robots_txt_allowed:
        patterns.append(exemption())
    return Side(patterns, longest_match=profile.robotparser_rewritten)


def decides_in_file_order(profile: Profile) -> bool:
    """Return whether the first matching rule decides."""
    return profile.first_match or (profile.robotparser and not profile.robotparser_rewritten)


def ranked_patterns(rules: Iterable[Rule], profile: Profile) -> Iterator[RankedPattern]:
    """Yield the patterns of rules, with ranks that are equal for rules of which the first line decides."""
    in_order = decides_in_file_order(profile)
    for number, rule in enumerate(rules):
        for pattern, specificity, allow in _patterns(rule, profile):
            if in_order:
                rank: tuple[int, ...] = (number,)
            elif profile.robotparser_rewritten:
                # One element less than the ranks of other profiles, so that no pattern has both kinds of rank.
                rank = (not allow,)
            else:
                rank = (-specificity, not rule.allow)
            yield RankedPattern(rank, allow, pattern, rule)


def _patterns(rule: Rule, profile: Profile) -> Iterator[tuple[Pattern, int, bool]]:
    if profile.robotparser:
        yield from _robotparser_patterns(rule, profile)
        return
    for text, specificity, form_b in parse_pattern(rule.pattern, allow=rule.allow, profile=profile):
        if profile.literal_paths:
            yield Pattern(unescape_literal(text)), specificity, rule.allow
        else:
            head, middles, anchored = split_segments(text)
            form = Form.FORM_B if form_b else Form.AS_IS
            # A rule with specificity 0 matches everything, and allows.
            yield Pattern(head, middles, anchored, form), specificity, rule.allow or specificity == 0


def _robotparser_patterns(rule: Rule, profile: Profile) -> Iterator[tuple[Pattern, int, bool]]:
    rewritten = profile.robotparser_rewritten
    value = rule.pattern.decode("utf-8", "surrogateescape")
    path = rewritten_path(value) if rewritten else old_path(value)
    if path is None:
        return
    # An empty disallow rule allows everything.
    allow = rule.allow or not (value if rewritten else unquote(value))
    head, *rest = (part.encode() for part in path.parts)
    # `/a*$` matches to the end of the target, as `/a*` does.
    grows = bool(rest) and not rest[-1]
    yield Pattern(head, tuple(filter(None, rest)), path.anchored and not grows, grows=grows), 0, allow


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
    """Return the head through the first `?`. All forms but those of urllib.robotparser are the same there."""
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
