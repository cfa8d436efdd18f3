"""Verdicts: whether an agent may fetch a URL, with the rule and the group that decide.

The JSON form of a verdict is stable: within one `schema`, keys are added but never renamed, removed or retyped.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from canfetch.core.agent import Agent
from canfetch.core.text import display_text
from canfetch.core.times import optional_rfc3339
from canfetch.errors import CanfetchError

VERDICT_SCHEMA: Final = "canfetch.verdict/2"


class Reason(StrEnum):
    """What decided a verdict."""

    ALLOW_RULE = "allow-rule"
    DISALLOW_RULE = "disallow-rule"
    EMPTY_RULE = "empty-rule"
    NO_MATCH = "no-match"
    NO_GROUP = "no-group"
    ROBOTS_TXT = "robots-txt"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"


class GroupChoice(StrEnum):
    """How the groups for an agent were selected."""

    OWN_TOKEN = "own-token"  # noqa: S105 - a product token, not a secret
    FALLBACK = "fallback"
    STAR = "star"
    NONE = "none"


class Access(StrEnum):
    """The result of fetching robots.txt, in the terms of RFC 9309 sections 2.3.1.1, 2.3.1.3 and 2.3.1.4."""

    SUCCESSFUL = "successful"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"


class Effect(StrEnum):
    """What an outcome permits: everything, nothing, or what the rules of the file allow."""

    FULL_ALLOW = "full-allow"
    FULL_DISALLOW = "full-disallow"
    CONDITIONAL_ALLOW = "conditional-allow"


class Rule(NamedTuple):
    """An allow or disallow record.

    Attributes:
        allow: Whether the record is an allow rule.
        pattern: The value as written, without surrounding white space.
        line: The line number, from 1.
        specificity: The length in bytes of the canonical pattern, or 0 if the rule cannot match by itself. The
            matching rule with the highest specificity decides.
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
        """Return the rule as plain values. Bytes that are not valid UTF-8 are percent-encoded."""
        return {
            "type": self.type,
            "pattern": display_text(self.pattern),
            "line": self.line,
            "specificity": self.specificity,
        }


class GroupSelection(NamedTuple):
    """The groups whose rules apply to an agent.

    Attributes:
        choice: How the groups were selected.
        token: The product token that matched, `*` for the `*` groups, or None if no group applies.
        lines: The user-agent lines with that token, from 1.
    """

    choice: GroupChoice
    token: str | None
    lines: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the selection as plain values."""
        return {"choice": str(self.choice), "token": self.token, "lines": list(self.lines)}


class AccessInfo(NamedTuple):
    """How the client obtained the robots.txt that a verdict is based on.

    Attributes:
        access: The outcome of fetching the file.
        effect: What the outcome permits: everything, nothing, or what the file's rules allow.
        explanation: The outcome as a sentence.
        policy: The name of the access policy.
        robots_url: The URL of the robots.txt.
        fetched_at: When the copy in use was fetched, or the time of the last attempt, in seconds since the epoch. None
            if no request was ever sent, because the client was offline.
        sha256: The SHA-256 hash of that copy in hexadecimal, or None if no rules apply.
    """

    access: Access
    effect: Effect
    explanation: str
    policy: str
    robots_url: str
    fetched_at: float | None
    sha256: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the facts as plain values, with `fetched_at` as an RFC 3339 time in UTC or None."""
        return {
            "access": str(self.access),
            "effect": str(self.effect),
            "explanation": self.explanation,
            "policy": self.policy,
            "robots_url": self.robots_url,
            "fetched_at": optional_rfc3339(self.fetched_at),
            "sha256": self.sha256,
        }


