"""What a law compares: the whole of an answer, in every profile."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from hypothesis import note

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.verdict import Rule, Verdict


class Ask(NamedTuple):
    """An engine and a profile: who reads a file."""

    engine: str
    profile: str

    def parse(self, octets: bytes | str, **arguments: Any) -> canfetch.RobotsTxt:
        return canfetch.parse(octets, profile=self.profile, engine=self.engine, **arguments)

    def decide(self, octets: bytes, url: str | bytes, agent: str | Agent) -> Verdict:
        return self.parse(octets).decide(url, agent=agent)


def each_profile(engine: str, *, without: str = "") -> Iterator[Ask]:
    """Give each profile in turn, and say in the report of a failure which it was.

    `without`: flags, separated by spaces; a profile that sets one of them does not keep the law. What keeps the
    laws of urllib.robotparser keeps none of the others, and is the Python engine's alone.
    """
    for name, profile in canfetch.PROFILES.items():
        if not profile.robotparser and not any(getattr(profile, flag) for flag in without.split()):
            note(f"profile {name}")
            yield Ask(engine, name)


def joined(lines: Iterable[bytes], end: bytes = b"\n") -> bytes:
    """Make a file of lines, each with its end."""
    return b"".join(line + end for line in lines)


def answer(verdict: Verdict, line_of: Callable[[int], int] = lambda line: line) -> tuple[object, ...]:
    """Give all of a verdict but its agent and profile, with its lines told as `line_of` tells them."""

    def told(rule: Rule) -> tuple[object, ...]:
        return rule.allow, rule.pattern, line_of(rule.line), rule.specificity

    return (
        verdict.allowed,
        verdict.reason,
        None if verdict.rule is None else told(verdict.rule),
        tuple(map(told, verdict.also_matched)),
        (verdict.group.choice, tuple(map(line_of, verdict.group.lines))),
        verdict.target,
    )
