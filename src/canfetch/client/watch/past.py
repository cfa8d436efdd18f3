"""Answers as of a time in the past, by the copy of a robots.txt that was known then."""

from datetime import UTC, datetime
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from canfetch.client.documents import run_steps
from canfetch.client.origin_state import OriginState, decide_without_file
from canfetch.client.watch.observations import Observation
from canfetch.core.agent import Agent, as_agent
from canfetch.core.document import RobotsTxt
from canfetch.core.origin import Origin, check_origin
from canfetch.core.profiles import get_profile
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.times import optional_rfc3339, rfc3339
from canfetch.core.urls import AnyURL, plain_url
from canfetch.core.verdict import Access, AccessInfo, ClientVerdict, Effect
from canfetch.errors import InvalidOption, NotKnownAtTime

if TYPE_CHECKING:
    from collections.abc import Callable

    from canfetch.client.site_files import FileStep, KeptFile
    from canfetch.client.use import UseReading
    from canfetch.consent.sources import MissingSource, PageResponse
    from canfetch.consent.verdict import UseVerdict

PAST_SCHEMA: Final = "canfetch.past-verdict/1"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SERVER_ERROR: Final = 500
_TOO_MANY_REQUESTS: Final = 429
# A history does not contain which policy was used.
_UNKNOWN_POLICY: Final = "unknown"


def _no_file(step: "FileStep") -> None:
    """Return that a file is not known."""


class PastVerdict(NamedTuple):
    """Whether an agent might fetch a URL at a time in the past, by the copy of the robots.txt that was known then.

    A past verdict has no truth value, because "not known" is neither yes nor no. Use `.allowed`.

    Attributes:
        url: The URL.
        at: The time in seconds since the epoch.
        verdict: The verdict, or None if no copy was known.
        recorded_at: When the copy was recorded, in seconds since the epoch, or None if no copy was known.
        next_recorded_at: When the next copy was recorded, in seconds since the epoch, or None if there is no later one.
            If no copy was known, that is the first one.
        explanation: The reason, with both times.
    """

    url: AnyURL
    at: float
    verdict: ClientVerdict | None
    recorded_at: float | None
    next_recorded_at: float | None
    explanation: str

    @property
    def allowed(self) -> bool | None:
        """Whether the agent might fetch the URL, or None if that is not known."""
        return None if self.verdict is None else self.verdict.allowed

    def __bool__(self) -> NoReturn:
        raise TypeError("a PastVerdict has no truth value: use .allowed, which is None if no copy was known")

    def __str__(self) -> str:
        words = {True: "allowed: ", False: "disallowed: ", None: ""}
        return f"{words[self.allowed]}{self.explanation}"

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return {
            "schema": PAST_SCHEMA,
            "url": redacted_url(plain_url(self.url)),
            "at": rfc3339(self.at),
            "allowed": self.allowed,
            "recorded_at": optional_rfc3339(self.recorded_at),
            "next_recorded_at": optional_rfc3339(self.next_recorded_at),
            "explanation": self.explanation,
            "verdict": None if self.verdict is None else self.verdict.to_json(),
        }


