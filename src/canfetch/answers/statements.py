"""What a site states in addition to its rules: the pace of requests, licences, and the reservation of rights."""

from math import isfinite
from typing import Any, Final, NamedTuple

from canfetch.access.pacing import Pace, request_interval
from canfetch.answers.pages import FetchedTDMFile
from canfetch.client.origin_pace import declared_pace
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.request_rate import RequestRate
from canfetch.core.extensions.usage import Usage
from canfetch.core.extensions.windows import DailyWindow
from canfetch.pages.tdm import Reservation, normalize_target, parse_tdm_file, select_reservation

_MAX_DELAY_SECONDS: Final = 86_400.0


class StatedPace(NamedTuple):
    """How fast a site asks an agent to be.

    Attributes:
        seconds_between_requests: The delay that follows from all records, or None without one.
        crawl_delay: The Crawl-delay in seconds, at most a day, or None.
        request_rates: The records with rates.
        visit_times: The times of the day at which the agent may visit the site. Empty for all times.
        seconds_until_visit: The time until the next of them, 0 if the agent may visit the site now.
    """

    seconds_between_requests: float | None
    crawl_delay: float | None
    request_rates: tuple[RequestRate, ...]
    visit_times: tuple[DailyWindow, ...]
    seconds_until_visit: float


def stated_pace(state: OriginState, agent: Agent, now: float) -> StatedPace:
    """Return the pace that the file of an origin states for an agent."""
    pace = declared_pace(state, agent, Pace(max_delay=_MAX_DELAY_SECONDS))
    delay = pace.crawl_delay
    return StatedPace(
        request_interval(pace, now=now) or None,
        delay if delay is None or isfinite(delay) else _MAX_DELAY_SECONDS,
        tuple(pace.request_rates),
        tuple(pace.visit_times),
        min((window.seconds_until(now) for window in pace.visit_times), default=0.0),
    )


def license_urls(robots: RobotsTxt, agent: Agent) -> list[str]:
    """Return the URLs of the licences that apply to an agent, each once."""
    return list(dict.fromkeys(record.parsed.url for record in robots.licenses(agent=agent)))


def deciding_records(usage: Usage) -> list[Extension[Any]]:
    """Return the records that state a preference, each once. Records that decide are first."""
    deciding = sorted(usage.statements, key=lambda one: one.usage_preference.preference is not usage.preference)
    return list({statement.line: statement.record for statement in deciding}.values())


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
