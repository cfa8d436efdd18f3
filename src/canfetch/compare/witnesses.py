"""Witnesses: the shortest URL on which some sides decide in a certain way, confirmed by the engine."""

from collections.abc import Iterable
from itertools import product
from typing import Final

from canfetch.compare.domains import NoOrdinaryByte, domain_of
from canfetch.compare.limits import Budget
from canfetch.compare.overlaps import may_overlap
from canfetch.compare.patterns import Pattern, RankedPattern, Side, has_stray_percent
from canfetch.compare.questions import Question
from canfetch.compare.refinement import Refinement, search_for
from canfetch.compare.sides import Decisions, Wanted
from canfetch.errors import EngineError, Undecided

# At most this many targets are confirmed that urllib.robotparser may not have for any URL.
_MAX_UNCONFIRMED: Final = 64
# Precedes all patterns of rules.
_OUTSIDE: Final = (-1 << 63,)


def shortest_target(question: Question, budget: Budget) -> bytes | None:
    """Return a shortest target with wanted decisions that the engine confirms, or None if there is none.

    Raises:
        Undecided: The budget is exhausted, or no target is confirmed.
        EngineError: The engine disagrees with the comparison.
    """
    native = question.compared.native
    if native is not None:
        target = native.shortest_target(question, budget)
    elif any(profile.robotparser for profile in question.compared.profiles):
        return _among_all_targets(question, budget)
    else:
        target = Refinement(question, budget).shortest_target()
    if target is None or question.confirm(target):
        return target
    raise disagreement(target)


def disagreement(target: bytes) -> EngineError:
    """Return the error for a target about which the comparison and the engine disagree."""
    return EngineError(f"the comparison and the engine disagree on {target!r}: please report this file")


def _among_all_targets(question: Question, budget: Budget) -> bytes | None:
    """Return a shortest target of urllib.robotparser. The shortest one may be one that no URL has."""
    sides = _sides_for_search(question, budget)
    extra = tuple(True for _ in sides[len(question.compared.sides) :])
    wanted = list(dict.fromkeys((*one, *extra) for some in question.wanted for one in _decisions(some)))
    patterns = sorted({(one.rank, one.pattern) for side in sides for one in side.patterns})
    budget.spend_in_python(2 * len(patterns))
    search = search_for(sides, patterns, budget)
    for complete in (False, True):
        if not complete and any(has_stray_percent(pattern) for _, pattern in patterns):
            continue
        try:
            first = search.targets(domain_of(*question.compared.profiles, complete=complete), wanted, 1)
        except NoOrdinaryByte:
            continue
        if not first or question.confirm(first[0]):
            return first[0] if first else None
    for target in search.targets(domain_of(*question.compared.profiles, complete=True), wanted, _MAX_UNCONFIRMED):
        if question.confirm(target):
            return target
    raise Undecided("undecided: urllib.robotparser has no URL for the differing targets", states=budget.states)


def _sides_for_search(question: Question, budget: Budget) -> list[Side]:
    """Return the sides, and one that allows what is within some patterns and outside of others."""
    within = question.within
    sides = [side.for_search() for side in question.compared.sides]
    budget.spend_in_python(sum(len(side.patterns) for side in sides))
    if within:
        sides = [
            side._replace(patterns=[one for one in side.patterns if _overlaps(one.pattern, within)]) for side in sides
        ]
    if within or question.outside:
        ranked = [RankedPattern(_OUTSIDE, allow=False, pattern=pattern) for pattern in question.outside]
        ranked += [RankedPattern((0,), allow=True, pattern=pattern) for pattern in within]
        sides.append(Side(ranked, default=not within))
    return sides


def _overlaps(one: Pattern, others: Iterable[Pattern]) -> bool:
    return any(may_overlap(one, other) for other in others)


def _decisions(wanted: Wanted) -> Iterable[Decisions]:
    return product(*[(True, False) if one is None else (one,) for one in wanted])
