"""An origin as a client knows it: its entry, and the file parsed once."""

from collections.abc import Callable

from canfetch.access.effective_access import MAX_CLOCK_SKEW, EffectiveAccess, FetchNeed, effective_access, fetch_need
from canfetch.access.entries import CachedCopy, CacheEntry
from canfetch.access.outcomes import Access, Effect
from canfetch.client.cached_file import CachedFile
from canfetch.client.options import Options
from canfetch.core.agent import Agent, as_agent
from canfetch.core.document import RobotsTxt
from canfetch.core.escapes import unescape_literal
from canfetch.core.origin import Origin, check_origin
from canfetch.core.profiles import get_profile
from canfetch.core.targets import target_of
from canfetch.core.urls import split_url, url_bytes
from canfetch.core.verdict import AccessInfo, GroupChoice, GroupSelection, Reason, Verdict

ROBOTS_TXT_TARGET = b"/robots.txt"


class OriginState:
    """What a client knows of one origin. A new entry makes a new one; what is made of it is made once."""

    __slots__ = (
        "_lasting",
        "_own_answer",
        "entry",
        "file",
        "memory_bytes",
        "next_fetch_at",
        "options",
        "origin",
        "turn",
        "valid_from",
    )

    def __init__(self, origin: Origin, entry: CacheEntry, options: Options) -> None:
        self.origin = origin
        self.entry = entry
        # Between these two nothing is to be fetched; before the first, some clock was wrong.
        self.valid_from = entry.fetched_at - MAX_CLOCK_SKEW
        self.next_fetch_at = entry.next_fetch_at
        self.options = options
        self.file = None if entry.copy is None else CachedFile(entry.copy.content, options)
        # About how many octets of memory this takes, beside its file. Once, since texts grow when they are encoded.
        self.memory_bytes = entry.memory_bytes - (0 if entry.copy is None else len(entry.copy.content))
        # When it was used last, as the memory counts.
        self.turn = 0
        # What holds, and what answers for the client's own agent, where these are the same at any time.
        self._lasting: tuple[EffectiveAccess, AccessInfo] | None = None
        self._own_answer: Callable[[str | bytes], bool] | None = None

    def share(self, file: CachedFile) -> None:
        """Take another file of the same octets for one's own, before anybody asks."""
        copy = self.entry.copy
        assert copy is not None
        self.file = file
        self.entry = self.entry._replace(copy=copy._replace(content=file.content))

    @property
    def sha256(self) -> str | None:
        """The hash of the last good copy, in hex.

        Cost: O(octets) at the first call.
        """
        return None if self.file is None else self.file.sha256

    def with_profile(self, profile: str) -> "OriginState":
        """Give the same, with the file read by another profile; one that Python's engine alone does, by that."""
        flags = get_profile(profile)
        engine = None if flags.robotparser else self.options.engine
        return OriginState(self.origin, self.entry, self.options._replace(profile=flags, engine=engine))

    def need(self, now: float) -> FetchNeed:
        """Say whether to fetch."""
        if self.valid_from <= now < self.next_fetch_at:
            return FetchNeed.NO
        return fetch_need(self.entry, now=now, stale_while_revalidate=self.options.stale_while_revalidate)

    def effective_access(self, now: float, *, site_reachable: bool | None = None) -> EffectiveAccess:
        """Say what holds.

        Args: site_reachable: Whether other pages of the site can be fetched, or None if unknown.
        """
        return effective_access(self.entry, self.options.policy, now=now, site_reachable=site_reachable)

    def robots(self, copy: CachedCopy) -> RobotsTxt:
        """Give the copy of this origin parsed; what is parsed knows no origin, since others may have the same.

        Cost: O(octets) at the first call.
        """
        return (self.file or CachedFile(copy.content, self.options)).parsed()

    def allows(
        self, url: str | bytes, agent: str | Agent | None, now: float, *, site_reachable: bool | None = None
    ) -> bool:
        """Say whether the agent may fetch the URL: the quick way to `decide(...).allowed`.

        Args:
            url: one of this origin.
            agent: None is the client's own.
            site_reachable: as of `standing`.
        Raises: OriginMismatch: the URL is of another origin.
        """
        self._check_origin(url)
        return self.answer(url, agent, now, site_reachable=site_reachable)

    def answer(
        self, url: str | bytes, agent: str | Agent | None, now: float, *, site_reachable: bool | None = None
    ) -> bool:
        """Do the same for a URL that is known to be of this origin: nobody looks whether it is."""
        if agent is None:
            if self._own_answer is not None:
                return self._own_answer(url)
            agent = self.options.agent
            self._own_answer = self._lasting_answer(agent)
        elif self.file is not None and self.entry.outcome.effect is Effect.CONDITIONAL_ALLOW:
            return self.file.parsed().allows(url, agent=agent)
        standing = self.effective_access(now, site_reachable=site_reachable)
        if standing.effect is Effect.CONDITIONAL_ALLOW and self.file is not None:
            return self.file.parsed().allows(url, agent=agent)
        as_agent(agent)
        return standing.effect is Effect.FULL_ALLOW or self._is_exempt(self._target(url))

    def _lasting_answer(self, agent: Agent) -> Callable[[str | bytes], bool] | None:
        # While an origin is unreachable, time decides; so there is none.
        effect = self.entry.outcome.effect
        if effect is Effect.CONDITIONAL_ALLOW and self.file is not None:
            return self.file.parsed().rules_for(agent).allows
        return _allowed if effect is Effect.FULL_ALLOW else None

    def decide(self, url: str | bytes, agent: Agent, now: float, *, site_reachable: bool | None = None) -> Verdict:
        """Say whether the agent may fetch the URL, and why: by a rule of the file, or by one of access.

        Args:
            url: one of this origin.
            site_reachable: as of `standing`.
        Raises: OriginMismatch: it is of another.
        """
        self._check_origin(url)
        standing, facts = self._lasting or self._standing_and_facts(now, site_reachable)
        if standing.effect is Effect.CONDITIONAL_ALLOW and self.file is not None:
            return self.file.parsed().decide(url, agent=agent)._replace(access=facts)
        target = self._target(url)
        reason = Reason.UNREACHABLE if standing.access is Access.UNREACHABLE else Reason.UNAVAILABLE
        if standing.effect is Effect.FULL_DISALLOW and self._is_exempt(target):
            reason = Reason.ROBOTS_TXT
        return Verdict(
            allowed=standing.effect is Effect.FULL_ALLOW or reason is Reason.ROBOTS_TXT,
            reason=reason,
            rule=None,
            also_matched=(),
            group=GroupSelection(GroupChoice.NONE, None, ()),
            agent=agent,
            target=target,
            profile=self.options.profile.name,
            access=facts,
        )

    def _standing_and_facts(self, now: float, site_reachable: bool | None) -> tuple[EffectiveAccess, AccessInfo]:  # noqa: FBT001 - as it was given
        standing = self.effective_access(now, site_reachable=site_reachable)
        both = standing, self._facts(standing)
        if self.entry.outcome.effect is not None:
            # The origin has answered: no time changes what holds until it is asked again.
            self._lasting = both
        return both

    def _facts(self, standing: EffectiveAccess) -> AccessInfo:
        copy = standing.copy
        return AccessInfo(
            access=str(standing.access),
            effect=str(standing.effect),
            explanation=standing.explanation,
            policy=self.options.policy.name,
            robots_url=self.origin.robots_url,
            fetched_at=self.entry.fetched_at if copy is None else copy.fetched_at,
            sha256=None if copy is None else self.sha256,
        )

    def _check_origin(self, url: str | bytes) -> None:
        name = self.entry.origin
        if not isinstance(url, str) or not url.startswith(name) or url[len(name) : len(name) + 1] != "/":
            check_origin(self.origin, url, None)

    def _target(self, url: str | bytes) -> bytes:
        octets = url_bytes(url)
        split = split_url(octets)
        if split is None:
            return b"/"
        profile = self.options.profile
        target = target_of(octets, split, profile)
        return unescape_literal(target) if profile.literal_paths else target

    def _is_exempt(self, target: bytes) -> bool:
        return target == ROBOTS_TXT_TARGET and self.options.profile.robots_txt_allowed


def _allowed(_url: str | bytes) -> bool:
    return True
