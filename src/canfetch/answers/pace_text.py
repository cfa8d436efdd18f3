"""The pace that a file states for crawlers, in words."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from canfetch.agents.crawl_delays import ignores_crawl_delay, reads_delay_as_window
from canfetch.answers.pace import StatedPace
from canfetch.core.text import abbreviated
from canfetch.core.times import rfc3339

DELAY: Final = "delay"
# Of the rates, and of the visit times.
_MAX_LIMITS: Final = 3
_MAX_NAMES: Final = 4
_AS_WINDOW: Final = "as a window with one request"


class PaceFact(NamedTuple):
    """One limit of a pace: its label (`delay`, `rate` or `visits`), and the limit with its line."""

    label: str
    text: str


def pace_facts(pace: StatedPace, most: int = _MAX_LIMITS) -> Iterator[PaceFact]:
    """Yield the limits of a pace.

    Args: most: The number of rates, and of visit times.
    """
    if pace.crawl_delay is not None:
        yield PaceFact(DELAY, f"{pace.crawl_delay:g} s between requests (line {pace.crawl_delay_line})")
    for rate in islice(pace.request_rates, most):
        yield PaceFact("rate", f"{rate} (line {rate.line})")
    for window in islice(pace.visit_times, most):
        yield PaceFact("visits", f"{window} UTC (line {window.line})")


def opening_text(pace: StatedPace, now: float) -> str:
    """Return whether a crawler may visit the site now, or when it may again. Empty without visit times.

    Args: now: The time of the pace, in seconds since the epoch.
    """
    if pace.seconds_until_visit:
        return f"closed now, opens at {rfc3339(int(now + pace.seconds_until_visit))}"
    return "open now" if pace.visit_times else ""


def readings_of_delay(ignoring: Sequence[str], with_window: Sequence[str]) -> str:
    """Return which crawlers read a Crawl-delay in another way, as clauses that follow the delay.

    Args:
        ignoring: The names of those that ignore it.
        with_window: The names of those that send one request at any time within a window of this length.
    """
    ignored = f"; ignored by {abbreviated(ignoring, _MAX_NAMES)}" if ignoring else ""
    verb = "reads" if len(with_window) == 1 else "read"
    return ignored + (f"; {abbreviated(with_window, _MAX_NAMES)} {verb} it {_AS_WINDOW}" if with_window else "")


def facts_for(name: str, pace: StatedPace, now: float) -> Iterator[PaceFact]:
    """Yield the pace of one crawler: its limits, how it reads a delay, and whether it may visit the site now.

    Args:
        name: The crawler's product token.
        now: As for `opening_text`. The last label is empty.
    """
    readings = readings_of_delay(
        [name] if ignores_crawl_delay(name) else [], [name] if reads_delay_as_window(name) else []
    )
    for fact in pace_facts(pace):
        yield fact._replace(text=fact.text + readings) if fact.label == DELAY else fact
    if opening := opening_text(pace, now):
        yield PaceFact("", opening)


def pace_sentence(name: str, pace: StatedPace, now: float) -> str:
    """Return the pace of one crawler in one line, without its name. `now` is as for `opening_text`."""
    clause = f", which it reads {_AS_WINDOW}" if reads_delay_as_window(name) else ""
    clause = ", which it ignores" if ignores_crawl_delay(name) else clause
    parts = [
        f"{'visits at ' if fact.label == 'visits' else ''}{fact.text}{clause if fact.label == DELAY else ''}"
        for fact in pace_facts(pace)
    ]
    left_out = max(0, len(pace.request_rates) - _MAX_LIMITS) + max(0, len(pace.visit_times) - _MAX_LIMITS)
    if left_out:
        parts.append(f"{left_out} more")
    if pace.seconds_until_visit:
        parts.append(opening_text(pace, now))
    return "; ".join(parts)
