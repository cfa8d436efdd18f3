"""A file compiled by the Python engine, the groups that apply to an agent, and its rules bound to one agent.

Source: RFC 9309 section 2.2.1.
"""

from collections.abc import Iterable
from typing import NamedTuple

from canfetch.core.contract import Decision, GroupRow, OriginCheck, OtherRow
from canfetch.core.escapes import unescape_literal
from canfetch.core.limits import COMPILED_RULES_LIMIT, COMPILED_SETS_LIMIT
from canfetch.core.profiles import Profile, get_profile
from canfetch.core.reference.parser import GroupLines, parse_file
from canfetch.core.reference.rule_set import RuleSet
from canfetch.core.targets import to_target
from canfetch.core.tokens import STAR, token_matches
from canfetch.core.urls import AnyURL, SplitURL, invalid_url, split_url, url_bytes
from canfetch.core.verdict import Rule


class Selection(NamedTuple):
    """The selected groups in file order, the kind of selection, and the index of the token that decided, or -1."""

    choice: str
    token_index: int
    groups: tuple[int, ...]


class TokenTable:
    """The product tokens of a file, each with the groups that name it."""

    __slots__ = ("_groups", "_profile")

    def __init__(self, groups: list[GroupLines], profile: Profile) -> None:
        self._profile = profile
        table: dict[bytes, list[int]] = {}
        for index, group in enumerate(groups):
            if profile.ignore_empty_groups and not group.rules:
                continue
            for token, _ in group.user_agents:
                named = table.setdefault(token.lower(), [])
                if not named or named[-1] != index:
                    named.append(index)
        table.pop(b"", None)
        self._groups = {token: tuple(named) for token, named in table.items()}

    def _groups_for(self, agent: bytes) -> tuple[int, ...]:
        if self._profile.substring_tokens and agent != STAR:
            found = {
                index
                for token, groups in self._groups.items()
                if token_matches(token, agent, self._profile)
                for index in groups
            }
            named = tuple(sorted(found))
        else:
            named = self._groups.get(agent.lower(), ())
        return named[:1] if self._profile.first_group_only else named

    def select(self, tokens: tuple[bytes, ...], *, star_applies: bool) -> Selection:
        """Return the groups of the first token that has any, or else those of `*` if it applies, or else none.

        Cost: O(tokens), times the tokens of the file in profiles that match names within values.
        """
        for index, token in enumerate(tokens):
            named = self._groups_for(token)
            if named and token == STAR:
                return Selection("star", -1, named)
            if named:
                return Selection("fallback" if index else "own-token", index, named)
        named = self._groups_for(STAR) if star_applies else ()
        if named:
            return Selection("star", -1, named)
        return Selection("none", -1, ())


ROBOTS_TXT_TARGET = b"/robots.txt"


class CompiledFile:
    """A file's groups and rules. Immutable, except for a bounded cache of rule sets."""

    __slots__ = ("_cached_rule_count", "_groups", "_others", "_profile", "_rule_sets", "_tokens")

    def __init__(self, content: bytes, profile: Profile) -> None:
        parsed = parse_file(content, profile)
        self._profile = profile
        self._groups = parsed.groups
        self._others = parsed.others
        self._tokens: TokenTable | None = None
        self._rule_sets: dict[tuple[int, ...], RuleSet] = {}
        self._cached_rule_count = 0

    def group_table(self) -> list[GroupRow]:
        """Return each group's user-agent lines as (token, line) and its rules as (allow, value, line)."""
        return [(list(group.user_agents), list(group.rules)) for group in self._groups]

    def other_records(self) -> list[OtherRow]:
        """Return the records that are neither rules nor user-agent lines, in file order."""
        return list(self._others)

    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,  # noqa: FBT001 - the interface of both engines
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
    ) -> "BoundRules":
        """Bind the rules to an agent.

        Cost: O(rules of the selected groups times their logarithm) for the first agent with this selection.
        """
        if self._tokens is None:
            self._tokens = TokenTable(self._groups, self._profile)
        selection = self._tokens.select(tokens, star_applies=star_applies)
        return BoundRules(self._rule_set(selection.groups), selection, self._profile, origin_prefix, check_origin)

    def _rule_set(self, groups: tuple[int, ...]) -> RuleSet:
        rule_set = self._rule_sets.get(groups)
        if rule_set is None:
            rule_set = RuleSet((rule for index in groups for rule in self._groups[index].rules), self._profile)
            self._cached_rule_count += rule_set.rule_count
            if len(self._rule_sets) >= COMPILED_SETS_LIMIT or self._cached_rule_count > COMPILED_RULES_LIMIT:
                # Clear all rule sets, because another thread may add one while this one looks for the oldest.
                self._rule_sets.clear()
                self._cached_rule_count = rule_set.rule_count
            self._rule_sets[groups] = rule_set
        return rule_set


