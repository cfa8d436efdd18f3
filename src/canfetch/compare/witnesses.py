"""Witnesses: the shortest URL on which some sides decide in a certain way, confirmed by the engine."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from canfetch.compare.direct import decide_directly, shortest_matches
from canfetch.compare.domains import NoOrdinaryByte, domain_of
from canfetch.compare.limits import Budget
from canfetch.compare.native_search import NativeSearch, native_domain_class
from canfetch.compare.patterns import Pattern, RankedPattern, Side, has_stray_percent
from canfetch.compare.search import Search
from canfetch.compare.sides import Decisions
from canfetch.core.profiles import Profile
from canfetch.errors import EngineError, Undecided

Confirm = Callable[[bytes], bool]
"""Returns whether the verdicts about the URL with this target are as expected."""

# At most this many targets are confirmed that urllib.robotparser may not have for any URL.
_MAX_UNCONFIRMED: Final = 64


def shortest_target(
    sides: Sequence[Side],
    wanted: Iterable[Decisions],
    profiles: tuple[Profile, Profile],
    budget: Budget,
    confirm: Confirm,
    *,
    matching: Iterable[RankedPattern] = (),
) -> bytes | None:
    """Return a shortest target with wanted decisions that the engine confirms, or None if there is none.

    Args:
        sides: The sides.
        wanted: The decisions, one for each side.
        profiles: The profiles whose targets are possible, or the same one twice.
        budget: The work that is left.
        confirm: Asks the engine.
        matching: Patterns of which one matches each target with wanted decisions, if that is known.

    Raises:
        Undecided: The budget is exhausted, or no target is confirmed.
        EngineError: The engine disagrees with the comparison.
    """
    wanted = tuple(wanted)
    size = 8 + sum(len(side.patterns) for side in sides)
    budget.spend_in_python(2 * size)
    for target in shortest_matches(matching):
        budget.spend_in_python(size)
        if decide_directly(target, sides) in wanted and _is_target(target, profiles) and confirm(target):
            return target
    exact = not any(profile.robotparser for profile in profiles)
    patterns = sorted({(one.rank, one.pattern) for side in sides for one in side.patterns})
    search = _search(sides, patterns, budget)
    for complete in (False, True):
        if not complete and any(has_stray_percent(pattern) for _, pattern in patterns):
            continue
        try:
            first = search.targets(domain_of(*profiles, complete=complete), wanted, 1)
        except NoOrdinaryByte:
            continue
        if not first or confirm(first[0]):
            return first[0] if first else None
        if exact:
            raise EngineError(f"the comparison and the engine disagree on {first[0]!r}: please report this file")
    # The shortest target is one that no URL has.
    for target in search.targets(domain_of(*profiles, complete=True), wanted, _MAX_UNCONFIRMED):
        if confirm(target):
            return target
    raise Undecided("undecided: urllib.robotparser has no URL for the differing targets", states=budget.states)


def _search(
    sides: Sequence[Side], patterns: Sequence[tuple[tuple[int, ...], Pattern]], budget: Budget
) -> Search | NativeSearch:
    if native_domain_class() is None:
        return Search(sides, patterns, budget)
    return NativeSearch(sides, patterns, budget)


def _is_target(target: bytes, profiles: tuple[Profile, Profile]) -> bool:
    return domain_of(*profiles, complete=True).contains(target)
