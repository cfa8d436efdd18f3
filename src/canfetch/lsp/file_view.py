"""What the engine reads in a document: its records, and the crawlers that read each line.

Each crawler of the registry reads the file with the parsing profile of its operator.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.crawler_verdicts import profile_of


class LineReader(NamedTuple):
    """A crawler that reads a line, with its rules and the line as it reads it."""

    crawler: Crawler
    rules: AgentRules
    record: Record


class FileView:
    """A parsed document. Not safe to share between threads.

    Args:
        content: The document.
        profile: The parsing profile for everything except the crawlers of the registry.
    """

    def __init__(self, content: bytes, profile: str) -> None:
        self.robots = parse(content, profile=profile)
        self._by_profile = {profile: self.robots}

    @property
    def content(self) -> bytes:
        """The parsed bytes, to which all spans refer."""
        return self.robots.content

    @property
    def has_own_spans(self) -> bool:
        """Whether the spans are those of the document. Files in UTF-16 are transcoded."""
        return self.robots.source_encoding == "utf-8"

    @property
    def records(self) -> tuple[Record, ...]:
        """All lines."""
        return self.robots.records

    def record_at(self, line: int) -> Record | None:
        """Return the record of a line, which counts from 0, or None past the end of the file."""
        return self.records[line] if 0 <= line < len(self.records) else None

    def group_at(self, line: int) -> int | None:
        """Return the index of the group that a record on a line, which counts from 0, would belong to."""
        if not self.records:
            return None
        return self.records[min(line, len(self.records) - 1)].group

    def key(self, record: Record) -> bytes:
        """Return the key of a record in lower case, or an empty string."""
        return b"" if record.key is None else self.content[slice(*record.key)].lower()

    def value(self, record: Record) -> bytes:
        """Return the value of a record."""
        return b"" if record.value is None else self.content[slice(*record.value)]

    def robots_for(self, profile: str) -> RobotsTxt:
        """Return the document, parsed with another profile."""
        robots = self._by_profile.get(profile)
        if robots is None:
            robots = self._by_profile[profile] = self.robots.with_profile(profile)
        return robots

    @cached_property
    def _rules(self) -> list[tuple[Crawler, AgentRules, frozenset[int]]]:
        bound = [
            (crawler, self.robots_for(profile_of(crawler)).rules_for(crawler.agent))
            for crawler in REGISTRY.crawlers
            if not crawler.retired and crawler.obeys != "no"
        ]
        return [(crawler, rules, frozenset(rules.group_indices)) for crawler, rules in bound]

    def crawlers_in_group_of(self, line: int) -> Iterator[LineReader]:
        """Yield the crawlers of the registry that read the group of a line, which counts from 0.

        A crawler whose profile reads no record on the line is yielded too. Its record then has no kind, or another one.
        """
        for crawler, rules, groups in self._rules:
            record = self.robots_for(profile_of(crawler)).records[line]
            if record.group in groups:
                yield LineReader(crawler, rules, record)

    def other_rules(self, name: str) -> AgentRules:
        """Return the rules of a crawler that is not in the registry.

        Raises: InvalidProductToken: `name` is not a product token.
        """
        return self.robots.rules_for(name)

    @cached_property
    def group_lines(self) -> dict[int, list[Record]]:
        """The records of each group, by the index of the group."""
        groups: dict[int, list[Record]] = {}
        for record in self.records:
            if record.group is not None and record.kind is not None:
                groups.setdefault(record.group, []).append(record)
        return groups

    @cached_property
    def rule_values(self) -> list[tuple[str, int]]:
        """The different values of the rules, each with its first line. Values that are not valid UTF-8 are left out."""
        lines: dict[bytes, int] = {}
        for record in self.records:
            if record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW):
                lines.setdefault(self.value(record), record.line)
        texts = ((value.decode("utf-8", "ignore"), value, line) for value, line in lines.items() if value)
        return [(text, line) for text, value, line in texts if text.encode() == value]
