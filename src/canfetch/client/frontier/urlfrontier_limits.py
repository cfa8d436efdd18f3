"""URLs that are added to a URLFrontier service, within the limit of each origin.

The protocol has no such limit, and does not say which URLs are known without adding them.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from canfetch.client.frontier.queue_values import AddedURLs
from canfetch.client.frontier.url_identity import IdentifiedURL
from canfetch.client.frontier.urlfrontier_connection import OK, PutItem
from canfetch.client.frontier.urlfrontier_service import CrawlService

# The number of calls in which no more URLs are put than an origin has room for.
_EXACT_ROUNDS: Final = 8


class _Given(NamedTuple):
    url: IdentifiedURL
    item: PutItem


class LimitedURLs:
    """Puts URLs, and each origin has a limit.

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
