"""The pace that a file asks a crawler for: Crawl-delay, Request-rate and Visit-time."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from canfetch.access.pacing import Pace, request_interval
from canfetch.agents.requested import RequestedAgent
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.crawl_delay import CrawlDelay
from canfetch.core.extensions.request_rate import RequestRate
from canfetch.core.extensions.windows import DailyWindow
from canfetch.core.profiles import PROFILES
from canfetch.core.text import counted
from canfetch.core.times import rfc3339

_MAX_DELAY_SECONDS: Final = 86_400.0
# The number of rates and windows that count. A file can declare thousands.
_MAX_LIMITS: Final = 50
# A key of each record contains one of them.
_WORDS: Final = (b"delay", b"rate", b"visit")


class StatedRate(NamedTuple):
    """A Request-rate, and its line."""

    rate: RequestRate
    line: int

    def __str__(self) -> str:
        window = "" if self.rate.window is None else f" at {window_text(self.rate.window)} UTC"
        return f"{counted(self.rate.requests, 'request')} in {self.rate.seconds} s{window}"

    def to_json(self) -> dict[str, Any]:
        """Return the rate as JSON."""
        window = self.rate.window
        return {
            "requests": self.rate.requests,
            "seconds": self.rate.seconds,
            "window": None if window is None else _window_json(window),
            "line": self.line,
        }


class StatedVisitTime(NamedTuple):
    """A Visit-time, and its line."""

    window: DailyWindow
    line: int

    def __str__(self) -> str:
        return window_text(self.window)

    def to_json(self) -> dict[str, Any]:
        """Return the window as JSON."""
        return {**_window_json(self.window), "line": self.line}


class StatedPace(NamedTuple):
    """How fast a site asks a crawler to be.

    Attributes:
        seconds_between_requests: The delay that follows from all records, at most a day, or None without one.
        crawl_delay: The Crawl-delay in seconds, or None.
        crawl_delay_line: The line that states it, or None.
        request_rates: The rates, the slowest first.
        visit_times: The times of the day at which the crawler may visit the site. Empty for all times.
        seconds_until_visit: The time until the next of them, 0 if the crawler may visit the site now.
    """

    seconds_between_requests: float | None
    crawl_delay: float | None
    crawl_delay_line: int | None
    request_rates: tuple[StatedRate, ...]
    visit_times: tuple[StatedVisitTime, ...]
    seconds_until_visit: float

    @property
    def is_stated(self) -> bool:
        """Whether the file states anything about the pace."""
        return self.crawl_delay is not None or bool(self.request_rates or self.visit_times)

    def to_json(self, now: float) -> dict[str, Any]:
        """Return the pace as JSON, with the time of the next visit.

        Args: now: The time of the pace, in seconds since the epoch.
        """
        return {
            "seconds_between_requests": self.seconds_between_requests,
            "crawl_delay": self.crawl_delay,
            "crawl_delay_line": self.crawl_delay_line,
            "request_rates": [rate.to_json() for rate in self.request_rates],
            "visit_times": [window.to_json() for window in self.visit_times],
            "may_visit_now": not self.seconds_until_visit,
            "next_visit_at": rfc3339(int(now + self.seconds_until_visit)) if self.seconds_until_visit else None,
        }


NO_PACE: Final = StatedPace(None, None, None, (), (), 0.0)


def stated_pace(robots: RobotsTxt, agent: Agent, now: float) -> StatedPace:
    """Return the pace that a file states for an agent.

    Cost: O(records other than rules and user-agent lines).
    """
    if not _may_state_pace(robots):
        return NO_PACE
    groups = frozenset(robots.rules_for(agent).group_indices)
    own = [record for record in robots.extensions if record.group in groups]
    delay = robots.crawl_delay(agent=agent)
    rates = _unique(StatedRate(record.parsed, record.line) for record in own if isinstance(record.parsed, RequestRate))
    windows = _unique(
        StatedVisitTime(record.parsed, record.line) for record in own if isinstance(record.parsed, DailyWindow)
    )
    rates = tuple(sorted(rates, key=lambda stated: stated.rate.interval, reverse=True)[:_MAX_LIMITS])
    windows = windows[:_MAX_LIMITS]
    pace = Pace(crawl_delay=delay, request_rates=tuple(one.rate for one in rates), max_delay=_MAX_DELAY_SECONDS)
    return StatedPace(
        request_interval(pace, now=now) or None,
        delay,
        None if delay is None else _delay_line(robots, agent, groups, delay),
        rates,
        windows,
        min((stated.window.seconds_until(now) for stated in windows), default=0.0),
    )


def stated_paces(robots: RobotsTxt, agents: Iterable[RequestedAgent], now: float) -> dict[str, StatedPace]:
    """Return the paces that a file states, by the names of the agents. Agents without one are left out.

    Cost: As `stated_pace` for each agent.
    """
    if not _may_state_pace(robots):
        return {}
    paces = ((agent.name, stated_pace(robots, agent.agent, now)) for agent in agents)
    return {name: pace for name, pace in paces if pace.is_stated}


def _may_state_pace(robots: RobotsTxt) -> bool:
    """Return whether a file may state a pace. Most files do not, and need no search for its records.

    Cost: O(bytes of the file).
    """
    content = robots.content.lower()
    return any(word in content for word in _WORDS)


def _delay_line(robots: RobotsTxt, agent: Agent, groups: frozenset[int], delay: float) -> int | None:
    """Return the first line that states the delay that counts."""
    records = [record for record in robots.extensions.of_type(CrawlDelay) if record.parsed.seconds == delay]
    own = next((record.line for record in records if record.group in groups), None)
    if own is None and PROFILES[robots.profile].crawl_delay_of_star and agent.star_applies:
        star = frozenset(robots.rules_for("*").group_indices)
        return next((record.line for record in records if record.group in star), None)
    return own


def _unique(stated: Iterable[Any]) -> tuple[Any, ...]:
    """Return statements, each value once, with its first line."""
    first: dict[object, Any] = {}
    for one in stated:
        first.setdefault(one[0], one)
    return tuple(first.values())


def window_text(window: DailyWindow) -> str:
    """Return a daily window, such as `06:00-08:45`."""
    return f"{_clock(window.start_seconds)}-{_clock(window.end_seconds)}"


def _window_json(window: DailyWindow) -> dict[str, str]:
    return {"start": _clock(window.start_seconds), "end": _clock(window.end_seconds)}


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds % 3600 // 60:02}"
