"""URLs of an asynchronous source that are added together."""

import asyncio
from collections.abc import Callable

from canfetch.core.urls import AnyURL


class PendingURLs:
    """URLs that are added when the event loop runs next, or earlier by `flush`.

    A source that yields URLs without waiting is added in large batches, and no URL of a source that waits is delayed.

    Args:
        add: Adds URLs to the frontier.
        fail: Called after an exception of `add` in the event loop.
    """

    def __init__(self, add: Callable[[list[AnyURL]], object], fail: Callable[[], object]) -> None:
        self._add = add
        self._fail = fail
        self._urls: list[AnyURL] = []
        self._next_flush: asyncio.Handle | None = None
        self._error: BaseException | None = None

    def __len__(self) -> int:
        return len(self._urls)

    def append(self, url: AnyURL) -> None:
        """Add a URL soon."""
        self._urls.append(url)
        if self._next_flush is None:
            self._next_flush = asyncio.get_running_loop().call_soon(self._flush_in_loop)

    def flush(self) -> None:
        """Add the URLs now, and raise the exception of `add`."""
        if self._next_flush is not None:
            self._next_flush.cancel()
            self._next_flush = None
        urls, self._urls = self._urls, []
        if urls:
            self._add(urls)

    def discard(self) -> None:
        """Forget the URLs."""
        self._urls = []

    def raise_error(self) -> None:
        """Raise the exception of `add` in the event loop, if there was one."""
        if self._error is not None:
            raise self._error

    def _flush_in_loop(self) -> None:
        try:
            self.flush()
        except Exception as error:  # noqa: BLE001 - raised by `raise_error`
            self._error = error
            self._fail()
