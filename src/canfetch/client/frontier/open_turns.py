"""The turns that have not ended, and what happens to their URLs and origins at the end."""

import asyncio
import random
import threading
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, Protocol

from canfetch.access.pacing import Pace
from canfetch.access.retries import MAX_RETRY_AFTER, parse_retry_after
from canfetch.client.frontier.clocks import FrontierClocks, Moment
from canfetch.client.frontier.queue_values import TURNS_FAILED, FailedURL, QueuedURL, Result, TurnEnd
from canfetch.client.frontier.recrawl import Recrawl, read_visit
from canfetch.client.frontier.url_queue import URLQueue
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.core.text import printable_text
from canfetch.core.urls import AnyURL
from canfetch.errors import StoreError

_MAX_ERROR: Final = 500
# The shortest time from which the delay of an origin grows that fails again and again.
_MIN_BACKOFF: Final = 1.0
_MAX_DOUBLINGS: Final = 30


class AddLinks(Protocol):
    """Adds URLs to the frontier, and returns the number of those that were not known."""

    def __call__(self, urls: Iterable[AnyURL], *, priority: float, depth: int, metadata: Any) -> int: ...  # noqa: D102


class Grant(NamedTuple):
    """What a turn was granted for: a URL of an origin, and the limits and failures of the origin at that time."""

    origin: int
    queued: QueuedURL
    pace: Pace
    failures: int


