"""Coverage: whether an agent may fetch all URLs, none, or some."""

from enum import StrEnum
from typing import Final, NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.compared_rules import ComparedRules, compared_rules
from canfetch.compare.patterns import ROBOTS_TXT, ROBOTS_TXT_PATTERN
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.witnesses import shortest_target
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt


class CoverageKind(StrEnum):
    """The URLs that an agent may fetch."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


class Coverage(NamedTuple):
    """The URLs that an agent may fetch. `/robots.txt` does not count: most crawlers fetch it in any case.

    Attributes:
        kind: Whether they are all URLs, some, or none.
        allowed_example: A shortest URL that the agent may fetch, or None.
        disallowed_example: A shortest URL that the agent may not fetch, or None.
    """

    kind: CoverageKind
    allowed_example: str | None
    disallowed_example: str | None


_KINDS: Final = {(True, False): CoverageKind.ALL, (False, True): CoverageKind.NONE, (True, True): CoverageKind.SOME}


def coverage(robots: RobotsTxt, *, agent: str | Agent, steps: int | None = None) -> Coverage:
    """Return whether `agent` may fetch all URLs, some, or none, with the shortest examples.

    Args:
        robots: The file.
        agent: A product token or an `Agent`.
        steps: The limit of the work. The default takes about a second.
    Raises: InvalidProductToken; Undecided: The rules are too large to be decided within `steps`.
    Cost: O(bytes of the rules) for most files, and never more than `steps`.
    """
    rules = compared_rules(robots, agent)
    budget = Budget(steps)
    compared = ComparedSides([rules.side(budget)], (rules.profile, rules.profile))
    allowed = _example(rules, compared, budget, allowed=True)
    disallowed = _example(rules, compared, budget, allowed=False)
    return Coverage(_KINDS[allowed is not None, disallowed is not None], allowed, disallowed)


def _example(rules: ComparedRules, compared: ComparedSides, budget: Budget, *, allowed: bool) -> str | None:
    def confirm(target: bytes) -> bool:
        return target != ROBOTS_TXT and rules.allows(target) is allowed

    question = Question(compared, [(allowed,)], confirm, outside=[ROBOTS_TXT_PATTERN])
    target = shortest_target(question, budget)
    return None if target is None else rules.url_of(target)