class KnownCopy(NamedTuple):
    """What was known about the robots.txt of an origin at a time.

    Attributes:
        origin: The origin.
        at: The time in seconds since the epoch.
        observation: What was recorded last until then, or None if nothing was.
        next_at: From when something that was recorded later decides, in seconds since the epoch, or None.
        file_at: Returns the TDM file or a license as it was known at the time, or None if it was not. Default: no other
            file than robots.txt is known.
    """

    origin: Origin
    at: float
    observation: Observation | None
    next_at: float | None
    file_at: "Callable[[FileStep], KeptFile | None]" = _no_file

    def unknown(self) -> NotKnownAtTime:
        """Return the exception for a question that no copy answers."""
        return NotKnownAtTime(f"robots.txt of {self.origin}: {self.explanation}")

    @property
    def explanation(self) -> str:
        """From when to when the copy was known."""
        next_time = optional_rfc3339(self.next_at)
        if self.observation is None:
            known = "no copy is known" if next_time is None else f"the first known copy is of {next_time}"
            return f"not known at {rfc3339(self.at)}: {known}"
        after = "no later one is known" if next_time is None else f"the next one is of {next_time}"
        seen = "copy" if self.observation.effect is Effect.CONDITIONAL_ALLOW else "observation"
        return f"{seen} of {rfc3339(self.observation.at)}; {after}"

    def robots(self, profile: str = "rfc9309") -> RobotsTxt | None:
        """Return the file whose rules applied, or None if none did, or if no copy is known.

        Raises: UnknownProfile.
        """
        seen = self.observation
        if seen is None or seen.effect is not Effect.CONDITIONAL_ALLOW:
            get_profile(profile)
            return None
        return _parsed(seen, profile).with_url(self.origin.robots_url)

    def access_info(self) -> AccessInfo | None:
        """Return how the copy was obtained, or None if it is not known."""
        seen = self.observation
        if seen is None:
            return None
        return AccessInfo(
            _access(seen),
            seen.effect,
            f"{seen.explanation} ({self.explanation})",
            _UNKNOWN_POLICY,
            self.origin.robots_url,
            seen.at,
            seen.sha256 if seen.effect is Effect.CONDITIONAL_ALLOW else None,
        )

    def decide(self, url: AnyURL, *, agent: str | Agent, profile: str = "rfc9309") -> PastVerdict:
        """Decide whether an agent might fetch a URL at the time.

        Args:
            url: A URL of the origin.
            agent: The agent.
            profile: How the file is parsed.
        Raises: InvalidURL, OriginMismatch, InvalidProductToken, UnknownProfile.
        """
        check_origin(self.origin, url, None)
        chosen, robots, info = as_agent(agent), self.robots(profile), self.access_info()
        if info is None:
            return PastVerdict(url, self.at, None, None, self.next_at, self.explanation)
        if robots is None:
            verdict = decide_without_file(url, chosen, get_profile(profile), info)
            explanation = verdict.explanation
        else:
            verdict = ClientVerdict(*robots.decide(url, agent=chosen)[:-1], info)
            explanation = f"{verdict.explanation} ({self.explanation})"
        return PastVerdict(url, self.at, verdict, info.fetched_at, self.next_at, explanation)

    def may_use(
        self,
        url: AnyURL,
        *,
        purpose: str,
        agent: str | Agent = "*",
        response: "PageResponse | None" = None,
        profile: str = "rfc9309",
    ) -> "UseVerdict":
        """Decide whether the content of a URL might be used for a purpose at the time. See `WatchHistory.may_use`.

        Raises: OriginMismatch, UnknownProfile; and as `canfetch.may_use`.
        """
        # Watching parses no pages.
        from canfetch.agents.requested import named_agent  # noqa: PLC0415
        from canfetch.client.use import UseQuestion, answer_use  # noqa: PLC0415
        from canfetch.consent.purposes import find_purpose  # noqa: PLC0415
        from canfetch.consent.sources import MissingSource  # noqa: PLC0415
        from canfetch.consent.verdict import SourceState  # noqa: PLC0415

        source = MissingSource(SourceState.NOT_READ) if response is None else response
        question = UseQuestion(find_purpose(purpose), named_agent(agent), self.at)
        return answer_use(question, [self.read_use(url, question.agent, source, profile)]).verdict

    def read_use(
        self, url: AnyURL, agent: Agent, response: "PageResponse | MissingSource", profile: str = "rfc9309"
    ) -> "UseReading":
        """Return what was known at the time for answers about the use of a URL.

        Raises: OriginMismatch, UnknownProfile; and as `canfetch.may_use`.
        """
        # As in `may_use`.
        from canfetch.client.use import FileFetch, UseReading, read_files  # noqa: PLC0415
        from canfetch.consent.sources import MissingSource, url_text  # noqa: PLC0415
        from canfetch.consent.verdict import ROBOTS, SourceState  # noqa: PLC0415

        check_origin(self.origin, url, None)
        robots: RobotsTxt | MissingSource | None = self.robots(profile)
        info = self.access_info()
        if info is None:
            robots = MissingSource(SourceState.NOT_READ, self.explanation)
        elif robots is None:
            state = SourceState.ABSENT if info.effect is Effect.FULL_ALLOW else SourceState.UNREACHABLE
            robots = MissingSource(state, info.explanation)
        fetches = {}
        if isinstance(robots, RobotsTxt) and info is not None:
            fetches[ROBOTS] = FileFetch(info.fetched_at, None, info.fetched_at, self.explanation)
        elif info is not None:
            fetches[ROBOTS] = FileFetch(None, None, info.fetched_at)
        unread = MissingSource(SourceState.NOT_READ)
        fresh_until = inf if self.next_at is None else self.next_at
        reading = UseReading(url_text(url), robots, response, unread, fresh_until=fresh_until, fetches=fetches)
        return run_steps(read_files(reading, agent, self.at), self.file_at)[0]


