"""What a site states on a use of one URL, which statements decide, and which sources are missing.

The JSON form of a `UseVerdict` is stable: within one `schema`, keys are added but never renamed, removed or retyped.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, NoReturn

from canfetch.core.agent import Agent
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.redaction import redacted_url
from canfetch.core.text import display_text, printable_text
from canfetch.core.times import optional_rfc3339

USE_SCHEMA: Final = "canfetch.use/1"
ROBOTS: Final = "robots.txt"
HEADERS: Final = "headers"
HTML: Final = "html"
TDM_FILE: Final = "tdmrep.json"
LICENSE: Final = "license"
"""The names of sources."""


class SourceState(StrEnum):
    """Whether a source was read."""

    READ = "read"
    ABSENT = "absent"
    UNREACHABLE = "unreachable"  # its server failed
    UNREADABLE = "unreadable"  # its content is invalid
    NOT_READ = "not-read"  # not requested, or robots.txt disallows it


PARTLY_READ: Final = "only a part was read"
"""The detail of a source that was not read to its end."""
_UNREAD: Final = frozenset({SourceState.UNREACHABLE, SourceState.UNREADABLE, SourceState.NOT_READ})
MAX_STATEMENTS: Final = 100
"""The number of statements of one kind of source that a verdict has. A file can have thousands."""


class UseSource(NamedTuple):
    """A place where a site can state what it permits.

    Attributes:
        name: `robots.txt`, `headers`, `html`, `tdmrep.json`, or `license` for an RSL document.
        state: Whether it was read.
        detail: Why it was not read, the URL of a license, and with a client, why an older copy was read. Usually empty.
        url: The URL of a license, of another file if a redirect to another host or port led to it, and of every source
            with the same name as another one, after redirects of the content. Otherwise None.
        fetched_at: When the content of the file or the page was received, in seconds since the epoch. None without
            content, or if the caller passed it.
        requested_at: When the last request for it ended, whatever the result. None if there was none, or if the caller
            passed it.
    """

    name: str
    state: SourceState
    detail: str = ""
    url: str | None = None
    fetched_at: float | None = None
    requested_at: float | None = None

    @property
    def is_unread(self) -> bool:
        """Whether it can contain statements that are unknown."""
        return self.state in _UNREAD

    @property
    def is_partly_read(self) -> bool:
        """Whether only its beginning was read, up to a limit."""
        return self.state is SourceState.NOT_READ and self.detail.startswith(PARTLY_READ)

    @property
    def words(self) -> str:
        """The URL and the detail. Empty if there is neither."""
        url = None if self.url is None or self.detail.startswith(self.url) else self.url
        return printable_text(": ".join(filter(None, (url, self.detail))))

    def to_json(self) -> dict[str, Any]:
        """Return the source as plain values."""
        return {
            "name": self.name,
            "state": str(self.state),
            "detail": printable_text(self.detail),
            "url": self.url,
            "fetched_at": optional_rfc3339(self.fetched_at),
            "requested_at": optional_rfc3339(self.requested_at),
        }

    def __str__(self) -> str:
        return f"{self.name}: {self.state}{f' ({self.words})' if self.words else ''}"


class StatementKind(StrEnum):
    """The standard that a statement belongs to."""

    RULE = "rule"
    UNREACHABLE = "unreachable"  # RFC 9309 disallows everything, and no statement of the site does
    CONTROL_TOKEN = "control-token"  # noqa: S105 - a product token
    CONTENT_SIGNAL = "content-signal"
    CONTENT_USAGE = "content-usage"
    AI_TRAINING_RULE = "ai-training-rule"
    PAGE_DIRECTIVE = "page-directive"
    TDM_RESERVATION = "tdm-reservation"
    LICENSE = "license"
    PAYMENT = "payment"


STANDARDS: Final[Mapping[StatementKind, str]] = {
    StatementKind.RULE: "RFC 9309",
    StatementKind.UNREACHABLE: "RFC 9309",
    StatementKind.CONTROL_TOKEN: "documentation of the crawler's operator",
    StatementKind.CONTENT_SIGNAL: "Content Signals (contentsignals.org)",
    StatementKind.CONTENT_USAGE: "IETF AIPREF (drafts)",
    StatementKind.AI_TRAINING_RULE: "an expired draft of 2024 (DisallowAITraining)",
    StatementKind.PAGE_DIRECTIVE: "robots meta directives",
    StatementKind.TDM_RESERVATION: "W3C TDM Reservation Protocol",
    StatementKind.LICENSE: "RSL 1.0",
    StatementKind.PAYMENT: "HTTP (RFC 9110)",
}
"""The standard that each kind of statement belongs to."""
_REFUSALS: Final[Mapping[StatementKind, str]] = {
    StatementKind.RULE: "content that the agent may not fetch may not be used",
    StatementKind.UNREACHABLE: "a robots.txt that is unreachable disallows everything",
    StatementKind.CONTROL_TOKEN: "a rule for a control token disallows the uses that it controls",
    StatementKind.TDM_RESERVATION: "reserved rights disallow training",
}


class Precedence(StrEnum):
    """Why a line of robots.txt on the use does not apply, although a reader of the file may expect it to."""

    GROUP = "group"  # the lines of the crawler's group replace those for `*` and those outside of groups
    PATH = "path"  # a line with a more specific path replaces it


_PRECEDENCES: Final[Mapping[Precedence, str]] = {
    Precedence.GROUP: "the lines in the crawler's group decide",
    Precedence.PATH: "the line with the most specific path decides",
}
PREFERENCE_KINDS: Final = frozenset(
    {StatementKind.CONTENT_SIGNAL, StatementKind.CONTENT_USAGE, StatementKind.AI_TRAINING_RULE}
)
"""The kinds of lines of robots.txt of which the group and the path select those that apply."""


def combination(
    kind: StatementKind | str | None,
    *,
    allowed: bool | None,
    is_conditional: bool = False,
    is_opposed: bool = False,
    precedences: Collection[Precedence] = (),
) -> str:
    """Return the rule by which the statements of all sources result in an answer.

    Args:
        kind: The kind of the first statement that decides, or None if there is none.
        allowed: The answer.
        is_conditional: Whether the use has conditions.
        is_opposed: Whether a statement allows a use that is disallowed, also on conditions.
        precedences: Why lines of robots.txt on the use do not apply.
    """
    refusal = None if kind is None or allowed is not False else _REFUSALS.get(StatementKind(kind))
    if refusal is not None:
        return refusal
    if is_conditional and allowed is None:
        return "a condition, such as a payment, is not an allowance"
    rules = [words for one, words in _PRECEDENCES.items() if one in precedences]
    if allowed is None:
        rules.append("nothing is stated, and no standard defines what silence means")
    elif is_opposed:
        rules.append("the most restrictive statement decides")
    elif not rules:
        verbs = ("allows", "disallows") if allowed else ("disallows", "allows")
        rules.append(f"a statement {verbs[0]} the use, and no statement {verbs[1]} it")
    return "; ".join(rules)


class UseStatement(NamedTuple):
    """One statement about a purpose.

    Attributes:
        kind: The standard that it belongs to.
        source: The name of its source, as in `UseSource`.
        place: Where it is: a line, a header, an element or an entry.
        text: Its words as written, or in the case of TDMRep, RSL and a status what it states.
        preference: What it states: allow, disallow, or unknown for a fact that states nothing on the purpose.
        note: What it means, if the words do not say so. Usually empty.
        is_condition: Whether it permits the use on a condition that the caller may not fulfil, such as a payment.
        line: The line of its source if that is a robots.txt or the HTML, or None for other places. `source_url` names
            the file if it is not that of the content.
        token: The control token whose rule it is, or None.
        group: The group that this rule is in: that of the token, of one that it falls back to, or `*`.
        source_url: The URL of its source if a redirect led to another one than that of the content, or to another host
            or port.
        is_overridable: Whether another statement, in a part of the source or of the page that was not read, could
            override it. False for `noai` and the terms of licenses.
        precedence: Why it does not apply, if it is a line of robots.txt that another group or line overrides.
    """

    kind: StatementKind
    source: str
    place: str
    text: str
    preference: Preference
    note: str = ""
    is_condition: bool = False
    line: int | None = None
    is_overridable: bool = True
    token: str | None = None
    group: str | None = None
    source_url: str | None = None
    precedence: Precedence | None = None

    @property
    def standard(self) -> str:
        """The standard that it belongs to, in words."""
        return STANDARDS[self.kind]

    def to_json(self) -> dict[str, Any]:
        """Return the statement as plain values."""
        return {
            "kind": str(self.kind),
            "standard": self.standard,
            "source": self.source,
            "place": self.place,
            "line": self.line,
            "text": printable_text(self.text),
            "preference": str(self.preference),
            "note": self.note,
            "is_condition": self.is_condition,
        }

    def __str__(self) -> str:
        place = self.place if self.place.startswith(self.source) else f"{self.source}, {self.place}"
        return printable_text(f"{place}: {self.text}{f' ({self.note})' if self.note else ''}")


# Statements that others in any part of the page can override: TDMRep orders its sources, and some search engines have
# directives that permit what others restrict.
_BY_PAGE: Final = frozenset({StatementKind.PAGE_DIRECTIVE, StatementKind.TDM_RESERVATION})
_PAGE: Final = frozenset({HEADERS, HTML})


WORDS: Final = {True: "allowed", False: "disallowed", None: "not stated"}


def unread_beside_robots(
    purpose: UsagePurpose, *, allowed: bool | None, robots_is_read: bool, names_license: bool
) -> str | None:
    """Return the sources that could change an answer by robots.txt alone, as `UseVerdict.is_final` decides, or None.

    Args:
        purpose: The purpose.
        allowed: The answer.
        robots_is_read: Whether all of robots.txt was read, or is absent.
        names_license: Whether it names an RSL license for the agent.
    """
    if allowed is False and robots_is_read:
        return None
    is_training = purpose is UsagePurpose.TRAINING
    names = {ROBOTS: not robots_is_read, HEADERS: True, HTML: True, TDM_FILE: is_training, LICENSE: names_license}
    return ", ".join(name for name, is_unread in names.items() if is_unread)


class UseVerdict(NamedTuple):
    """Whether content may be used for a purpose, and why.

    A verdict has no truth value, because "not stated" is neither yes nor no. Use `.allowed`.

    Attributes:
        allowed: False if some statement disallows the use, True if some statement allows it and none disallows it or
            sets a condition, and None otherwise. No standard defines what silence means.
        purpose: The purpose.
        url: The URL of the content.
        agent: The agent that collects it.
        statements: The statements on the purpose, and facts such as terms and statements that cannot be read, in the
            order of the sources. Of each kind, the first 100 are listed.
        sources: The sources, and whether they were read.
        expires_at: When to ask again, in seconds since the epoch, or None if nothing that was read has a date. It is
            the first `unavailable_after` to come, and with a client, the time at which a file has to be fetched again.
        license_urls: The absolute URLs of the RSL documents that the sources name, for the argument `license`.
        unlisted: The number of statements, and of lines that may be statements, that are not listed. All of them count
            for the answer.
    """

    allowed: bool | None
    purpose: UsagePurpose
    url: str
    agent: Agent
    statements: tuple[UseStatement, ...]
    sources: tuple[UseSource, ...]
    expires_at: float | None = None
    license_urls: tuple[str, ...] = ()
    unlisted: int = 0

    @property
    def decided_by(self) -> tuple[UseStatement, ...]:
        """The statements that decide. Empty if nothing is stated.

        Of several statements the most restrictive one decides (AIPREF vocabulary, section 7.1). Only TDMRep orders its
        sources, and contributes the statement that is left.
        """
        if self.allowed is None:
            return ()
        wanted = Preference.ALLOW if self.allowed else Preference.DISALLOW
        return tuple(statement for statement in self.statements if statement.preference is wanted)

    @property
    def other_statements(self) -> tuple[UseStatement, ...]:
        """The statements that do not decide: those that lost, conditions of a use that is disallowed, and facts."""
        shown = {*self.decided_by, *self.conditions}
        return tuple(one for one in self.statements if one not in shown)

    @property
    def conditions(self) -> tuple[UseStatement, ...]:
        """The conditions of the use, such as a payment. Empty if it is disallowed."""
        return () if self.allowed is False else tuple(one for one in self.statements if one.is_condition)

    @property
    def is_refused(self) -> bool:
        """Whether a crawler that fulfils no conditions may not use the content: it is disallowed, or has conditions.

        `allowed` is None in the second case, as it is if nothing is stated.
        """
        return self.allowed is False or bool(self.conditions)

    @property
    def unread(self) -> tuple[UseSource, ...]:
        """The sources whose statements on the purpose are unknown: a reservation is about text and data mining only."""
        is_training = self.purpose is UsagePurpose.TRAINING
        return tuple(one for one in self.sources if one.is_unread and (is_training or one.name != TDM_FILE))

    @property
    def is_final(self) -> bool:
        """Whether no source that was not read could change the answer.

        Statements of other sources can only disallow more, with two exceptions: the headers and the HTML can override
        a reservation or a directive. The rest of a robots.txt can allow what the part that was read disallows.
        """
        unread = {source.name for source in self.unread}
        if not unread:
            return True
        return self.allowed is False and any(
            not statement.is_overridable
            or (statement.source not in unread and (statement.kind not in _BY_PAGE or _PAGE.isdisjoint(unread)))
            for statement in self.decided_by
        )

    @property
    def combination(self) -> str:
        """The rule by which the statements result in the answer."""
        first = next(iter(self.decided_by), None)
        return combination(
            None if first is None else first.kind,
            allowed=self.allowed,
            is_conditional=bool(self.conditions),
            is_opposed=self.allowed is False
            and any(one.preference is Preference.ALLOW or one.is_condition for one in self.statements),
            precedences=self._precedences(first),
        )

    def _precedences(self, first: UseStatement | None) -> set[Precedence]:
        """Return why other lines than the first statement that decides do not apply."""
        if first is not None and (first.source != ROBOTS or first.kind not in PREFERENCE_KINDS):
            return set()
        lost = (one for one in self.statements if first is None or one.source_url == first.source_url)
        return {one.precedence for one in lost if one.precedence is not None}

    @property
    def explanation(self) -> str:
        """The reason in one sentence."""
        if self.decided_by:
            first, *others = map(str, self.decided_by)
            number = f"at least {len(others)}" if self.unlisted else len(others)
            return first + (f"; and {number} more statement{'s' if len(others) > 1 else ''}" if others else "")
        if self.conditions:
            return f"only on conditions: {self.conditions[0]}"
        if self.statements:
            return f"no statement decides about {self.purpose}; the first is {self.statements[0]}"
        return f"nothing that was read and applies to {self.agent.tokens[0]} states anything on {self.purpose}"

    def __bool__(self) -> NoReturn:
        raise TypeError("a UseVerdict has no truth value: use .allowed, which is None if nothing is stated")

    def __str__(self) -> str:
        word = "conditional" if self.conditions else WORDS[self.allowed]
        names = ", ".join(dict.fromkeys(source.name for source in self.unread))
        unread = f"; not read: {names}" if names else ""
        return f"{self.purpose}: {word}: {self.explanation}{unread}"

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain values.

        Cost: O(statements).
        """
        return {
            "schema": USE_SCHEMA,
            "url": redacted_url(self.url),
            "purpose": str(self.purpose),
            "agent": {
                "tokens": [display_text(token) for token in self.agent.encoded_tokens],
                "star_applies": self.agent.star_applies,
            },
            "allowed": self.allowed,
            "is_final": self.is_final,
            "expires_at": optional_rfc3339(self.expires_at),
            "explanation": printable_text(self.explanation),
            "combination": self.combination,
            "decided_by": [statement.to_json() for statement in self.decided_by],
            "statements": [statement.to_json() for statement in self.statements],
            "unlisted_statements": self.unlisted,
            "sources": [source.to_json() for source in self.sources],
        }
