"""The rules that apply to an agent, in order of precedence.

The highest specificity comes first, then allow before disallow, then the first line. In profiles where the first match
decides, the order is that of lines alone. The first rule with a matching text decides.

Source: RFC 9309 section 2.2.2.
"""

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Final

from canfetch.core.escapes import encode_reserved_data
from canfetch.core.patterns import Segments, parse_pattern, split_segments
from canfetch.core.profiles import Profile
from canfetch.core.verdict import Rule

# Numbers of bytes: `in` finds them several times as fast as it finds bytes objects.
_STAR, _DOLLAR = b"*$"
_SPECIFICITY_AND_ALLOW: Final = itemgetter(6, 3)


class RuleSet:
    """The rules of one selection of groups, passed in the order of their lines."""

    __slots__ = ("_has_form_b", "_heads", "_texts", "rule_count")

    def __init__(self, rules: Iterable[tuple[bool, bytes, int]], profile: Profile) -> None:
        # Each text of a rule: its head, its segments if it has more than a head, whether it is compared with form (b)
        # of the target, and the attributes of the rule. Most rules of most files never match, so `Rule` comes later.
        self._texts: list[tuple[bytes, Segments | None, bool, bool, bytes, int, int]] = []
        self._has_form_b = False
        self.rule_count = 0
        for allow, value, line in rules:
            self.rule_count += 1
            for text, specificity, form_b in parse_pattern(value, allow=allow, profile=profile):
                segments = split_segments(text) if _STAR in text or _DOLLAR in text else None
                head = text if segments is None else segments.head
                self._texts.append((head, segments, form_b, allow, value, line, specificity))
                self._has_form_b |= form_b
        if not profile.first_match:
            # A stable sort, also in reverse: equal keys stay in the order of lines, form (a) before form (b).
            self._texts.sort(key=_SPECIFICITY_AND_ALLOW, reverse=True)
        self._heads = tuple([text[0] for text in self._texts])

    def matching(self, target: bytes) -> Iterator[Rule]:
        """Yield the rules that match, in order of precedence. A rule with two matching texts is yielded twice.

        Cost: O(bytes of the rules times bytes of the target) at worst, usually O(rules).
        """
        form_b = encode_reserved_data(target) if self._has_form_b else target
        if not target.startswith(self._heads) and (form_b is target or not form_b.startswith(self._heads)):
            # Most targets start with no head.
            return
        for head, segments, in_form_b, allow, value, line, specificity in self._texts:
            text = form_b if in_form_b else target
            if text.startswith(head) and (segments is None or segments.matches_after_head(text)):
                yield Rule(allow, value, line, specificity)
