"""The proof of a finding: what crawlers that read its group may fetch because of it.

1. A proof names only crawlers that read the finding's group, as the file is or as the fix leaves it. Of a finding about
   one crawler, it names no other.
2. It exists if the crawlers differ because of the finding's line, if the fix changes a verdict, or if the line decides.
3. Bindings and verdicts are shared by all findings of a file. Fixes are examined within a budget of parsed bytes.
"""

import weakref
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from canfetch.core.agent_rules import AgentRules, find_deciding_rule
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.profiles import PROFILES
from canfetch.errors import InvalidProductToken, InvalidURL, OriginMismatch
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.check import VerdictQuery
from canfetch.lint.crawler_verdicts import CrawlerVerdict, Reader, possible_readers
from canfetch.lint.fixes import Fix, apply_fixes
from canfetch.lint.linted_file import LintedFile

ValueT = TypeVar("ValueT")

# The bytes that are parsed to examine the fixes of one file, for each profile.
FIX_BUDGET_BYTES: Final = 2 << 20
# A proof names at most this many crawlers, one of each profile first.
_MAX_CRAWLERS: Final = 4
_MAX_TOKENS: Final = 64
# At most this many crawlers of a group are bound to the file.
_MAX_READERS: Final = 8
# The user-agent lines of a fixed group are searched this far after the fix.
_MAX_AGENT_BYTES: Final = 4096
# At most this many rules of a group are tried as an example.
_MAX_RULES: Final = 16


class Contrast(Enum):
    """What a proof shows."""

    CRAWLERS = auto()  # crawlers of the same group differ
    FIX = auto()  # the fix changes the verdicts
    LINE = auto()  # the finding's line decides


class Proof(NamedTuple):
    """The verdicts of a finding, what they show, and the lines that the finding is about."""

    contrast: Contrast
    verdicts: tuple[CrawlerVerdict, ...]
    lines: tuple[int, ...]


class _Asked(NamedTuple):
    """The question of a proof.

    `is_cut` excludes crawlers that end the group at a blank line before the finding. `is_too_large` excludes those of
    Yandex, for which a file over the limit allows everything.
    """

    url: str
    lines: tuple[int, ...]
    groups: tuple[int, ...]
    is_cut: bool
    is_too_large: bool
    crawlers: tuple[str, ...]

    def possible_readers(self, tokens: Iterable[str]) -> list[Reader]:
        # Several groups are contrasted, so that one crawler represents the `*` group.
        readers = possible_readers(filter(None, self.crawlers or tokens), search_engines=len(self.groups) < 2)
        found = [one for one in readers if not (self.is_cut and PROFILES[one.profile].blank_line_ends_group)]
        if self.is_too_large:
            found = [one for one in found if one.profile != "yandex"]
        # Known crawlers first: the others may not be needed.
        found.sort(key=lambda reader: not reader.is_known)
        return [reader for reader, _ in _spread([(reader, None) for reader in found], _MAX_READERS)]

    def select(self, pairs: Iterable[tuple[Reader, ValueT]]) -> list[tuple[Reader, ValueT]]:
        """Return at most `_MAX_CRAWLERS` pairs. Unknown crawlers are left out if a known one reads the same group."""
        every = list(pairs)
        if len(self.groups) < 2:
            every = [pair for pair in every if pair[0].is_known] or every
        return _spread(every, _MAX_CRAWLERS)


