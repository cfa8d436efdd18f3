"""The sources of a frontier: iterables and asynchronous iterables of URLs, read in small steps in the background."""

import asyncio
from collections.abc import AsyncIterable, Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from canfetch.client.frontier.validation import check_source
from canfetch.core.urls import AnyURL
from canfetch.errors import StoreError

# The number of URLs that are read from a source without letting other tasks run.
LARGE_BATCH: Final = 100
# To add so many to a file takes a millisecond.
SMALL_BATCH: Final = 25
# The number of exceptions that wait for the iteration.
_MAX_ERRORS: Final = 100

AddURLs = Callable[[list[AnyURL], float], int]
Result = TypeVar("Result")


class _NewSource(NamedTuple):
    """A source whose reading has not begun. `given` is what was added, and `urls` what is read."""

    given: Any
    urls: Iterator[AnyURL] | AsyncIterable[AnyURL]
    priority: float

    @property
    def is_empty(self) -> bool:
        """Whether it is known to have no URLs. The length of other types can be slow or wrong."""
        return isinstance(self.given, list | tuple | set | frozenset | dict) and not self.given


class Sources:
    """The sources that have not been read completely.

    Args:
        add: Adds URLs to the frontier.
        space: Returns the number of URLs that the frontier takes.
        notify: Called after each step.
        batch: Returns the number of URLs that are read without letting other tasks run.
    """

    def __init__(
        self, add: AddURLs, space: Callable[[], int], notify: Callable[[], None], *, batch: Callable[[], int]
    ) -> None:
        self._add = add
        self._batch = batch
        # Several sources take no more of the event loop than one.
        self._turn = asyncio.Lock()
        self._space = space
        self._notify = notify
        self._space_changed = asyncio.Event()
        self._new: list[_NewSource] = []
        self._readers: set[asyncio.Task[None]] = set()
        self._errors: list[BaseException] = []
        # Add what could not be stored.
        self._retries: list[Callable[[], object]] = []
        self._is_stopped = False
        # The number of iterables that are being read, and are not waiting for space.
        self._active = 0
        # The number of sources that wait for space.
        self._paused = 0

    def append(self, urls: Iterable[AnyURL] | AsyncIterable[AnyURL], priority: float) -> None:
        """Add a source.

        Raises: TypeError: `urls` is a URL, or not iterable.
        """
        check_source(urls)
        self._new.append(_NewSource(urls, urls if isinstance(urls, AsyncIterable) else iter(urls), priority))

    def start(self) -> None:
        """Start to read the sources that were added since the last call."""
        while self._new:
            new = self._new.pop(0)
            if isinstance(new.urls, AsyncIterable):
                reading = self._read_async(new.urls, new.priority)
            else:
                # Counted before the task runs, so that the frontier waits for it.
                self._active += 1
                reading = self._read(new.urls, new.priority)
            reader = asyncio.create_task(reading, name="canfetch source")
            self._readers.add(reader)
            reader.add_done_callback(self._end)

    @property
    def may_add(self) -> bool:
        """Whether a source can have URLs that are not in the frontier yet."""
        return bool(self._readers) or not all(source.is_empty for source in self._new)

    @property
    def is_paused(self) -> bool:
        """Whether a source waits until the frontier takes more URLs."""
        return self._paused > 0

    @property
    def is_reading(self) -> bool:
        """Whether more URLs will be added without waiting for anything."""
        return self._active > 0

    @property
    def is_exhausted(self) -> bool:
        """Whether all sources have been read completely, and the iteration has raised all their exceptions."""
        return not self._readers and not self._new and not self._errors

    def continue_reading(self) -> None:
        """Check again whether the frontier takes more URLs."""
        self._space_changed.set()

    def raise_error(self) -> None:
        """Raise the exception of a source, once. If there is none, add again the URLs that could not be stored."""
        if self._errors:
            raise self._errors.pop(0)
        retries, self._retries = self._retries, []
        for retry in retries:
            retry()

    def add_error(self, error: BaseException) -> None:
        """Let `raise_error` raise an exception. A `CancelledError` becomes a RuntimeError, as if a source had it."""
        if isinstance(error, asyncio.CancelledError):
            error = RuntimeError(f"a callback raised {error!r}")
        self._errors.append(error)
        self._notify()

    def stop(self) -> Collection[asyncio.Task[None]]:
        """Add no more URLs, because the frontier is closed. Return the tasks that read, which have to be cancelled."""
        self._is_stopped = True
        return self._readers

    def _end(self, reader: asyncio.Task[None]) -> None:
        self._readers.discard(reader)
        if not reader.cancelled():
            error = reader.exception()
        else:
            # The rest of the source is lost.
            error = None if self._is_stopped else RuntimeError("the source was cancelled")
        if error is not None:
            self.add_error(error)
        self._notify()

    async def _read(self, source: Iterator[AnyURL], priority: float) -> None:
        try:
            while True:
                async with self._turn:
                    if not await self._read_batch(source, priority):
                        break
                    self._notify()
                    await asyncio.sleep(0)
                with self._inactive():
                    await self._wait_for_space()
        finally:
            self._active -= 1

    async def _read_batch(self, source: Iterator[AnyURL], priority: float) -> bool:
        """Read some URLs, and return whether there may be more."""
        batch: list[AnyURL] = []
        size = await self._batch_size()
        try:
            for url in islice(source, size):
                batch.append(url)  # noqa: PERF402 - keeps the URLs before an exception
        finally:
            # If the source raises an exception, the URLs before it are added.
            await self._until_stored(lambda: self._add(batch, priority))
        return bool(batch)

    async def _read_async(self, source: AsyncIterable[AnyURL], priority: float) -> None:
        reader = asyncio.current_task()
        assert reader is not None
        pending = PendingURLs(lambda urls: self._add_from_async(urls, priority), reader.cancel, self._retry_later)
        try:
            most = 1
            async for url in source:
                if self._is_stopped:
                    # The source has closed the frontier.
                    break
                pending.append(url)
                # The space changes only when URLs are added.
                if len(pending) == 1:
                    most = await self._batch_size()
                if len(pending) >= most:
                    await self._until_stored(pending.flush)
                    await asyncio.sleep(0)
                    await self._wait_for_space()
        except asyncio.CancelledError:
            pending.raise_error()
            raise
        finally:
            if self._is_stopped:
                pending.discard()
            # If the source raises an exception, the URLs before it are added.
            try:
                await self._until_stored(pending.flush)
            finally:
                close = getattr(source, "aclose", None)
                if close is not None:
                    await close()

    def _add_from_async(self, urls: list[AnyURL], priority: float) -> None:
        self._add(urls, priority)
        self._notify()

    async def _until_stored(self, use: Callable[[], Result]) -> Result:
        """Read or write the queue. After a StoreError, do it again when the iteration, which raises it, goes on.

        Raises: Any other exception of `use`.
        """
        while True:
            try:
                return use()
            except StoreError as error:
                goes_on = asyncio.Event()
                self._retry_later(error, goes_on.set)
                await goes_on.wait()

    def _retry_later(self, error: StoreError, retry: Callable[[], object]) -> None:
        self._retries.append(retry)
        self.add_error(error)

    async def _batch_size(self) -> int:
        """Return the number of URLs to read before the space is checked again."""
        return min(max(await self._until_stored(self._space), 1), await self._until_stored(self._batch))

    async def _free_space(self) -> int:
        """Return the number of URLs that the frontier takes, which is 0 while many exceptions are to be raised."""
        return 0 if len(self._errors) >= _MAX_ERRORS else await self._until_stored(self._space)

    async def _wait_for_space(self) -> None:
        self._space_changed.clear()
        if await self._free_space() > 0:
            return
        self._paused += 1
        try:
            # A frontier that waits for this source waits for the next due origin from now on.
            self._notify()
            while await self._free_space() <= 0:
                await self._space_changed.wait()
                self._space_changed.clear()
        finally:
            self._paused -= 1

    @contextmanager
    def _inactive(self) -> Iterator[None]:
        self._active -= 1
        try:
            yield
        finally:
            self._active += 1


