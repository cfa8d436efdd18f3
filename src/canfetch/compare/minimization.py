"""Minimization: the rules of a file that can be left out without a change for any agent and URL."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.compared_rules import check_file
from canfetch.compare.redundancy import RemovableRules
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.lists import check_list
from canfetch.core.profiles import get_profile
from canfetch.core.verdict import Rule
from canfetch.errors import InvalidProductToken, Undecided

# No file names this agent.
_UNNAMED = Agent("~~")


def selecting_agents(robots: RobotsTxt) -> Iterator[Agent]:
    """Yield an agent for each non-empty selection of groups that a name of the file makes, and for that of `*`.

    Cost: A binding for each name in the file.
    """
    seen: set[tuple[int, ...]] = {()}
    names = dict.fromkeys(token for group in robots.groups for token in group.tokens)
    for agent in (_UNNAMED, *filter(None, map(_agent, names))):
        indices = tuple(robots.rules_for(agent).group_indices)
        if indices not in seen:
            seen.add(indices)
            yield agent


def selections(robots: RobotsTxt) -> Iterator[tuple[int, ...]]:
    """Yield each non-empty selection of groups, by index, that some agent makes.

    Cost: As `selecting_agents`.
    """
    profile = get_profile(robots.profile)
    seen: set[tuple[int, ...]] = set()
    for agent in selecting_agents(robots):
        indices = tuple(robots.rules_for(agent).group_indices)
        seen.add(indices)
        yield indices
    if profile.first_group_only:
        # An agent whose name contains a later name, but none of an earlier group.
        yield from ((index,) for index in range(len(robots.groups)) if (index,) not in seen)


def _agent(name: str) -> Agent | None:
    try:
        return Agent(name)
    except InvalidProductToken:
        # No agent selects the group by this name.
        return None


class Minimization(NamedTuple):
    """A smaller file with the same verdicts.

    Attributes:
        content: The file.
        removed: The rules that were left out, in file order.
        saved_bytes: The bytes that were saved.
        profiles: The profiles for which this is proved.
    """

    content: bytes
    removed: tuple[Rule, ...]
    saved_bytes: int
    profiles: tuple[str, ...]


def minimize(robots: RobotsTxt, *, profiles: Iterable[str] = (), steps: int | None = None) -> bytes:
    """Return the smallest file found that has the same verdict for every agent and every URL.

    Args: robots, profiles, steps: As for `find_minimization`, which also returns the removed rules.
    Raises: As `find_minimization`.
    Cost: As `find_minimization`.
    """
    return find_minimization(robots, profiles=profiles, steps=steps).content


def find_minimization(robots: RobotsTxt, *, profiles: Iterable[str] = (), steps: int | None = None) -> Minimization:
    """Leave out all rules that change no verdict, for any agent and any URL.

    A comment is left out if it directly precedes rules that are all left out. Other records and comments stay, and each
    group keeps at least one rule. The part of the file past the size limit, which has no effect, is left out. A file in
    UTF-16 becomes UTF-8, which more crawlers read.

    Args:
        robots: The file.
        profiles: The names of further profiles in which the verdicts must stay the same.
        steps: The limit of the work. The default takes about a second.
    Raises: UnknownProfile; TypeError: `profiles` is a single name; Undecided: The rules are too large to be decided
        within `steps`, or a profile reads the remaining lines in another way.
    Cost: For most files, O(bytes of the rules) for each group that an agent selects; never more than `steps`.
    """
    check_file("robots", robots)
    check_list("profiles", profiles)
    names = tuple(dict.fromkeys((robots.profile, *profiles)))
    budget = Budget(steps)
    readings = [_Reading(robots.with_profile(name), budget) for name in names]
    removed = _removable_lines(readings)
    lines = robots.content.splitlines(keepends=True)
    content = b"".join(_without(lines, removed))
    for reading in readings:
        if not reading.is_proved(content, removed):
            raise Undecided(
                f"undecided: the profile {reading.profile.name} reads the remaining lines in another way",
                states=budget.states,
            )
    rules = tuple(rule for group in robots.groups for rule in group.rules if rule.line in removed)
    return Minimization(content, rules, len(robots.content) + len(robots.tail) - len(content), names)


class _Reading:
    """A file as one profile reads it."""

    def __init__(self, robots: RobotsTxt, budget: Budget) -> None:
        self.profile = get_profile(robots.profile)
        self._robots = robots
        groups = robots.groups
        self._selections = [
            RemovableRules([rule for index in indices for rule in groups[index].rules], self.profile, budget)
            for indices in selections(robots)
        ]
        # The lines of the rules of each group.
        self.groups = [frozenset(rule.line for rule in group.rules) for group in groups]

    def lengths(self) -> dict[int, int]:
        """Return the length of each rule by its line."""
        return {rule.line: len(rule.pattern) for group in self._robots.groups for rule in group.rules}

    def is_redundant(self, line: int) -> bool:
        """Return whether every agent has the same verdicts without the rule in a line.

        Raises: Undecided.
        """
        return all(selection.are_redundant([line]) for selection in self._selections if line in selection.by_line)

    def needed_without(self, removed: Collection[int]) -> set[int]:
        """Return the lines whose rules are still needed after others were removed. There may be more."""
        return {line for selection in self._selections for line in selection.needed_without(removed)}

    def remove(self, line: int) -> None:
        """Leave out the rule in a line."""
        for selection in self._selections:
            if line in selection.by_line:
                selection.remove(line)

    def is_proved(self, content: bytes, removed: set[int]) -> bool:
        """Return whether another file has the same groups with the same rules, apart from the removed ones."""
        # The content is not longer than the part of the file within its own size limit.
        groups = parse(content, profile=self.profile.name, max_bytes=max(DEFAULT_MAX_BYTES, len(content))).groups
        if len(groups) != len(self._robots.groups):
            return False
        for old, new in zip(self._robots.groups, groups, strict=True):
            kept = [(rule.allow, rule.pattern) for rule in old.rules if rule.line not in removed]
            if old.tokens != new.tokens or kept != [(rule.allow, rule.pattern) for rule in new.rules]:
                return False
        return True


def _removable_lines(readings: Sequence[_Reading]) -> set[int]:
    lengths: dict[int, int] = {}
    for reading in readings:
        lengths.update(reading.lengths())
    # Long rules first: short ones tend to cover them.
    ordered = sorted(lengths, key=lambda line: (-lengths[line], -line))
    removed: set[int] = set()
    remaining = ordered
    while True:
        removed_now: set[int] = set()
        for line in remaining:
            if _may_be_removed(line, readings, removed):
                removed.add(line)
                removed_now.add(line)
                for reading in readings:
                    reading.remove(line)
        if not removed_now:
            return removed
        # A rule may have been needed only because of another one.
        needed = {line for reading in readings for line in reading.needed_without(removed_now)}
        remaining = [line for line in ordered if line not in removed and line not in needed]


def _may_be_removed(line: int, readings: Sequence[_Reading], removed: set[int]) -> bool:
    for reading in readings:
        for group in reading.groups:
            # Without any rule, the group would be merged with the next one.
            if line in group and all(other == line or other in removed for other in group):
                return False
    return all(reading.is_redundant(line) for reading in readings)


def _without(lines: Sequence[bytes], removed: set[int]) -> Iterable[bytes]:
    """Yield the remaining lines. Blank lines on both sides of removed ones remain on one side."""
    blocks = [(kind, list(block)) for kind, block in groupby(enumerate(lines, 1), lambda item: _kind(item, removed))]
    blank = False
    for position, (kind, block) in enumerate(blocks):
        after = [other for other, _ in blocks[position + 1 : position + 3]]
        is_orphan = kind == "comment" and after[:1] == ["removed"] and after[1:] != ["record"]
        if kind == "removed" or is_orphan:
            continue
        if kind == "blank":
            if not blank:
                yield from (line for _, line in block)
        else:
            yield from (line for _, line in block)
        blank = kind == "blank"


def _kind(item: tuple[int, bytes], removed: set[int]) -> str:
    number, line = item
    if number in removed:
        return "removed"
    text = line.strip()
    if not text:
        return "blank"
    return "comment" if text.startswith(b"#") else "record"
