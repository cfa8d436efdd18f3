"""Changes between two files: the URLs that agents gain and lose, as patterns with examples."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from canfetch.compare.compared_rules import ComparedRules, compared_rules
from canfetch.compare.domains import convert_alike
from canfetch.compare.limits import Budget
from canfetch.compare.patterns import ROBOTS_TXT_PATTERN, Pattern
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.sides import Decisions, Wanted, are_as_wanted
from canfetch.compare.witnesses import shortest_target
from canfetch.core.agent import Agent, as_agent
from canfetch.core.document import RobotsTxt
from canfetch.core.profiles import Profile
from canfetch.core.text import display_text, printable_text
from canfetch.core.urls import AnyURL

_LOST: Decisions = (True, False)
_GAINED: Decisions = (False, True)


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
    """What changes for some agents. It is the same for all of them.

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
    Raises: InvalidProductToken; Undecided: The rules are too large to be decided within `steps`.
    Cost: O(bytes of the rules) for each distinct selection of groups, and never more than `steps`.
    """
    budget = Budget(steps)
    alike: dict[object, tuple[list[Agent], ComparedRules, ComparedRules]] = {}
    for one in agents:
        agent = as_agent(one)
        before, after = compared_rules(old, agent), compared_rules(new, agent)
        key = before.rules_as_written, after.rules_as_written
        alike.setdefault(key, ([], before, after))[0].append(agent)
    changes: list[Change] = []
    for same, before, after in alike.values():
        found = _Changes(before, after, budget)
        gained, lost = found.urls(_GAINED), found.urls(_LOST)
        if gained or lost:
            changes.append(Change(tuple(dict.fromkeys(same)), gained, lost))
    return changes


class _Changes:
    """The changes between two lists of rules."""

    def __init__(self, before: ComparedRules, after: ComparedRules, budget: Budget) -> None:
        self._before = before
        self._after = after
        self._budget = budget
        self._for_urls = not convert_alike(before.profile, after.profile)
        sides = [rules.side(budget, for_urls=self._for_urls) for rules in (before, after)]
        self._compared = ComparedSides(sides, (before.profile, after.profile))
        # No rule applies to an exempt `/robots.txt`.
        exempt = before.profile.robots_txt_allowed and after.profile.robots_txt_allowed
        self._outside = [ROBOTS_TXT_PATTERN] if exempt else []

    def urls(self, decisions: Decisions) -> URLSet:
        """Return the URLs with these decisions."""
        shortest = None if self._before.decides_alike(self._after) else self._find((), decisions)
        if shortest is None:
            return URLSet(self._before, self._after, decisions, (), (), ())
        examples = [shortest]
        whole: list[_Candidate] = []
        parts: list[_Candidate] = []
        for candidate in self._candidates(decisions):
            example = self._find(candidate.patterns, decisions)
            if example is None:
                continue
            examples.append(example)
            others: list[Wanted] = [(not decisions[0], None), (None, not decisions[1])]
            if self._find(candidate.patterns, *others, shortest=False) is None:
                whole.append(candidate)
            else:
                parts.append(candidate)
        whole = self._without_covered(whole)
        covered = [pattern for candidate in whole for pattern in candidate.patterns]
        parts = [
            one for one in parts if self._find(one.patterns, decisions, outside=covered, shortest=False) is not None
        ]
        urls = [self._before.url_of(target) for target in sorted(dict.fromkeys(examples), key=len)]
        return URLSet(
            self._before, self._after, decisions, (one.text for one in whole), (one.text for one in parts), urls
        )

    def _candidates(self, decisions: Decisions) -> Iterator["_Candidate"]:
        """Yield the rules that describe a difference, the shortest first.

        URLs are gained by rules that were left out, or that were added. One of these rules matches each such URL.
        """
        found: dict[str, list[Pattern]] = {}
        profiles = self._before.profile, self._after.profile
        for own, allows, profile in zip(self._compared.own, decisions, profiles, strict=True):
            for one in own.of(()):
                if one.rule is not None and one.allow is allows:
                    # An empty value matches what `/` matches, in the profiles in which it is a rule.
                    found.setdefault(_text_of(one.rule.pattern, profile) or "/", []).append(one.pattern)
        for text, patterns in sorted(found.items(), key=lambda item: (len(item[0]), item[0])):
            yield _Candidate(text, tuple(dict.fromkeys(patterns)))

    def _without_covered(self, candidates: list["_Candidate"]) -> list["_Candidate"]:
        """Return the candidates of which no other one contains all URLs."""
        kept: list[_Candidate] = []
        covered: list[Pattern] = []
        for candidate in candidates:
            if not kept or self._find(candidate.patterns, (None, None), outside=covered, shortest=False) is not None:
                kept.append(candidate)
                covered += candidate.patterns
        return kept

    def _find(
        self, within: Sequence[Pattern], *wanted: Wanted, outside: Iterable[Pattern] = (), shortest: bool = True
    ) -> bytes | None:
        """Return a target of some patterns with wanted decisions, outside of other patterns."""

        def confirm(target: bytes) -> bool:
            found = self._before.decisions(self._after, target, for_urls=self._for_urls)
            return None not in found and are_as_wanted(found, wanted)

        question = Question(self._compared, wanted, confirm, within, [*self._outside, *outside], shortest)
        return shortest_target(question, self._budget)


def _text_of(pattern: bytes, profile: Profile) -> str:
    if profile.literal_paths and not profile.decode_escapes:
        return pattern.decode("utf-8", "surrogateescape")
    return display_text(pattern)


class _Candidate(NamedTuple):
    """A rule that may describe a difference: its text and its patterns."""

    text: str
    patterns: tuple[Pattern, ...]