class Proofs:
    """The proofs of one file's findings."""

    def __init__(self, file: LintedFile) -> None:
        # The file keeps the proofs, and each finding keeps the file.
        self._file: LintedFile = weakref.proxy(file)
        self._readers: dict[tuple[tuple[int, ...], bool, tuple[str, ...]], list[tuple[Reader, AgentRules]]] = {}
        self._verdicts: dict[tuple[str, str], tuple[bool, int | None]] = {}

    def find(self, query: VerdictQuery, span: tuple[int, int], fix: Fix | None) -> Proof | None:
        """Return the proof of a finding, or None if it has none.

        Args:
            query: The URL, the lines and the crawlers.
            span: The finding's span.
            fix: The fix, or None if it has none or the budget is spent.
        Cost: A decision for each crawler, and with a fix a parse in each of their profiles.
        """
        own_line = self._line_at(span[0])
        lines = query.lines or (own_line,)
        groups = self._groups(lines)
        url = query.url or self._example(groups)
        if url is None:
            return None
        asked = _Asked(url, lines, groups, self._is_cut(own_line, lines), bool(self._file.robots.tail), query.crawlers)
        try:
            before = [self._verdict(reader, rules, url) for reader, rules in self._readers_of(asked)]
            decides = [verdict for verdict in before if verdict.line in lines]
            if decides and len({verdict.allowed for verdict in before}) > 1:
                return Proof(Contrast.CRAWLERS, tuple(before), lines)
            if query.contrast_only:
                return None
            if fix is not None and fix.changes_verdicts and fix.edits:
                after = tuple(self._after_fix(fix, asked))
                if after:
                    return Proof(Contrast.FIX, after, lines)
        except (InvalidURL, OriginMismatch):
            return None  # a value of the file does not have to be a valid path
        return Proof(Contrast.LINE, tuple(decides), lines) if decides and query.shows_line else None

    def _line_at(self, offset: int) -> int:
        return max(bisect_right(self._file.line_starts, offset), 1)

    def _groups(self, lines: Iterable[int]) -> tuple[int, ...]:
        file = self._file
        groups = (file.records[line - 1].group for line in lines if line <= len(file.records))
        return tuple(dict.fromkeys(group for group in groups if group is not None and group < len(file.groups)))

    def _example(self, groups: tuple[int, ...]) -> str | None:
        rules = (rule for index in groups for rule in self._file.groups[index].rules if not rule.allow and rule.value)
        return next((path for rule in islice(rules, _MAX_RULES) if (path := example_path(rule.value))), None)

    def _is_cut(self, own_line: int, lines: Iterable[int]) -> bool:
        """Return whether a blank line before one of these lines ends its group for some crawlers.

        If the finding is not about that blank line, these crawlers would only distract from it.
        """
        records = self._file.records
        if own_line <= len(records) and self._file.is_blank(own_line - 1):
            return False
        blanks = self._file.compute_once(_first_blank_lines)
        found = (records[line - 1] for line in lines if line <= len(records))
        return any(record.group in blanks and blanks[record.group] < record.line for record in found)

    def _readers_of(self, asked: "_Asked") -> list[tuple[Reader, AgentRules]]:
        key = asked.groups, asked.is_cut, asked.crawlers
        readers = self._readers.get(key)
        if readers is None:
            tokens = [token for index in asked.groups for token in self._file.groups[index].tokens]
            lines = frozenset(token.record.line for token in tokens)
            readers = self._readers[key] = asked.select(
                (reader, rules)
                for reader in asked.possible_readers(token.token for token in tokens[:_MAX_TOKENS])
                if (rules := _rules_of(self._file.robots_for(reader.profile), reader)) is not None
                and not lines.isdisjoint(rules.group.lines)
            )
        return readers

    def _verdict(self, reader: Reader, rules: AgentRules, url: str) -> CrawlerVerdict:
        key = reader.name, url
        known = self._verdicts.get(key)
        if known is None:
            allowed, rule = find_deciding_rule(rules, url)
            known = self._verdicts[key] = allowed, None if rule is None else rule.line
        return CrawlerVerdict(reader.name, reader.profile, url, *known)

    def _after_fix(self, fix: Fix, asked: "_Asked") -> Iterator[CrawlerVerdict]:
        """Yield the verdicts that change, of crawlers that read the group before or after the fix."""
        content, _ = apply_fixes(self._file.content, [fix])
        fixed = _FixedFile(content)
        starts = [self._file.groups[index].tokens[0].record.span[0] for index in asked.groups]
        agents = fixed.agents(min((fix.edits[0].start, *starts)), [self._moved(line, fix) for line in asked.lines])
        fixed_lines = frozenset(agents)
        own = [token for index in asked.groups for token in self._file.groups[index].tokens][:_MAX_TOKENS]
        own_lines = frozenset(token.record.line for token in own)
        readers_after: list[tuple[Reader, CrawlerVerdict]] = []
        readers_before: list[tuple[Reader, CrawlerVerdict]] = []
        for reader in asked.possible_readers((*(token.token for token in own), *agents.values())):
            rules = _rules_of(self._file.robots_for(reader.profile), reader)
            new_rules = _rules_of(fixed.robots_for(reader.profile), reader)
            if rules is None or new_rules is None:
                continue
            reads_after = not fixed_lines.isdisjoint(new_rules.group.lines)
            if not reads_after and own_lines.isdisjoint(rules.group.lines):
                continue
            verdict = self._verdict(reader, rules, asked.url)
            allowed_after, _ = find_deciding_rule(new_rules, asked.url)
            if allowed_after != verdict.allowed:
                found = readers_after if reads_after else readers_before
                found.append((reader, verdict._replace(allowed_after_fix=allowed_after)))
        # A fix that renames a group is for the crawlers that read it from then on.
        selected = [verdict for _, verdict in asked.select(readers_after or readers_before)]
        yield from (verdict for verdict in selected if verdict.allowed is selected[0].allowed)

    def _moved(self, line: int, fix: Fix) -> int:
        """Return the offset of a line's text in the fixed file."""
        offset, _ = self._file.text_span(self._file.records[line - 1])
        for edit in fix.edits:
            if edit.end <= offset:
                offset += len(edit.replacement) - (edit.end - edit.start)
        return offset


