"""The memory of a client: origins up to a limit in bytes. The least recently used origin is evicted first."""

import heapq
import threading
from itertools import count
from typing import Final

from canfetch.client.cached_file import CachedFile
from canfetch.client.forking import reset_on_fork
from canfetch.client.origin_state import OriginState
from canfetch.core.origin import Origin
from canfetch.core.urls import AnyURL

_SPARE_HEAP_ITEMS: Final = 64
MIN_NAME_LENGTH: Final = len("http://a")


class OriginCache:
    """Origin states by the name of the origin, safe for use by several threads.

    Lookups take no lock. They only set `last_used` of the state to the next number. A heap holds the origins by the
    `last_used` that was known when they were pushed. To evict, origins that were used since are pushed again, and the
    first other one is removed.

    Attributes:
        by_name: The states, for `allows` of the clients, which cannot afford a call of `find`. Only for reading.
        next_number: Returns the next number for `last_used`.
    """

    __slots__ = (
        "__weakref__",
        "_evictions",
        "_files",
        "_heap",
        "_heap_number",
        "_lock",
        "_max_bytes",
        "_memory_bytes",
        "_numbers_without_hit",
        "by_name",
        "next_number",
    )

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._evictions = 0
        self._clear()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Clear the cache if another thread of the parent was changing it during the fork."""
        if self._lock.locked():
            self._clear()

    def _clear(self) -> None:
        self._memory_bytes = 0
        self._lock = threading.Lock()
        self.by_name: dict[str, OriginState] = {}
        self.next_number = count(1).__next__
        # Numbers that were taken for something else than a lookup.
        self._numbers_without_hit = 0
        # Pairs of `last_used` and name. A name can be in the heap twice; `_heap_number` records which pair is current.
        self._heap: list[tuple[int, str]] = []
        self._heap_number: dict[str, int] = {}
        # Files by content: thousands of hosts on one platform can have the same file.
        self._files: dict[bytes, CachedFile] = {}

    def __len__(self) -> int:
        return len(self.by_name)

    @property
    def memory_bytes(self) -> int:
        """The approximate memory of all origins, in bytes."""
        return self._memory_bytes

    @property
    def hits(self) -> int:
        """Number of lookups that found an origin. They are the numbers that were taken, so they cost nothing."""
        with self._lock:
            self._numbers_without_hit += 1
            return self.next_number() - self._numbers_without_hit

    @property
    def evictions(self) -> int:
        """Number of origins that were evicted."""
        return self._evictions

    def find(self, url: AnyURL) -> OriginState | None:
        """Return the state of the origin of `url`, or None, and mark it as used.

        Raises: InvalidURL.
        Cost: One dictionary lookup if `url` starts with the canonical name of a cached origin. Otherwise the URL is
            parsed.
        """
        if isinstance(url, str):
            # The slash after the host, if the scheme is http or https and the host has a character. If not, the text
            # before it is no name of an origin. Compare up to the slash, so that a URL of https://example.com does not
            # find https://example.co.
            end = url.find("/", MIN_NAME_LENGTH)
            state = self.by_name.get(url[:end]) if end > 0 else None
            if state is not None:
                state.last_used = self.next_number()
                return state
        return self.get(str(Origin.from_url(url)))

    def get(self, name: str) -> OriginState | None:
        """Return the state of an origin, or None, and mark it as used."""
        state = self.by_name.get(name)
        if state is not None:
            state.last_used = self.next_number()
        return state

    def put(self, state: OriginState) -> None:
        """Add or replace the state of an origin, and evict others while the cache is over its limit.

        Cost: O(log origins), and the same again for each origin that was used since it was pushed to the heap, while
            origins are evicted.
        """
        # The string of the entry exists anyway, so the key takes no memory.
        name = state.entry.origin
        with self._lock:
            previous = self.by_name.get(name)
            self._add_memory(state)
            self._numbers_without_hit += 1
            state.last_used = self.next_number()
            # Replaced in place, so that lookups without the lock always find the origin.
            self.by_name[name] = state
            if previous is not None:
                self._subtract_memory(previous)
            if name not in self._heap_number:
                self._push(name, state.last_used)
            while self._memory_bytes > self._max_bytes and len(self.by_name) > 1:
                self._evict_one()

    def remove(self, name: str) -> None:
        """Remove an origin."""
        with self._lock:
            state = self.by_name.pop(name, None)
            if state is not None:
                del self._heap_number[name]
                self._subtract_memory(state)
                if len(self._heap) > 2 * len(self.by_name) + _SPARE_HEAP_ITEMS:
                    # Removed names are still in the heap.
                    self._heap = [(number, name) for name, number in self._heap_number.items()]
                    heapq.heapify(self._heap)

    def _push(self, name: str, number: int) -> None:
        self._heap_number[name] = number
        heapq.heappush(self._heap, (number, name))

    def _evict_one(self) -> None:
        number, name = heapq.heappop(self._heap)
        if self._heap_number.get(name) != number:
            return
        state = self.by_name[name]
        if state.last_used > number:
            self._push(name, state.last_used)
            return
        del self._heap_number[name], self.by_name[name]
        self._evictions += 1
        self._subtract_memory(state)

    def _add_memory(self, state: OriginState) -> None:
        self._memory_bytes += state.memory_bytes
        if state.file is None:
            return
        file = self._files.setdefault(state.file.content, state.file)
        if file is not state.file:
            state.share_file(file)
        if not file.reference_count:
            self._memory_bytes += file.memory_bytes
        file.reference_count += 1

    def _subtract_memory(self, state: OriginState) -> None:
        self._memory_bytes -= state.memory_bytes
        file = state.file
        if file is None:
            return
        file.reference_count -= 1
        if not file.reference_count:
            self._memory_bytes -= file.memory_bytes
            del self._files[file.content]