class Verdict(NamedTuple):
    """Whether an agent may fetch a URL, and why.

    Use `.allowed`. A verdict has no truth value: `if robots.decide(...)` would otherwise always be true.

    Attributes:
        allowed: Whether the agent may fetch the URL.
        reason: What decided.
        rule: The deciding rule, or None if no rule decided.
        also_matched: The other rules that matched, most specific first.
        group: The groups whose rules apply to the agent.
        agent: The agent that was checked.
        target: The normalised path and query that patterns were compared with.
        profile: The name of the parsing profile.
        notes: Remarks on the file, such as `the content is HTML or XML without any record`. Usually empty.
        access: How the robots.txt was fetched, or None if its content was passed to `parse`.
    """

    allowed: bool
    reason: Reason
    rule: Rule | None
    also_matched: tuple[Rule, ...]
    group: GroupSelection
    agent: Agent
    target: bytes
    profile: str
    notes: tuple[str, ...] = ()
    access: AccessInfo | None = None

    @property
    def line(self) -> int | None:
        """The line of the deciding rule, from 1, or None if no rule decided."""
        return None if self.rule is None else self.rule.line

    def __bool__(self) -> NoReturn:
        raise TypeError("a Verdict has no truth value: use .allowed")

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain values, in the form described in docs/verdict-json.md.

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
            "notes": list(self.notes),
            "access": None if self.access is None else self.access.to_json(),
        }

    def to_dict(self) -> dict[str, str | int | float | bool | None]:
        """Return the verdict as one flat row, for example for a DataFrame. `to_json` returns all of it.

        The keys are those of the CSV of `canfetch check`, with `agent` in front and `access_*` at the end. Within one
        version of `canfetch.verdict`, keys are added but never renamed, removed or retyped.
        """
        rule, access = self.rule, self.access
        return {
            "agent": display_text(self.agent.encoded_tokens[0]),
            "allowed": self.allowed,
            "reason": str(self.reason),
            "rule_type": None if rule is None else rule.type,
            "rule_pattern": None if rule is None else display_text(rule.pattern),
            "rule_line": None if rule is None else rule.line,
            "rule_specificity": None if rule is None else rule.specificity,
            "group_choice": str(self.group.choice),
            "group_token": self.group.token,
            "target": display_text(self.target),
            "profile": self.profile,
            "notes": "; ".join(self.notes) or None,
            "access": None if access is None else str(access.access),
            "access_effect": None if access is None else str(access.effect),
            "access_explanation": None if access is None else access.explanation,
            "access_fetched_at": None if access is None else access.fetched_at,
            "access_robots_url": None if access is None else access.robots_url,
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
            Reason.NO_GROUP: ": ".join([f"no group applies to {who}", *self.notes]),
            Reason.NO_MATCH: f"no rule for {self.group.token or who} matches",
            Reason.ROBOTS_TXT: "/robots.txt is always allowed",
        }.get(self.reason, str(self.reason))


class ClientVerdict(Verdict):
    """The verdict of a client. It is a `Verdict` whose `access` is never None."""

    __slots__ = ()

    if TYPE_CHECKING:
        # At run time, this is the field of the tuple.
        @property
        def access(self) -> AccessInfo:
            """How the robots.txt was fetched."""


class RefusedByVerdict(CanfetchError, OSError):
    """Base class of the exceptions that the integrations of HTTP clients raise because of a verdict.

    Each integration raises a subclass that is also an error of its HTTP client.

    Attributes:
        url: The URL of the request, which can be the target of a redirect.
        verdict: The verdict.
    """

    def __init__(self, message: str, url: str, verdict: Any) -> None:
        super().__init__(message)
        self.url = url
        self.verdict = verdict

    def __str__(self) -> str:
        # That of OSError shows all arguments.
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickle, without the objects that an HTTP client attaches."""
        return type(self), (str(self), self.url, self.verdict)


class RobotsDisallowed(RefusedByVerdict):
    """Raised by the integrations of HTTP clients in place of a request that robots.txt disallows.

    Each integration raises a subclass that is also an error of its HTTP client.

    Attributes:
        url: The URL of the request, which can be the target of a redirect.
        verdict: The verdict. Its `access` describes how the robots.txt was obtained.
    """

    verdict: ClientVerdict