class _FixedFile:
    """A file after one fix."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._robots = parse(content)
        self._by_profile = {self._robots.profile: self._robots}

    def robots_for(self, profile: str) -> RobotsTxt:
        robots = self._by_profile.get(profile)
        if robots is None:
            robots = self._by_profile[profile] = self._robots.with_profile(profile)
        return robots

    def agents(self, start: int, offsets: Iterable[int]) -> dict[int, str]:
        """Return the user-agent lines of the groups at these offsets, with their tokens.

        Only a part of the file is parsed.

        Args: start: The offset of a line from which on the file has the groups in question.
        """
        lines_before = len((self._content[:start] + b"x").splitlines()) - 1
        found: dict[int, str] = {}
        for offset in offsets:
            end = self._content.find(b"\n", offset + _MAX_AGENT_BYTES)
            part = self._content[start : end if end >= 0 else len(self._content)]
            line = len((self._content[start:offset] + b"x").splitlines())
            groups = [group for group in parse(part).groups if group.user_agents]
            index = bisect_right([group.user_agents[0].line for group in groups], line) - 1
            if index >= 0:
                agents = groups[index].user_agents[:_MAX_TOKENS]
                found.update((lines_before + agent.line, agent.token) for agent in agents)
        return found


def _rules_of(robots: RobotsTxt, reader: Reader) -> AgentRules | None:
    try:
        return robots.rules_for(reader.agent)
    except InvalidProductToken:
        return None


def _first_blank_lines(file: LintedFile) -> dict[int | None, int]:
    """Return the first blank line of each group that has one."""
    first: dict[int | None, int] = {}
    for index in file.blank_lines:
        first.setdefault(file.records.group(index), index + 1)
    first.pop(None, None)
    return first


def _spread(pairs: list[tuple[Reader, ValueT]], limit: int) -> list[tuple[Reader, ValueT]]:
    """Return at most `limit` pairs in their order, of as many profiles as possible."""
    first = {reader.profile: index for index, (reader, _) in reversed(list(enumerate(pairs)))}
    others = (index for index in range(len(pairs)) if index not in first.values())
    return [pairs[index] for index in sorted((*first.values(), *others)[:limit])]
