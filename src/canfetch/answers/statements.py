"""What a site states for one crawler in addition to its rules: the pace of requests, uses, licenses, and TDM rights."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from canfetch.access.pacing import Pace, request_interval
from canfetch.answers.pages import FetchedTDMFile
from canfetch.answers.usage import usage_by_purpose
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.crawl_delay import CrawlDelay
from canfetch.core.extensions.license import License
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.request_rate import RequestRate
from canfetch.core.extensions.usage import Usage
from canfetch.core.extensions.windows import DailyWindow
from canfetch.core.profiles import PROFILES
from canfetch.core.text import abbreviated, counted
from canfetch.core.times import rfc3339
from canfetch.core.urls import AnyURL
from canfetch.pages.tdm import Reservation, normalize_target, parse_tdm_file, select_reservation

_MAX_DELAY_SECONDS: Final = 86_400.0
# The number of rates and windows that count. A file can declare thousands.
_MAX_LIMITS: Final = 50
_MAX_SHOWN: Final = 5
_MAX_NAMES: Final = 4


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

    def facts(self, now: float, ignored_by: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
        """Yield each limit in words, with a label, at most five of a kind.

        Args:
            now: The time of the pace, in seconds since the epoch.
            ignored_by: The names of crawlers that ignore the Crawl-delay.
        """
        if self.crawl_delay is not None:
            ignored = f"; ignored by {abbreviated(ignored_by, _MAX_NAMES)}" if ignored_by else ""
            yield "delay", f"{self.crawl_delay:g} s between requests (line {self.crawl_delay_line}){ignored}"
        for rate in self.request_rates[:_MAX_SHOWN]:
            yield "rate", f"{rate} (line {rate.line})"
        for window in self.visit_times[:_MAX_SHOWN]:
            yield "visits", f"{window} UTC (line {window.line})"
        if self.visit_times:
            opens = rfc3339(int(now + self.seconds_until_visit))
            yield "", f"closed now, opens at {opens}" if self.seconds_until_visit else "open now"

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


class CrawlerStatements(NamedTuple):
    """What a file states for one crawler in addition to its rules.

    Attributes:
        pace: How fast the site asks the crawler to be.
        usages: The preference on each use of a URL, whether the crawler may fetch it or not.
        licenses: The License records that apply.
    """

    pace: StatedPace
    usages: Mapping[UsagePurpose, Usage]
    licenses: tuple[Extension[License], ...]

    @property
    def license_urls(self) -> list[str]:
        """The URLs of the licenses, each once."""
        return list(dict.fromkeys(record.parsed.url for record in self.licenses))


NO_PACE: Final = StatedPace(None, None, None, (), (), 0.0)


def crawler_statements(robots: RobotsTxt, agent: Agent, now: float, *, url: AnyURL = "/") -> CrawlerStatements:
    """Return what a file states for an agent.

    Args:
        now: The time in seconds since the epoch, for daily windows.
        url: The URL that the preferences are about.
    Raises: InvalidURL, OriginMismatch.
    Cost: Three decisions, and O(records other than rules and user-agent lines).
    """
    return CrawlerStatements(
        stated_pace(robots, agent, now),
        usage_by_purpose(robots, url, agent, if_disallowed=True),
        robots.licenses(agent=agent),
    )


def stated_pace(robots: RobotsTxt, agent: Agent, now: float) -> StatedPace:
    """Return the pace that a file states for an agent.

    Cost: O(records other than rules and user-agent lines).
    """
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


def deciding_records(usage: Usage) -> list[Extension[Any]]:
    """Return the records that state a preference, each once. Records that decide are first."""
    deciding = sorted(usage.statements, key=lambda one: one.usage_preference.preference is not usage.preference)
    return list({statement.line: statement.record for statement in deciding}.values())


def usages_json(usages: Mapping[UsagePurpose, Usage]) -> dict[str, Any]:
    """Return preferences by purpose, each with the records that state it, as JSON."""
    return {
        str(purpose): {
            "preference": str(usage.preference),
            "records": [record.to_json() for record in deciding_records(usage)],
        }
        for purpose, usage in usages.items()
    }


def has_preferences(usages: Mapping[UsagePurpose, Usage]) -> bool:
    """Return whether any preference is stated."""
    return any(usage.preference is not Preference.UNKNOWN for usage in usages.values())


class TDMStatement(NamedTuple):
    """The reservation of a TDM file for a URL, or None, and why the file could not be read, or None."""

    reservation: Reservation | None
    problem: str | None


def tdm_statement(file: FetchedTDMFile, url: str) -> TDMStatement:
    """Return what the TDM file of an origin states about a URL.

    Cost: O(bytes of the file's patterns times bytes of the URL).
    """
    if file.content is None:
        return TDMStatement(None, file.reason)
    parsed = parse_tdm_file(file.content)
    return TDMStatement(select_reservation(parsed, (), normalize_target(url)), parsed.problem)
