"""The file as checks see it: its records, groups and rules with their places, each computed once."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

from canfetch.core.document import RobotsTxt, group_rows, parse
from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.patterns import specificity
from canfetch.core.profiles import get_profile
from canfetch.core.records import Record, Records
from canfetch.core.text import display_text
from canfetch.lint.lint_input import LintInput

ResultT = TypeVar("ResultT")
_new_tuple: Final = tuple.__new__
# The part of the content past the size limit that reports may quote.
_MAX_PAST_LIMIT: Final = 240


class LintedRule(NamedTuple):
    """A rule in a group.

    Attributes:
        line: The line number, from 1.
        allow: Whether it allows.
        value: The value, as written.
        specificity: Its specificity.
        group: The index of its group.
        records: The records of the file.
    """

    line: int
    allow: bool
    value: bytes
    specificity: int
    group: int
    records: Records

    @property
    def record(self) -> Record:
        """The record of its line, which is created on first access."""
        return self.records[self.line - 1]


class LintedToken(NamedTuple):
    """A user-agent line with its product token, as RFC 9309 reads it. An invalid line has an empty token.

    Attributes:
        token: The product token.
        line: The line number, from 1.
        records: The records of the file.
    """

    token: str
    line: int
    records: Records

    @property
    def record(self) -> Record:
        """The record of its line, which is created on first access."""
        return self.records[self.line - 1]


# Frozen instances take three times as long to create, and a file can have tens of thousands of groups.
@dataclass(eq=False, slots=True)
class LintedGroup:
    """A group with its records.

    Attributes:
        index: Its index in the file.
        tokens: Its user-agent lines.
        names: Its product tokens, in lower case.
        rules: Its rules.
        records: The records of the file.
        others: The indices of the records in it that RFC 9309 does not define.
    """

    index: int
    tokens: tuple[LintedToken, ...]
    names: frozenset[str]
    rules: tuple[LintedRule, ...]
    records: Records
    others: Sequence[int]

    @property
    def other_records(self) -> Iterator[Record]:
        """The records in it that RFC 9309 does not define, each created on first access."""
        return map(self.records.__getitem__, self.others)

    @property
    def first_token(self) -> str:
        """The group's first product token, or `*`."""
        return next((token.token for token in self.tokens if token.token), "*")


def _part(indices: Sequence[int], lines: range) -> Sequence[int]:
    return indices[bisect_left(indices, lines.start) : bisect_left(indices, lines.stop)]


