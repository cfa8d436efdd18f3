"""The texts of two versions of an agent's rules, in order of precedence, without those that make no difference.

The rewritten urllib.robotparser ranks a rule with `*` by the length of its match, so that the URL decides about the
order. Such lists can be compared only if all of their rules allow, or all disallow.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from canfetch.core.patterns import Segments, parse_pattern, split_segments
from canfetch.core.profiles import Profile
from canfetch.core.reference.robotparser.paths import old_path, rewritten_path
from canfetch.lint.rule_comparison import OrderedText

# With more differences, comparing them with each other rule costs more than it saves.
_MAX_DIFFERENCES: Final = 32
# At most this many changed texts have examples.
_MAX_EXAMPLES: Final = 64
# The rank of a text whose match is as long as the URL. All others are zero or negative.
_RANKED_BY_URL: Final = 1
_Rules = Sequence[tuple[bool, bytes]]


class OrderOfURL(Exception):
    """Raised when the order of two rules depends on the URL."""


class _RankedText(NamedTuple):
    """A text. The lowest rank comes first, and of equal ranks the allow rules."""

    rank: int
    text: OrderedText


class RelevantTexts(NamedTuple):
    """The texts of two versions that may decide about a target on which the versions differ, in order of precedence.

    Attributes:
        before, after: The texts.
        changed: Those that only one version has, or that moved.
    """

    before: list[OrderedText]
    after: list[OrderedText]
    changed: frozenset[OrderedText]

    def examples(self) -> list[bytes]:
        """Return targets that the changed texts match, unless one of them starts with neither `/` nor `*`."""
        some = sorted(self.changed)[:_MAX_EXAMPLES]
        return [target for text in some for target in _matching_targets(text.segments)]

    def reduced(self) -> tuple[list[OrderedText], list[OrderedText]] | None:
        """Return shorter lists whose equivalence proves that of the versions, or None if there are none.

        If all changed texts have the same decision, other texts with that decision can only hide a difference. So it
        is enough to compare with those that match an example of a changed text, because they may cover it.
        """
        decisions = {text.allow for text in self.changed}
        if len(decisions) > 1:
            return None
        examples = self.examples()
        # Most heads start none of the examples.
        starts = {target[:length] for target in examples for length in range(len(target) + 1)}
        covering = {
            text
            for text in (*self.before, *self.after)
            if text.allow not in decisions
            or text in self.changed
            or (
                text.segments.head in starts
                and any(
                    target.startswith(text.segments.head) and text.segments.matches_after_head(target)
                    for target in examples
                )
            )
        }
        return [text for text in self.before if text in covering], [text for text in self.after if text in covering]


def _matching_targets(segments: Segments) -> Iterator[bytes]:
    for between in (b"", b"x"):
        target = between.join((segments.head, *segments.middles))
        target = target if target.startswith(b"/") else b"/" + target
        yield target
        if not segments.anchored:
            yield target + b"x"


class RuleOrder:
    """Orders rules as one profile does.

    Args: profile: The profile.
    """

    __slots__ = ("_profile", "_texts")

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._texts: dict[tuple[bool, bytes], tuple[_RankedText, ...]] = {}

    def relevant_texts(self, before: _Rules, after: _Rules) -> RelevantTexts:
        """Return the texts of both versions that may decide about a target on which the versions differ.

        Raises: OrderOfURL: The order is not the same for all URLs.
        Cost: O(bytes of the rules), and O(rules) for each difference.
        """
        texts = self._ranked(before), self._ranked(after)
        flags = self._profile
        if flags.first_match or (flags.robotparser and not flags.robotparser_rewritten):
            start, end = common_ends(*texts)
            changed = {*texts[0][start : len(texts[0]) - end], *texts[1][start : len(texts[1]) - end]}
        else:
            counts = [Counter(ranked) for ranked in texts]
            changed = {*(counts[0] - counts[1]), *(counts[1] - counts[0])}
            for ranked in texts:
                ranked.sort(key=lambda one: (one.rank, not one.text.allow))
        heads = tuple({_path_head(one) for one in changed})
        if len(heads) > _MAX_DIFFERENCES:
            heads = (b"",)
        relevant = [_overlapping(ranked, heads) for ranked in texts]
        both = [*relevant[0], *relevant[1]]
        if any(one.rank == _RANKED_BY_URL for one in both) and len({one.text.allow for one in both}) > 1:
            raise OrderOfURL
        first, second = ([one.text for one in ranked] for ranked in relevant)
        return RelevantTexts(first, second, frozenset(one.text for one in changed))

    def _ranked(self, rules: _Rules) -> list[_RankedText]:
        found: list[_RankedText] = []
        for rule in rules:
            texts = self._texts.get(rule)
            if texts is None:
                texts = self._texts[rule] = self._rank(*rule)
            found += texts
        return found

    def _rank(self, allow: bool, value: bytes) -> tuple[_RankedText, ...]:  # noqa: FBT001 - one rule
        profile = self._profile
        if profile.robotparser:
            return self._rank_by_robotparser(value.decode("utf-8", "surrogateescape"), allow=allow)
        return tuple(
            _RankedText(0 if profile.first_match else -specificity, OrderedText(allow, split_segments(text), form_b))
            for text, specificity, form_b in parse_pattern(value, allow=allow, profile=profile)
        )

    def _rank_by_robotparser(self, value: str, *, allow: bool) -> tuple[_RankedText, ...]:
        rewritten = self._profile.robotparser_rewritten
        path = rewritten_path(value) if rewritten else old_path(value)
        if path is None:
            return ()
        head, *rest = (part.encode("utf-8", "surrogateescape") for part in path.parts)
        # An empty disallow rule allows everything.
        allows = allow or not (value if rewritten else unquote(value))
        if rest:
            # A `*` at the end matches the rest of the target.
            segments = Segments(head, tuple(filter(None, rest)), path.anchored and rest[-1] != b"")
            return (_RankedText(_RANKED_BY_URL, OrderedText(allows, segments)),)
        text = OrderedText(allows, Segments(head, (), path.anchored))
        return (_RankedText(-len(path.parts[0]) if rewritten else 0, text),)


def common_ends(before: Sequence[object], after: Sequence[object]) -> tuple[int, int]:
    """Return how many values two sequences have in common at the start, and then at the end."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, end


def _path_head(one: _RankedText) -> bytes:
    # In a query, form (a) and form (b) spell the same bytes differently.
    return one.text.segments.head.partition(b"?")[0]


def _overlapping(ranked: Sequence[_RankedText], heads: tuple[bytes, ...]) -> list[_RankedText]:
    """Return the texts that may match a target which starts with one of `heads`."""
    return [
        one
        for one in ranked
        if (own := _path_head(one)).startswith(heads) or any(head.startswith(own) for head in heads)
    ]
