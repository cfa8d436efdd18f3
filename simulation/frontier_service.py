"""A model of a URLFrontier service: what its calls do, with the comparisons of times of the reference service.

It does what `tests/urlfrontier_server` does: an earlier date is first, and a queue that has given a URL is last. All
nodes have the same URLs, and each gives those of its own queues.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

_DEFAULT_DELAY: Final = 1
_DEFAULT_LEASE: Final = 30
_DEFAULT_SIZE: Final = 100
_MAX_KEY: Final = 255
_OK: Final = 0
_SKIPPED: Final = 1
_FAIL: Final = 2


class _URL:
    """A URL that is not completed. Times are whole seconds since the epoch."""

    def __init__(self, info: Any, date: int) -> None:
        self.info = info
        self.date = date
        self.held_until = 0


class ServiceQueue:
    """The URLs of a key.

    Attributes:
        blocked_until: The end of its block.
        delay: The seconds between two answers with its URLs.
    """

    def __init__(self) -> None:
        self.urls: dict[str, _URL] = {}
        self.completed: dict[str, Any] = {}
        self.forget()

    def forget(self) -> None:
        """Forget what the reference service has in memory."""
        self.blocked_until = -1
        self.delay = _DEFAULT_DELAY
        self._produced_at = 0
        for url in self.urls.values():
            url.held_until = 0

    def in_process(self, now: int) -> int:
        """Return the number of URLs that are leased."""
        return sum(url.held_until > now for url in self.urls.values())

    def lease(self, now: int, limit: int, seconds: int) -> list[Any]:
        """Lease the URLs that are due, if the queue may give some."""
        # Until a second means to its end.
        is_closed = self.blocked_until >= now or self._produced_at + self.delay >= now
        if is_closed or self.in_process(now) >= limit:
            return []
        due = [url for url in self.urls.values() if url.date <= now and url.held_until <= now]
        leased = sorted(due, key=lambda url: url.date)[:limit]
        for url in leased:
            url.held_until = now + seconds
        if leased:
            self._produced_at = now
        return [url.info for url in leased]

    def discover(self, info: Any, now: int) -> int:
        """Put a URL unless it is known, and return the status."""
        if info.url in self.urls or info.url in self.completed:
            return _SKIPPED
        self.urls[info.url] = _URL(info, now)
        return _OK

    def change(self, info: Any, date: int) -> int:
        """Put a URL with the date of its next visit, or 0 if there is none, and return the status."""
        self.urls.pop(info.url, None)
        self.completed.pop(info.url, None)
        if date:
            self.urls[info.url] = _URL(info, date)
        else:
            self.completed[info.url] = info
        return _OK


class FrontierService:
    """A service, whose nodes have the same URLs.

    Args:
        messages: The message classes of the protocol.
        clock: Returns seconds since the epoch.
        nodes: The number of nodes.
    """

    def __init__(self, messages: Any, clock: Callable[[], float], nodes: int) -> None:
        self._messages = messages
        self._clock = clock
        self._nodes = nodes
        self._crawls: dict[str, dict[str, ServiceQueue]] = {}

    def forget(self) -> None:
        """Restart, with what the reference service stores."""
        for queues in self._crawls.values():
            for queue in queues.values():
                queue.forget()

    def find(self, crawl: str, key: str) -> ServiceQueue | None:
        """Return the queue of a key, if it exists."""
        return self._crawls.get(crawl, {}).get(key)

    def answer(self, node: int, method: str, request: Any) -> list[Any]:
        """Return the answers of a call with one request."""
        if method == "GetURLs":
            return self._get_urls(node, request)
        if method == "ListURLs":
            return self._list_urls(request)
        if method == "GetStats":
            return [self._get_stats(request)]
        queue = self.find(request.crawlID, request.key)
        if queue is not None and method == "BlockQueueUntil":
            queue.blocked_until = request.time
        elif queue is not None:
            queue.delay = request.delay_requestable
        return [self._messages.Empty()]

    def put(self, item: Any, *, fails: bool) -> Any:
        """Put a URL, and return its answer.

        Args: fails: Whether the service does not accept it.
        """
        is_known = item.HasField("known")
        info = item.known.info if is_known else item.discovered.info
        if fails:
            status = _FAIL
        elif not info.key or len(info.key) > _MAX_KEY:
            status = _SKIPPED
        else:
            queue = self._crawls.setdefault(info.crawlID, {}).setdefault(info.key, ServiceQueue())
            date = item.known.refetchable_from_date
            status = queue.change(info, date) if is_known else queue.discover(info, int(self._clock()))
        return self._messages.AckMessage(ID=item.ID or info.url, status=status)

    def _get_urls(self, node: int, request: Any) -> list[Any]:
        now = int(self._clock())
        queues = self._crawls.get(request.crawlID, {})
        found: list[Any] = []
        given = 0
        for key, queue in list(queues.items()):
            is_wanted = request.key in ("", key) and zlib.crc32(key.encode()) % self._nodes == node
            limit = request.max_urls_per_queue or len(queue.urls)
            leased = queue.lease(now, limit, request.delay_requestable or _DEFAULT_LEASE) if is_wanted else []
            if leased:
                found += leased
                given += 1
                queues[key] = queues.pop(key)
            if given == request.max_queues > 0:
                break
        return found

    def _list_urls(self, request: Any) -> list[Any]:
        items = [
            self._messages.URLItem(known=self._messages.KnownURLItem(info=info, refetchable_from_date=date))
            for queue in self._matching(request)
            for info, date in _listed(queue)
        ]
        return items[request.start :][: request.size or _DEFAULT_SIZE]

    def _get_stats(self, request: Any) -> Any:
        queues = self._matching(request)
        stats = self._messages.Stats(
            crawlID=request.crawlID,
            size=sum(len(queue.urls) for queue in queues),
            inProcess=sum(queue.in_process(int(self._clock())) for queue in queues),
            numberOfQueues=len(queues),
        )
        stats.counts["completed"] = sum(len(queue.completed) for queue in queues)
        return stats

    def _matching(self, request: Any) -> Sequence[ServiceQueue]:
        queues = self._crawls.get(request.crawlID, {})
        return [queue for key, queue in queues.items() if request.key in ("", key)]


def _listed(queue: ServiceQueue) -> Iterator[tuple[Any, int]]:
    yield from ((url.info, url.date) for url in queue.urls.values())
    yield from ((info, 0) for info in queue.completed.values())