class LintedFile:
    """A file to lint, parsed with the profile `rfc9309`, which accepts the most spellings.

    Attributes:
        input: The linter's input.
        robots: The parsed file.
        content: The parsed part of the file, in UTF-8. All spans refer to it.
    """

    def __init__(self, lint_input: LintInput) -> None:
        self.input = lint_input
        self.robots = parse(lint_input.content)
        self.content = self.robots.content
        self._by_profile = {self.robots.profile: self.robots}
        self._computed: dict[Callable[[LintedFile], Any], Any] = {}

    def with_path(self, path: str | None) -> "LintedFile":
        """Return the same file with another path. Both share all results."""
        file = copy(self)
        file.input = self.input._replace(path=path)
        return file

    def robots_for(self, profile: str) -> RobotsTxt:
        """Return the file, parsed with another profile."""
        robots = self._by_profile.get(profile)
        if robots is None:
            robots = self._by_profile[profile] = self.robots.with_profile(profile)
        return robots

    def compute_once(self, function: "Callable[[LintedFile], ResultT]") -> ResultT:
        """Return `function(self)`, computed on the first call and shared by all checks."""
        if function not in self._computed:
            self._computed[function] = function(self)
        result: ResultT = self._computed[function]
        return result

    def forget_except(self, *functions: "Callable[[LintedFile], Any]") -> None:
        """Forget the results of `compute_once`, apart from those of some functions.

        Many results refer to the file, which keeps them. Only the garbage collector would free such a cycle.
        """
        self._computed = {function: result for function, result in self._computed.items() if function in functions}

    @cached_property
    def records(self) -> Records:
        """Every line. Loops over all lines are slow for files with many blank lines or comments."""
        return Records(self.content, get_profile(self.robots.profile))

    @cached_property
    def lower_content(self) -> bytes:
        """The content in lower case."""
        return self.content.lower()

    @cached_property
    def user_agents(self) -> Sequence[int]:
        """The index of every user-agent line."""
        return self.records.of_kinds(RecordKind.USER_AGENT)

    @cached_property
    def user_agent_values(self) -> list[bytes]:
        """The value of every user-agent line, as written."""
        return self.values(self.user_agents)

    @property
    def first_line_past_limit(self) -> bytes:
        """The start of the first line past the size limit, or empty.

        Cost: O(1).
        """
        lines = self.robots.tail[:_MAX_PAST_LIMIT].lstrip(b"\r\n").splitlines()
        return lines[0] if lines else b""

    @cached_property
    def rule_records(self) -> tuple[Record, ...]:
        """Every allow and disallow line, including those outside of groups."""
        return tuple(self.records_of(RecordKind.ALLOW, RecordKind.DISALLOW))

    def records_of(self, *kinds: RecordKind) -> list[Record]:
        """Return the records of these kinds, in file order."""
        records = self.records
        return [records[index] for index in records.of_kinds(*kinds)]

    def lines_matching(self, pattern: re.Pattern[bytes]) -> Iterator[Record]:
        """Yield the lines in which a regular expression matches, in file order.

        Args: pattern: It matches neither an empty text nor a line end.
        Cost: One search of the content. The expression has to be linear.
        """
        records, starts = self.records, self.records.starts
        match = pattern.search(self.content)
        while match is not None:
            following = bisect_right(starts, match.start())
            if following:
                yield records[following - 1]
            match = pattern.search(self.content, starts[following]) if following < len(starts) else None

    def records_containing(self, words: Iterable[bytes], *kinds: RecordKind) -> list[Record]:
        """Return the records of these kinds whose line has one of these words in any letter case, in file order.

        Args:
            words: The words, in lower case.
            kinds: The kinds.
        Cost: A search of the content for each word.
        """
        lower, starts = self.lower_content, self.records.starts
        found: set[int] = set()
        for word in words:
            place = lower.find(word)
            while place >= 0:
                following = bisect_right(starts, place)
                found.add(following - 1)
                place = lower.find(word, starts[following]) if following < len(starts) else -1
        records = self.records
        return [records[index] for index in sorted(found) if records.kind(index) in kinds]

    def records_with(self, note: Note) -> Iterator[Record]:
        """Yield the lines with a note, in file order, each created when it is reached."""
        return map(self.records.__getitem__, self.records.with_note(note))

    def lines(self, indices: Iterable[int]) -> list[bytes]:
        """Return these lines, with their line ends."""
        content = self.content
        return [content[start:end] for start, end in self.records.spans(indices)]

    def keys(self, indices: Iterable[int]) -> list[bytes]:
        """Return the keys of these lines, each of which has a key, as written."""
        content = self.content
        return [content[start:end] for start, end in self.records.key_spans(indices)]

    def values(self, indices: Iterable[int]) -> list[bytes]:
        """Return the values of these lines, each of which has a key, as written."""
        content = self.content
        return [content[start:end] for start, end in self.records.value_spans(indices)]

    @cached_property
    def blank_lines(self) -> list[int]:
        """The indices of the blank lines."""
        indices = self.records.without_key()
        return [index for index, line in zip(indices, self.lines(indices), strict=True) if line.isspace()]

    @property
    def first_text(self) -> Record | None:
        """The first line that is not blank, or None."""
        starts = self.records.starts
        text = self.content[starts[0] :].lstrip() if starts else b""
        return self.records[bisect_right(starts, len(self.content) - len(text)) - 1] if text else None

    @cached_property
    def groups(self) -> tuple[LintedGroup, ...]:
        """The groups, with their records."""
        records, profile = self.records, get_profile(self.robots.profile)
        others = records.of_kinds(RecordKind.OTHER, RecordKind.SITEMAP)
        groups: list[LintedGroup] = []
        for index, (agents, rules) in enumerate(group_rows(self.robots)):
            tokens = [(display_text(token), line) for token, line in agents]
            groups.append(
                LintedGroup(
                    index,
                    tuple([_new_tuple(LintedToken, (token, line, records)) for token, line in tokens]),
                    frozenset([token.lower() for token, _ in tokens if token]),
                    tuple(
                        [
                            _new_tuple(LintedRule, (line, allow, value, specificity(value, profile), index, records))
                            for allow, value, line in rules
                        ]
                    ),
                    records,
                    _part(others, records.group_range(tokens[0][1] - 1)) if others else (),
                )
            )
        return tuple(groups)

    @cached_property
    def rules(self) -> tuple[LintedRule, ...]:
        """The rules of all groups, in file order."""
        return tuple(rule for group in self.groups for rule in group.rules)

    @cached_property
    def _groups_by_name(self) -> dict[str, list[LintedGroup]]:
        by_name: dict[str, list[LintedGroup]] = {}
        for group in self.groups:
            for name in group.names:
                by_name.setdefault(name, []).append(group)
        return by_name

    def groups_named(self, token: str) -> tuple[LintedGroup, ...]:
        """Return the groups with a product token, in any letter case."""
        return tuple(self._groups_by_name.get(token.lower(), ()))

    def group_of(self, record: Record) -> LintedGroup | None:
        """Return the group that a record belongs to, or None."""
        index = record.group
        return self.groups[index] if index is not None and index < len(self.groups) else None

    def key(self, record: Record) -> bytes:
        """Return the key of a record, as written."""
        span = record.key
        return b"" if span is None else self.content[span[0] : span[1]]

    def value(self, record: Record) -> bytes:
        """Return the value of a record, as written."""
        span = record.value
        return b"" if span is None else self.content[span[0] : span[1]]

    def line_content(self, record: Record) -> bytes:
        """Return a line without its line end."""
        start, end = record.span
        return self.content[start:end].rstrip(b"\r\n")

    def is_blank(self, index: int) -> bool:
        """Return whether the line with an index is empty or holds only white space."""
        records = self.records
        return records.kind(index) is None and self.content[records.starts[index] : records.ends[index]].isspace()

    def text_span(self, record: Record) -> tuple[int, int]:
        """Return the span of a line without its line end and surrounding white space."""
        start, end = record.span
        line = self.content[start:end]
        bare = line.strip()
        start += len(line) - len(line.lstrip()) if bare else 0
        return start, start + len(bare)

    def text(self, content: bytes) -> str:
        """Return bytes as text for a message. Invalid UTF-8 is escaped."""
        return display_text(content)

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of each line, and the end of the file if it ends with a line end."""
        starts = list(self.records.starts) or [0]
        if self.content.endswith((b"\n", b"\r")):
            starts.append(len(self.content))
        return starts
