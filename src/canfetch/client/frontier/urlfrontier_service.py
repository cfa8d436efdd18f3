"""A crawl in a URLFrontier service: what the calls of the protocol do for it."""

import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from canfetch.client.frontier.queue_values import AddedURLs, FailedURL
from canfetch.client.frontier.url_identity import IdentifiedURL
from canfetch.client.frontier.urlfrontier_connection import OK, PutItem, URLFrontierConnection, running_seconds
from canfetch.client.frontier.urlfrontier_metadata import (
    FAILED_DATE,
    delays_metadata,
    failed_metadata,
    read_delays,
)
from canfetch.client.loggers import CLIENT_LOGGER

# The longest delay that is set for a queue. What is longer can be a visit time, and is a block only.
MAX_DELAY: Final = 60
# The number of queues whose delays are known.
_KNOWN_DELAYS: Final = 50_000
# The number of calls in which no more URLs are put than an origin has room for.
_EXACT_ROUNDS: Final = 8


class CrawlService:
    """A crawl in a service. Dates are whole seconds since the epoch, and 0 for never.

    Args:
        connection: The service.
        crawl: The ID of the crawl. Failed URLs are in a second one, and the delays of groups in a third one.
        lease: Seconds for which URLs are leased.
        clock: Returns the time of the frontier.
    """

    def __init__(
        self, connection: URLFrontierConnection, crawl: str, *, lease: int, clock: Callable[[], float]
    ) -> None:
        self.connection = connection
        self._messages = connection.messages
        self.crawl = crawl
        self._failed_crawl = f"{crawl}.failed"
        self._delays_crawl = f"{crawl}.delays"
        self._lease = lease
        self._clock = clock
        # By key: the node and the end of the last block, and the last delay that was set.
        self._blocks: dict[str, tuple[int, int]] = {}
        self._delays: OrderedDict[str, int] = OrderedDict()
        self._outages = 0
        # The thread that renews leases blocks queues, too.
        self._lock = threading.Lock()

    def stats(self, *, node: int = 0, key: str = "", of_failed: bool = False) -> Any:
        """Return the numbers of URLs of the crawl, or of one queue."""
        crawl = self._failed_crawl if of_failed else self.crawl
        return self._call(node, "GetStats", self._messages.QueueWithinCrawlParams(crawlID=crawl, key=key))

    def new_url(self, url: str, key: str) -> Any:
        """Return the message of a URL."""
        return self._messages.URLInfo(url=url, key=key, crawlID=self.crawl)

    def copy(self, info: Any) -> Any:
        """Return a copy of a URL."""
        copied = self._messages.URLInfo()
        copied.CopyFrom(info)
        return copied

    def lease_urls(self, node: int, queues: int) -> tuple[list[Any], float]:
        """Lease URLs of queues that are due, one of each. Return them, and when their leases expire.

        Before each call, the queues that the service can have forgotten to block are blocked again.
        """
        # The service counts from the beginning of the second.
        seconds = self._lease + 1
        request = self._messages.GetParams(
            max_urls_per_queue=1, max_queues=queues, delay_requestable=seconds, crawlID=self.crawl
        )

        def call() -> tuple[list[Any], float]:
            self._repeat_blocks()
            lost_at = running_seconds() + self._lease
            return self.connection.get_once(node, "GetURLs", request), lost_at

        return self.connection.repeat(call)

    def put(self, node: int, info: Any, date: int, *, until: float = math.inf) -> None:
        """Put a URL that may be fetched from a date on."""
        self.connection.put(node, [PutItem(info, date)], until=until)

    def put_failed(self, node: int, info: Any, failed: FailedURL, *, until: float) -> None:
        """Put a URL into the crawl of the failed ones."""
        listed = self.copy(info)
        listed.crawlID = self._failed_crawl
        failed_metadata(listed, failed)
        self.put(node, listed, FAILED_DATE, until=until)

    def list_failed(self, after: int, limit: int) -> list[tuple[int, Any]]:
        """Return failed URLs with their positions, which are greater than `after`."""
        while True:
            request = self._messages.ListUrlParams(start=after, size=limit, crawlID=self._failed_crawl)
            items = self.connection.get(0, "ListURLs", request)
            # Those that were queued again are completed.
            found = [
                (position, item.known.info)
                for position, item in enumerate(items, after + 1)
                if item.known.refetchable_from_date == FAILED_DATE
            ]
            if found or not items:
                return found
            after += len(items)

    def group_delays(self, node: int, keys: Sequence[str], *, until: float) -> list[dict[str, float]]:
        """Return the delays of the origins of each group, which any process has put."""
        requests = [self._messages.ListUrlParams(size=1, key=key, crawlID=self._delays_crawl) for key in keys]
        answers = self.connection.get_each(node, "ListURLs", requests, until=until)
        return [read_delays(items[0].known.info) if items else {} for items in answers]

    def put_group_delays(self, node: int, key: str, delays: Mapping[str, float], *, until: float) -> None:
        """Put the delays of the origins of a group, as the metadata of a URL that is never fetched."""
        info = self._messages.URLInfo(url=f"https://{key}/", key=key, crawlID=self._delays_crawl)
        delays_metadata(info, delays)
        self.put(node, info, FAILED_DATE, until=until)

    def block(self, node: int, key: str, end: int, *, until: float = math.inf) -> None:
        """Block a queue until a date."""
        request = self._block_request(key, end)

        def call() -> None:
            # A block that has ended would replace that of a process that was given a URL of the queue since then.
            if end >= wall_clock():
                self.connection.call_once(node, "BlockQueueUntil", request)

        self.connection.repeat(call, until)
        self._note_block(node, key, end)

    def unblock(self, node: int, key: str, end: int = 0, *, until: float) -> None:
        """End the block of a queue at an earlier date or now, or leave that to the end of the lease if the call fails.

        The call is not repeated: if it had an effect, another process can have blocked the queue since then. A process
        whose lease has ended does not call.
        """
        self._note_block(node, key, end)
        if running_seconds() >= until:
            return
        try:
            request = self._block_request(key, end)
            self.connection.call_once(node, "BlockQueueUntil", request, seconds=self._lease / 4)
        except Exception as error:
            if not self.connection.is_call_error(error):
                raise
            CLIENT_LOGGER.warning("%s: %s stays blocked until the end of a lease", self.connection.name, key)

    def block_once(self, node: int, key: str, end: int) -> None:
        """Block a queue until a date, with one call and a short timeout."""
        request = self._block_request(key, end)
        self.connection.call_once(node, "BlockQueueUntil", request, seconds=self._lease / 4)
        self._note_block(node, key, end)

    def _repeat_blocks(self) -> None:
        """Block the queues again that are blocked, after the service was away: it can have forgotten that."""
        now = wall_clock()
        outages = self.connection.outages
        with self._lock:
            self._blocks = {key: (node, end) for key, (node, end) in self._blocks.items() if end >= now}
            blocks = list(self._blocks.items()) if outages != self._outages else []
        if outages != self._outages:
            self._outages = outages
            self._delays.clear()
        for key, (node, end) in blocks:
            self.connection.repeat(partial(self._repeat_block, node, key, end))

    def _repeat_block(self, node: int, key: str, end: int) -> None:
        # The thread that renews leases changes blocks, too. The lock is held during the call, so that this block does
        # not replace a later one.
        with self._lock:
            if self._blocks.get(key) == (node, end) and end >= wall_clock():
                request = self._block_request(key, end)
                self.connection.call_once(node, "BlockQueueUntil", request, seconds=self._lease / 4)

    def set_delay(self, node: int, key: str, seconds: float) -> None:
        """Set the delay of a queue, which is also for other crawlers."""
        delay = max(math.ceil(seconds), 0)
        if delay > MAX_DELAY or self._delays.get(key) == delay:
            return
        request = self._messages.QueueDelayParams(key=key, delay_requestable=delay, crawlID=self.crawl)
        self._call(node, "SetDelay", request)
        self._delays[key] = delay
        if len(self._delays) > _KNOWN_DELAYS:
            self._delays.popitem(last=False)

    def date(self, at: float) -> int:
        """Return a time of the frontier as a date, never earlier."""
        return max(math.ceil(wall_clock() + (at - self._clock())), 1)

    @staticmethod
    def now() -> int:
        """Return a date at which a URL may be fetched at once."""
        return max(int(wall_clock()), 1)

    def _call(self, node: int, method: str, request: Any, *, until: float = math.inf) -> Any:
        return self.connection.call(node, method, request, until=until)

    def _block_request(self, key: str, end: int) -> Any:
        return self._messages.BlockQueueParams(key=key, time=end, crawlID=self.crawl)

    def _note_block(self, node: int, key: str, end: int) -> None:
        with self._lock:
            self._blocks.pop(key, None)
            if end:
                self._blocks[key] = (node, end)


