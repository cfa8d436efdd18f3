"""The order of rules and groups in which the readers that take the first match come to what the others come to.

1. A rule stands in front of every rule of the other kind that it is an exception of: more octets, or equally many
   and allow. All else stays in the order in which it was given.
2. A group whose token holds another group's token, as Googlebot-Image holds Googlebot, stands in front of it:
   Python's robotparser takes the first group whose token is a part of the crawler's name.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from canfetch.core.escapes import canonical


class DraftRule(NamedTuple):
    """An allow or disallow line to be written."""

    allow: bool
    pattern: str

    @property
    def strength(self) -> tuple[int, bool]:
        """What the greater of decides, of two that match."""
        return len(self.canonical), self.allow

    @property
    def canonical(self) -> bytes:
        """The pattern in the form whose octets are counted."""
        return canonical(self.pattern.encode("ascii"))


def order_rules(rules: Sequence[DraftRule]) -> list[DraftRule]:
    """Put exceptions in front of what they are exceptions of, and leave the rest as it is.

    Cost: O(rules squared).
    """
    heads = [rule.canonical.partition(b"*")[0].removesuffix(b"$") for rule in rules]
    strengths = [rule.strength for rule in rules]

    def goes_before(first: int, second: int) -> bool:
        return (
            rules[first].allow != rules[second].allow
            and strengths[first] > strengths[second]
            and (heads[first].startswith(heads[second]) or heads[second].startswith(heads[first]))
        )

    count = range(len(rules))
    # The strongest first: whatever goes before a rule is in place when the rule is.
    before = {place: [other for other in count if goes_before(other, place)] for place in count}
    return [rules[place] for place in _in_order(before)]


GroupT = TypeVar("GroupT")


def order_groups(groups: Sequence[tuple[Sequence[str], GroupT]]) -> list[GroupT]:
    """Put groups in front of those whose tokens are a part of theirs.

    Args: groups: each with its tokens.
    Cost: O(tokens squared).
    """
    tokens = [[token.lower() for token in names] for names, _ in groups]

    def goes_before(first: int, second: int) -> bool:
        return any(inner != outer and inner in outer for outer in tokens[first] for inner in tokens[second])

    count = range(len(groups))
    before = {place: [other for other in count if other != place and goes_before(other, place)] for place in count}
    return [groups[place][1] for place in _in_order(before)]


def _in_order(before: dict[int, list[int]]) -> list[int]:
    # Depth first, with a stack of its own; a circle, which groups can make, is cut where it closes.
    placed: dict[int, None] = {}
    for place in before:
        stack, entered = [place], {place}
        while stack:
            waiting = [other for other in before[stack[-1]] if other not in placed and other not in entered]
            if waiting:
                entered.add(waiting[0])
                stack.append(waiting[0])
            else:
                placed[stack.pop()] = None
    return list(placed)
