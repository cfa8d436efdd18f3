"""The turns that have not ended, and what happens to their URLs and origins at the end."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from canfetch.access.pacing import Pace
from canfetch.access.retries import MAX_RETRY_AFTER, parse_retry_after
from canfetch.client.frontier.clocks import FrontierClocks, Moment
from canfetch.client.frontier.url_queue import QueuedURL, URLQueue


class Grant(NamedTuple):
    """What a turn was granted for: a URL of an origin, and the limits of the origin at that time."""

    origin: int
    queued: QueuedURL
    pace: Pace


class OpenTurns:
    """Ends the turns of a frontier.

    Args:
        queue: The queue of the frontier.
        clocks: The clocks of the frontier.
        notify: Called after the end of each turn.
        max_attempts: The number of turns of a URL that fails.
    """

    def __init__(
        self, queue: URLQueue, clocks: FrontierClocks, notify: Callable[[], None], *, max_attempts: int
    ) -> None:
        self._queue = queue
        self._clocks = clocks
        self._notify = notify
        self._max_attempts = max_attempts
        self._thread = threading.get_ident()
        # The loop of the iteration, once it has begun.
        self.loop: asyncio.AbstractEventLoop | None = None

    @property
    def can_end(self) -> bool:
        """Whether the frontier is not closed. When its file is opened again, the URLs of open turns are queued."""
        return self._queue.database.is_open

    def end(self, grant: Grant, retry_after: str | float | None) -> None:
        """Drop the URL of a turn as done.

        Raises: StoreError.
        """
        self._finish(grant, retry_after, is_failed=False)

    def retry(self, grant: Grant, retry_after: str | float | None) -> bool:
        """Queue the URL of a turn again, or drop it after the last attempt. Return whether it is queued.

        Raises: StoreError.
        """
        if not self.can_end:
            return True
        if grant.queued.attempt >= self._max_attempts:
            self._finish(grant, retry_after, is_failed=True)
            return False
        now = self._clocks.now()
        retry_at = parse_retry_at(retry_after, now)
        self._queue.retry(grant.origin, grant.queued, now.at, _due_after(grant, now, retry_at), retry_at)
        self._notify()
        return True

    def release(self, grant: Grant) -> None:
        """Queue the URL of a turn again as if it had not been handed out.

        Raises: StoreError.
        """
        if self.can_end:
            now = self._clocks.now()
            self._queue.release(grant.origin, grant.queued.id, now.at, _due_after(grant, now, None))
            self._notify()

    @property
    def is_other_thread(self) -> bool:
        """Whether this is not the thread of the frontier, whose database and loop no other thread can use."""
        return threading.get_ident() != self._thread

    def retry_in_own_thread(self, grant: Grant) -> None:
        """Let the thread of the frontier end a turn as with `retry`, so that its origin is not blocked forever."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(partial(self.retry, grant, None))

    def _finish(self, grant: Grant, retry_after: str | float | None, *, is_failed: bool) -> None:
        now = self._clocks.now()
        retry_at = parse_retry_at(retry_after, now)
        due_at = _due_after(grant, now, retry_at)
        self._queue.finish(grant.origin, grant.queued.id, now.at, due_at, retry_at, is_failed=is_failed)
        self._notify()


def parse_retry_at(retry_after: str | float | None, now: Moment) -> float | None:
    """Return when an origin permits the next request, or None if `retry_after` is missing or invalid.

    Args: retry_after: The `Retry-After` header, or a number of seconds. The maximum is one day.
    """
    seconds = parse_retry_after(retry_after, now=now.wall) if isinstance(retry_after, str | None) else retry_after
    return None if seconds is None or not seconds > 0 else now.at + min(seconds, MAX_RETRY_AFTER)


def _due_after(grant: Grant, now: Moment, retry_at: float | None) -> float:
    return now.next_request_at(grant.pace, last_request_at=now.at, retry_at=retry_at)
