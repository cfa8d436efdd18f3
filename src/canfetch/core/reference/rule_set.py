"""The rules of the groups that an agent obeys, in the order in which they decide.

The most octets first, then allow before disallow, then the first line; in few profiles the first line alone.
Whichever text matches first, decides.

Source: RFC 9309 section 2.2.2.
"""

from collections.abc import Iterable
from typing import NamedTuple

from canfetch.core.patterns import PatternText, texts_of
from canfetch.core.profiles import Profile
from canfetch.core.reference.head_index import HeadIndex


class RuleEntry(NamedTuple):
    """One text of one rule: allow or disallow, the rule's value as written, its line, and its specificity."""

    allow: bool
    value: bytes
    line: int
    specificity: int


class RuleSet:
    """The rules of one selection of groups, ready to decide."""

    __slots__ = ("entries", "form_a", "form_b", "rule_count")

    def __init__(self, rules: Iterable[tuple[bool, bytes, int]], profile: Profile) -> None:
        texts: dict[tuple[bool, bytes], tuple[PatternText, ...]] = {}
        # As they sort: the most octets, allow before disallow, the line, form (a) before form (b); then what they are.
        rows: list[tuple[int, bool, int, bool, bytes, bytes, bool, int]] = []
        self.rule_count = 0
        for allow, value, line in rules:
            self.rule_count += 1
            of_value = texts.get((allow, value))
            if of_value is None:
                of_value = texts[allow, value] = texts_of(value, allow=allow, profile=profile)
            for text, specificity, form_b in of_value:
                if profile.first_match:
                    rows.append((0, False, line, form_b, value, text, allow, specificity))
                else:
                    rows.append((-specificity, not allow, line, form_b, value, text, allow, specificity))
        rows.sort()
        self.entries = [RuleEntry(allow, value, line, octets) for _, _, line, _, value, _, allow, octets in rows]
        texts_b = [(rank, row[5]) for rank, row in enumerate(rows) if row[3]]
        self.form_a = HeadIndex((rank, row[5]) for rank, row in enumerate(rows) if not row[3])
        self.form_b = HeadIndex(texts_b) if texts_b else None
