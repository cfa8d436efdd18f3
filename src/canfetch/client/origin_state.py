"""The state of an origin in a client: its cache entry, and its file, parsed once. Identical files are shared."""

import hashlib
from collections.abc import Callable
from itertools import count
from typing import Final, NamedTuple, Self

from canfetch.access.effective_access import (
    MAX_CLOCK_SKEW,
    EffectiveAccess,
    FetchNeed,
    effective_access,
    fetch_need,
    readable_entry,
)
from canfetch.access.entries import CachedCopy, CacheEntry
from canfetch.client.options import Options
from canfetch.core.agent import Agent, as_agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.engines import engine_name
from canfetch.core.escapes import unescape_literal
from canfetch.core.origin import Origin, check_origin
from canfetch.core.profiles import Profile, get_profile
from canfetch.core.targets import to_target
from canfetch.core.urls import AnyURL, split_url, url_bytes
from canfetch.core.verdict import Access, AccessInfo, ClientVerdict, Effect, GroupChoice, GroupSelection, Reason
from canfetch.errors import OriginDisallowed

ROBOTS_TXT_TARGET = b"/robots.txt"
# Python 3.11 takes 0.2 us to access a member of an enumeration, a tenth of the time of a decision.
_CONDITIONAL_ALLOW: Final = Effect.CONDITIONAL_ALLOW
# If the machine slept after its clock was set back, the clock was set back further than a monotonic clock shows.
_UNCOUNTED_SLEEP: Final = 30 * 86_400.0
_NUMBERS: Final = count()
# A verdict is a named tuple, whose own constructor and `_replace` take several times as long.
_new_tuple: Final = tuple.__new__


class _MemoryCost(NamedTuple):
    """The approximate memory of a parsed file, in bytes: a fixed part, and a part for each thing in the file."""

    fixed: int
    byte: float
    record: int
    agent_line: int
    wildcard: int


# Measured after queries for two agents, with files of many short lines, distinct or equal, and of few long lines.
_MEMORY_COSTS: Final = {
    "native": _MemoryCost(fixed=3072, byte=1.25, record=24, agent_line=75, wildcard=0),
    "python": _MemoryCost(fixed=4096, byte=2.0, record=250, agent_line=0, wildcard=300),
    "both": _MemoryCost(fixed=7168, byte=3.25, record=274, agent_line=75, wildcard=300),
}


class CachedFile:
    """The content of a robots.txt, and its parse according to the options of a client.

    A cached file has no reference to its origin. Callers ensure that a URL belongs to an origin with this file.
    `reference_count` is the number of origins in the `OriginCache` that have the file. Only that cache changes it.
    """

    __slots__ = ("_options", "_parsed", "_sha256", "content", "reference_count")

    def __init__(self, content: bytes, options: Options) -> None:
        self.content = content
        self.reference_count = 0
        self._options = options
        self._parsed: RobotsTxt | None = None
        self._sha256: str | None = None

    @property
    def memory_bytes(self) -> int:
        """The approximate memory of the file after its first use, in bytes.

        Cost: O(bytes of the file), to count characters.
        """
        cost, content = _MEMORY_COSTS[self._options.engine or engine_name()], self.content
        line_ends = content.count(b"\n") + content.count(b"\r") + 1
        # A record has a colon or whitespace.
        records = min(line_ends, content.count(b":") + content.count(b" ") + content.count(b"\t"))
        return (
            cost.fixed
            + int((1 + cost.byte) * len(content))
            + cost.record * records
            + cost.agent_line * min(records, content.lower().count(b"agent"))
            + cost.wildcard * min(records, content.count(b"*"))
        )

    @property
    def sha256(self) -> str:
        """The SHA-256 hash of the content, in hex.

        Cost: O(bytes of the file) on the first call.
        """
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(self.content).hexdigest()
        return self._sha256

    def parse(self) -> RobotsTxt:
        """Return the parsed file.

        Cost: O(bytes of the file) on the first call.
        """
        if self._parsed is None:
            options = self._options
            self._parsed = parse(
                self.content, profile=options.profile.name, max_bytes=options.max_bytes, engine=options.engine
            )
        return self._parsed


