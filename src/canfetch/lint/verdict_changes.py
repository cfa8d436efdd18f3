"""The profiles in which two versions of a file have different verdicts.

1. The engine parses both versions and selects the groups. Agents that select the same rules have the same verdicts.
2. Different lists of rules are compared exactly. A difference counts if the engine confirms it for a URL.
3. Profiles that read the same groups and decide alike, such as `rfc9309` and `bing` for most files, are compared once.
4. What cannot be decided within the limits counts as a change. So a profile that is not reported is proved.

The agents are every product token that a changed group names, every crawler of the registry that such a group may apply
to, and crawlers without a group.
"""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache, partial
from typing import Final, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.compare.budget import Budget, steps_for
from canfetch.compare.domains import to_url_path
from canfetch.compare.rule_lists import RuleLists, RuleText, common_ends
from canfetch.core.agent import Agent
from canfetch.core.contract import BoundRules, CompiledFile, GroupRow
from canfetch.core.engines import get_compiler
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.profiles import PROFILES, Profile
from canfetch.core.source import decode_source
from canfetch.core.text import display_text
from canfetch.core.tokens import STAR
from canfetch.errors import InvalidProductToken, InvalidURL, Undecided

_ORIGIN: Final = b"https://example.com"
# No crawler has this name, and it is not part of one.
_UNNAMED: Final = Agent("~~")
_MAX_NAMES: Final = 2000
# The names of one file take up to its size.
_CACHED_NAMES: Final = 16

_Rules = tuple[RuleText, ...]
# A group without line numbers: its names and rules.
_Group = tuple[tuple[bytes, ...], _Rules]


def _decisions(profile: Profile) -> Profile:
    """Return a profile without the flags that have an effect only on which groups it reads."""
    flags: dict[str, bool] = dict.fromkeys(["abnf_only", "typos", "missing_colon", "crawl_delay_of_star"], False)
    return profile._replace(name="", summary="", source="", **flags)


_DECISIONS: Final = {name: _decisions(profile) for name, profile in PROFILES.items()}


class _OtherRecords:
    """The records beyond RFC 9309 that a profile reads in a version. They are compared only if no verdict changes."""

    def __init__(self, content: bytes, compiled: CompiledFile, groups: list[_Group]) -> None:
        self._content = content
        self._compiled = compiled
        self._groups = groups

    @cached_property
    def meaning(self) -> tuple[list[tuple[int, bytes, int]], list[tuple[bytes, ...]]]:
        """The kind, the text and the group of each record, and the names of the groups if some of these are in one."""
        content = self._content
        rows = self._compiled.other_records()
        records = [(kind, content[start:end], group) for _, kind, start, _, _, end, group in rows]
        in_groups = any(group >= 0 for _, _, group in records)
        return records, [names for names, _ in self._groups] if in_groups else []


class _Reading(NamedTuple):
    """A file as one profile reads it."""

    compiled: CompiledFile
    groups: list[_Group]
    others: _OtherRecords


class _Comparison(NamedTuple):
    """What a profile read in both versions, whether a verdict changes, and the steps that this took."""

    before: list[_Group]
    after: list[_Group]
    is_changed: bool
    steps: int


class _Version:
    """A version of a file. Profiles that decode its bytes alike, or read the same groups, share the results."""

    __slots__ = ("_decoded", "_readings", "_tables", "content")

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._decoded: dict[bool, bytes] = {}
        self._tables: list[tuple[list[GroupRow], list[_Group]]] = []
        self._readings: dict[str, _Reading] = {}

    def read(self, profile: Profile) -> _Reading:
        """Return the version as a profile reads it."""
        reading = self._readings.get(profile.name)
        if reading is None:
            content = self._decoded_for(profile)
            compiled = get_compiler(None)(content, profile.name)
            groups = self._groups_of(compiled.group_table())
            reading = self._readings[profile.name] = _Reading(
                compiled, groups, _OtherRecords(content, compiled, groups)
            )
        return reading

    def _decoded_for(self, profile: Profile) -> bytes:
        decoded = self._decoded.get(profile.utf16)
        if decoded is None:
            decoded = decode_source(self.content, profile, DEFAULT_MAX_BYTES).content
            self._decoded[profile.utf16] = decoded
        return decoded

    def _groups_of(self, table: list[GroupRow]) -> list[_Group]:
        for other, groups in self._tables:
            if other == table:
                return groups
        groups = [
            (tuple([name for name, _ in names]), tuple([(allow, value) for allow, value, _ in rules]))
            for names, rules in table
        ]
        self._tables.append((table, groups))
        return groups


