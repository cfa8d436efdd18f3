"""A file as checks see it: its records, groups and rules with their places, each found once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.record import Extension
from canfetch.core.keys import RecordKind
from canfetch.core.records import Note, Record
from canfetch.core.text import display_text
from canfetch.lint.given import Given

FoundT = TypeVar("FoundT")


class LintedRule(NamedTuple):
    """A rule with its place; `group` is the index of its group."""

    record: Record
    allow: bool
    value: bytes
    specificity: int
    group: int


class LintedToken(NamedTuple):
    """A user-agent line: its product token as the RFC reads it, empty where it names nobody, and its place."""

    token: str
    record: Record


@dataclass(frozen=True, slots=True)
class LintedGroup:
    """A group with its places; `others` are the records beyond the RFC that stand in it."""

    index: int
    tokens: tuple[LintedToken, ...]
    rules: tuple[LintedRule, ...]
    others: tuple[Record, ...]

    @property
    def names(self) -> frozenset[str]:
        """The product tokens that it names, in lower case."""
        return frozenset(token.token.lower() for token in self.tokens if token.token)

    @property
    def first_token(self) -> str:
        """The first product token that it names, or `*`."""
        return next((token.token for token in self.tokens if token.token), "*")


class LintedFile:
    """A file to lint, as `rfc9309` reads it: the widest of readings; others are asked for by name.

    Attributes:
        given: what was given.
        robots: the file, parsed.
        octets: what was read of it, in UTF-8: what all spans are of.
    """

    def __init__(self, given: Given) -> None:
        self.given = given
        self.robots = parse(given.content)
        self.octets = self.robots.content
        self._readings = {self.robots.profile: self.robots}
        self._found: dict[Callable[[LintedFile], Any], Any] = {}

    def read_by(self, profile: str) -> RobotsTxt:
        """Give the file as another profile reads it."""
        reading = self._readings.get(profile)
        if reading is None:
            reading = self._readings[profile] = self.robots.with_profile(profile)
        return reading

    def found_once(self, look: "Callable[[LintedFile], FoundT]") -> FoundT:
        """Give what `look` finds in the file: it looks once, however many checks ask."""
        if look not in self._found:
            self._found[look] = look(self)
        found: FoundT = self._found[look]
        return found

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """Every line."""
        return self.robots.records

    @cached_property
    def keyed(self) -> tuple[Record, ...]:
        """Every line that is a record."""
        return tuple(record for record in self.records if record.kind is not None)

    @cached_property
    def user_agents(self) -> tuple[Record, ...]:
        """Every user-agent line."""
        return tuple(record for record in self.keyed if record.kind is RecordKind.USER_AGENT)

    @cached_property
    def rule_records(self) -> tuple[Record, ...]:
        """Every allow and disallow line, also those that stand in no group."""
        return tuple(record for record in self.keyed if record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW))

    @cached_property
    def _by_notes(self) -> dict[Note, list[Record]]:
        # Few combinations occur, however many lines there are.
        found: dict[Note, list[Record]] = {}
        for record in self.records:
            if record.notes:
                found.setdefault(record.notes, []).append(record)
        return found

    def noted(self, note: Note) -> Iterable[Record]:
        """Give the lines with a note, in file order."""
        parts = [records for notes, records in self._by_notes.items() if note in notes]
        return parts[0] if len(parts) == 1 else sorted(chain.from_iterable(parts))

    @cached_property
    def groups(self) -> tuple[LintedGroup, ...]:
        """The groups, with their places."""
        others: dict[int, list[Record]] = {}
        for record in self.keyed:
            if record.group is not None and record.kind in (RecordKind.OTHER, RecordKind.SITEMAP):
                others.setdefault(record.group, []).append(record)
        return tuple(
            LintedGroup(
                index,
                tuple(LintedToken(agent.token, self.records[agent.line - 1]) for agent in group.user_agents),
                tuple(
                    LintedRule(self.records[rule.line - 1], rule.allow, rule.pattern, rule.specificity, index)
                    for rule in group.rules
                ),
                tuple(others.get(index, ())),
            )
            for index, group in enumerate(self.robots.groups)
        )

    @cached_property
    def rules(self) -> tuple[LintedRule, ...]:
        """The rules of all groups, in file order."""
        return tuple(rule for group in self.groups for rule in group.rules)

    @cached_property
    def _groups_by_name(self) -> dict[str, list[LintedGroup]]:
        found: dict[str, list[LintedGroup]] = {}
        for group in self.groups:
            for name in group.names:
                found.setdefault(name, []).append(group)
        return found

    def groups_named(self, token: str) -> tuple[LintedGroup, ...]:
        """Give the groups that name a product token, in any letter case."""
        return tuple(self._groups_by_name.get(token.lower(), ()))

    def merged_with(self, group: LintedGroup) -> tuple[LintedGroup, ...]:
        """Give the groups that some crawler reads together with this one, itself among them, in file order."""
        found = {group.index: group}
        for name in group.names:
            found |= {other.index: other for other in self._groups_by_name[name]}
        return tuple(found[index] for index in sorted(found))

    @cached_property
    def extensions(self) -> tuple[tuple[Extension[Any], Record], ...]:
        """The records beyond the RFC, each with its place."""
        return tuple((extension, self.records[extension.line - 1]) for extension in self.robots.extensions)

    def key(self, record: Record) -> bytes:
        """Give the key of a record, as written."""
        return b"" if record.key is None else self.octets[slice(*record.key)]

    def value(self, record: Record) -> bytes:
        """Give the value of a record, as written."""
        return b"" if record.value is None else self.octets[slice(*record.value)]

    def content(self, record: Record) -> bytes:
        """Give a line without its end."""
        return self.octets[slice(*record.span)].rstrip(b"\r\n")

    def is_blank(self, record: Record) -> bool:
        """Say whether a line holds white space at most."""
        return record.kind is None and not self.content(record).strip()

    def content_span(self, record: Record) -> tuple[int, int]:
        """Give the span of a line without its end and without the white space around what it holds."""
        start, end = record.span
        line = self.octets[start:end]
        bare = line.strip()
        start += len(line) - len(line.lstrip()) if bare else 0
        return start, start + len(bare)

    def text(self, octets: bytes) -> str:
        """Give octets as text for a message; those that are no UTF-8 become escapes."""
        return display_text(octets)

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins, and that of the end of the file behind a last line end."""
        starts = [record.span[0] for record in self.records] or [0]
        if self.octets.endswith((b"\n", b"\r")):
            starts.append(len(self.octets))
        return starts
