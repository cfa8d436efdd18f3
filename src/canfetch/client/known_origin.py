"""An origin as a client knows it: its entry, and the file parsed once."""

from collections.abc import Callable
from typing import Final

from canfetch.access.entries import Copy, Entry
from canfetch.access.outcomes import Access, Effect
from canfetch.access.standing import Need, Standing, need_of, standing_of
from canfetch.client.options import Options
from canfetch.core.agent import Agent, agent_of
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.engines import engine_name
from canfetch.core.origin import Origin
from canfetch.core.targets import target_of
from canfetch.core.urls import split_url, url_octets
from canfetch.core.verdict import AccessFacts, GroupChoice, GroupChosen, Reason, Verdict

ROBOTS_TXT_TARGET = b"/robots.txt"
# About what a parsed file takes beside its octets, by engine: so much whatever it holds, and so much for each octet.
_PARSED_OCTETS: Final = {"native": (2560, 2.5), "python": (2560, 11.5), "both": (5120, 14.0)}


class KnownOrigin:
    """What a client knows of one origin. A new entry makes a new one; what is made of it is made once."""

    __slots__ = (
        "_lasting",
        "_own_answer",
        "_parsed",
        "_sha256",
        "due_at_seconds",
        "entry",
        "options",
        "origin",
        "used",
    )

    def __init__(self, origin: Origin, entry: Entry, options: Options) -> None:
        self.origin = origin
        self.entry = entry
        self.due_at_seconds = entry.due_at_seconds
        self.options = options
        # Whether anybody asked since the memory last looked for room.
        self.used = False
        # What holds, and what answers for the client's own agent, where these are the same at any time.
        self._lasting: tuple[Standing, AccessFacts] | None = None
        self._own_answer: Callable[[str | bytes], bool] | None = None
        self._parsed: RobotsTxt | None = None
        self._sha256: str | None = None

    @property
    def octets_held(self) -> int:
        """About how many octets of memory this takes."""
        copy = self.entry.copy
        if copy is None:
            return self.entry.octets_held
        whatever, for_each = _PARSED_OCTETS[self.options.engine or engine_name()]
        return self.entry.octets_held + whatever + int(for_each * len(copy.octets))

    @property
    def sha256(self) -> str | None:
        """The hash of the last good copy, in hex.

        Cost: O(octets) at the first call.
        """
        if self._sha256 is None and self.entry.copy is not None:
            self._sha256 = self.entry.copy.sha256
        return self._sha256

    def need(self, now_seconds: float) -> Need:
        """Say whether to fetch."""
        if now_seconds < self.due_at_seconds:
            return Need.NO
        return need_of(self.entry, now_seconds=now_seconds, stale_seconds=self.options.stale_seconds)

    def standing(self, now_seconds: float) -> Standing:
        """Say what holds."""
        return standing_of(self.entry, self.options.policy, now_seconds=now_seconds)

    def robots(self, copy: Copy) -> RobotsTxt:
        """Give the copy parsed.

        Cost: O(octets) at the first call.
        """
        if self._parsed is None:
            options = self.options
            self._parsed = parse(
                copy.octets,
                url=self.origin.robots_url,
                profile=options.profile.name,
                limit_octets=options.limit_octets,
                engine=options.engine,
            )
        return self._parsed

    def allows(self, url: str | bytes, agent: str | Agent | None, now_seconds: float) -> bool:
        """Say whether the agent may fetch the URL: the quick way to `decide(...).allowed`.

        Args: agent: None is the client's own, which answers quickest.
        """
        if agent is None:
            if self._own_answer is not None:
                return self._own_answer(url)
            agent = self.options.agent
            self._own_answer = self._lasting_answer(agent)
        elif self._parsed is not None and self.entry.outcome.effect is Effect.CONDITIONAL_ALLOW:
            return self._parsed.allows(url, agent=agent)
        standing = self.standing(now_seconds)
        if standing.effect is Effect.CONDITIONAL_ALLOW and standing.copy is not None:
            return self.robots(standing.copy).allows(url, agent=agent)
        agent_of(agent)
        return standing.effect is Effect.FULL_ALLOW or self._is_exempt(self._target(url))

    def _lasting_answer(self, agent: Agent) -> Callable[[str | bytes], bool] | None:
        # While an origin is unreachable, time decides; so there is none.
        entry = self.entry
        if entry.outcome.effect is Effect.CONDITIONAL_ALLOW and entry.copy is not None:
            return self.robots(entry.copy).rules_for(agent).allows
        return _allowed if entry.outcome.effect is Effect.FULL_ALLOW else None

    def decide(self, url: str | bytes, agent: Agent, now_seconds: float) -> Verdict:
        """Say whether the agent may fetch the URL, and why: by a rule of the file, or by one of access."""
        standing, facts = self._lasting or self._standing_and_facts(now_seconds)
        if standing.effect is Effect.CONDITIONAL_ALLOW and standing.copy is not None:
            return self.robots(standing.copy).decide(url, agent=agent)._replace(access=facts)
        target = self._target(url)
        reason = Reason.UNREACHABLE if standing.access is Access.UNREACHABLE else Reason.UNAVAILABLE
        if standing.effect is Effect.FULL_DISALLOW and self._is_exempt(target):
            reason = Reason.ROBOTS_TXT
        return Verdict(
            allowed=standing.effect is Effect.FULL_ALLOW or reason is Reason.ROBOTS_TXT,
            reason=reason,
            rule=None,
            also_matched=(),
            group=GroupChosen(GroupChoice.NONE, None, ()),
            agent=agent,
            target=target,
            profile=self.options.profile.name,
            access=facts,
        )

    def _standing_and_facts(self, now_seconds: float) -> tuple[Standing, AccessFacts]:
        standing = self.standing(now_seconds)
        both = standing, self._facts(standing)
        if self.entry.outcome.effect is not None:
            # The origin has answered: no time changes what holds until it is asked again.
            self._lasting = both
        return both

    def _facts(self, standing: Standing) -> AccessFacts:
        copy = standing.copy
        return AccessFacts(
            access=str(standing.access),
            effect=str(standing.effect),
            because=standing.because,
            policy=self.options.policy.name,
            robots_url=self.origin.robots_url,
            fetched_at_seconds=self.entry.fetched_at_seconds if copy is None else copy.fetched_at_seconds,
            sha256=None if copy is None else self.sha256,
        )

    def _target(self, url: str | bytes) -> bytes:
        octets = url_octets(url)
        split = split_url(octets)
        return b"/" if split is None else target_of(octets, split, self.options.profile)

    def _is_exempt(self, target: bytes) -> bool:
        return target == ROBOTS_TXT_TARGET and self.options.profile.robots_txt_allowed


def _allowed(_url: str | bytes) -> bool:
    return True