class OriginState:
    """What a client knows about an origin. Each new cache entry creates a new state.

    Attributes:
        origin: The origin.
        entry: The cache entry.
        file: The last good copy, or None if there is none that the client reads.
        options: The options of the client.
        valid_from: The start of the time in which no fetch is needed. Earlier, a clock was wrong.
        next_fetch_at: The end of that time.
        memory_bytes: The approximate memory of the state without its file, in bytes.
        number: Greater than that of every state that was created before in this process.
    """

    __slots__ = (
        "__weakref__",
        "_access_and_info",
        "_own_allows",
        "_own_rules",
        "_readable",
        "entry",
        "file",
        "memory_bytes",
        "next_fetch_at",
        "number",
        "options",
        "origin",
        "valid_from",
    )

    def __init__(self, origin: Origin, entry: CacheEntry, options: Options) -> None:
        self.number = next(_NUMBERS)
        self.origin = origin
        self.entry = entry
        self.valid_from = entry.fetched_at - MAX_CLOCK_SKEW
        self.next_fetch_at = entry.next_fetch_at
        self.options = options
        self._readable = readable_entry(entry, options.policy, options.max_bytes)
        copy = self._readable.copy
        self.file = None if copy is None else CachedFile(copy.content, options)
        # Computed once, because a string takes more memory after it was encoded.
        self.memory_bytes = entry.memory_bytes - (0 if self.file is None else len(self.file.content))
        # Set once the results are known not to depend on the time.
        self._access_and_info: tuple[EffectiveAccess, AccessInfo] | None = None
        self._own_rules: AgentRules | None = None
        self._own_allows: Callable[[AnyURL], bool] | None = None

    def __reduce__(self) -> tuple[type[Self], tuple[Origin, CacheEntry, Options]]:
        """Copy what the state was created from. The copy parses its file again."""
        return type(self), (self.origin, self.entry, self.options)

    def share_file(self, file: CachedFile) -> None:
        """Replace the file with one that has the same content. Only valid before the first query."""
        copy = self.entry.copy
        assert copy is not None
        self.file = file
        self.entry = self._readable = self.entry._replace(copy=copy._replace(content=file.content))

    def set_back(self, seconds: float) -> "OriginState":
        """Return the state as an expired one, for a clock that was set back by some seconds since the last fetch.

        Its times are earlier than those that the clock has shown since, so that an entry that another process has
        stored since is newer.
        """
        entry = self.entry
        seconds += _UNCOUNTED_SLEEP
        fetched_at = entry.fetched_at - seconds
        responded_at = None if entry.responded_at is None else entry.responded_at - seconds
        requested_at = None if entry.requested_at is None else entry.requested_at - seconds
        entry = entry._replace(
            fetched_at=fetched_at, next_fetch_at=fetched_at, responded_at=responded_at, requested_at=requested_at
        )
        return OriginState(self.origin, entry, self.options)

    @property
    def sha256(self) -> str | None:
        """The SHA-256 hash of the last good copy, in hex, or None.

        Cost: O(bytes of the file) on the first call.
        """
        return None if self.file is None else self.file.sha256

    def with_profile(self, profile: str) -> "OriginState":
        """Return the same state with another parsing profile."""
        return OriginState(self.origin, self.entry, self.options._replace(profile=get_profile(profile)))

    def fetch_need(self, now: float) -> FetchNeed:
        """Return whether to fetch the robots.txt again."""
        if self.valid_from <= now < self.next_fetch_at:
            return FetchNeed.NO
        return fetch_need(self.entry, now=now, stale_while_revalidate=self.options.stale_while_revalidate)

    def effective_access(self, now: float, *, site_reachable: bool | None = None) -> EffectiveAccess:
        """Return what the origin permits at a given time.

        Args: site_reachable: Whether other pages of the site can be fetched, or None if unknown.
        """
        return effective_access(self._readable, self.options.policy, now=now, site_reachable=site_reachable)

    def parse_copy(self, copy: CachedCopy) -> RobotsTxt:
        """Return the parsed copy of this origin. The parsed file has no origin, because other origins may share it.

        Cost: O(bytes of the file) on the first call.
        """
        return (self.file or CachedFile(copy.content, self.options)).parse()

    def allows(self, url: AnyURL, agent: str | Agent | None, now: float, *, site_reachable: bool | None = None) -> bool:
        """Return whether `agent` may fetch `url`. Faster than `decide(...).allowed`.

        Args:
            url: A URL of this origin.
            agent: The agent, or None for the agent of the client.
            site_reachable: See `effective_access`.
        Raises: OriginMismatch: `url` belongs to another origin.
        """
        self._check_origin(url)
        return self.allows_unchecked(url, agent, now, site_reachable=site_reachable)

    def allows_unchecked(
        self, url: AnyURL, agent: str | Agent | None, now: float, *, site_reachable: bool | None = None
    ) -> bool:
        """Return whether `agent` may fetch `url`, without checking that `url` belongs to this origin."""
        if agent is None:
            allows = self.own_allows()
            if allows is not None:
                return allows(url)
            agent = self.options.agent
        elif self.file is not None and self.entry.outcome.effect is _CONDITIONAL_ALLOW:
            return self.file.parse().allows(url, agent=agent)
        access = self.effective_access(now, site_reachable=site_reachable)
        if access.effect is _CONDITIONAL_ALLOW and self.file is not None:
            return self.file.parse().allows(url, agent=agent)
        as_agent(agent)
        profile = self.options.profile
        return access.effect is Effect.FULL_ALLOW or _is_exempt(_target(url, profile), profile)

    def own_allows(self) -> Callable[[AnyURL], bool] | None:
        """Return the function that answers for the agent of the client, or None if the answer depends on the time.

        Cost: O(bytes of the file) on the first call.
        """
        if self._own_allows is None:
            # While an origin is unreachable, the answer depends on the time.
            effect = self.entry.outcome.effect
            if effect is _CONDITIONAL_ALLOW and self.file is not None:
                self._own_allows = self.file.parse().rules_for(self.options.agent).allows
            elif effect is Effect.FULL_ALLOW:
                self._own_allows = always_true
        return self._own_allows

    def decide(self, url: AnyURL, agent: Agent, now: float, *, site_reachable: bool | None = None) -> ClientVerdict:
        """Decide whether `agent` may fetch `url`, by a rule of the file or by the access policy.

        Args:
            url: A URL of this origin.
            site_reachable: See `effective_access`.
        Raises: OriginMismatch: `url` belongs to another origin.
        """
        self._check_origin(url)
        return self.decide_unchecked(url, agent, now, site_reachable=site_reachable)

    def decide_unchecked(
        self, url: AnyURL, agent: Agent, now: float, *, site_reachable: bool | None = None
    ) -> ClientVerdict:
        """As `decide`, without checking that `url` belongs to this origin."""
        access, info = self._access_and_info or self._compute_access(now, site_reachable)
        if access.effect is _CONDITIONAL_ALLOW and self.file is not None:
            rules = self._own_rules if agent is self.options.agent else None
            if rules is None:
                rules = self.file.parse().rules_for(agent)
                if agent is self.options.agent:
                    self._own_rules = rules
            return _new_tuple(ClientVerdict, (*rules.decide(url)[:-1], info))
        return decide_without_file(url, agent, self.options.profile, info)

    def access_info(self, now: float, *, site_reachable: bool | None = None) -> AccessInfo:
        """Return how the robots.txt was obtained and what follows from that, as verdicts contain it.

        Args: site_reachable: See `effective_access`.
        """
        return (self._access_and_info or self._compute_access(now, site_reachable))[1]

    def robots(self, now: float, *, site_reachable: bool | None = None) -> RobotsTxt:
        """Return the file whose rules apply to this origin. An empty file means that everything is allowed.

        Args: site_reachable: See `effective_access`.
        Raises: OriginDisallowed: No file applies, and everything is disallowed.
        Cost: O(bytes of the file) on the first call.
        """
        access = self.effective_access(now, site_reachable=site_reachable)
        if access.copy is not None:
            return self.parse_copy(access.copy).with_url(self.origin.robots_url)
        if access.effect is Effect.FULL_ALLOW:
            profile, engine = self.options.profile.name, self.options.engine
            return parse(b"", url=self.origin.robots_url, profile=profile, engine=engine)
        # Not a file with `Disallow: /`, because it would allow agents that ignore the groups for `*`.
        raise OriginDisallowed(
            f"no robots.txt applies to {self.origin}, and everything is disallowed: {access.explanation}"
        )

    def crawl_delay(self, agent: Agent, now: float) -> float | None:
        """Return the Crawl-delay of the file whose rules apply, in seconds, or None.

        Raises: InvalidProductToken.
        """
        copy = self.effective_access(now).copy
        return None if copy is None else self.parse_copy(copy).crawl_delay(agent=agent)

    def sitemaps(self, now: float) -> tuple[str, ...]:
        """Return the sitemaps of the file whose rules apply, as written."""
        copy = self.effective_access(now).copy
        return () if copy is None else self.parse_copy(copy).sitemaps

    def _compute_access(self, now: float, site_reachable: bool | None) -> tuple[EffectiveAccess, AccessInfo]:  # noqa: FBT001 - passed through
        access = self.effective_access(now, site_reachable=site_reachable)
        access_and_info = access, self._access_info(access)
        if self._readable.outcome.effect is not None:
            # The origin responded, so the result does not depend on the time.
            self._access_and_info = access_and_info
        return access_and_info

    def _access_info(self, access: EffectiveAccess) -> AccessInfo:
        copy = access.copy
        return AccessInfo(
            access=access.access,
            effect=access.effect,
            explanation=access.explanation,
            policy=self.options.policy.name,
            robots_url=self.origin.robots_url,
            fetched_at=self.entry.last_attempt_at if copy is None else copy.fetched_at,
            sha256=None if copy is None else self.sha256,
        )

    def _check_origin(self, url: AnyURL) -> None:
        name = self.entry.origin
        if not isinstance(url, str) or not url.startswith(name) or url[len(name) : len(name) + 1] != "/":
            check_origin(self.origin, url, None)


