"""The answer, and why: a verdict explains itself.

`Verdict.to_json` is stable: keys are added, never renamed, under the same `schema`.
"""

from enum import StrEnum
from typing import Any, Final, NamedTuple, NoReturn

from canfetch.core.agent import Agent
from canfetch.core.text import display_text

VERDICT_SCHEMA: Final = "canfetch.verdict/1"


class Reason(StrEnum):
    """What decided."""

    ALLOW_RULE = "allow-rule"
    DISALLOW_RULE = "disallow-rule"
    EMPTY_RULE = "empty-rule"
    NO_MATCH = "no-match"
    NO_GROUP = "no-group"
    ROBOTS_TXT = "robots-txt"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"


class GroupChoice(StrEnum):
    """Why the group was chosen."""

    OWN_TOKEN = "own-token"  # noqa: S105 - no secret: the agent's own product token chose
    FALLBACK = "fallback"
    STAR = "star"
    NONE = "none"


class Rule(NamedTuple):
    """An allow or disallow record.

    `pattern` is its value as written, stripped; `line` counts from 1; `specificity` is its length, the
    length of the pattern in its canonical form, or 0 for a rule that can match nothing by itself.
    """

    allow: bool
    pattern: bytes
    line: int
    specificity: int

    @property
    def type(self) -> str:
        """`allow` or `disallow`."""
        return "allow" if self.allow else "disallow"

    def __str__(self) -> str:
        return f"{self.type.capitalize()}: {display_text(self.pattern)}"

    def to_json(self) -> dict[str, Any]:
        """Give the rule in plain values; octets that are no UTF-8 are written as escapes."""
        return {
            "type": self.type,
            "pattern": display_text(self.pattern),
            "line": self.line,
            "specificity": self.specificity,
        }


class GroupSelection(NamedTuple):
    """The groups whose rules were used: why, by which token, and the lines that name it."""

    choice: GroupChoice
    token: str | None
    lines: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Give the choice in plain values."""
        return {"choice": str(self.choice), "token": self.token, "lines": list(self.lines)}


class AccessInfo(NamedTuple):
    """How the robots.txt was come by, where it was fetched; of a file that was given there are none.

    `access`, `effect` and `policy` are the words of the access policy, `because` a sentence for people.
    `fetched_at` is the time of the copy whose rules count, or of the last attempt; `sha256` is the
    hash of that copy's octets, in hex, or None where no rules count.
    """

    access: str
    effect: str
    explanation: str
    policy: str
    robots_url: str
    fetched_at: float
    sha256: str | None

    def to_json(self) -> dict[str, Any]:
        """Give the facts in plain values."""
        return self._asdict()


class Verdict(NamedTuple):
    """Whether an agent may fetch a URL, and why.

    `rule` is the deciding rule, or None where none did; `also_matched` are the rules that matched too
    and lost, the strongest first; `target` is what patterns were compared with. Ask `.allowed`: the
    verdict itself has no truth value, since every object that is there would mean "allowed".
    """

    allowed: bool
    reason: Reason
    rule: Rule | None
    also_matched: tuple[Rule, ...]
    group: GroupSelection
    agent: Agent
    target: bytes
    profile: str
    access: AccessInfo | None = None

    @property
    def line(self) -> int | None:
        """The deciding rule's line, from 1, or None where no rule decided."""
        return None if self.rule is None else self.rule.line

    def __bool__(self) -> NoReturn:
        raise TypeError("a Verdict is neither true nor false; ask its .allowed")

    def to_json(self) -> dict[str, Any]:
        """Give the verdict in plain values, in its one documented form.

        Cost: O(rules that matched).
        """
        return {
            "schema": VERDICT_SCHEMA,
            "allowed": self.allowed,
            "reason": str(self.reason),
            "rule": None if self.rule is None else self.rule.to_json(),
            "also_matched": [rule.to_json() for rule in self.also_matched],
            "group": self.group.to_json(),
            "agent": {
                "tokens": [display_text(token) for token in self.agent.encoded_tokens],
                "star_applies": self.agent.star_applies,
            },
            "target": display_text(self.target),
            "profile": self.profile,
            "access": None if self.access is None else self.access.to_json(),
        }

    def __str__(self) -> str:
        answer = "allowed" if self.allowed else "disallowed"
        return f"{answer}: {self.explanation}"

    @property
    def explanation(self) -> str:
        """The reason in one sentence."""
        who = display_text(self.agent.encoded_tokens[0])
        if self.access is not None and self.reason in (Reason.UNAVAILABLE, Reason.UNREACHABLE):
            return f"robots.txt is {self.reason}: {self.access.explanation}"
        if self.rule is not None:
            return f"line {self.rule.line}, {self.rule}"
        return {
            Reason.NO_GROUP: f"no group of the file is for {who}",
            Reason.NO_MATCH: f"no rule for {self.group.token or who} matches",
            Reason.ROBOTS_TXT: "/robots.txt is always allowed",
        }.get(self.reason, str(self.reason))
