"""Performs the steps of reading sitemaps, and fetches the next sitemaps of an index at the same time.

The procedure is the same with threads and with tasks: `read_events` runs the coroutines of `read_events_async`, which
then await nothing that waits.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import aclosing, suppress
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from canfetch.client.documents import run_steps_async, run_without_waiting, without_waiting
from canfetch.client.transports.daemon_threads import start_daemon_thread
from canfetch.client.transports.local_errors import NoThread
from canfetch.errors import CanfetchError, ClientClosed
from canfetch.sitemaps.reading import (
    BodyStep,
    ReadingStep,
    SitemapEntry,
    SitemapEvent,
    SitemapFile,
    StartStep,
    fetch_body,
)

if TYPE_CHECKING:
    import asyncio

FetchT = TypeVar("FetchT")
Events = Generator[ReadingStep | SitemapEvent, Any, None]
_EVENTS: Final = (SitemapEntry, SitemapFile)


class _Fetches(Generic[FetchT]):
    """Performs steps.

    Args:
        perform: Performs a step other than the start and the end of a fetch.
        start: Starts a fetch.
        wait: Returns its result.
    """

    def __init__(
        self,
        perform: Callable[[ReadingStep], Awaitable[Any]],
        start: Callable[[Callable[[], Coroutine[Any, Any, bytes]]], FetchT],
        wait: Callable[[FetchT], Awaitable[bytes]],
    ) -> None:
        self._perform = perform
        self._start = start
        self._wait = wait
        self.started: dict[str, FetchT] = {}

    async def read(self, events: Events) -> AsyncGenerator[SitemapEvent]:
        """Perform the steps of a procedure, and yield what it reads. A CanfetchError of a step becomes a problem.

        Raises: ClientClosed.
        """
        try:
            event = next(events)
            while True:
                if isinstance(event, _EVENTS):
                    yield event
                    event = next(events)
                    continue
                try:
                    result = await self._result(event)
                except ClientClosed:
                    # No further sitemap can be read, so this is not a problem of one sitemap.
                    raise
                except CanfetchError as error:
                    event = events.throw(error)
                else:
                    event = events.send(result)
        except StopIteration:
            return
        finally:
            events.close()

    async def _result(self, step: ReadingStep) -> Any:
        if isinstance(step, StartStep):
            self.started[step.url] = self._start(partial(self._body, step.url))
            return None
        if isinstance(step, BodyStep):
            fetch = self.started.pop(step.url, None)
            # If no thread was available, the fetch was not started.
            with suppress(NoThread):
                if fetch is not None:
                    return await self._wait(fetch)
            return await self._body(step.url)
        return await self._perform(step)

    async def _body(self, url: str) -> bytes:
        return await run_steps_async(fetch_body(url), self._perform)


def read_events(events: Events, perform: Callable[[ReadingStep], Any]) -> Generator[SitemapEvent]:
    """Perform the steps of a procedure, and yield what it reads.

    Args: perform: Performs a step, and returns its result. A CanfetchError becomes a problem. It is called in several
        threads if the procedure fetches several sitemaps at the same time.
    Raises: ClientClosed: The client of `perform` is closed.
    """
    fetches: _Fetches[Future[bytes]] = _Fetches(without_waiting(perform), _start_thread, without_waiting(Future.result))
    reading = fetches.read(events)
    try:
        while True:
            try:
                event = run_without_waiting(anext(reading))
            except StopAsyncIteration:
                return
            yield event
    finally:
        run_without_waiting(reading.aclose())


async def read_events_async(
    events: Events, perform: Callable[[ReadingStep], Awaitable[Any]]
) -> AsyncGenerator[SitemapEvent]:
    """Perform the steps of a procedure asynchronously, and yield what it reads. See `read_events`."""
    import asyncio  # noqa: PLC0415 - not needed for threads

    fetches: _Fetches[asyncio.Task[bytes]] = _Fetches(perform, lambda fetch: asyncio.create_task(fetch()), _task_result)
    try:
        async with aclosing(fetches.read(events)) as reading:
            async for event in reading:
                yield event
    finally:
        for task in fetches.started.values():
            task.cancel()
        await asyncio.gather(*fetches.started.values(), return_exceptions=True)


def _start_thread(fetch: Callable[[], Coroutine[Any, Any, bytes]]) -> Future[bytes]:
    # A daemon, so that a caller can stop early: no request keeps the process alive.
    run = copy_context().run
    return start_daemon_thread(lambda: run(lambda: run_without_waiting(fetch())), name="canfetch sitemap")


async def _task_result(task: "asyncio.Task[bytes]") -> bytes:
    return await task