class _Given(NamedTuple):
    url: IdentifiedURL
    item: PutItem


class LimitedURLs:
    """Puts URLs within the limit of each origin.

    The protocol has no such limit, and does not say which URLs are known without adding them.

    Two processes that put URLs of one origin at the same time can exceed the limit, and so can a batch with many known
    URLs of an origin with little room.

    Args:
        service: The crawl.
        limit: The number of URLs of one origin, or None.
    """

    def __init__(self, service: CrawlService, limit: int | None) -> None:
        self._service = service
        self._limit = limit
        # The numbers of URLs that still fit, by the key of their queue.
        self._rooms: dict[str, float] = {}
        self._over: list[IdentifiedURL] = []

    def put(self, urls: Sequence[tuple[IdentifiedURL, PutItem]]) -> AddedURLs:
        """Put URLs. Known ones for which their origin has no room are refused as well."""
        rest = [_Given(*each) for each in urls]
        added = rounds = 0
        while rest:
            # Each known URL leaves room for another one. So that this does not take a call for each, later calls have
            # more URLs than there is room for.
            fitting, rest = self._split(rest, 2 ** max(rounds - _EXACT_ROUNDS, 0))
            rounds += 1
            statuses = self._service.connection.put(0, fitting) if fitting else ()
            for item, status in zip(fitting, statuses, strict=True):
                self._rooms[item.info.key] -= status == OK
                added += status == OK
        return AddedURLs(added, self._over)

    def _split(self, given: list[_Given], factor: int) -> tuple[list[PutItem], list[_Given]]:
        """Return the URLs that fit if all are new, and those that fit if some are not. Refuse the others.

        Args: factor: How many URLs are returned for each one that fits.
        """
        fitting: list[PutItem] = []
        rest: list[_Given] = []
        taken: Counter[str] = Counter()
        for each in given:
            key = each.item.info.key
            room = self._room(key)
            if room <= 0:
                self._over.append(each.url)
            elif taken[key] < room * factor:
                taken[key] += 1
                fitting.append(each.item)
            else:
                rest.append(each)
        return fitting, rest

    def _room(self, key: str) -> float:
        if key not in self._rooms:
            room = math.inf
            if self._limit is not None:
                stats = self._service.stats(key=key)
                room = self._limit - stats.size - stats.counts["completed"]
            self._rooms[key] = room
        return self._rooms[key]


def wall_clock() -> float:
    """Return the time of this machine, which the service has to agree with, in seconds since the epoch."""
    return time.time()
