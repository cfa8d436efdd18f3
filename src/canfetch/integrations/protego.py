"""Protego's interface: `from canfetch.integrations.protego import Protego` replaces `from protego import Protego`.

Source: Protego 0.7.
"""

from collections.abc import Iterator
from datetime import time
from typing import Any, NamedTuple, Self

from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.document_urls import parse_sitemap
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.request_rate import RequestRate as DeclaredRate
from canfetch.core.extensions.request_rate import parse_request_rate
from canfetch.core.extensions.windows import DAY_SECONDS, DailyWindow, parse_daily_window
from canfetch.core.text import display_text
from canfetch.core.urls import AnyURL
from canfetch.errors import InvalidURL
from canfetch.integrations.directly_below import values_directly_below
from canfetch.integrations.lenient_answers import LenientAnswers, agent_from
from canfetch.integrations.original_types import OriginalType, PicklableInstance

__all__ = ["Protego", "RequestRate", "VisitTime"]


class _RequestRateFields(NamedTuple):
    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class RequestRate(_RequestRateFields):
    """At most `requests` requests in `seconds` seconds, between the two times of day in UTC if they are not None."""

    __slots__ = ()
    __class__ = OriginalType("protego", "RequestRate")

    def __reduce__(self) -> tuple[object, ...]:
        return RequestRate, tuple(self)


class _VisitTimeFields(NamedTuple):
    start_time: time
    end_time: time


class VisitTime(_VisitTimeFields):
    """The times of day in UTC between which crawlers should visit."""

    __slots__ = ()
    __class__ = OriginalType("protego", "VisitTime")

    def __reduce__(self) -> tuple[object, ...]:
        return VisitTime, tuple(self)


class _ContentTypeError(TypeError, ValueError):
    """Raised if the content is not a str. Protego raises a TypeError, and raised a ValueError before 0.7."""


class Protego(PicklableInstance):
    """A parsed robots.txt with the interface of `protego.Protego`. Without `parse`, it is an empty file.

    Verdicts are those of `canfetch.parse`. User agents can be product tokens, whole User-Agent headers, or a
    `canfetch.Agent`.

    Attributes:
        robots: The file, for everything that Protego does not have, such as `robots.decide`.
    """

    robots: RobotsTxt
    __class__ = OriginalType("protego", "Protego")

    def __init__(self) -> None:
        self._use(parse(b""))

    @classmethod
    def parse(cls, content: str, *, profile: str = "rfc9309") -> Self:
        """Parse a robots.txt file.

        Args:
            content: The file as text.
            profile: The parsing profile, a name in `canfetch.PROFILES`.
        Raises: TypeError: `content` is not a str; UnknownProfile.
        Cost: O(characters).
        """
        parser = cls()
        if not isinstance(content, str):
            raise _ContentTypeError(f"Protego.parse expects str, got {type(content).__name__}")
        parser._use(parse(content, profile=profile))
        return parser

    def can_fetch(self, url: AnyURL, user_agent: str | Agent) -> bool:
        """Return whether `user_agent` may fetch `url`. A URL without a scheme or a slash is read as a path.

        Raises: TypeError; ValueError: `url` cannot be split.
        Cost: As `RobotsTxt.allows`.
        """
        try:
            return self._answers.by_user_agent[user_agent](url)
        except (KeyError, TypeError, InvalidURL):
            # Slow path: the user agent is new, or an argument is unusual or invalid.
            return self._answers.allows(url, user_agent)

    def crawl_delay(self, user_agent: str | Agent) -> float | None:
        """Return the Crawl-delay for `user_agent` in seconds, or None. The longest of several counts.

        Raises: TypeError.
        """
        return self.robots.crawl_delay(agent=agent_from(user_agent))

    def request_rate(self, user_agent: str | Agent) -> RequestRate | None:
        """Return the Request-rate directly below the user-agent lines for `user_agent`, or None.

        The slowest of several counts.

        Raises: TypeError.
        """
        values = values_directly_below(self.robots, agent_from(user_agent), "request-rate")
        rates = [rate for rate in map(parse_request_rate, values) if rate is not None]
        if not rates:
            return None
        slowest = max(rates, key=_interval)
        start_time, end_time = (None, None) if slowest.window is None else _times(slowest.window)
        return RequestRate(slowest.requests, slowest.seconds, start_time, end_time)

    def visit_time(self, user_agent: str | Agent) -> VisitTime | None:
        """Return the Visit-time directly below the user-agent lines for `user_agent`, or None.

        The last of several counts. The two times can be separated by a space.

        Raises: TypeError.
        """
        values = values_directly_below(self.robots, agent_from(user_agent), "visit-time")
        windows = [parse_daily_window(value) or parse_daily_window(b"-".join(value.split())) for value in values]
        return next((VisitTime(*_times(window)) for window in reversed(windows) if window is not None), None)

    @property
    def sitemaps(self) -> Iterator[str]:
        """An iterator over the values of the sitemap records, in file order.

        The colon after the key may be missing: `Sitemap https://example.com/sitemap.xml`.
        """
        values = map(_sitemap, self.robots.extensions)
        return (value for value in values if value is not None)

    @property
    def preferred_host(self) -> str | None:
        """The value of the last Host record as written, or None."""
        hosts = [record.value for record in self.robots.extensions.by_name("host") if record.value]
        return display_text(hosts[-1]) if hosts else None

    @property
    def _total_line_seen(self) -> int:
        # Protego counts lines and directives without documenting it, and some programs read the numbers.
        return len(self.robots.records)

    @property
    def _total_directive_seen(self) -> int:
        return sum(record.value is not None and record.value[0] < record.value[1] for record in self.robots.records)

    def _use(self, robots: RobotsTxt) -> None:
        self.robots = robots
        self._answers = LenientAnswers(robots)


def _sitemap(record: Extension[Any]) -> str | None:
    match record.name.split():
        case ["sitemap"]:
            return parse_sitemap(record.value)
        case ["sitemap", ("http" | "https") as scheme] if record.value.startswith(b"//"):
            # The colon in the URL was read as the colon after the key.
            return parse_sitemap(b"%b:%b" % (scheme.encode(), record.value))
        case _:
            return None


def _interval(rate: DeclaredRate) -> float:
    return rate.interval


def _times(window: DailyWindow) -> tuple[time, time]:
    return _time(window.start_seconds), _time(window.end_seconds)


def _time(seconds: int) -> time:
    # Midnight at the end of the day is midnight: `datetime.time` has no 24:00.
    minutes = seconds % DAY_SECONDS // 60
    return time(minutes // 60, minutes % 60)
