"""What a frontier hands out: turns, which permit one request each, and reports of URLs that are never fetched."""

import warnings
from collections.abc import Iterable
from types import TracebackType
from typing import Any, NamedTuple, Self

from canfetch.client.frontier.open_turns import Grant, OpenTurns
from canfetch.client.frontier.recrawl import Visit, check_visit, read_visit
from canfetch.client.frontier.validation import check_error, check_retry_after, read_metadata
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import ClientVerdict
from canfetch.errors import StoreError


class SkippedURL(NamedTuple):
    """A URL that the frontier drops, because it may not be fetched, is invalid or too deep, or its origin has too many.

    Attributes:
        url: The URL, as it was added, without white space around it.
        verdict: The verdict, or None if `url` was not added or is invalid, or if the checks of its robots.txt raised
            exceptions for `max_unreachable` seconds.
        error: The reason why there is no verdict, or None.
    """

    url: str
    verdict: ClientVerdict | None
    error: str | None = None


class Turn:
    """The permission to send one request to an origin now.

    The origin's next turn starts after this one has ended and the delay has passed. Use the turn as a context manager,
    which calls `done` at the end, `retry` after an exception, and `release` after a cancellation or Ctrl-C. The
    exception is raised again. You can also call one of these methods yourself. Only the first call that succeeds has an
    effect. If the end of a block cannot be written, for example to a full disk, the block raises StoreError, unless it
    raises another exception, and the turn is released as soon as the frontier can write again.

    Attributes:
        url: The URL, as it was added, without white space around it.
        verdict: The verdict, which allows the URL.
        priority: The priority with which the URL was added.
        attempt: The number of this attempt, from 1. Released turns are not counted.
        depth: The number of links from the first URLs of the crawl to this one, as it was added first.
    """

    __slots__ = ("_grant", "_is_open", "_open_turns", "attempt", "depth", "priority", "url", "verdict")

    def __init__(self, open_turns: OpenTurns, grant: Grant, verdict: ClientVerdict) -> None:
        self.url = grant.queued.url
        self.verdict = verdict
        self.priority = grant.queued.priority
        self.attempt = grant.queued.attempt
        self.depth = grant.queued.depth
        self._grant = grant
        self._open_turns = open_turns
        self._is_open = True

    @property
    def metadata(self) -> Any:
        """The value with which the URL was added first, after a conversion to JSON and back. None without one.

        Raises: StoreError: It is damaged.
        """
        try:
            return read_metadata(self._grant.queued.metadata)
        except ValueError as error:
            raise StoreError(f"the metadata of {self.url} are damaged: {error}") from None

    @property
    def etag(self) -> str | None:
        """The `ETag` header of the last visit, or None."""
        return self._last_visit.etag

    @property
    def last_modified(self) -> str | None:
        """The `Last-Modified` header of the last visit, or None."""
        return self._last_visit.last_modified

    @property
    def conditional_headers(self) -> dict[str, str]:
        """The headers by which a server responds with 304 if the page has not changed. Empty before the first visit.

        Source: RFC 9110 section 13.1.
        """
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value is not None}

    @property
    def _last_visit(self) -> Visit:
        return read_visit(self._grant.queued.visit) or Visit(0.0)

    def add(self, links: Iterable[AnyURL], *, priority: float = 0.0, metadata: Any = None) -> int:
        """Add the links of the page, one deeper than the page. Add them before the turn ends.

        Args:
            links: Absolute URLs, as for `Frontier.add_many`.
            priority: See `Frontier.add`.
            metadata: See `Frontier.add`.
        Returns: The number of URLs that were added.
        Raises: As `Frontier.add_many`.
        """
        return self._open_turns.add_links(links, priority=priority, depth=self.depth + 1, metadata=metadata)

    def done(
        self,
        *,
        retry_after: str | float | None = None,
        changed: bool | None = None,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> bool:
        """End the turn. The URL is finished, and is not handed out again before its next visit.

        Without a `Recrawl`, there is no next visit, and the arguments for it have no effect.

        Args:
            retry_after: See `Frontier.defer`.
            changed: Whether the page has changed since its last visit: False for status 304. By default, it has if the
                validators of both visits differ. It sets the time until the next visit.
            etag: The `ETag` header of the response. Without one, that of the last visit stays if `changed` is False. A
                header of more than 1 KiB or with unprintable characters is ignored.
            last_modified: The `Last-Modified` header, as `etag`.
        Returns: Whether this call finished the URL. False if the turn had ended, or if this process did not respond for
            so long that a shared frontier queued the URL again for the others. See `PostgresQueue`.
        Raises: StoreError: The file cannot be written, or the frontier is closed; TypeError: an argument has another
            type; InvalidOption: `retry_after` is a negative number or NaN; RuntimeError: This is not the thread of the
            frontier, and the URL is queued again.
        """
        check_retry_after(retry_after)
        check_visit(changed=changed, etag=etag, last_modified=last_modified)
        if not self._is_open:
            return False
        self._check_thread()
        is_done = self._open_turns.end(
            self._grant, retry_after, changed=changed, etag=etag, last_modified=last_modified
        )
        self._is_open = False
        return is_done

    def retry(self, *, retry_after: str | float | None = None, error: BaseException | str | None = None) -> bool:
        """End the turn, and queue the URL for its next attempt unless this was the last one.

        The next attempt comes after `retry_delay` seconds, doubled with each attempt, and shortened by up to a half at
        random; or later, if `retry_after` says so. If turns of the origin fail one after the other, its delay doubles
        with each, up to `max_delay`.

        Args:
            retry_after: See `Frontier.defer`.
            error: What went wrong, for `Frontier.failed` and `on_failure`.
        Returns: Whether the URL is tried again before it counts as failed. If not, it is reported to `on_failure`, and
            listed as failed. With a `Recrawl`, it is not listed, and waits for its next visit.
        Raises: As `done`, and what `on_failure` raises. TypeError: `error` has another type.
        """
        check_retry_after(retry_after)
        check_error(error)
        if not self._is_open:
            return False
        self._check_thread()
        failed = self._open_turns.retry(self._grant, retry_after, error)
        self._is_open = False
        if failed is not None:
            self._open_turns.report(failed)
        return failed is None

    def release(self) -> None:
        """End the turn as if the URL had not been handed out. It is the first of its origin to be handed out again.

        It has no effect if the frontier is closed, which has released the turn.

        Raises: StoreError: The file cannot be written; RuntimeError: As `done`.
        """
        if self._is_open:
            self._check_thread()
            self._open_turns.release(self._grant)
            self._is_open = False

    def _check_thread(self) -> None:
        if self._open_turns.is_other_thread:
            self._is_open = False
            self._open_turns.retry_in_own_thread(self._grant)
            raise RuntimeError(
                f"the turn for {self.url} was ended in another thread, so its URL is queued again: end it in the "
                "thread of its frontier, for example after `await asyncio.to_thread(...)`"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.done()
            elif issubclass(kind, Exception):
                self.retry(error=error)
            else:
                self.release()
        except StoreError as store_error:
            # An open turn would block its origin, and its owner does not end it after its block.
            self._is_open = False
            self._open_turns.release_later(self._grant)
            if kind is None:
                raise
            # The exception of the block goes on, for example a cancellation.
            CLIENT_LOGGER.warning("the end of the turn for %s was not written: %s", self.url, store_error)

    def __del__(self) -> None:
        # An exception in the constructor leaves the attribute unset.
        if getattr(self, "_is_open", False) and self._open_turns.can_end:
            message = f"the turn for {self.url} was never ended: use it as a context manager, or call `done`"
            warnings.warn(message, ResourceWarning, source=self, stacklevel=2)

    def __repr__(self) -> str:
        return f"<Turn {self.url!r}, attempt {self.attempt}>"
