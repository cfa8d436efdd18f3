"""Decisions about URLs by resolved files: the same as those of a client that fetched them."""

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from canfetch.bulk.cell_texts import RULE_BYTES
from canfetch.bulk.uses import may_name_license
from canfetch.consent.sources import MissingSource
from canfetch.consent.verdict import SourceState, StatementKind
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.preference import Preference
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.lines import line_text, physical_lines
from canfetch.core.profiles import get_profile
from canfetch.core.source import decode_source
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Access, Effect, Reason, Rule
from canfetch.errors import InvalidURL

_ROBOTS_TXT_TARGET: Final = b"/robots.txt"
NO_ROBOTS: Final = "no-robots"
REDIRECT_UNRESOLVED: Final = "redirect-unresolved"
INVALID_URL: Final = "invalid-url"
INVALID_TIME: Final = "invalid-time"
_INVALID: Final = frozenset([INVALID_URL, INVALID_TIME])


class Provenance(NamedTuple):
    """The capture that decides.

    Attributes:
        time: When it was made, in seconds since the epoch, or None if the archive does not state a time.
        url: The URL of its response after redirects, or None if no capture decides.
        is_truncated: Whether its file has bytes after the parsing limit, which nothing depends on. None if no capture
            decides.
        detail: Why no rules decide, or those of an older copy, such as `status 503`. Otherwise None.
    """

    time: float | None = None
    url: str | None = None
    is_truncated: bool | None = None
    detail: str | None = None


NO_CAPTURE: Final = Provenance()


class Decision(NamedTuple):
    """Whether an agent may fetch a URL.

    Attributes:
        allowed: None if it is unknown.
        reason: A `canfetch.Reason`, or why it is unknown: `no-robots`, `redirect-unresolved`, `invalid-url` or
            `invalid-time`.
        rule: The deciding rule, or None.
        provenance: The capture of the redirect if the reason is `redirect-unresolved`. Otherwise, the file has it.
    """

    allowed: bool | None
    reason: str
    rule: Rule | None = None
    provenance: Provenance = NO_CAPTURE

    @property
    def is_invalid(self) -> bool:
        """Whether the URL or its time is not valid."""
        return self.reason in _INVALID


class Use(NamedTuple):
    """What is stated on a use of a URL.

    Attributes:
        use: `allow`, `disallow` or `unknown`, or None if there is no valid URL or time.
        kind: The `StatementKind` of the first statement that decides, or None.
        line: The line of the statement, or None.
        text: The text of this line, of at most 256 bytes, or None.
        token: The control token whose rule decides, or None.
    """

    use: str | None = None
    kind: str | None = None
    line: int | None = None
    text: str | None = None
    token: str | None = None


class NamedAgent(NamedTuple):
    """An agent, and its name in tables."""

    name: str
    agent: Agent


class FileDecisions:
    """The decisions about one origin. Its file is parsed when the first of them needs it.

    Args:
        access: The result of fetching the file, or None if a redirect leads to a URL that was not captured.
        effect: What it permits, or None as for `access`.
        content: The content whose rules apply, or None.
        profile: The parsing profile.
        provenance: Where the file is from.
    """

    __slots__ = ("_access", "_content", "_effect", "_profile", "_robots", "provenance")

    def __init__(
        self,
        access: Access | None,
        effect: Effect | None,
        content: bytes | None,
        profile: str,
        provenance: Provenance = NO_CAPTURE,
    ) -> None:
        self.provenance = provenance
        self._access = access
        self._effect = effect
        self._content = content
        self._profile = profile
        self._robots: RobotsTxt | None = None

    @property
    def rules(self) -> bytes | None:
        """The content whose rules decide, or None if no rules do."""
        return (self._content or b"") if self._effect is Effect.CONDITIONAL_ALLOW else None

    @property
    def access(self) -> str:
        """The reason of decisions without rules."""
        return REDIRECT_UNRESOLVED if self._access is None else str(self._access)

    @property
    def content_size(self) -> int:
        """The bytes of the content."""
        return len(self._content or b"")

    def _parsed(self) -> RobotsTxt:
        if self._robots is None:
            self._robots = parse(self.rules or b"", profile=self._profile)
        return self._robots

    @property
    def source(self) -> RobotsTxt | MissingSource:
        """The file as a source of answers about uses, or why there is none."""
        if self.rules is not None:
            return self._parsed()
        state = SourceState.ABSENT if self._effect is Effect.FULL_ALLOW else SourceState.UNREACHABLE
        return MissingSource(state, self.provenance.detail or "")

    def line_texts(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the texts of lines of the rules, each of at most 256 bytes.

        Args: numbers: Their numbers, from 1.
        Cost: O(bytes).
        """
        profile = get_profile(self._profile)
        content = decode_source(self.rules or b"", profile, DEFAULT_MAX_BYTES).content
        _, lines = physical_lines(content, profile)
        return {number: line_text(lines[number - 1].strip(), RULE_BYTES) for number in numbers}

    @property
    def disallows_all(self) -> bool:
        """Whether everything is disallowed, whatever the file states."""
        return self._effect is Effect.FULL_DISALLOW

    def decide(self, url: AnyURL, agent: Agent) -> Decision:
        """Decide about a URL of the file's origin."""
        try:
            if self.rules is None:
                return self._without_rules(url, agent)
            verdict = self._parsed().decide(url, agent=agent)
        except InvalidURL:
            return Decision(None, INVALID_URL)
        return Decision(verdict.allowed, str(verdict.reason), verdict.rule)

    def _without_rules(self, url: AnyURL, agent: Agent) -> Decision:
        if self._access is None:
            return Decision(None, REDIRECT_UNRESOLVED)
        # Also finds invalid URLs.
        target = _empty_file(self._profile).decide(url, agent=agent).target
        if self._effect is Effect.FULL_ALLOW:
            return Decision(allowed=True, reason=str(self._access))
        if target == _ROBOTS_TXT_TARGET and get_profile(self._profile).robots_txt_allowed:
            return Decision(allowed=True, reason=str(Reason.ROBOTS_TXT))
        return Decision(allowed=False, reason=str(self._access))

    def names_license(self, agent: Agent) -> bool:
        """Return whether the rules name an RSL license for an agent, which is a source that was not read."""
        return may_name_license(self.rules or b"") and bool(self._parsed().licenses(agent=agent))


def is_truncated(content: bytes | None, profile: str) -> bool:
    """Return whether a file has bytes after the parsing limit. None has no rules."""
    return content is not None and len(content) > DEFAULT_MAX_BYTES and bool(parse(content, profile=profile).tail)


def use_without_rules(file: FileDecisions | Decision, decision: Decision) -> Use:
    """Return what is stated on every use of a URL that no rules decide, as `canfetch.may_use` does without a file.

    Args:
        file: The decisions about the origin of the URL.
        decision: The one about the URL.
    """
    if decision.is_invalid:
        return Use()
    if isinstance(file, FileDecisions) and file.disallows_all:
        return Use(str(Preference.DISALLOW), str(StatementKind.UNREACHABLE))
    return Use(str(Preference.UNKNOWN))


@cache
def _empty_file(profile: str) -> RobotsTxt:
    return parse(b"", profile=profile)
