"""The detection of a wall clock that was set back.

The age of an entry is the difference of two times of the wall clock. After the clock was set back by an hour, entries
from before are stamped in the future. An hour later they look new again, although other entries are newer. A process
knows better, because its monotonic clock is never set.
"""

from collections.abc import Callable
from typing import Final

from canfetch.access.effective_access import MAX_CLOCK_SKEW
from canfetch.client.argument_checks import check_time

# The monotonic clock is read at most once in this time, so that decisions about cached origins stay cheap.
_CHECK_SECONDS: Final = 1.0


class ClockWatch:
    """Compares the wall clock with a monotonic one.

    Only steps that make entries look older or newer than each other count: those of more than `MAX_CLOCK_SKEW`, at once
    or in sum. If the clock is set forward, or the machine sleeps, entries expire early.

    Args:
        clock: Returns seconds since the epoch.
        monotonic: Returns seconds since any moment, and is never set.

    Attributes:
        checked_from: The start of the time, by the wall clock, in which no new check is needed.
        checked_until: The end of that time.
    """

    __slots__ = ("_monotonic", "_offset", "checked_from", "checked_until")

    def __init__(self, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        now = check_time("clock", clock())
        self._offset = now - monotonic()
        self._set_checked(now)

    def check(self, now: float) -> float:
        """Return by how many seconds the clock was set back since the last check, or 0.

        Args: now: The time by the wall clock.
        """
        offset = now - self._monotonic()
        set_back = self._offset - offset
        self._set_checked(now)
        if set_back <= MAX_CLOCK_SKEW:
            self._offset = max(self._offset, offset)
            return 0.0
        self._offset = offset
        return set_back

    def _set_checked(self, now: float) -> None:
        self.checked_from, self.checked_until = now, now + _CHECK_SECONDS