def compile_file(content: bytes, profile_name: str) -> CompiledFile:
    """Compile a file that is already transcoded and truncated.

    Raises: UnknownProfile.
    Cost: O(bytes).
    """
    return CompiledFile(content, get_profile(profile_name))


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
        """How the groups were selected: own-token, fallback, star or none."""
        return self._selection.choice

    @property
    def token_index(self) -> int:
        """The index of the agent's token that selected them, or -1."""
        return self._selection.token_index

    @property
    def group_indices(self) -> list[int]:
        """The indices of the selected groups, in file order."""
        return list(self._selection.groups)

    @property
    def rule_count(self) -> int:
        """The number of rules in the selected groups."""
        return self._rules.rule_count

    def allows(self, url: AnyURL) -> bool:
        """Return whether the agent may fetch `url`."""
        return self._allows(url, None)

    def allows_many(self, urls: Iterable[AnyURL]) -> list[bool]:
        """Return whether the agent may fetch each of `urls`, in order."""
        return [self._allows(url, index) for index, url in enumerate(urls)]

    def _allows(self, url: AnyURL, index: int | None) -> bool:
        target = self._target(url, index)
        best = next(self._rules.matching(target), None)
        return best is None or best.allow or best.specificity == 0 or self._is_exempt(target)

    def decide(self, url: AnyURL) -> Decision:
        """Return whether the agent may fetch `url`, with all rules that match."""
        target = self._target(url, None)
        by_line: dict[int, Rule] = {}
        for match in self._rules.matching(target):
            # A rule counts with its best text.
            by_line.setdefault(match.line, match)
        matches = tuple(by_line.values())
        allowed, reason, rule = self._verdict(target, matches[0] if matches else None)
        also_matched = matches if rule is None else matches[1:]
        return allowed, reason, rule, also_matched, unescape_literal(target) if self._profile.literal_paths else target

    def deciding_rule(self, url: AnyURL) -> tuple[bool, Rule | None]:
        """Return whether the agent may fetch `url`, and the deciding rule."""
        target = self._target(url, None)
        allowed, _, rule = self._verdict(target, next(self._rules.matching(target), None))
        return allowed, rule

    def _verdict(self, target: bytes, best: Rule | None) -> tuple[bool, str, Rule | None]:
        if self._is_exempt(target):
            return True, "robots-txt", None
        if self._selection.choice == "none":
            return True, "no-group", None
        if best is None:
            return True, "no-match", None
        if best.specificity == 0:
            return True, "empty-rule", best
        return best.allow, "allow-rule" if best.allow else "disallow-rule", best

    def _target(self, url: AnyURL, index: int | None) -> bytes:
        content = url_bytes(url, index)
        split = split_url(content)
        if split is None:
            raise invalid_url(url, index)
        if self._origin_prefix is not None and split.authority:
            self._check(url, content, split, index)
        return to_target(content, split, self._profile)

    def _check(self, url: AnyURL, content: bytes, split: SplitURL, index: int | None) -> None:
        if content[: split.rest_start] != self._origin_prefix and self._check_origin is not None:
            self._check_origin(url, index)

    def _is_exempt(self, target: bytes) -> bool:
        return target == ROBOTS_TXT_TARGET and self._profile.robots_txt_allowed
