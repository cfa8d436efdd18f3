"""The frontier of a crawl: which URL may be fetched now."""

import asyncio
import os
import time
from collections import deque
from collections.abc import AsyncIterable, Callable, Coroutine, Iterable, Iterator
from contextlib import suppress
from inspect import iscoroutine
from math import inf
from types import TracebackType
from typing import Any, Final, Self

from canfetch.access.pacing import DelayMode, Pace, parse_delay_mode
from canfetch.client.argument_checks import check_agent, check_delay_bounds, check_durations
from canfetch.client.async_client import AsyncClient
from canfetch.client.frontier.clocks import FrontierClocks, Moment
from canfetch.client.frontier.group_turns import GroupTurns
from canfetch.client.frontier.grouping import GroupBy, Resolver, parse_group_by, resolve_by_system
from canfetch.client.frontier.intake import URLIntake
from canfetch.client.frontier.open_turns import Grant, OpenTurns, parse_retry_at
from canfetch.client.frontier.origin_checks import CheckResult, OriginChecks
from canfetch.client.frontier.origin_turns import DECIDED_URLS, NextTurn, OriginTurns
from canfetch.client.frontier.queue_values import DUE_BATCH, FailedURL, FrontierCounts, Phase, QueuedOrigin
from canfetch.client.frontier.recrawl import Recrawl, check_recrawl
from canfetch.client.frontier.sources import LARGE_BATCH, SMALL_BATCH, Sources
from canfetch.client.frontier.sqlite_queue import SQLiteQueue
from canfetch.client.frontier.turn import SkippedURL, Turn
from canfetch.client.frontier.url_identity import clean_url
from canfetch.client.frontier.url_queue import FrontierBackend, QueueOptions, URLQueue
from canfetch.client.frontier.validation import (
    check_backend,
    check_counts,
    check_depth,
    check_functions,
    check_links,
    check_priority,
    check_retry_after,
    check_source,
    metadata_json,
)
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.core.agent import Agent, as_agent
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import ClientVerdict

# The number of failed URLs that are read at once.
_FAILED_BATCH: Final = 1000
# The number of robots.txt files that are requested without letting other tasks run.
_CHECK_BATCH: Final = 16
# Seconds between checks for space in the queue, while a source waits for it and all tasks are busy with pages.
_SPACE_SECONDS: Final = 1.0
# The part of `Recrawl.every` after which an origin that was given up has a turn. Its URLs are due after `every`, by the
# clock of another machine.
_PROBE_SHARE: Final = 0.9


