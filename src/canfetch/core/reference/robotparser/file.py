"""A file compiled as urllib.robotparser reads it, and its rules bound to one agent.

The interface is that of the engines.
"""

from collections.abc import Iterable
from operator import itemgetter

from canfetch.core.contract import Decision, OriginCheck, OtherRow
from canfetch.core.patterns import specificity
from canfetch.core.profiles import Profile, get_profile
from canfetch.core.reference.robotparser.parser import ParsedRule, parse_text
from canfetch.core.reference.robotparser.paths import old_target, rewritten_target
from canfetch.core.reference.robotparser.selection import EntryTable
from canfetch.core.reference.selection import Selection
from canfetch.core.urls import AnyURL, invalid_url, split_url, url_bytes
from canfetch.core.verdict import Rule


class RobotparserFile:
    """A file's entries and rules."""

    __slots__ = ("_others", "_profile", "_table")

    def __init__(self, content: bytes, profile: Profile) -> None:
        parsed = parse_text(content, profile)
        self._profile = profile
        self._others = parsed.others
        self._table = EntryTable(parsed.entries, rewritten=profile.robotparser_rewritten)

    def group_table(self) -> list[tuple[list[tuple[bytes, int]], list[tuple[bool, bytes, int]]]]:
        """Return each entry's user-agent lines as (name, line) and its rules as (allow, value, line)."""
        return [
            (
                [(name.encode("utf-8", "surrogateescape"), line) for name, line in entry.user_agents],
                [rule.row for rule in entry.rules],
            )
            for entry in self._table.entries
        ]

    def other_records(self) -> list[OtherRow]:
        """Return the records that are neither rules nor user-agent lines, in file order."""
        return list(self._others)

    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,  # noqa: FBT001 - the interface of both engines
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
    ) -> "RobotparserRules":
        """Bind the rules to an agent.

        Cost: O(bytes of the user-agent lines).
        """
        selection = self._table.select(tokens, star_applies=star_applies)
        rules = [rule for index in selection.groups for rule in self._table.entries[index].rules]
        check = None if origin_prefix is None else check_origin
        return RobotparserRules(rules, selection, self._profile, check)


class RobotparserRules:
    """A file's rules for one agent."""

    __slots__ = ("_check_origin", "_profile", "_rules", "_selection")

    def __init__(
        self, rules: list[ParsedRule], selection: Selection, profile: Profile, check_origin: OriginCheck | None
    ) -> None:
        self._rules = rules
        self._selection = selection
        self._profile = profile
        self._check_origin = check_origin

    @property
    def choice(self) -> str:
        """How the entries were selected: own-token, fallback, star or none."""
        return self._selection.choice

    @property
    def token_index(self) -> int:
        """The index of the agent's token that selected them, or -1."""
        return self._selection.token_index

    @property
    def group_indices(self) -> list[int]:
        """The indices of the selected entries, in file order."""
        return list(self._selection.groups)

    @property
    def rule_count(self) -> int:
        """The number of rules in the selected entries."""
        return len(self._rules)

    def allows(self, url: AnyURL) -> bool:
        """Return whether the agent may fetch `url`."""
        return self._allows(self._target(url, None))

    def allows_many(self, urls: Iterable[AnyURL]) -> list[bool]:
        """Return whether the agent may fetch each of `urls`, in order."""
        return [self._allows(self._target(url, index)) for index, url in enumerate(urls)]

    def _allows(self, target: str | None) -> bool:
        return self._verdict(target, self._matches(target))[0]

    def decide(self, url: AnyURL) -> Decision:
        """Return whether the agent may fetch `url`, with all rules that match."""
        target = self._target(url, None)
        matches = self._matches(target)
        allowed, reason, rule = self._verdict(target, matches)
        also_matched = tuple(other for other, _ in matches if other is not rule)
        return allowed, reason, rule, also_matched, target.encode() if target is not None else url_bytes(url)

    def deciding_rule(self, url: AnyURL) -> tuple[bool, Rule | None]:
        """Return whether the agent may fetch `url`, and the deciding rule."""
        target = self._target(url, None)
        allowed, _, rule = self._verdict(target, self._matches(target))
        return allowed, rule

    def _verdict(self, target: str | None, matches: list[tuple[Rule, bool]]) -> tuple[bool, str, Rule | None]:
        if self._profile.robots_txt_allowed and target == "/robots.txt":
            return True, "robots-txt", None
        if self._selection.choice == "none":
            return True, "no-group", None
        if not matches:
            return True, "no-match", None
        rule, allows = matches[0]
        if allows != rule.allow:
            return True, "empty-rule", rule
        return allows, "allow-rule" if allows else "disallow-rule", rule

    def _matches(self, target: str | None) -> list[tuple[Rule, bool]]:
        if target is None:
            return []
        rewritten = self._profile.robotparser_rewritten
        found: list[tuple[Rule, bool]] = []
        for rule in self._rules:
            length = -1 if rule.path is None else rule.path.match_length(target)
            if length >= 0:
                # Before the rewrite, the first match decides, whatever its length.
                precedence = length if rewritten else specificity(rule.row[1], self._profile)
                found.append((Rule(*rule.row, precedence), rule.allows))
        if rewritten:
            # The longest match comes first, then allow before disallow, then the first line, because sorting is stable.
            found.sort(key=itemgetter(1), reverse=True)
            found.sort(key=lambda match: -match[0].specificity)
        return found

    def _target(self, url: AnyURL, index: int | None) -> str | None:
        # None for a URL that urllib.parse cannot split, which no rule matches.
        content = url_bytes(url, index)
        split = split_url(content)
        if split is None:
            raise invalid_url(url, index)
        if self._check_origin is not None and split.authority:
            self._check_origin(url, index)
        text = content.decode("utf-8", "surrogateescape")
        return rewritten_target(text) if self._profile.robotparser_rewritten else old_target(text)


def compile_file(content: bytes, profile_name: str) -> RobotparserFile:
    """Compile a file that is already truncated.

    Cost: O(bytes).
    """
    return RobotparserFile(content, get_profile(profile_name))
