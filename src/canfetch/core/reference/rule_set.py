"""The rules that apply to an agent, in order of precedence.

The highest specificity comes first, then allow before disallow, then the first line. In profiles where the first match
decides, the order is that of lines alone. The first rule with a matching text decides.

Source: RFC 9309 section 2.2.2.
"""

from collections.abc import Iterable
from operator import itemgetter
from typing import Final

from canfetch.core.patterns import PatternText, parse_pattern
from canfetch.core.profiles import Profile
from canfetch.core.reference.head_index import HeadIndex
from canfetch.core.verdict import Rule

_precedence: Final = itemgetter(0)
# A rule is a named tuple, whose own constructor takes several times as long.
_new_tuple: Final = tuple.__new__


class RuleSet:
    """The rules of one selection of groups, indexed for matching. They are passed in the order of their lines.

    `rules` has one entry for each text of a rule. The index of an entry is the text's rank.
    """

    __slots__ = ("form_a", "form_b", "rule_count", "rules")

    def __init__(self, rules: Iterable[tuple[bool, bytes, int]], profile: Profile) -> None:
        texts: dict[tuple[bool, bytes], tuple[PatternText, ...]] = {}
        # A number that sorts by specificity, then allow before disallow; then the rule and its text.
        rows: list[tuple[int, bool, bytes, int, int, bytes, bool]] = []
        self.rule_count = 0
        for allow, value, line in rules:
            self.rule_count += 1
            rule_texts = texts.get((allow, value))
            if rule_texts is None:
                rule_texts = texts[allow, value] = parse_pattern(value, allow=allow, profile=profile)
            for text, specificity, form_b in rule_texts:
                rows.append((-2 * specificity - allow, allow, value, line, specificity, text, form_b))
        if not profile.first_match:
            # A stable sort: equal numbers stay in the order of lines, form (a) before form (b).
            rows.sort(key=_precedence)
        self.rules = [_new_tuple(Rule, row[1:5]) for row in rows]
        texts_a: list[tuple[int, bytes]] = []
        texts_b: list[tuple[int, bytes]] = []
        for rank, (_, _, _, _, _, text, form_b) in enumerate(rows):
            (texts_b if form_b else texts_a).append((rank, text))
        self.form_a = HeadIndex(texts_a)
        self.form_b = HeadIndex(texts_b) if texts_b else None
