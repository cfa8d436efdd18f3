"""Differences between the rules of two agents, in one file or in two, and in one profile or in two."""

from typing import NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.compared_rules import ComparedRules, compared_rules
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.rankings import Decisions
from canfetch.compare.witnesses import shortest_target
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.verdict import Verdict

_DIFFERENT: tuple[Decisions, ...] = ((True, False), (False, True))


class Difference(NamedTuple):
    """A URL with different verdicts.

    Attributes:
        url: A shortest URL on which the rules differ: a path, or an absolute URL if the path is empty or starts
            with `//`.
        first, second: The verdicts.
    """

    url: str
    first: Verdict
    second: Verdict


def difference(
    first: RobotsTxt,
    second: RobotsTxt,
    *,
    agent: str | Agent,
    other_agent: str | Agent | None = None,
    steps: int | None = None,
) -> Difference | None:
    """Return a shortest URL that two files treat differently, or None if there is none.

    Files of two profiles that convert URLs differently are compared on the URLs that neither of them changes:
    otherwise nearly all files would differ, on URLs such as `/%61` or `/a/../b`.

    Args:
        first, second: The files, in any profiles. They may be the same file.
        agent: A product token or an `Agent`.
        other_agent: The agent for the second file, if it is another one.
        steps: The limit of the work. The default takes about a second.
    Raises: InvalidProductToken; Undecided: The rules are too large to be decided within `steps`.
    Cost: O(bytes of the rules) for most files, and never more than `steps`.
    """
    one = compared_rules(first, agent, name="first")
    two = compared_rules(second, agent if other_agent is None else other_agent, name="second")
    target = differing_target(one, two, Budget(steps))
    if target is None:
        return None
    return Difference(one.url_of(target), one.bound.decide(one.url_of(target)), two.bound.decide(two.url_of(target)))


def equivalent(
    first: RobotsTxt,
    second: RobotsTxt,
    *,
    agent: str | Agent,
    other_agent: str | Agent | None = None,
    steps: int | None = None,
) -> bool:
    """Return whether two files have the same verdict for every URL.

    Args: first, second, agent, other_agent, steps: As for `difference`, which returns the URL.
    Raises: InvalidProductToken; Undecided: The rules are too large to be decided within `steps`.
    Cost: As `difference`.
    """
    return difference(first, second, agent=agent, other_agent=other_agent, steps=steps) is None


def differing_target(one: ComparedRules, two: ComparedRules, budget: Budget) -> bytes | None:
    """Return a shortest target about which two agents decide differently, or None if there is none.

    Raises: Undecided.
    """
    if one.decides_alike(two):
        return None

    def confirm(target: bytes) -> bool:
        return one.decisions(two, target) in _DIFFERENT

    sides = [one.side(budget), two.side(budget)]
    question = Question(ComparedSides(sides, (one.profile, two.profile)), _DIFFERENT, confirm)
    return shortest_target(question, budget)