class OpenTurns:
    """Ends the turns of a frontier.

    Args:
        queue: The queue of the frontier.
        clocks: The clocks of the frontier.
        notify: Called after the end of each turn.
        max_attempts: The number of turns of a URL that fails.
        retry_delay: Seconds until the second attempt of a URL.
        recrawl: When URLs are due again that are done, or None.
        on_failure: Called with each URL that failed in its last attempt.
        add_links: `Frontier.add_many`.
    """

    def __init__(
        self,
        queue: URLQueue,
        clocks: FrontierClocks,
        notify: Callable[[], None],
        *,
        max_attempts: int,
        retry_delay: float,
        recrawl: Recrawl | None,
        on_failure: Callable[[FailedURL], object] | None,
        add_links: AddLinks,
    ) -> None:
        self._queue = queue
        self._clocks = clocks
        self._notify = notify
        self._max_attempts = max_attempts
        self._retry_delay = retry_delay
        self._recrawl = recrawl
        self._on_failure = on_failure
        self.add_links = add_links
        self._thread = threading.get_ident()
        # Turns whose end could not be written.
        self._unwritten: list[Grant] = []
        # The loop of the iteration, once it has begun.
        self.loop: asyncio.AbstractEventLoop | None = None

    @property
    def can_end(self) -> bool:
        """Whether the frontier is not closed. When its file is opened again, the URLs of open turns are queued."""
        return self._queue.is_open

    def end(
        self,
        grant: Grant,
        retry_after: str | float | None,
        *,
        changed: bool | None,
        etag: str | None,
        last_modified: str | None,
    ) -> bool:
        """Drop the URL of a turn as done, or let it wait for its next visit.

        Return False if another process has the URL now.

        Raises: StoreError.
        """
        now = self._clocks.now()
        retry_at = parse_retry_at(retry_after, now)
        due_at = _due_after(grant, now, retry_at)
        problem = _visit_problem(grant, now, retry_at)
        end = TurnEnd(Result.DONE, grant.origin, grant.queued, now.at, due_at, retry_at, problem=problem)
        if self._recrawl is not None:
            last = read_visit(grant.queued.visit)
            visit = self._recrawl.next_visit(last, changed=changed, etag=etag, last_modified=last_modified)
            end = end._replace(again_at=now.at + visit.interval, visit=visit.to_json())
        is_done = self._queue.end(end)
        self._notify()
        return is_done

    def retry(
        self, grant: Grant, retry_after: str | float | None, error: BaseException | str | None
    ) -> FailedURL | None:
        """Queue the URL of a turn again, or list it as failed after the last attempt. Return it if it is listed.

        The turn has ended when this method returns. Only then may the caller pass the failed URL to `report`.

        Raises: StoreError.
        """
        now = self._clocks.now()
        url, attempt = grant.queued.url, grant.queued.attempt
        retry_at = parse_retry_at(retry_after, now)
        backoff = _jittered(_backoff(grant), f"{url} {now.at}")
        is_longer = backoff > 0 and now.at + backoff > (retry_at or 0.0)
        origin_at = now.at + backoff if is_longer else retry_at
        due_at = _due_after(grant, now, origin_at)
        text = _error_text(error)
        result, again_at = Result.FAILED, None
        if attempt < self._max_attempts:
            delay = _jittered(self._retry_delay * 2.0 ** min(attempt - 1, _MAX_DOUBLINGS), f"{url} {attempt}")
            result, again_at = Result.RETRIED, now.at + min(delay, MAX_RETRY_AFTER)
        elif self._recrawl is not None:
            again_at = now.at + self._recrawl.every
        has_ended = self._queue.end(
            TurnEnd(
                result,
                grant.origin,
                grant.queued,
                now.at,
                due_at,
                origin_at,
                again_at,
                text,
                problem=_visit_problem(grant, now, origin_at) or (TURNS_FAILED if is_longer else None),
            )
        )
        self._notify()
        is_listed = has_ended and result is Result.FAILED
        return FailedURL(url, text, attempt, now.at, grant.queued.priority) if is_listed else None

    def report(self, failed: FailedURL) -> None:
        """Report a URL that `retry` returned.

        Raises: What `on_failure` raises.
        """
        if self._on_failure is not None:
            self._on_failure(failed)

    def release(self, grant: Grant) -> None:
        """Queue the URL of a turn again as if it had not been handed out. Closing the frontier does so, too.

        Raises: StoreError.
        """
        if self.can_end:
            now = self._clocks.now()
            due_at = _due_after(grant, now, None)
            problem = _visit_problem(grant, now, None)
            self._queue.end(TurnEnd(Result.RELEASED, grant.origin, grant.queued, now.at, due_at, problem=problem))
            self._notify()

    def give_back(self, grant: Grant) -> None:
        """Release a turn that no task has obtained, now or as soon as the queue can be written again."""
        try:
            self.release(grant)
        except StoreError as error:
            CLIENT_LOGGER.warning("the release of the turn for %s was not written: %s", grant.queued.url, error)
            self.release_later(grant)

    def release_later(self, grant: Grant) -> None:
        """Release a turn whose end could not be written as soon as the queue can be written again."""
        self._unwritten.append(grant)
        self._notify()

    def release_unwritten(self) -> None:
        """Release the turns whose ends could not be written.

        Raises: StoreError: That fails again. The next call tries it again.
        """
        while self._unwritten:
            self.release(self._unwritten[-1])
            self._unwritten.pop()

    @property
    def is_other_thread(self) -> bool:
        """Whether this is not the thread of the frontier, whose database and loop no other thread can use."""
        return threading.get_ident() != self._thread

    def retry_in_own_thread(self, grant: Grant) -> None:
        """Let the thread of the frontier end a turn as with `retry`, so that its origin is not blocked forever."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._retry_and_report, grant, "the turn ended in another thread")

    def _retry_and_report(self, grant: Grant, error: str) -> None:
        if not self.can_end:
            # Closing the frontier has released the turn.
            return
        failed = self.retry(grant, None, error)
        if failed is not None:
            self.report(failed)


def parse_retry_at(retry_after: str | float | None, now: Moment) -> float | None:
    """Return when an origin permits the next request, or None if `retry_after` is missing or invalid.

    Args: retry_after: The `Retry-After` header, or a number of seconds. The maximum is one day.
    """
    seconds = parse_retry_after(retry_after, now=now.wall) if isinstance(retry_after, str | None) else retry_after
    return None if seconds is None or not seconds > 0 else now.at + min(seconds, MAX_RETRY_AFTER)


def _due_after(grant: Grant, now: Moment, retry_at: float | None) -> float:
    return now.next_request_at(grant.pace, last_request_at=now.at, retry_at=retry_at)


def _visit_problem(grant: Grant, now: Moment, retry_at: float | None) -> str | None:
    return now.visit_problem(grant.pace, last_request_at=now.at, retry_at=retry_at)


def _backoff(grant: Grant) -> float:
    """Return the delay of an origin after a failure. It doubles with each consecutive one, up to the longest delay."""
    if not grant.failures:
        return 0.0
    shortest = max(grant.pace.min_delay, _MIN_BACKOFF)
    return min(shortest * 2.0 ** min(grant.failures, _MAX_DOUBLINGS), grant.pace.max_delay)


def _jittered(seconds: float, seed: str) -> float:
    """Shorten a delay by up to a half at random, so that what failed together is not repeated together.

    Args: seed: Any text without lone surrogates.
    """
    chance = random.Random(seed)  # noqa: S311 - not used for security
    return seconds * (1 - chance.random() / 2)


def _error_text(error: BaseException | str | None) -> str | None:
    if error is None:
        return None
    return printable_text((error if isinstance(error, str) else _exception_text(error))[:_MAX_ERROR])


def _exception_text(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return f"{name}: {error}".removesuffix(": ")
    except Exception:  # noqa: BLE001 - the code of another library, which must not keep the turn open
        return name
