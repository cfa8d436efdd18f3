"""Observe the fetches of a client: count them, log them and trace them.

The observer wraps the procedure that both clients drive, so it sees every action and its result, and exists once.
"""

import logging
from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from canfetch.access.effective_access import effective_access, readable_entry
from canfetch.access.entries import CacheEntry
from canfetch.access.outcomes import Outcome, OutcomeKind
from canfetch.access.responses import Failure, Response
from canfetch.client.loggers import FETCH_LOGGER
from canfetch.client.procedure import Action, FetchSettings, Pause, SendRequest, StoreEntry
from canfetch.client.stats import FetchCounters
from canfetch.core.origin import Origin
from canfetch.core.redaction import loggable_url, redact_urls
from canfetch.core.text import printable_text
from canfetch.core.verdict import Access, Effect

if TYPE_CHECKING:
    from canfetch.client.tracing import FetchSpan, FetchTracer

_INTERRUPTED: Final = "interrupted"


class FetchObserver:
    """Counts, logs and traces fetches.

    Args:
        settings: The settings of the fetches.
        counters: The counters of the client.
        tracer: Starts spans, or None.
    """

    def __init__(self, settings: FetchSettings, counters: FetchCounters, tracer: "FetchTracer | None") -> None:
        self._policy = settings.options.policy
        self._has_store = settings.has_store
        self._counters = counters
        self._tracer = tracer

    def observe(
        self,
        origin: Origin,
        procedure: Generator[Action, Any, CacheEntry],
        previous: CacheEntry | None,
        *,
        in_background: bool,
    ) -> Generator[Action, Any, CacheEntry]:
        """Run a procedure, and observe its fetch if it has one.

        Args:
            origin: The origin.
            procedure: The procedure.
            previous: The entry in the memory of the client, or None.
            in_background: Whether the previous entry is used while the procedure runs.
        """
        fetch: _Fetch | None = None
        has_waited = False
        result: Any = None
        try:
            while True:
                try:
                    action = procedure.send(result)
                except StopIteration as end:
                    entry: CacheEntry = end.value
                    self._end(fetch, origin, entry, previous, in_background=in_background)
                    return entry
                # A fetch that times out before its first request has only a result to store.
                if fetch is None and isinstance(action, SendRequest | StoreEntry):
                    fetch = self._start(origin, in_background=in_background)
                if fetch is not None and isinstance(action, SendRequest):
                    with fetch.active(action.request.url):
                        result = yield action
                    fetch.add(result)
                    _log_request(result)
                    continue
                if isinstance(action, Pause) and not has_waited:
                    has_waited = True
                    FETCH_LOGGER.debug("waiting for another worker that is fetching %s", origin.robots_url)
                    self._counters.add(lease_waits=1)
                result = yield action
        except BaseException:
            # The caller closes the procedure if an action raised, or if the fetch was cancelled.
            if fetch is not None:
                self._interrupt(fetch)
            raise
        finally:
            procedure.close()

    def _start(self, origin: Origin, *, in_background: bool) -> "_Fetch":
        if in_background:
            self._counters.add(background_refreshes=1)
        return _Fetch(origin, None if self._tracer is None else self._tracer.start(origin, self._policy.name))

    def _end(
        self,
        fetch: "_Fetch | None",
        origin: Origin,
        entry: CacheEntry,
        previous: CacheEntry | None,
        *,
        in_background: bool,
    ) -> None:
        is_new = entry is not previous and entry.outcome.kind is not OutcomeKind.OFFLINE
        if fetch is None and is_new and not self._has_store:
            # The fetch timed out before its first request.
            fetch = self._start(origin, in_background=in_background)
        if fetch is not None:
            self._finish(fetch, entry)
        elif is_new:
            self._counters.add(store_hits=1)
            FETCH_LOGGER.debug("using the robots.txt of %s from the store", entry.origin)

    def _finish(self, fetch: "_Fetch", entry: CacheEntry) -> None:
        outcome = entry.outcome
        failure = _failure(outcome)
        redirects = _followed_redirects(fetch, entry)
        self._counters.add(
            failure=failure,
            fetches=1,
            requests=fetch.requests,
            redirects=redirects,
            body_bytes=fetch.body_bytes,
            not_modified=int(outcome.kind is OutcomeKind.NOT_MODIFIED),
            stale_copies=int(failure is not None and self._uses_copy(entry)),
        )
        if FETCH_LOGGER.isEnabledFor(logging.INFO if failure is None else logging.WARNING):
            _log_fetch(fetch, entry, failure, redirects)
        if fetch.span is not None:
            error = failure if entry.status is None or failure is None else str(entry.status)
            fetch.span.end(
                url=entry.url,
                status=entry.status,
                redirects=redirects,
                body_bytes=fetch.body_bytes,
                outcome=str(outcome.kind),
                error=error,
            )

    def _interrupt(self, fetch: "_Fetch") -> None:
        self._counters.add(
            interrupted_fetches=1, requests=fetch.requests, redirects=fetch.redirects, body_bytes=fetch.body_bytes
        )
        FETCH_LOGGER.info("fetch of %s interrupted after %.3f s", fetch.robots_url, fetch.seconds)
        if fetch.span is not None:
            fetch.span.end(
                url=fetch.robots_url,
                status=None,
                redirects=fetch.redirects,
                body_bytes=fetch.body_bytes,
                outcome=_INTERRUPTED,
                error=_INTERRUPTED,
            )

    def _uses_copy(self, entry: CacheEntry) -> bool:
        readable = readable_entry(entry, self._policy, entry.max_bytes)
        access = effective_access(readable, self._policy, now=entry.fetched_at)
        return access.effect is Effect.CONDITIONAL_ALLOW


