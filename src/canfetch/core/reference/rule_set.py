"""The rules that apply to an agent, in order of precedence.

The highest specificity comes first, then allow before disallow, then the first line. In profiles where the first match
decides, the order is that of lines alone. The first rule with a matching text decides.

Source: RFC 9309 section 2.2.2.
"""

from collections.abc import Iterable

from canfetch.core.patterns import PatternText, parse_pattern
from canfetch.core.profiles import Profile
from canfetch.core.reference.head_index import HeadIndex
from canfetch.core.verdict import Rule


class RuleSet:
    """The rules of one selection of groups, indexed for matching.

    `rules` has one entry for each text of a rule. The index of an entry is the text's rank.
    """

    __slots__ = ("form_a", "form_b", "rule_count", "rules")

    def __init__(self, rules: Iterable[tuple[bool, bytes, int]], profile: Profile) -> None:
        texts: dict[tuple[bool, bytes], tuple[PatternText, ...]] = {}
        # Sort keys first: specificity, allow before disallow, line, form (a) before form (b). Then the values.
        rows: list[tuple[int, bool, int, bool, bytes, bytes, bool, int]] = []
        self.rule_count = 0
        for allow, value, line in rules:
            self.rule_count += 1
            rule_texts = texts.get((allow, value))
            if rule_texts is None:
                rule_texts = texts[allow, value] = parse_pattern(value, allow=allow, profile=profile)
            for text, specificity, form_b in rule_texts:
                if profile.first_match:
                    rows.append((0, False, line, form_b, value, text, allow, specificity))
                else:
                    rows.append((-specificity, not allow, line, form_b, value, text, allow, specificity))
        rows.sort()
        self.rules: list[Rule] = []
        texts_a: list[tuple[int, bytes]] = []
        texts_b: list[tuple[int, bytes]] = []
        for rank, (_, _, line, form_b, value, text, allow, specificity) in enumerate(rows):
            self.rules.append(Rule(allow, value, line, specificity))
            (texts_b if form_b else texts_a).append((rank, text))
        self.form_a = HeadIndex(texts_a)
        self.form_b = HeadIndex(texts_b) if texts_b else None
