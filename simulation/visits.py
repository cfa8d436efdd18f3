"""The rules of pages that are visited again: when the next visit is due, and what is known of the last one."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final, NamedTuple

from canfetch import Turn
from simulation.plans import Schedule
from simulation.rules import BrokenRule

_TOLERANCE: Final = 0.001
# What cannot be sent again is ignored.
_INVALID: Final = ("", "é", "a\nb", "x" * 1025)


class _Visit(NamedTuple):
    """What a visit leaves: the seconds until the next one, or 0 before the first one, and the two validators."""

    interval: float = 0.0
    etag: str | None = None
    last_modified: str | None = None


@dataclass(slots=True)
class _Page:
    """What the world outside knows of a page.

    Attributes:
        due: When it is due at the latest, in true time. None during a turn, and inf if it may be lost.
        earliest: When it is due at the earliest, in the time of the frontier.
        is_skipped: Whether it was skipped in this life. A process that dies may have written that or not.
        is_resumed: Whether the last process died in its turn. If that was the last attempt, the page fails when the
            file is opened, and a process that dies then has perhaps not reported that.
        last: What its last visit can have left. Empty if nothing is known.
    """

    due: float | None
    earliest: float = -inf
    is_skipped: bool = False
    is_resumed: bool = False
    last: list[_Visit] = field(default_factory=lambda: [_Visit()])


class Visits:
    """The pages of a crawl with a schedule.

    Args:
        schedule: The schedule.
        chance: What the responses are derived from.
        now: Returns the true time.
        slack: Seconds for which a page that is due waits at most, and how many more for each page of the crawl.
        jumps: The jumps of the clock `now`, during which the machine sleeps.
    """

    def __init__(
        self,
        schedule: Schedule,
        chance: random.Random,
        now: Callable[[], float],
        slack: tuple[float, float],
        jumps: list[tuple[float, float]],
    ) -> None:
        self._schedule = schedule
        self._chance = chance
        self._now = now
        self._slack = slack
        self._jumps = jumps
        self._pages: dict[str, _Page] = {}
        # The time of the frontier: that of the wall clock when it was opened, and the seconds since then.
        self._opened: tuple[float, float] | None = None

    def open(self, wall: float) -> None:
        """Begin the life of a process, which opens its file when the wall clock shows `wall`."""
        now = self._now()
        # If the clock was set back, a page waits from now as long as it had to wait after the last request.
        behind = 0.0 if self._opened is None else max(0.0, self._frontier_now() - wall)
        self._opened = wall, now
        for page in self._pages.values():
            due = now if page.due is None else page.due
            if page.is_resumed:
                due = max(due, now + self._schedule.every)
            page.is_resumed = page.due is None
            page.due = due if due == inf else max(now, min(due + behind, now + self._schedule.maximum))
            page.earliest = -inf if page.is_skipped else page.earliest - behind
            page.is_skipped = False

    def lose_power(self) -> None:
        """Forget what was acknowledged, which may be undone."""
        for page in self._pages.values():
            page.due, page.earliest, page.last = inf, -inf, []

    def add(self, url: str) -> None:
        """Note a URL that was added."""
        self._pages.setdefault(url, _Page(self._now()))

    def begin(self, turn: Turn, at: str) -> None:
        """Check that a page may be visited now, and that its turn has what the last visit left.

        Raises: BrokenRule.
        """
        page = self._page(turn.url)
        self._check_overdue(page, at)
        early = page.earliest - self._frontier_now()
        if early > _TOLERANCE:
            raise BrokenRule(f"{at} is visited {early:.3f} s before it is due")
        if page.last:
            page.last = [last for last in page.last if last[1:] == (turn.etag, turn.last_modified)]
            if not page.last:
                raise BrokenRule(f"{at} has other validators than its last visit left: {turn.conditional_headers}")
        page.due, page.is_resumed = None, False

    def respond(self, url: str) -> dict[str, Any]:
        """Return a response, as the arguments of `Turn.done`, which is called next."""
        response: dict[str, Any] = {
            "changed": self._chance.choice((None, None, False, True)),
            "etag": self._chance.choice((None, '"1"', '"2"', self._chance.choice(_INVALID))),
            "last_modified": self._chance.choice((None, "Mon, 21 Sep 2026 10:00:00 GMT")),
        }
        page = self._page(url)
        # Both are possible until the call returns.
        page.earliest = -inf
        page.last += [self._next(last, **response) for last in page.last]
        return response

    def finish(self, url: str) -> None:
        """Note that the call has returned."""
        page = self._page(url)
        page.last = page.last[len(page.last) // 2 :]
        intervals = [last.interval for last in page.last]
        self._wait(page, min(intervals, default=self._schedule.minimum), max(intervals, default=self._schedule.maximum))

    def retry(self, url: str) -> None:
        """Note that a page waits for another attempt. The slack contains its delay."""
        self._page(url).due = self._now()

    def fail(self, url: str) -> None:
        """Note that a page has failed in its last attempt, or in that of a process that died in it."""
        page = self._page(url)
        self._wait(page, self._schedule.every, self._schedule.every)
        page.is_resumed = False

    def skip(self, url: str) -> None:
        """Note that a page is skipped now."""
        page = self._page(url)
        self._wait(page, self._schedule.every, self._schedule.every)
        page.is_skipped = True

    def check_end(self, at: str) -> None:
        """Check that no page is overdue when the crawl is stopped.

        Raises: BrokenRule.
        """
        for url, page in self._pages.items():
            self._check_overdue(page, f"{at}: {url}")

    def _page(self, url: str) -> _Page:
        # A process that died may have added it.
        return self._pages.setdefault(url, _Page(inf))

    def _frontier_now(self) -> float:
        assert self._opened is not None
        wall, opened = self._opened
        return wall + self._now() - opened

    def _wait(self, page: _Page, shortest: float, longest: float) -> None:
        page.earliest = self._frontier_now() + shortest
        page.due = self._now() + longest

    def _check_overdue(self, page: _Page, at: str) -> None:
        now = self._now()
        if page.due is None:
            raise BrokenRule(f"{at} has a turn already")
        slept = sum(seconds for start, seconds in self._jumps if start <= now and start + seconds >= page.due)
        late = now - page.due - slept
        if late > self._slack[0] + self._slack[1] * len(self._pages):
            raise BrokenRule(f"{at} has been due for {late:.0f} s")

    def _next(self, last: _Visit, *, changed: bool | None, etag: str | None, last_modified: str | None) -> _Visit:
        """Return what a visit leaves, as docs/crawling.md describes it."""
        schedule = self._schedule
        etag = None if etag in _INVALID else etag
        if last.interval == 0.0:
            return _Visit(schedule.every, etag, last_modified)
        if changed is False:
            # A 304 need not repeat them.
            etag, last_modified = etag or last.etag, last_modified or last.last_modified
        if changed is None and etag and last.etag:
            changed = etag != last.etag
        elif changed is None and last_modified and last.last_modified:
            changed = last_modified != last.last_modified
        if changed is None:
            return _Visit(last.interval, etag, last_modified)
        if changed:
            return _Visit(max(last.interval / 2, schedule.minimum), etag, last_modified)
        return _Visit(min(last.interval * 2, schedule.maximum), etag, last_modified)