def decide_without_file(url: AnyURL, agent: Agent, profile: Profile, info: AccessInfo) -> ClientVerdict:
    """Decide by how the robots.txt of an origin was obtained. No file applies to it.

    Raises: InvalidURL.
    """
    target = _target(url, profile)
    reason = Reason.UNREACHABLE if info.access is Access.UNREACHABLE else Reason.UNAVAILABLE
    if info.effect is Effect.FULL_DISALLOW and _is_exempt(target, profile):
        reason = Reason.ROBOTS_TXT
    return ClientVerdict(
        allowed=info.effect is Effect.FULL_ALLOW or reason is Reason.ROBOTS_TXT,
        reason=reason,
        rule=None,
        also_matched=(),
        group=GroupSelection(GroupChoice.NONE, None, ()),
        agent=agent,
        target=target,
        profile=profile.name,
        access=info,
    )


def _target(url: AnyURL, profile: Profile) -> bytes:
    encoded_url = url_bytes(url)
    split = split_url(encoded_url)
    if split is None:
        return b"/"
    target = to_target(encoded_url, split, profile)
    return unescape_literal(target) if profile.literal_paths else target


def _is_exempt(target: bytes, profile: Profile) -> bool:
    return target == ROBOTS_TXT_TARGET and profile.robots_txt_allowed


def always_true(_url: AnyURL) -> bool:
    """Return True: the answer of an origin that allows everything. The native engine recognises this function."""
    return True