class PendingURLs:
    """URLs that are added when the event loop runs next, or earlier by `flush`.

    A source that yields URLs without waiting is added in large batches, and no URL of a source that waits is delayed.

    Args:
        add: Adds URLs to the frontier.
        fail: Called after an exception of `add` in the event loop, except StoreError.
        retry_later: Called after a StoreError in the event loop, with what adds the URLs again.
    """

    def __init__(
        self,
        add: Callable[[list[AnyURL]], object],
        fail: Callable[[], object],
        retry_later: Callable[[StoreError, Callable[[], object]], object],
    ) -> None:
        self._add = add
        self._fail = fail
        self._retry_later = retry_later
        self._is_retried_later = False
        self._urls: list[AnyURL] = []
        self._next_flush: asyncio.Handle | None = None
        self._error: BaseException | None = None

    def __len__(self) -> int:
        return len(self._urls)

    def append(self, url: AnyURL) -> None:
        """Add a URL soon."""
        self._urls.append(url)
        if self._next_flush is None and not self._is_retried_later:
            self._next_flush = asyncio.get_running_loop().call_soon(self._flush_in_loop)

    def flush(self) -> None:
        """Add the URLs now, and raise the exception of `add`. After a StoreError, they are kept."""
        if self._next_flush is not None:
            self._next_flush.cancel()
            self._next_flush = None
        urls, self._urls = self._urls, []
        try:
            if urls:
                self._add(urls)
        except StoreError:
            self._urls = urls
            raise

    def discard(self) -> None:
        """Forget the URLs."""
        self._urls = []

    def raise_error(self) -> None:
        """Raise the exception of `add` in the event loop, if there was one."""
        if self._error is not None:
            raise self._error

    def _flush_in_loop(self) -> None:
        self._is_retried_later = False
        try:
            self.flush()
        except StoreError as error:
            self._is_retried_later = True
            self._retry_later(error, self._flush_in_loop)
        except Exception as error:  # noqa: BLE001 - raised by `raise_error`
            self._error = error
            self._fail()