class _Fetch:
    """A fetch in progress. `redirects` is the number of redirects that led to its last request."""

    def __init__(self, origin: Origin, span: "FetchSpan | None") -> None:
        self.robots_url = origin.robots_url
        self.span = span
        self.requests = 0
        self.redirects = 0
        self._url = self.robots_url
        self.body_bytes = 0
        self._started_at = monotonic()
        self._ended_at: float | None = None

    def active(self, url: str) -> AbstractContextManager[object]:
        """Return the context for a request."""
        self.requests += 1
        # A second request for the same URL is not a redirect: it repeats the first one without conditions.
        self.redirects += url != self._url
        self._url = url
        self._ended_at = None
        return nullcontext() if self.span is None else self.span.active()

    def add(self, answer: Response | Failure) -> None:
        """Add the result of a request."""
        self._ended_at = monotonic()
        if isinstance(answer, Response):
            self.body_bytes += len(answer.body)

    @property
    def seconds(self) -> float:
        """Seconds from the first request to the last answer, or until now while a request is running."""
        return (monotonic() if self._ended_at is None else self._ended_at) - self._started_at


def _followed_redirects(fetch: _Fetch, entry: CacheEntry) -> int:
    """Return the number of redirects that the fetch followed.

    The last redirect of a loop or of a chain that is too long is not followed. If a cached file answers the request
    after the last redirect, the redirects of that file were followed before.
    """
    hops = len(entry.hops) - (entry.outcome.kind is OutcomeKind.REDIRECT_OVERFLOW)
    return min(hops, fetch.redirects + (entry.status is not None))


def _log_fetch(fetch: _Fetch, entry: CacheEntry, failure: str | None, redirects: int) -> None:
    url = loggable_url(entry.url)
    target = url if url == fetch.robots_url else f"{fetch.robots_url} (redirected to {url})"
    detail = redact_urls(entry.outcome.detail)
    if failure is None:
        FETCH_LOGGER.info(
            "fetched %s: %s, %d redirects, %d bytes in %.3f s",
            target,
            detail,
            redirects,
            fetch.body_bytes,
            fetch.seconds,
        )
    else:
        FETCH_LOGGER.warning("cannot fetch %s: %s, %d redirects, %.3f s", target, detail, redirects, fetch.seconds)


def _log_request(answer: Response | Failure) -> None:
    # Each value costs time, so nothing is computed unless it is logged.
    if FETCH_LOGGER.isEnabledFor(logging.DEBUG):
        result = f"status {answer.status}" if isinstance(answer, Response) else f"{answer.kind}: {answer.detail}"
        FETCH_LOGGER.debug("requested %s: %s", loggable_url(answer.url), printable_text(redact_urls(result)))


def _failure(outcome: Outcome) -> str | None:
    """Return the reason of a failed fetch, or None if it did not fail."""
    if outcome.kind is OutcomeKind.NETWORK_ERROR:
        return str(outcome.failure_kind or outcome.kind)
    return str(outcome.kind) if outcome.access is Access.UNREACHABLE else None
