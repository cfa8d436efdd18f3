"""The two clocks of a frontier.

The wall clock of a machine can be set while a crawl runs, by hours or years, and no wait may become longer or shorter
by that. So a frontier reads it once, and its own time advances with a monotonic clock. The wall clock still says which
visit time it is, how old a robots.txt is, and what a date in a header means.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from canfetch.access.pacing import Pace, next_request_at
from canfetch.client.argument_checks import check_time
from canfetch.client.clock_watch import ClockWatch

# The problem of an origin, and the error of a URL, that waits for its Visit-time.
OUTSIDE_VISIT_TIME: Final = "outside its Visit-time"


class Moment(NamedTuple):
    """A moment by both clocks, in seconds.

    Attributes:
        at: The time of the frontier: the epoch time at which it was opened, and the seconds that have passed since. All
            times in its file are of this kind.
        wall: The epoch time by the wall clock.
    """

    at: float
    wall: float

    def next_request_at(self, pace: Pace, *, last_request_at: float | None, retry_at: float | None = None) -> float:
        """Return when an origin may be requested, in the time of the frontier. See `pacing.next_request_at`."""
        shift = self.wall - self.at
        due_at = next_request_at(
            pace,
            now=self.wall,
            last_request_at=None if last_request_at is None else last_request_at + shift,
            retry_at=None if retry_at is None else retry_at + shift,
        )
        return self.from_wall(due_at)

    def visit_problem(self, pace: Pace, *, last_request_at: float | None, retry_at: float | None = None) -> str | None:
        """Return `OUTSIDE_VISIT_TIME` if the result of `next_request_at` is later because of a Visit-time."""
        if not pace.visit_times:
            return None
        always = pace._replace(visit_times=())
        due_at, earliest = (
            self.next_request_at(limits, last_request_at=last_request_at, retry_at=retry_at)
            for limits in (pace, always)
        )
        return OUTSIDE_VISIT_TIME if due_at > earliest else None

    def from_wall(self, wall: float) -> float:
        """Return the time of the frontier at an epoch time."""
        # Exactly `at` for `wall`, which the sum of rounded differences need not be.
        return self.at + (wall - self.wall)


class FrontierClocks:
    """The clocks of a frontier.

    Args:
        clock: Returns seconds since the epoch.
        monotonic: Returns seconds since any moment, and is never set.
    """

    def __init__(self, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._clock = clock
        self._monotonic = monotonic
        # The time of the frontier starts at 0 if the wall clock is before 1970: an origin without a time is due at 0.
        self._start = max(check_time("clock", clock()), 0.0) - check_time("monotonic", monotonic())
        self._watch = ClockWatch(clock, monotonic)

    def now(self) -> Moment:
        """Return the present moment."""
        return Moment(self._start + self._monotonic(), self._clock())

    def was_set_back(self, now: Moment) -> bool:
        """Return whether the wall clock was set back since the last call. See `ClockWatch`."""
        return self._watch.check(now.wall) > 0

    def shift(self, now: Moment) -> float:
        """Return by how many seconds the wall clock was set forward since the frontier was opened."""
        return max(now.wall, 0.0) - now.at

    def at(self) -> float:
        """Return the time of the frontier."""
        return self._start + self._monotonic()
