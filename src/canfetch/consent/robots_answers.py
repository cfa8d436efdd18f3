"""What an answer by robots.txt alone has besides its statement: the note, the rule of combination, other statements.

Columns decide many URLs without a `UseVerdict` for each. What is here is that of the verdict.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from canfetch.consent.decision import read_sources
from canfetch.consent.preference_records import PreferenceRecords
from canfetch.consent.purposes import control_tokens
from canfetch.consent.statements import Listing, record_statement, rule_note, token_note, with_place
from canfetch.consent.verdict import PREFERENCE_KINDS, StatementKind, UseStatement, combination
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import Preference, UsagePurpose, most_restrictive
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.usage_records import statements_of


class UseAnswer(NamedTuple):
    """The answer for URLs of a file that have the same one.

    Attributes:
        agent: Who collects the content.
        purpose: The purpose.
        allowed: The answer, as in `UseVerdict`.
        kind: The kind of the first statement that decides, or None.
        line: Its line, or None.
        token: The control token whose rule decides, or None.
    """

    agent: Agent
    purpose: UsagePurpose
    allowed: bool | None
    kind: StatementKind | None
    line: int | None
    token: str | None


class _Stated(NamedTuple):
    """What a record states on a use: the statement that decides, and whether its preferences differ."""

    statement: UseStatement
    record: Extension[Any]
    is_mixed: bool


class RobotsAnswers:
    """The notes and the rules of answers by a robots.txt.

    Args: robots: The file.
    """

    def __init__(self, robots: RobotsTxt) -> None:
        self.robots = robots
        # A long record is parsed once for all agents.
        self._stated: dict[tuple[int, UsagePurpose], _Stated] = {}

    @cached_property
    def _records(self) -> PreferenceRecords:
        return PreferenceRecords(self.robots)

    @property
    def have_paths(self) -> bool:
        """Whether the statements besides the first one that decides depend on the URL."""
        return self._records.have_paths

    def rule_depends_on_url(self, answer: UseAnswer) -> bool:
        """Return whether URLs with the same answer can have different rules of combination."""
        if answer.kind is not None and answer.kind not in PREFERENCE_KINDS:
            return False
        return self._records.have_paths and (answer.kind is None or self._records.count > 1)

    def note(self, answer: UseAnswer) -> str | None:
        """Return the note of the statement that decides, or None if there is none.

        Cost: O(user-agent lines of the groups), and O(bytes) at the first call.
        """
        agent, purpose, _, kind, line, token = answer
        if kind is None:
            return None
        group = self.robots.rules_for(agent).group
        if kind is StatementKind.RULE:
            return rule_note(agent, group, line or 0)
        if token is not None:
            crawler = next(one for one in control_tokens(agent, purpose) if one.name == token)
            return token_note(crawler, self.robots.rules_for(crawler.agent).group, line or 0)
        stated = self._find(line or 0, purpose)
        return with_place(stated.statement, stated.record, group).note

    def rule(self, answer: UseAnswer, url: str) -> str:
        """Return the rule by which statements result in the answer, as `UseVerdict.combination`.

        Args: url: The URL, or one with the same answer if the rule does not depend on it.
        Cost: As `RobotsTxt.usage`, and as `PreferenceRecords.overridden`, if the file has several preferences.
        """
        agent, purpose, allowed, kind, line, _ = answer
        if (kind is not None and kind not in PREFERENCE_KINDS) or not self._records.count:
            return combination(kind, allowed=allowed)
        if kind is not None and self._records.count == 1:
            is_opposed = allowed is False and self._find(line or 0, purpose).is_mixed
            return combination(kind, allowed=allowed, is_opposed=is_opposed)
        usage = self.robots.usage(url, agent=agent, purpose=purpose, if_disallowed=True)
        allowing = (one.usage_preference.preference is Preference.ALLOW for one in usage.statements)
        overridden = self._records.overridden(agent, usage, Listing())
        precedences = {one.precedence for one in overridden if one.precedence is not None}
        return combination(
            kind, allowed=allowed, is_opposed=allowed is False and any(allowing), precedences=precedences
        )

    def other_statements(self, answer: UseAnswer, url: str) -> Iterator[UseStatement]:
        """Return the statements of a `UseVerdict` that do not decide.

        Args: url: An absolute URL.
        Cost: As `may_use`.
        """
        verdict = read_sources(url, robots=self.robots).decide(answer.agent, [answer.purpose])[answer.purpose]
        return iter(verdict.other_statements)

    def _find(self, line: int, purpose: UsagePurpose) -> _Stated:
        found = self._stated.get((line, purpose))
        if found is None:
            records = self.robots.extensions
            record = records[bisect_left(records, line, key=attrgetter("line"))]
            # Of several labels, the most restrictive one decides.
            stated = list(statements_of(record, purpose))
            preferences = {one.usage_preference.preference for one in stated}
            wanted = most_restrictive(preferences)
            first = next(one for one in stated if one.usage_preference.preference is wanted)
            statement = record_statement(first, self.robots)
            found = self._stated[line, purpose] = _Stated(statement, record, len(preferences) > 1)
        return found
