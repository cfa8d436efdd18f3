"""The order of rules and groups, for parsers that take the first match.

1. A rule comes before every rule of the other kind that it overrides: a longer one, or an allow rule of equal length.
   Otherwise, rules keep the order in which they were added.
2. A group whose token contains another group's token, as Googlebot-Image contains Googlebot, comes before it. Python's
   robotparser selects the first group whose token is a substring of the crawler's name.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from canfetch.core.escapes import canonical


class DraftRule(NamedTuple):
    """An allow or disallow line to be written."""

    allow: bool
    pattern: str

    @property
    def precedence(self) -> tuple[int, bool]:
        """The sort key: of two rules that match, the one with the greater key decides."""
        return len(self.canonical), self.allow

    @property
    def canonical(self) -> bytes:
        """The pattern in the normalised form whose length counts."""
        return canonical(self.pattern.encode("ascii"))

    def __str__(self) -> str:
        return f"{'allow' if self.allow else 'disallow'} {self.pattern}"


def order_rules(rules: Sequence[DraftRule]) -> list[DraftRule]:
    """Put each rule before the rules that it overrides, and keep the order otherwise.

    Cost: O(rules squared).
    """
    heads = [rule.canonical.partition(b"*")[0].removesuffix(b"$") for rule in rules]
    precedences = [rule.precedence for rule in rules]

    def goes_before(first: int, second: int) -> bool:
        return (
            rules[first].allow != rules[second].allow
            and precedences[first] > precedences[second]
            and (heads[first].startswith(heads[second]) or heads[second].startswith(heads[first]))
        )

    count = range(len(rules))
    before = {index: [other for other in count if goes_before(other, index)] for index in count}
    return [rules[index] for index in _sort(before)]


GroupT = TypeVar("GroupT")


def order_groups(groups: Sequence[tuple[Sequence[str], GroupT]]) -> list[GroupT]:
    """Put each group before the groups whose tokens are substrings of its tokens.

    Args: groups: Each with its tokens.
    Cost: O(tokens squared).
    """
    tokens = [[token.lower() for token in names] for names, _ in groups]

    def goes_before(first: int, second: int) -> bool:
        return any(inner != outer and inner in outer for outer in tokens[first] for inner in tokens[second])

    count = range(len(groups))
    before = {index: [other for other in count if other != index and goes_before(other, index)] for index in count}
    return [groups[index][1] for index in _sort(before)]


def _sort(before: dict[int, list[int]]) -> list[int]:
    # A topological sort, depth first with an explicit stack. Groups can form a cycle, which is cut where it closes.
    placed: dict[int, None] = {}
    for index in before:
        stack, entered = [index], {index}
        while stack:
            waiting = [other for other in before[stack[-1]] if other not in placed and other not in entered]
            if waiting:
                entered.add(waiting[0])
                stack.append(waiting[0])
            else:
                placed[stack.pop()] = None
    return list(placed)
