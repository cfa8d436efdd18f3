"""Changes between two files: a shortest URL, or the URLs that agents gain and lose, as patterns with examples.

A single URL can also be a difference between two agents or two profiles of one file.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple

from canfetch.compare.budget import Budget
from canfetch.compare.compared_rules import ComparedRules, check_file, compared_rules
from canfetch.compare.descriptions import Candidate, Describing
from canfetch.compare.patterns import ROBOTS_TXT, ROBOTS_TXT_PATTERN, Pattern, rule_text
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.rankings import Decisions, RankedSide
from canfetch.compare.witnesses import shortest_target
from canfetch.core.agent import Agent, as_agent
from canfetch.core.document import RobotsTxt
from canfetch.core.lists import check_list
from canfetch.core.profiles import Profile
from canfetch.core.text import display_text, printable_text
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Verdict
from canfetch.errors import Undecided

_ROBOTS_TXT_TEXTS: Final = (ROBOTS_TXT, ROBOTS_TXT[1:])
_LOST: Decisions = (True, False)
_GAINED: Decisions = (False, True)


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
    target = _differing_target(one, two, Budget(steps))
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


def _differing_target(one: ComparedRules, two: ComparedRules, budget: Budget) -> bytes | None:
    """Return a shortest target about which two agents decide differently, or None if there is none.

    Raises: Undecided.
    """
    if one.decides_alike(two):
        return None

    def confirm(target: bytes) -> bool:
        return one.decisions(two, target) in (_LOST, _GAINED)

    sides = [one.side(budget), two.side(budget)]
    question = Question(ComparedSides(sides, (one.profile, two.profile)), (_LOST, _GAINED), confirm)
    return shortest_target(question, budget)


class URLSet:
    """The URLs that one agent gains or loses.

    Attributes:
        patterns: Patterns of which every URL belongs to the set, as in a robots.txt.
        partial_patterns: Patterns of which only some URLs belong to it. They are needed if `patterns` do not cover all.
        examples: A shortest URL of the set and of each pattern, the shortest first.

    Where an escape is not the same as its byte, as in `original1994`, bytes that are not UTF-8 are surrogates
    (`surrogateescape`). `to_dict` writes them as escapes.
    """

    __slots__ = ("_after", "_before", "_decisions", "examples", "partial_patterns", "patterns")

    def __init__(  # noqa: PLR0917 - called in one place
        self,
        before: ComparedRules,
        after: ComparedRules,
        decisions: Decisions,
        patterns: Iterable[str],
        partial_patterns: Iterable[str],
        examples: Iterable[str],
    ) -> None:
        self._before = before
        self._after = after
        self._decisions = decisions
        self.patterns = tuple(patterns)
        self.partial_patterns = tuple(partial_patterns)
        self.examples = tuple(examples)

    @property
    def is_exact(self) -> bool:
        """Whether `patterns` are the whole set."""
        return not self.partial_patterns

    def contains(self, url: AnyURL) -> bool:
        """Return whether a URL belongs to the set.

        Raises: InvalidURL, OriginMismatch.
        """
        return (self._before.bound.allows(url), self._after.bound.allows(url)) == self._decisions

    def to_dict(self, *, max_examples: int | None = None) -> dict[str, list[str]]:
        """Return the patterns and the examples as plain values for JSON."""
        return {
            "patterns": list(map(printable_text, self.patterns)),
            "partial_patterns": list(map(printable_text, self.partial_patterns)),
            "examples": list(map(printable_text, self.examples[:max_examples])),
        }

    def __bool__(self) -> bool:
        return bool(self.examples)

    def __repr__(self) -> str:
        described = ", ".join([*self.patterns, *(f"part of {one}" for one in self.partial_patterns)])
        return f"<URLSet: {printable_text(described) or 'empty'}>"


class Change(NamedTuple):
    """A change that is the same for all of its agents.

    Attributes:
        agents: The agents.
        newly_allowed: The URLs that they gain.
        newly_disallowed: The URLs that they lose.
    """

    agents: tuple[Agent, ...]
    newly_allowed: URLSet
    newly_disallowed: URLSet

    @property
    def agent(self) -> Agent:
        """The first of the agents."""
        return self.agents[0]


def diff(old: RobotsTxt, new: RobotsTxt, *, agents: Iterable[str | Agent], steps: int | None = None) -> list[Change]:
    """Return what changes for which agents. Agents for which nothing changes are left out.

    Args:
        old, new: The files. Files of two profiles that convert URLs differently are compared as by `difference`.
        agents: Product tokens or `Agent` objects.
        steps: The limit of the work, for all agents together. The default takes about a second.
    Raises: InvalidProductToken; TypeError: `agents` is a single agent; Undecided: The rules are too large to be decided
        within `steps`.
    Cost: O(bytes of the rules) for each distinct selection of groups, and never more than `steps`.
    """
    check_file("old", old)
    check_file("new", new)
    check_list("agents", agents)
    budget = Budget(steps)
    by_groups: dict[object, _AgentsWithRules] = {}
    alike: dict[object, _AgentsWithRules] = {}
    for one in agents:
        agent = as_agent(one)
        groups = tuple(old.rules_for(agent).group_indices), tuple(new.rules_for(agent).group_indices)
        same = by_groups.get(groups)
        if same is None:
            before, after = compared_rules(old, agent), compared_rules(new, agent)
            written = before.rules_as_written, after.rules_as_written
            same = by_groups[groups] = alike.setdefault(written, _AgentsWithRules([], before, after))
        same.agents.append(agent)
    changes: list[Change] = []
    known: _KnownSides = {}
    for same in alike.values():
        if same.before.decides_alike(same.after):
            continue
        try:
            found = _Changes(same, known, budget)
            gained, lost = found.urls(_GAINED), found.urls(_LOST)
        except Undecided as error:
            raise Undecided(f"{error}, for {same.agents[0].tokens[0]}", states=error.states) from None
        if gained or lost:
            changes.append(Change(tuple(dict.fromkeys(same.agents)), gained, lost))
    return changes


_KnownSides = dict[tuple[bool, tuple[int, ...]], RankedSide]
"""Sides by whether they are those of the new file, and by the indices of the groups."""


class _AgentsWithRules(NamedTuple):
    """Agents for which the same rules apply, before and after."""

    agents: list[Agent]
    before: ComparedRules
    after: ComparedRules


class _Changes:
    """The changes between two lists of rules."""

    def __init__(self, rules: _AgentsWithRules, known: _KnownSides, budget: Budget) -> None:
        self._before = before = rules.before
        self._after = after = rules.after
        self._budget = budget
        sides: list[RankedSide] = []
        for is_new, one in enumerate((before, after)):
            key = bool(is_new), tuple(one.bound.group_indices)
            if key not in known:
                known[key] = one.side(budget)
            sides.append(known[key])
        self._compared = ComparedSides(sides, (before.profile, after.profile))
        self._differing = self._compared.differing()
        # No rule applies to an exempt `/robots.txt`.
        self._exempt = before.profile.robots_txt_allowed and after.profile.robots_txt_allowed

    def urls(self, decisions: Decisions) -> URLSet:
        """Return the URLs with these decisions."""
        before, after = self._before, self._after
        outside = [ROBOTS_TXT_PATTERN] if self._exempt else []
        decide_all = partial(before.decisions_of_all, after)
        describing = Describing(self._compared, decisions, outside, decide_all, self._budget)
        shortest = describing.find((), decisions)
        if shortest is None:
            return URLSet(before, after, decisions, (), (), ())
        found = describing.describe(list(self._candidates(decisions)))
        targets = sorted(dict.fromkeys([shortest, *(one.example for one in found)]), key=len)
        listed = [one for one in found if one.uncovered is not None]
        return URLSet(
            before,
            after,
            decisions,
            [one.candidate.text for one in listed if one.is_whole],
            [one.candidate.text for one in listed if not one.is_whole],
            map(before.url_of, targets),
        )

    def _candidates(self, decisions: Decisions) -> Iterator[Candidate]:
        """Yield the rules that describe a difference, the shortest first.

        URLs are gained by rules that were left out, or that were added. One of these rules matches each such URL.
        """
        found: dict[str, list[Pattern]] = {}
        profiles = self._before.profile, self._after.profile
        for own, allows, profile in zip(self._differing, decisions, profiles, strict=True):
            for one in own:
                if one.rule is not None and one.allow is allows:
                    # An empty value matches what `/` matches, in the profiles in which it is a rule.
                    found.setdefault(_text_of(rule_text(one, profile), profile) or "/", []).append(one.pattern)
        for text, patterns in sorted(found.items(), key=lambda item: (len(item[0]), item[0])):
            yield Candidate(
                text, tuple(dict.fromkeys(patterns)), is_part=self._exempt and _starts_at_robots_txt(patterns)
            )


def _starts_at_robots_txt(patterns: Iterable[Pattern]) -> bool:
    """Return whether the shortest URL of patterns is `/robots.txt`."""
    return any(b"".join((one.head, *one.middles)) in _ROBOTS_TXT_TEXTS for one in patterns)


def _text_of(pattern: bytes, profile: Profile) -> str:
    if profile.literal_paths and not profile.decode_escapes:
        return pattern.decode("utf-8", "surrogateescape")
    return display_text(pattern)
