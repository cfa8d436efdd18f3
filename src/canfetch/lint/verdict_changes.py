"""The profiles in which two versions of a file have different verdicts.

1. The engine parses both versions and selects the groups. Agents that select the same rules have the same verdicts.
2. Different lists of rules are compared exactly. A difference counts if the engine confirms it for a URL.
3. What cannot be decided within the limits counts as a change. So a profile that is not reported is proved.

The agents are every product token that a changed group names, every crawler of the registry that such a group may apply
to, and crawlers without a group.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.core.agent import Agent
from canfetch.core.contract import BoundRules, CompiledFile
from canfetch.core.engines import get_profile_compiler
from canfetch.core.escapes import unescape_literal
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.profiles import PROFILES, Profile
from canfetch.core.source import decode_source
from canfetch.core.text import display_text
from canfetch.core.tokens import STAR
from canfetch.errors import InvalidProductToken, InvalidURL
from canfetch.lint.rule_comparison import OrderedText, WorkLimit, WorkLimitReached, differing_targets
from canfetch.lint.rule_order import OrderOfURL, RuleOrder, common_ends

# Enough for thousands of rules with literal paths. Only files with dozens of similar wildcards need more.
DEFAULT_STEPS: Final = 20_000
_ORIGIN: Final = b"https://example.com"
# No crawler has this name, and it is not part of one.
_UNNAMED: Final = Agent("~~")
_MAX_NAMES: Final = 2000
# At most this many differing targets are turned into URLs for the engine.
_MAX_CANDIDATES: Final = 32

_Rules = tuple[tuple[bool, bytes], ...]
# A group without line numbers: its names and rules.
_Group = tuple[tuple[bytes, ...], _Rules]


class _Reading(NamedTuple):
    """A file as one profile reads it."""

    compiled: CompiledFile
    groups: list[_Group]


def _read(content: bytes, profile: Profile) -> _Reading:
    decoded = decode_source(content, profile, DEFAULT_MAX_BYTES).content
    compiled = get_profile_compiler(None, profile)(decoded, profile.name)
    groups = [
        (tuple([name for name, _ in names]), tuple([(allow, value) for allow, value, _ in rules]))
        for names, rules in compiled.group_table()
    ]
    return _Reading(compiled, groups)


class VerdictChanges:
    """Compares other versions with one version of a file, which is parsed once for each profile.

    Args: content: The bytes of the file, including those past the size limit.

    Attributes:
        steps: The steps that all comparisons took.
        undecided: The number of comparisons in one profile that reached a limit.
    """

    __slots__ = ("_agents", "_content", "_orders", "_readings", "steps", "undecided")

    def __init__(self, content: bytes) -> None:
        self.steps = 0
        self.undecided = 0
        self._content = content
        self._readings: dict[str, _Reading] = {}
        self._orders: dict[str, RuleOrder] = {}
        # Most fixes of a file change groups with the same names.
        self._agents: dict[frozenset[bytes], list[Agent]] = {}

    def changed_profiles(
        self, other: bytes, profiles: Iterable[str] = PROFILES, *, steps: int = DEFAULT_STEPS
    ) -> tuple[str, ...]:
        """Return the profiles in which some agent may fetch other URLs than before, or in which this is not decided.

        Args:
            other: The other version.
            profiles: The profiles to compare.
            steps: The limit of the comparison in each profile.
        Cost: A parse in each profile, and the steps.
        """
        changed: list[str] = []
        for name in profiles:
            limit = WorkLimit(steps)
            changes = self._changes(other, PROFILES[name], limit)
            self.undecided += changes is None
            if changes is not False:
                changed.append(name)
            self.steps += steps - limit.steps
        return tuple(changed)

    def _changes(self, other: bytes, profile: Profile, limit: WorkLimit) -> bool | None:
        """Return whether a verdict changes, or None if this is not decided."""
        before = self._readings.get(profile.name)
        if before is None:
            before = self._readings[profile.name] = _read(self._content, profile)
            self._orders[profile.name] = RuleOrder(profile)
        after = _read(other, profile)
        changed = _changed_groups(before.groups, after.groups)
        names = frozenset(name for group_names, _ in changed for name in group_names)
        if not changed:
            return False
        if len(names) > _MAX_NAMES:
            return None
        agents = self._agents.get(names)
        if agents is None:
            agents = self._agents[names] = list(_agents(names))
        compared: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        try:
            for agent in agents:
                sides = _bind(before, agent), _bind(after, agent)
                key = tuple(sides[0].group_indices), tuple(sides[1].group_indices)
                if key not in compared:
                    compared.add(key)
                    rules = _rules(before, key[0]), _rules(after, key[1])
                    differ = rules[0] != rules[1] and self._differ(*rules, *sides, profile, limit)
                    if differ is not False:
                        return differ
        except (WorkLimitReached, OrderOfURL):
            return None
        return False

    def _differ(  # noqa: PLR0917 - called in one place
        self,
        rules_before: _Rules,
        rules_after: _Rules,
        before: BoundRules,
        after: BoundRules,
        profile: Profile,
        limit: WorkLimit,
    ) -> bool | None:
        limit.spend(len(rules_before) + len(rules_after))
        texts = self._orders[profile.name].relevant_texts(rules_before, rules_after)
        slash_first = not profile.robotparser
        if any(_is_confirmed(target, before, after, profile) for target in texts.examples()):
            return True
        reduced = texts.reduced()
        if reduced is not None and _are_equivalent(*reduced, limit, slash_first=slash_first):
            return False
        candidates = 0
        for target in differing_targets(texts.before, texts.after, limit, slash_first=slash_first):
            candidates += 1
            if _is_confirmed(target, before, after, profile):
                return True
            if candidates == _MAX_CANDIDATES:
                return None
        # A candidate that is not the target of any URL may hide another one.
        return None if candidates else False


def _are_equivalent(
    before: Sequence[OrderedText], after: Sequence[OrderedText], limit: WorkLimit, *, slash_first: bool
) -> bool:
    """Return whether two lists are proved to be equivalent with half of the remaining steps."""
    half = WorkLimit(limit.steps // 2)
    try:
        return next(differing_targets(before, after, half, slash_first=slash_first), None) is None
    except WorkLimitReached:
        return False
    finally:
        limit.spend(limit.steps // 2 - max(half.steps, 0))


def _changed_groups(before: list[_Group], after: list[_Group]) -> list[_Group]:
    """Return the groups of both versions between the first and the last difference."""
    start, end = common_ends(before, after)
    return before[start : len(before) - end] + after[start : len(after) - end]


def _agents(names: frozenset[bytes]) -> Iterator[Agent]:
    yield _UNNAMED
    # In some profiles a name is a whole User-Agent header, which applies to each product in it.
    words = {word for name in names for word in name.replace(b"/", b" ").replace(b",", b" ").split()}
    for word in sorted(names | words):
        try:
            yield Agent(display_text(word))
        except InvalidProductToken:
            continue
    text = b"\n".join(sorted(names)).lower()
    parts = [word.lower() for word in words if word != STAR]
    for agent, tokens in _registry_agents():
        if any(token in text or any(part in token for part in parts) for token in tokens):
            yield agent


@cache
def _registry_agents() -> tuple[tuple[Agent, tuple[bytes, ...]], ...]:
    agents = (crawler.agent for crawler in REGISTRY.crawlers)
    return tuple((agent, tuple(token.lower() for token in agent.encoded_tokens)) for agent in agents)


def _bind(reading: _Reading, agent: Agent) -> BoundRules:
    return reading.compiled.bind(agent.encoded_tokens, agent.star_applies, None, None)


def _rules(reading: _Reading, indices: tuple[int, ...]) -> _Rules:
    if len(indices) == 1:
        return reading.groups[indices[0]][1]
    return tuple(rule for index in indices for rule in reading.groups[index][1])


def _is_confirmed(target: bytes, before: BoundRules, after: BoundRules, profile: Profile) -> bool:
    url = _ORIGIN + (unescape_literal(target) if profile.literal_paths else target)
    try:
        return before.allows(url) is not after.allows(url)
    except InvalidURL:
        return False
