"""A file compiled by the Python engine, and its rules bound to one agent.

The surface is that of the native engine; `canfetch.core.engines` chooses between them.
"""

from collections.abc import Iterable

from canfetch.core._tables import COMPILED_RULES_LIMIT, COMPILED_SETS_LIMIT
from canfetch.core.contract import OriginCheck
from canfetch.core.escapes import as_written, encode_reserved_data
from canfetch.core.profiles import Profile, profile_named
from canfetch.core.reference.parser import OtherRecord, read_file
from canfetch.core.reference.rule_set import RuleEntry, RuleSet
from canfetch.core.reference.selection import Selection, TokenTable
from canfetch.core.targets import target_of
from canfetch.core.urls import SplitURL, rejection, split_url, url_bytes

ROBOTS_TXT_TARGET = b"/robots.txt"


class CompiledFile:
    """A file's groups and rules; nothing of it changes after it is made, but for its bounded cache."""

    __slots__ = ("_groups", "_others", "_profile", "_rule_sets", "_rules_held", "_tokens")

    def __init__(self, octets: bytes, profile: Profile) -> None:
        reading = read_file(octets, profile)
        self._profile = profile
        self._groups = reading.groups
        self._others = reading.others
        self._tokens: TokenTable | None = None
        self._rule_sets: dict[tuple[int, ...], RuleSet] = {}
        self._rules_held = 0

    def group_table(self) -> list[tuple[list[tuple[bytes, int]], list[tuple[bool, bytes, int]]]]:
        """Give each group's user-agent lines as (token, line) and its rules as (allow, value, line)."""
        return [(list(group.user_agents), list(group.rules)) for group in self._groups]

    def other_records(self) -> list[OtherRecord]:
        """Give the records that are neither rules nor user-agent lines, in file order."""
        return list(self._others)

    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,  # noqa: FBT001 - the surface of the native engine
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
    ) -> "BoundRules":
        """Bind the rules to an agent.

        Cost: O(rules of the groups chosen, times their logarithm) where no agent chose the same before.
        """
        if self._tokens is None:
            self._tokens = TokenTable(self._groups, self._profile)
        selection = self._tokens.select(tokens, star_applies=star_applies)
        return BoundRules(self._rule_set(selection.groups), selection, self._profile, origin_prefix, check_origin)

    def _rule_set(self, groups: tuple[int, ...]) -> RuleSet:
        rule_set = self._rule_sets.get(groups)
        if rule_set is None:
            rules = (rule for index in groups for rule in self._groups[index].rules)
            rule_set = RuleSet(rules, self._profile)
            self._rules_held += rule_set.rule_count
            if len(self._rule_sets) >= COMPILED_SETS_LIMIT or self._rules_held > COMPILED_RULES_LIMIT:
                # Not the oldest alone: other threads may be adding while one looks for it.
                self._rule_sets.clear()
                self._rules_held = rule_set.rule_count
            self._rule_sets[groups] = rule_set
        return rule_set


def compile_file(octets: bytes, profile_name: str) -> CompiledFile:
    """Compile a file, cut and transcoded already.

    Cost: O(octets).
    """
    return CompiledFile(octets, profile_named(profile_name))


class BoundRules:
    """A file's rules for one agent: the hot path."""

    __slots__ = ("_check_origin", "_origin_prefix", "_profile", "_rules", "_selection")

    def __init__(
        self,
        rules: RuleSet,
        selection: Selection,
        profile: Profile,
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
    ) -> None:
        self._rules = rules
        self._selection = selection
        self._profile = profile
        self._origin_prefix = origin_prefix
        self._check_origin = check_origin

    @property
    def choice(self) -> str:
        """How the groups were chosen: own-token, fallback, star or none."""
        return self._selection.choice

    @property
    def token_index(self) -> int:
        """Which of the agent's tokens chose them, or -1."""
        return self._selection.token_index

    @property
    def group_indices(self) -> list[int]:
        """The groups chosen, in file order."""
        return list(self._selection.groups)

    @property
    def rule_count(self) -> int:
        """How many rules these groups have."""
        return self._rules.rule_count

    def allows(self, url: str | bytes) -> bool:
        """Say whether the agent may fetch the URL."""
        target = self._target(url, None)
        rank = self._deciding_rank(target)
        entries = self._rules.entries
        if rank == len(entries):
            return True
        return entries[rank].allow or entries[rank].specificity == 0 or self._is_exempt(target)

    def allows_many(self, urls: Iterable[str | bytes]) -> list[bool]:
        """Say it of each of many URLs, in order."""
        entries = self._rules.entries
        allowed: list[bool] = []
        for index, url in enumerate(urls):
            target = self._target(url, index)
            rank = self._deciding_rank(target)
            allowed.append(
                rank == len(entries) or entries[rank].allow or entries[rank].specificity == 0 or self._is_exempt(target)
            )
        return allowed

    def decide(self, url: str | bytes) -> tuple[bool, str, RuleEntry | None, bytes]:
        """Give allowed or not, the reason, the deciding rule, and the target."""
        target = self._target(url, None)
        allowed, reason, rule = self._decide(target)
        return allowed, reason, rule, as_written(target) if self._profile.literal_paths else target

    def _decide(self, target: bytes) -> tuple[bool, str, RuleEntry | None]:
        if self._is_exempt(target):
            return True, "robots-txt", None
        if self._selection.choice == "none":
            return True, "no-group", None
        rank = self._deciding_rank(target)
        if rank == len(self._rules.entries):
            return True, "no-match", None
        rule = self._rules.entries[rank]
        if rule.specificity == 0:
            return True, "empty-rule", rule
        return rule.allow, "allow-rule" if rule.allow else "disallow-rule", rule

    def matched(self, url: str | bytes) -> list[RuleEntry]:
        """Give every rule that matches, one entry each, in the order in which they decide."""
        target = self._target(url, None)
        ranks = set(self._rules.form_a.all(target))
        if self._rules.form_b is not None:
            ranks.update(self._rules.form_b.all(encode_reserved_data(target)))
        entries: dict[int, RuleEntry] = {}
        for rank in sorted(ranks):
            entry = self._rules.entries[rank]
            entries.setdefault(entry.line, entry)
        return list(entries.values())

    def _target(self, url: str | bytes, index: int | None) -> bytes:
        octets = url_bytes(url, index)
        split = split_url(octets)
        if split is None:
            raise rejection(url, index)
        if self._origin_prefix is not None and split.authority:
            self._check(url, octets, split, index)
        return target_of(octets, split, self._profile)

    def _check(self, url: str | bytes, octets: bytes, split: SplitURL, index: int | None) -> None:
        if octets[: split.rest_start] != self._origin_prefix and self._check_origin is not None:
            self._check_origin(url, index)

    def _is_exempt(self, target: bytes) -> bool:
        return target == ROBOTS_TXT_TARGET and self._profile.robots_txt_allowed

    def _deciding_rank(self, target: bytes) -> int:
        rules = self._rules
        rank = rules.form_a.first(target, len(rules.entries))
        if rules.form_b is not None:
            rank = rules.form_b.first(encode_reserved_data(target), rank)
        return rank
