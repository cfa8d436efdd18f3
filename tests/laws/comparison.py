"""Comparison of whole answers, in every profile."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from hypothesis import note

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.verdict import Rule, Verdict


class Reader(NamedTuple):
    """An engine and a profile with which files are parsed."""

    engine: str
    profile: str

    def parse(self, content: bytes | str, **arguments: Any) -> canfetch.RobotsTxt:
        return canfetch.parse(content, profile=self.profile, engine=self.engine, **arguments)

    def decide(self, content: bytes, url: str | bytes, agent: str | Agent) -> Verdict:
        return self.parse(content).decide(url, agent=agent)

    def answer(self, content: bytes, url: str | bytes, agent: str | Agent) -> tuple[object, ...]:
        return comparable(self.decide(content, url, agent))


def each_profile(engine: str, *, without: str = "") -> Iterator[Reader]:
    """Yield a reader for each profile, and note the profile in the report of a failure.

    `without`: flags, separated by spaces. Profiles with one of them do not follow the law.
    """
    for name, profile in canfetch.PROFILES.items():
        if not any(getattr(profile, flag) for flag in without.split()):
            note(f"profile {name}")
            yield Reader(engine, name)


def join_lines(lines: Iterable[bytes], end: bytes = b"\n") -> bytes:
    """Join lines to a file, each with a line break."""
    return b"".join(line + end for line in lines)


def comparable(verdict: Verdict, line_of: Callable[[int], int] = lambda line: line) -> tuple[object, ...]:
    """Return the fields of a verdict except agent and profile, with line numbers mapped by `line_of`."""

    def fields(rule: Rule) -> tuple[object, ...]:
        return rule.allow, rule.pattern, line_of(rule.line), rule.specificity

    return (
        verdict.allowed,
        verdict.reason,
        None if verdict.rule is None else fields(verdict.rule),
        tuple(map(fields, verdict.also_matched)),
        (verdict.group.choice, tuple(map(line_of, verdict.group.lines))),
        verdict.target,
    )