class VerdictChanges:
    """Compares other versions with one version of a file, which is parsed once for each profile.

    Args: content: The bytes of the file, including those past the size limit.

    Attributes:
        steps: The steps that all comparisons took.
        undecided: The number of comparisons in one profile that reached a limit.
    """

    # Enough to compare thousands of rules with literal paths.
    DEFAULT_STEPS: Final = 20_000

    __slots__ = ("_compared", "_other", "_own", "_rule_lists", "steps", "undecided")

    def __init__(self, content: bytes) -> None:
        self.steps = 0
        self.undecided = 0
        self._own = _Version(content)
        # Most versions are compared in one profile after the other.
        self._other = self._own
        self._rule_lists: dict[str, RuleLists] = {}
        # The comparisons with the other version that were decided, by what they depend on besides the groups.
        self._compared: dict[Profile, _Comparison] = {}

    def changed_profiles(
        self, other: bytes, profiles: Iterable[str] = PROFILES, *, steps: int = DEFAULT_STEPS
    ) -> tuple[str, ...]:
        """Return the profiles in which some agent may fetch other URLs than before, or in which this is not decided.

        Args:
            other: The other version.
            profiles: The profiles to compare.
            steps: The limit of the comparison in each profile. One step takes about a microsecond.
        Cost: A parse in each profile, and the steps.
        """
        self._compare_with(other)
        return tuple([name for name in profiles if self._changes(PROFILES[name], steps)])

    def keeps_other_records(self, other: bytes, profile: str) -> bool:
        """Return whether it is plain that another version has the same records beyond RFC 9309 for every crawler.

        Args:
            other: The other version.
            profile: The profile that reads both.
        Cost: A parse, unless the versions were compared in this profile.
        """
        self._compare_with(other)
        before, after = (version.read(PROFILES[profile]) for version in (self._own, self._other))
        return before.others.meaning == after.others.meaning

    def _compare_with(self, other: bytes) -> None:
        if other is not self._other.content:
            self._other = _Version(other)
            self._compared.clear()

    def _changes(self, profile: Profile, steps: int) -> bool:
        """Return whether a verdict changes in the other version, or whether this is not decided."""
        before, after = self._own.read(profile), self._other.read(profile)
        known = self._compared.get(_DECISIONS[profile.name])
        # The same comparison takes the same steps.
        if known is not None and known.steps < steps and known[:2] == (before.groups, after.groups):
            self.steps += known.steps
            return known.is_changed
        budget = Budget(steps_for(steps))
        try:
            is_changed, is_decided = self._compare(profile, before, after, budget), True
        except Undecided:
            is_changed, is_decided = True, False
            self.undecided += 1
        spent = steps - max(budget.steps, 0) // steps_for(1)
        self.steps += spent
        if is_decided:
            comparison = _Comparison(before.groups, after.groups, is_changed, spent)
            self._compared[_DECISIONS[profile.name]] = comparison
        return is_changed

    def _compare(self, profile: Profile, before: _Reading, after: _Reading, budget: Budget) -> bool:
        """Return whether a verdict changes in the other version.

        Raises: Undecided.
        """
        changed = _changed_groups(before.groups, after.groups)
        names = frozenset(name for group_names, _ in changed for name in group_names)
        if not changed:
            return False
        if len(names) > _MAX_NAMES:
            raise Undecided(f"undecided: more than {_MAX_NAMES} names", states=0)
        compared: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        for agent in _agents(names):
            bound = _bind(before, agent), _bind(after, agent)
            key = tuple(bound[0].group_indices), tuple(bound[1].group_indices)
            if key in compared:
                continue
            compared.add(key)
            rules = _rules(before, key[0]), _rules(after, key[1])
            if rules[0] == rules[1]:
                continue
            confirm = partial(_differ, before=bound[0], after=bound[1], profile=profile)
            lists = self._rule_lists.get(profile.name)
            if lists is None:
                lists = self._rule_lists[profile.name] = RuleLists(profile)
            if lists.differing_target(*rules, budget, confirm) is not None:
                return True
        return False


def _changed_groups(before: list[_Group], after: list[_Group]) -> list[_Group]:
    """Return the groups of both versions between the first and the last difference."""
    start, end = common_ends(before, after)
    return before[start : len(before) - end] + after[start : len(after) - end]


# Most fixes of a file change groups with the same names, and those of many files change groups for `*`.
@lru_cache(_CACHED_NAMES)
def _agents(names: frozenset[bytes]) -> tuple[Agent, ...]:
    return tuple(_iter_agents(names))


def _iter_agents(names: frozenset[bytes]) -> Iterator[Agent]:
    yield _UNNAMED
    # In some profiles a name is a whole User-Agent header, which applies to each product in it.
    words = {word for name in names for word in name.replace(b"/", b" ").replace(b",", b" ").split()}
    for word in sorted(names | words):
        try:
            yield Agent(display_text(word))
        except InvalidProductToken:
            continue
    text = b"\n".join(names).lower()
    registry = _registry_agents()
    found = {token for token in registry.tokens if token in text}
    for part in {word.lower() for word in words if word != STAR}:
        # Few words are a part of a token.
        if part in registry.text:
            found.update(token for token in registry.tokens if part in token)
    for agent, tokens in registry.agents:
        if not found.isdisjoint(tokens):
            yield agent


class _RegistryAgents(NamedTuple):
    """The crawlers of the registry, each with its tokens in lower case, and all of these tokens, also as one text."""

    agents: tuple[tuple[Agent, tuple[bytes, ...]], ...]
    tokens: frozenset[bytes]
    text: bytes


@cache
def _registry_agents() -> _RegistryAgents:
    agents = (crawler.agent for crawler in REGISTRY.crawlers)
    with_tokens = tuple((agent, tuple(token.lower() for token in agent.encoded_tokens)) for agent in agents)
    tokens = frozenset(token for _, tokens in with_tokens for token in tokens)
    return _RegistryAgents(with_tokens, tokens, b"\n".join(tokens))


def _bind(reading: _Reading, agent: Agent) -> BoundRules:
    return reading.compiled.bind(agent.encoded_tokens, agent.star_applies, None, None)


def _rules(reading: _Reading, indices: tuple[int, ...]) -> _Rules:
    if len(indices) == 1:
        return reading.groups[indices[0]][1]
    return tuple(rule for index in indices for rule in reading.groups[index][1])


def _differ(target: bytes, before: BoundRules, after: BoundRules, profile: Profile) -> bool:
    url = _ORIGIN + to_url_path(target, profile)
    try:
        return before.allows(url) is not after.allows(url)
    except InvalidURL:
        return False