# A caller asks about many URLs of a site.
@lru_cache(8)
def _parsed(seen: Observation, profile: str) -> RobotsTxt:
    return seen.robots(profile)


def _access(seen: Observation) -> Access:
    failed = seen.status is None or seen.status >= _SERVER_ERROR or seen.status == _TOO_MANY_REQUESTS
    if failed:
        return Access.UNREACHABLE
    return Access.SUCCESSFUL if seen.effect is Effect.CONDITIONAL_ALLOW else Access.UNAVAILABLE


def seconds_of(at: datetime) -> float:
    """Return a time in seconds since the epoch.

    Raises: InvalidOption: `at` has no time zone; TypeError: `at` is not a datetime.
    """
    if not isinstance(at, datetime):
        raise TypeError(f"at must be a datetime with a time zone, not {type(at).__name__}")
    if at.utcoffset() is None:
        raise InvalidOption(
            f"invalid at {quoted(str(at))}: it has no time zone: "
            "pass at.replace(tzinfo=UTC), or at.astimezone() for a local time"
        )
    return (at - _EPOCH).total_seconds()


def stored_copy_at(state: OriginState, at: datetime) -> KnownCopy:
    """Return what the state of an origin in a client shows about a time.

    It has the last good copy and the last attempt only.

    Raises: InvalidOption: `at` has no time zone; TypeError: `at` is not a datetime.
    """
    seconds, entry = seconds_of(at), state.entry
    copy, attempt = None if state.file is None else entry.copy, entry.last_attempt_at
    seen: list[Observation] = []
    if copy is not None:
        origin, effect = str(state.origin), Effect.CONDITIONAL_ALLOW
        seen.append(Observation(origin, copy.fetched_at, effect, copy.status, f"status {copy.status}", copy.content))
    if attempt is not None and (copy is None or attempt > copy.fetched_at):
        # For how long a copy stays in use while its origin is unreachable depends on the time.
        seen.append(Observation.of_state(state, max(seconds, attempt))._replace(at=attempt))
    known = [one for one in seen if one.at <= seconds]
    following = next((one.at for one in seen if one.at > seconds), None)
    return KnownCopy(state.origin, seconds, known[-1] if known else None, following)


def later_copy(first: KnownCopy, second: KnownCopy) -> KnownCopy:
    """Return what two sources together show about the same origin and time: the files that were recorded last."""

    def file_at(step: "FileStep") -> "KeptFile | None":
        files = [file for file in (first.file_at(step), second.file_at(step)) if file is not None]
        return max(files, key=lambda file: file.requested_at or 0.0, default=None)

    known = [one for one in (first, second) if one.observation is not None]
    latest = max(known, key=lambda one: one.observation.at if one.observation else 0.0, default=first)
    following = [one.next_at for one in (first, second) if one.next_at is not None]
    return latest._replace(next_at=min(following, default=None), file_at=file_at)