class Frontier:
    """The URLs of a crawl, handed out one by one when their origins may be requested.

    A frontier is an asynchronous iterator of turns. Several tasks can iterate over it at the same time: each turn is
    handed out once. The iteration ends when no URL is queued and all turns have ended, unless `recrawl` is set.

        async with Frontier(client, ["https://example.com/"], path="crawl.sqlite3") as frontier:
            async for turn in frontier:
                with turn:
                    ...  # fetch turn.url, and call frontier.add for each link

    Every turn has to end: use it as a context manager, or call `done`, `retry` or `release`. Until then, its origin
    gets no other turn.

    A frontier belongs to the thread that creates it. In another thread, its methods raise RuntimeError.
    Iterating on an event loop other than that of the first turn raises RuntimeError, too.

    Args:
        client: The client that fetches robots.txt files and decides.
        urls: The first source. See `add_source`.
        path: The file that keeps the URLs beyond the process. One frontier at a time can use it. By default they are
            in a temporary file, which is deleted at the end.
        agent: The agent, if it is not the agent of the client.
        group_by: What counts as one site for delays and concurrency, as a `GroupBy` or its name: each `origin`, all
            origins of a `host`, all of a `registrable-domain`, or all hosts with the same IP `address`. A group has one
            request at a time, and waits for the longest delay of its origins. Requests for robots.txt files count, but
            those to other groups after a redirect do not wait. It is stored with the crawl.
        resolver: An async function that returns the IP addresses of a host, for `group_by="address"`. It is called for
            each new host. If it raises OSError or UnicodeError, or takes longer than ten seconds, the host is a group
            of its own. After a failure of this machine, it is resolved again in ten seconds. The iteration raises any
            other exception, and TypeError for a result of another type. After these, the host is resolved again in ten
            seconds, and then after longer times, up to an hour. By default, the resolver of the system is used.
        concurrency_per_origin: The number of turns of one origin that can be open at the same time, or of one group.
        max_attempts: The number of turns of a URL. After the last one, the URL is listed as failed. A turn that is
            open when the process is killed counts; a released turn does not.
        retry_delay: Seconds between the first and the second attempt of a URL. It doubles with each attempt, up to a
            day, and is shortened by up to a half at random.
        recrawl: How often URLs are visited again, or None for never. With it, the iteration ends only when the frontier
            is closed. URLs that are skipped or fail in all attempts are reported, and due again after `recrawl.every`.
        min_delay: Shortest time between two requests to one origin in seconds, whatever the file declares. It is
            counted from the start and from the end of the previous turn. A request for a robots.txt counts if URLs are
            grouped by more than their origin.
        max_delay: Longest time between two requests to one origin in seconds, whatever the file declares.
        delay_mode: What a crawl delay means, as a `DelayMode` or its name: the time between two requests, or the length
            of Bing's time windows with one request in each.
        max_depth: The largest depth of a URL, or None. Deeper ones are not added, and reported to `on_skip`.
        max_urls_per_origin: The number of URLs of an origin, or of a group, that can be added in the whole crawl, or
            None. Others are not added, and reported to `on_skip`. It ends the endless links of a calendar, for example.
        max_failures_per_origin: The number of turns of an origin, or of a group, that may fail one after the other, or
            None. After that, its URLs are skipped, also those that are added later. With `recrawl`, it has one turn
            after each `recrawl.every` seconds, and its URLs are visited again once such a turn is done.
        max_unreachable: Seconds for which the frontier tries to reach an origin whose robots.txt is unreachable, as
            often as the access policy specifies, or whose checks raise exceptions, or a host whose `resolver` does.
            They count from the first check of this frontier with that result, as long as no check has another one. The
            URLs are skipped after the first check that fails so much later, or, with 0, after the first one. URLs that
            are added after that check wait for the next one.
        max_checks: The number of robots.txt files and addresses that can be requested at the same time. If more are
            needed, every other one is that of the next origin in order, and the rest are chosen at random, so that
            origins that fail slowly do not hold up the others.
        read_ahead: The number of queued URLs at which the frontier stops reading its sources.
        url_filter: Called with each URL before it is added. Returns the URL to add instead, such as one without a
            session ID, or None to refuse it, which is reported to `on_skip`. If it raises an exception, the URLs before
            are added, and `add` raises the exception. For a URL of a source, the iteration raises it, and the source is
            read further without this URL. Not an async function.
        on_skip: Called with each URL that is dropped because it is disallowed, invalid, too deep or refused by
            `url_filter`, because its origin has too many, because nothing is known about its origin, or because too
            many turns of its origin failed, before it is dropped. If it raises an exception, the URL is dropped as
            well, and the exception is raised by the iteration or by `add`, and by `add_many` after all URLs have been
            added. Not an async function.
        on_failure: Called with each URL that failed in its last attempt, after it is in the list of `failed`. If it
            raises an exception, `Turn.retry` raises it, or the iteration for a URL whose process was killed. Not an
            async function.
        clock: Returns seconds since the epoch, for tests. Give the client the same clock.
        monotonic: Returns seconds since any moment, and is never set. Delays are measured with it. For tests.
        sleep: An async function that sleeps for a number of seconds. For tests.
    Raises: InvalidOption, InvalidProductToken. TypeError: `urls` is a single URL. StoreError: The file cannot be
        opened, another frontier uses it, or its crawl was begun with another `group_by`. MissingExtra: `group_by` is
        `registrable-domain`, and the library `publicsuffixlist` is not installed.
        EvidenceError: While iterating: the client has an evidence recorder, and a decision cannot be recorded.
    Cost: One robots.txt fetch for each origin, and O(log n) steps of the database for each turn. Memory does not grow
        with the number of URLs and origins.
    """

    def __init__(
        self,
        client: AsyncClient,
        urls: Iterable[AnyURL] | AsyncIterable[AnyURL] = (),
        *,
        path: str | os.PathLike[str] | None = None,
        backend: FrontierBackend | None = None,
        agent: str | Agent | None = None,
        group_by: GroupBy | str = GroupBy.ORIGIN,
        resolver: Resolver = resolve_by_system,
        concurrency_per_origin: int = 1,
        max_attempts: int = 3,
        retry_delay: float = 600.0,
        recrawl: Recrawl | None = None,
        min_delay: float = 1.0,
        max_delay: float = 60.0,
        delay_mode: DelayMode | str = DelayMode.INTERVAL,
        max_depth: int | None = None,
        max_urls_per_origin: int | None = None,
        max_failures_per_origin: int | None = None,
        max_unreachable: float = 3600.0,
        max_checks: int = 256,
        read_ahead: int = 1_000_000,
        url_filter: Callable[[str], str | None] | None = None,
        on_skip: Callable[[SkippedURL], object] | None = None,
        on_failure: Callable[[FailedURL], object] | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Coroutine[object, object, None]] = asyncio.sleep,
    ) -> None:
        check_source(urls)
        if not isinstance(client, AsyncClient):
            raise TypeError(f"invalid client of type {type(client).__name__}: expected AsyncClient")
        check_counts(
            concurrency_per_origin=concurrency_per_origin,
            max_attempts=max_attempts,
            max_checks=max_checks,
            read_ahead=read_ahead,
        )
        limits = {"max_failures_per_origin": max_failures_per_origin, "max_urls_per_origin": max_urls_per_origin}
        check_counts(**{name: limit for name, limit in limits.items() if limit is not None})
        depth_limit = inf if max_depth is None else check_depth("max_depth", max_depth)
        check_delay_bounds(min_delay=min_delay, max_delay=max_delay)
        check_durations(max_unreachable=max_unreachable, retry_delay=retry_delay)
        check_backend(backend, path)
        check_recrawl(recrawl)
        self._recrawl = recrawl
        check_functions(
            clock=clock,
            monotonic=monotonic,
            on_failure=on_failure,
            on_skip=on_skip,
            resolver=resolver,
            sleep=sleep,
            url_filter=url_filter,
        )
        self._client = client
        self._agent = check_agent(client.options.agent if agent is None else as_agent(agent))
        self._max_failures = inf if max_failures_per_origin is None else max_failures_per_origin
        self._final_counts: FrontierCounts | None = None
        self._on_skip = on_skip
        self._on_failure = on_failure
        self._clocks = FrontierClocks(clock, monotonic)
        self._sleep = sleep
        # Set after every change that can make a turn possible.
        self._changed = asyncio.Event()
        # Set after every step of a check, a lookup or a source, until what follows from it is in the queue.
        self._progressed = asyncio.Event()
        self._follow_up: asyncio.Task[None] | None = None
        # One task at a time looks for a turn, and the others wait in the order of their requests.
        self._lock = asyncio.Lock()
        # The number of these tasks, and the turns that were granted together with that of the first one.
        self._waiting = 0
        self._granted: deque[tuple[Grant, ClientVerdict]] = deque()
        bounds = Pace(min_delay=min_delay, max_delay=max_delay, delay_mode=parse_delay_mode(delay_mode))
        group_by = parse_group_by(group_by)
        self._is_grouped = group_by is not GroupBy.ORIGIN
        self._checks = OriginChecks(
            client,
            self._agent,
            bounds,
            max_checks=max_checks,
            max_unreachable=max_unreachable,
            notify=self._note_progress,
            now=self._clocks.now,
            of_groups=self._is_grouped,
        )
        self._sources = Sources(
            self._add_from_source,
            lambda: read_ahead - self.counts.queued,
            self._note_progress,
            batch=self._source_batch,
        )
        self._sources.append(urls, 0.0)
        wanted = QueueOptions(
            concurrency_per_origin,
            max_attempts,
            self._clocks.at,
            group_by,
            skip_seconds=None if recrawl is None else recrawl.every,
            reads_sources=self._sources.may_add,
            report_invalid=lambda url, reason: self._report(SkippedURL(url, None, reason)),
        )
        self._queue: URLQueue = SQLiteQueue(path, wanted) if backend is None else backend.open_queue(wanted)
        self._intake = URLIntake(
            self._queue,
            self._report,
            is_grouped=self._is_grouped,
            max_depth=depth_limit,
            max_urls=max_urls_per_origin,
            url_filter=url_filter,
            notify=self._changed.set,
        )
        # The origins that may have a turn although their last ones have failed.
        self._probing: set[int] = set()
        # The origins or groups that were deferred since the last turns were chosen.
        self._deferred: set[int] = set()
        # Results of checks that are not written yet.
        self._results: list[CheckResult] = []
        self._turns: OriginTurns | GroupTurns
        if self._is_grouped:
            self._turns = GroupTurns(
                self._queue,
                self._checks,
                bounds=bounds,
                agent=self._agent,
                max_unreachable=max_unreachable,
                is_given_up=lambda group: self._is_given_up(group, self._clocks.now()),
                report=self._report,
                record=client.record,
                resolver=resolver,
                notify=self._note_progress,
                now=self._clocks.now,
            )
        else:
            self._turns = OriginTurns(
                self._queue,
                self._checks,
                self._clocks,
                agent=self._agent,
                max_unreachable=max_unreachable,
                is_given_up=lambda origin: self._is_given_up(origin, self._clocks.now()),
                report=self._report,
                record=client.record,
            )
        self._open_turns = OpenTurns(
            self._queue,
            self._clocks,
            self._changed.set,
            max_attempts=max_attempts,
            retry_delay=retry_delay,
            recrawl=recrawl,
            on_failure=on_failure,
            add_links=self.add_many,
        )

    @property
    def counts(self) -> FrontierCounts:
        """The number of URLs by what has happened to them. After `close`, the counts at that time.

        Raises: StoreError: The file cannot be read.
        """
        return self._queue.counts() if self._final_counts is None else self._final_counts

    def add(self, url: AnyURL, *, priority: float = 0.0, depth: int = 0, metadata: Any = None) -> bool:
        """Add a URL, unless it was added before. It is in the file when this method returns.

        URLs that differ only in their fragment, in the case of the host, or in their escapes are the same URL.
        White space around the URL and line breaks in it are removed, as HTTP clients do. An invalid URL, such as
        `mailto:fish@example.com` or one of more than 64 KiB, is reported to `on_skip`.

        Args:
            url: An absolute URL as str or bytes, or a URL object such as `httpx2.URL`.
            priority: URLs with a higher priority are handed out first, within an origin and between origins that may be
                requested.
            depth: The number of links from the first URLs of the crawl. `Turn.add` passes it for links.
            metadata: A value of JSON for `Turn.metadata`, at most 16 KiB and 100 levels.
        Returns: Whether the URL was added.
        Raises: TypeError: `url` has another type; InvalidOption: `priority` is not a finite number, `depth` is not
            a number of links, or `metadata` is not a value of JSON or too large; StoreError: The file cannot be
            written.
        """
        depth, text = check_depth("depth", depth), metadata_json(metadata)
        return self._intake.add_all([url], check_priority(priority), depth, text) == 1

    def add_many(self, urls: Iterable[AnyURL], *, priority: float = 0.0, depth: int = 0, metadata: Any = None) -> int:
        """Add URLs, for example all links of a page, in fewer transactions than with `add`.

        Args:
            urls: Absolute URLs, as for `add`. Blank ones are ignored. Use `add_source` for an iterable that is long
                or slow.
            priority: See `add`.
            depth: See `add`.
            metadata: See `add`. All URLs have the same.
        Returns: The number of URLs that were added.
        Raises: TypeError: `urls` is a single URL, or contains a value of another type; the URLs before it are added.
            InvalidOption: `priority`, `depth` or `metadata` is not valid; StoreError: The file cannot be written, or
            the frontier is closed.
        """
        check_links(urls)
        priority, depth, text = check_priority(priority), check_depth("depth", depth), metadata_json(metadata)
        # Also without any URL.
        self._queue.check_usable()
        return self._intake.add_all(urls, priority, depth, text)

    def add_source(self, urls: Iterable[AnyURL] | AsyncIterable[AnyURL], *, priority: float = 0.0) -> None:
        """Add a source, which is read in the background while turns are handed out.

        If the source raises an exception, the iteration over the frontier raises it once, and `CancelledError` and
        `StopAsyncIteration` as RuntimeError. When a crawl is resumed, the source is read again from its beginning, and
        URLs that were added before are ignored.

        Args:
            urls: An iterable or asynchronous iterable of absolute URLs, such as the lines of a file. Blank ones are
                ignored. Each step of an iterable should be quick, because no other task runs during it.
            priority: See `add`.
        Raises: TypeError: `urls` is a single URL, or not iterable; InvalidOption: `priority` is not a finite number;
            StoreError: The frontier is closed, or other processes cannot be kept from ending the crawl before the
            source is read. In the second case, the source is read nevertheless.
        """
        priority = check_priority(priority)
        self._queue.check_usable()
        self._sources.append(urls, priority)
        self._note_progress()
        self._queue.note_reading(reads_sources=self._sources.may_add)

    def defer(self, url: AnyURL, retry_after: str | float | None) -> None:
        """Send no request to the origin of `url` for a time, for example after a response with status 429 or 503.

        Args:
            url: The URL that was fetched, or the URL that it redirected to.
            retry_after: The `Retry-After` header of the response, or a number of seconds. A missing or invalid header
                has no effect. The maximum is one day, regardless of `max_delay`.
        Raises: InvalidURL; TypeError: `retry_after` has another type; InvalidOption: It is a negative number or NaN;
            StoreError: The file cannot be written.
        Source: RFC 9110 section 10.2.3.
        """
        check_retry_after(retry_after)
        origin = Origin.from_url(clean_url(url))
        now = self._clocks.now()
        retry_at = parse_retry_at(retry_after, now)
        if retry_at is not None:
            self._deferred.add(self._queue.defer(str(origin), now.at, retry_at))
            self._changed.set()

    def failed(self) -> Iterator[FailedURL]:
        """Return the URLs that failed in their last attempt, in the order in which they were added or last tried.

        Memory does not grow with their number. URLs that failed in files of canfetch's first format are not listed.

        Raises: StoreError: The file cannot be read, or the frontier is closed.
        """
        # Now, and not at the first step of the iteration.
        self._queue.check_usable()
        return self._iterate_failed()

    def _iterate_failed(self) -> Iterator[FailedURL]:
        last = 0
        while batch := self._queue.failed(last, _FAILED_BATCH):
            yield from (failed for _, failed in batch)
            last = batch[-1][0]

    def retry_failed(self) -> int:
        """Queue all failed URLs again, with all their attempts, and return their number.

        Raises: StoreError: The file cannot be written, or the frontier is closed.
        """
        number = 0
        while batch := self._queue.queue_failed(_FAILED_BATCH):
            number += batch
        self._changed.set()
        return number

    async def close(self) -> None:
        """Stop the iteration and close the file.

        URLs whose turns have not ended are released: they are handed out again when the file is opened.

        Raises: StoreError: The file cannot be read or written. It is closed all the same.
        """
        try:
            if self._queue.is_open:
                self._close_queue()
        finally:
            if not self._queue.is_open:
                # They were released with the queue.
                self._granted.clear()
                # RuntimeError: a task waits whose event loop is closed.
                with suppress(RuntimeError):
                    self._changed.set()
                following = [] if self._follow_up is None else [self._follow_up]
                await _cancel_tasks([*self._sources.stop(), *self._checks.tasks, *self._turns.tasks, *following])

    def _close_queue(self) -> None:
        # A call in another thread changes nothing.
        self._queue.check_usable()
        try:
            self._queue.note_clock_shift(self._clocks.shift(self._clocks.now()))
            self._turns.end_requests()
            counts = self._queue.counts()
            self._final_counts = counts._replace(queued=counts.queued + counts.in_flight, in_flight=0)
        finally:
            self._queue.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Turn:
        if not self._queue.is_closed:
            # Before another thread can start to read the sources.
            self._queue.check_usable()
        loop = asyncio.get_running_loop()
        if self._open_turns.loop not in (None, loop) and not self._queue.is_closed:
            # The checks and the sources are tasks of the other one.
            raise RuntimeError("the frontier belongs to the event loop of its first turn: close it, and open it again")
        self._open_turns.loop = loop
        if self._queue.is_open and self._queue.is_shared and (self._follow_up is None or self._follow_up.done()):
            self._follow_up = asyncio.create_task(self._follow_progress(), name="canfetch frontier")
        # Other tasks run between two turns, even if the consumer never waits.
        await asyncio.sleep(0)
        self._waiting += 1
        try:
            async with self._lock:
                if not self._granted:
                    await self._grant_turns()
                granted = self._granted.popleft() if self._granted else None
        except StopAsyncIteration as error:
            # The loop over the frontier would take it for the end of the crawl.
            raise RuntimeError(f"a source, a callback or the transport raised {error!r}") from error
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._release_granted()
        if granted is None:
            raise StopAsyncIteration
        return Turn(self._open_turns, *granted)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self.close()
        except Exception as close_error:
            if error is None:
                raise
            # The exception of the block goes on.
            CLIENT_LOGGER.warning("the frontier was not closed properly: %s", close_error)

    def _release_granted(self) -> None:
        """Release the turns of tasks that were cancelled while they waited for them."""
        while self._granted:
            self._open_turns.give_back(self._granted.popleft()[0])

    async def _grant_turns(self) -> None:
        """Wait for the next turns: one, or at most one for each task that waits for one. At the end, there is none."""
        while self._queue.is_open:
            self._changed.clear()
            self._sources.start()
            self._sources.raise_error()
            self._open_turns.release_unwritten()
            self._report_killed()
            if not await self._use_progress():
                break
            now = self._clocks.now()
            if self._clocks.was_set_back(now):
                self._checks.forget()
            self._queue.note_clock_shift(self._clocks.shift(now))
            has_more_due = self._sort_due(now)
            self._release(self._queue.lost_origins())
            has_more_checks = not has_more_due and self._start_checks()
            limit = min(self._waiting, self._queue.turns_at_once)
            origins = [] if has_more_due else self._queue.next_ready(limit)
            self._take(origins, now)
            self._sources.continue_reading()
            if self._granted:
                break
            if origins or has_more_due or has_more_checks:
                await asyncio.sleep(0)
            elif self._recrawl is None and self._queue.is_finished(reads_sources=not self._sources.is_exhausted):
                # The last URLs may have failed since the killed ones were reported, which can add URLs.
                if not self._queue.killed:
                    break
            else:
                await self._wait()

    def _add_from_source(self, urls: Iterable[AnyURL], priority: float) -> int:
        return self._intake.add(urls, priority, self._report_in_background, report_error=self._sources.add_error)

    def _source_batch(self) -> int:
        # Before the first turn, files that are requested next should be chosen from as many URLs as possible. One
        # call to a server takes longer than 100 URLs in it.
        return LARGE_BATCH if self._queue.is_shared or not self.counts.in_flight else SMALL_BATCH

    def _report(self, skipped: SkippedURL) -> None:
        if self._on_skip is not None:
            self._on_skip(skipped)

    def _report_killed(self) -> None:
        while self._queue.killed:
            failed = self._queue.killed.pop(0)
            if self._on_failure is not None:
                self._on_failure(failed)

    def _report_in_background(self, skipped: SkippedURL) -> None:
        """Report a URL of a source. The iteration raises an exception of `on_skip`, and the source is read further."""
        try:
            self._report(skipped)
        except Exception as error:  # noqa: BLE001 - raised by the iteration
            self._sources.add_error(error)

    def _note_progress(self) -> None:
        self._changed.set()
        self._progressed.set()

    async def _follow_progress(self) -> None:
        """Use what checks and sources have found, also while all tasks are busy with pages.

        Otherwise other processes would wait for origins that have been checked, and for sources that have been read.
        """
        while self._queue.is_open:
            try:
                async with asyncio.timeout(_SPACE_SECONDS if self._sources.is_paused else None):
                    await self._progressed.wait()
            except TimeoutError:
                # Other processes have taken URLs.
                self._sources.continue_reading()
                continue
            async with self._lock:
                if not self._progressed.is_set():
                    # A task that waits for a turn has used it.
                    continue
                try:
                    self._sources.start()
                    await self._use_progress()
                except Exception as error:  # noqa: BLE001 - raised by the iteration
                    self._sources.add_error(error)
                    # What could not be written is written at the next progress, or by the iteration.
                    self._progressed.clear()

    async def _use_progress(self) -> bool:
        """Use what checks and sources have found. Return whether the frontier is still open.

        Raises: As `_collect_checks`.
        """
        self._progressed.clear()
        self._queue.note_reading(reads_sources=self._sources.may_add)
        return await self._collect_checks()

    async def _collect_checks(self) -> bool:
        """Use the results of the checks that have ended. Return whether the frontier is still open.

        Raises: An unexpected exception of a check, after all results have been used. After another one, such as a
            StoreError, the next call uses the rest.
        """
        # Kept until they are written: an origin whose result is lost would be checked forever.
        self._results += self._checks.collect()
        error = await self._turns.end_checks(self._results)
        if error is not None:
            raise error
        return self._queue.is_open

    def _release(self, lost: list[int]) -> None:
        self._probing.difference_update(lost)
        self._turns.release(lost)

    def _sort_due(self, now: Moment) -> bool:
        """Move the origins that have become due to the ready or the unchecked ones. Return whether there are more."""
        due = self._queue.find_due(now.at)
        self._queue.set_phases(
            (Phase.READY if self._turns.is_ready(id_, now.wall) else Phase.UNCHECKED, id_) for id_ in due
        )
        return len(due) == DUE_BATCH

    def _start_checks(self) -> bool:
        """Obtain the next robots.txt files. Return whether there may be more."""
        slots = self._turns.free_slots
        started = self._turns.start_checks(min(slots, _CHECK_BATCH))
        return bool(started) and slots > _CHECK_BATCH

    def _take(self, origins: list[QueuedOrigin], now: Moment) -> None:
        """Grant the next turns of ready origins. Those that have none now wait.

        Raises: The exception of a callback. The turns that were chosen before are granted.
        """
        chosen: dict[int, NextTurn] = {}
        self._deferred.clear()
        try:
            for origin in origins:
                if self._is_given_up(origin, now):
                    self._drop_failing(origin, now)
                    continue
                turn = self._turns.choose(origin, now)
                if turn is not None:
                    chosen[origin.id] = turn
        finally:
            for id_ in self._deferred & chosen.keys():
                # A callback has deferred it.
                self._queue.wait(id_, now.at, skipped=chosen.pop(id_).start.skipped, keeps=True)
            started = self._queue.take([turn.start for turn in chosen.values()], now.at) if chosen else []
            for id_, *_ in started:
                self._probing.discard(id_)
                turn = chosen[id_]
                grant = Grant(id_, turn.queued, turn.pace, turn.origin.failures)
                self._granted.append((grant, turn.verdict))

    def _is_given_up(self, origin: QueuedOrigin, now: Moment) -> bool:
        return origin.failures >= self._max_failures and not self._may_probe(origin, now)

    def _may_probe(self, origin: QueuedOrigin, now: Moment) -> bool:
        """Return whether an origin whose turns have failed has one turn now, which shows whether it works again."""
        if self._recrawl is None:
            return False
        last = origin.last_request_at
        if last is None or now.at - last >= self._recrawl.every * _PROBE_SHARE:
            # Until the turn: the request for the robots.txt of a group is one of the group, too.
            self._probing.add(origin.id)
        return origin.id in self._probing

    def _drop_failing(self, origin: QueuedOrigin, now: Moment) -> None:
        """Report and drop the first URLs of an origin whose turns have failed. The others follow."""
        skipped: list[int] = []
        self._checks.release([origin.id])
        self._queue.queue_due_urls(origin.id, now.at)
        try:
            for queued in self._queue.first_urls(origin.id, DECIDED_URLS):
                skipped.append(queued.id)
                self._report(SkippedURL(queued.url, None, f"{origin.failures} turns of {origin.name} failed in a row"))
        finally:
            self._queue.wait(origin.id, now.at, skipped=skipped)

    async def _wait(self) -> None:
        """Wait until something changes, or until the next origin is due."""
        due_at = None if self._sources.is_reading else self._queue.next_due_at()
        waits: list[asyncio.Task[object]] = [asyncio.create_task(self._changed.wait())]
        if due_at is not None:
            sleeping: object = self._sleep(max(0.0, due_at - self._clocks.at()))
            if not iscoroutine(sleeping):
                waits[0].cancel()
                raise TypeError(f"invalid result of sleep {quoted(sleeping)}: expected an async function")
            waits.append(asyncio.create_task(sleeping))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


async def _cancel_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until they have ended, unless their event loop is another one, which runs later or never.

    The current task is left alone: a source or a resolver that closes its frontier runs in one of the tasks.
    """
    loop = asyncio.get_running_loop()
    others = []
    for task in tasks:
        if task is asyncio.current_task():
            continue
        if task.get_loop() is loop:
            task.cancel()
            others.append(task)
        elif not task.get_loop().is_closed():
            task.get_loop().call_soon_threadsafe(task.cancel)
    if not others:
        return
    # Not `gather`: a task that waits for the current one would cancel what it waits for, without an end.
    await asyncio.wait(others)
    for task in others:
        if not task.cancelled():
            # asyncio logs exceptions that are not retrieved.
            task.exception()
