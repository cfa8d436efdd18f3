"""The memory of a client: origins up to a limit in bytes. The least recently used origin is evicted first."""

import heapq
import threading
from collections.abc import Callable
from typing import Final

from canfetch.client.forking import reset_on_fork
from canfetch.client.origin_state import CachedFile, OriginState
from canfetch.client.origin_table import OriginTable
from canfetch.core.origin import Origin
from canfetch.core.urls import AnyURL

_SPARE_HEAP_ITEMS: Final = 64


class OriginCache:
    """Origin states by the name of the origin, safe for use by several threads.

    The states are in an `OriginTable`. Lookups do not take the lock of the cache: they only mark the origin in the
    table as used. A heap holds the origins by the time of the last use that was known when they were pushed. To evict,
    origins that were used since are pushed again, and the first other one is removed.

    Args:
        create_table: Returns an empty table.

    Attributes:
        allows: `OriginTable.allows`. Returns whether the agent of the client may fetch a URL, or None if that takes
            more than a lookup.
        find_canonical: `OriginTable.find`. Returns the state of the origin of a URL that begins with the name of the
            origin, or None, and marks it as used.
    """

    __slots__ = (
        "__weakref__",
        "_create_table",
        "_evictions",
        "_files",
        "_heap",
        "_lock",
        "_max_bytes",
        "_memory_bytes",
        "_pushed",
        "_table",
        "allows",
        "find_canonical",
    )

    def __init__(self, max_bytes: int, create_table: Callable[[], OriginTable] = OriginTable) -> None:
        self._max_bytes = max_bytes
        self._create_table = create_table
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
        self._table = self._create_table()
        self.allows = self._table.allows
        self.find_canonical = self._table.find
        # Pairs of the time of a use and a name. A name can be in the heap twice. `_pushed` has the current pair,
        # and the state, because the table counts each lookup as a use.
        self._heap: list[tuple[int, str]] = []
        self._pushed: dict[str, tuple[OriginState, int]] = {}
        # Files by content: thousands of hosts on one platform can have the same file.
        self._files: dict[bytes, CachedFile] = {}

    def __len__(self) -> int:
        return len(self._table)

    @property
    def memory_bytes(self) -> int:
        """The approximate memory of all origins, in bytes."""
        return self._memory_bytes

    @property
    def hits(self) -> int:
        """Number of lookups that found an origin."""
        with self._lock:
            return self._table.hits

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
        state = self.find_canonical(url)
        return self.get(str(Origin.from_url(url))) if state is None else state

    def get(self, name: str) -> OriginState | None:
        """Return the state of an origin, or None, and mark it as used."""
        return self._table.get(name)

    def put(self, state: OriginState) -> None:
        """Add or replace the state of an origin, and evict others while the cache is over its limit.

        Cost: O(log origins), and the same again for each origin that was used since it was pushed to the heap, while
            origins are evicted.
        """
        with self._lock:
            self._put(state)

    def _put(self, state: OriginState) -> None:
        # The string of the entry exists anyway, so the key takes no memory.
        name = state.entry.origin
        # Before the state is found by lookups, because it may get the file of another origin.
        self._add_memory(state)
        previous, number = self._table.put(name, state)
        if previous is not None:
            self._subtract_memory(previous)
        pushed = self._pushed.get(name)
        if pushed is None:
            self._push(name, state, number)
        else:
            self._pushed[name] = state, pushed[1]
        while self._memory_bytes > self._max_bytes and len(self._table) > 1:
            self._evict_one()

    def set_back(self, seconds: float) -> None:
        """Let all origins expire, because the clock was set back. See `OriginState.set_back`.

        Cost: O(log origins) for each origin, and all of them count as recently used.
        """
        with self._lock:
            for state, _ in list(self._pushed.values()):
                self._put(state.set_back(seconds))

    def remove(self, name: str) -> None:
        """Remove an origin."""
        with self._lock:
            state = self._table.pop(name)
            if state is not None:
                del self._pushed[name]
                self._subtract_memory(state)
                if len(self._heap) > 2 * len(self._table) + _SPARE_HEAP_ITEMS:
                    # Removed names are still in the heap.
                    self._heap = [(number, name) for name, (_, number) in self._pushed.items()]
                    heapq.heapify(self._heap)

    def _push(self, name: str, state: OriginState, number: int) -> None:
        self._pushed[name] = state, number
        heapq.heappush(self._heap, (number, name))

    def _evict_one(self) -> None:
        number, name = heapq.heappop(self._heap)
        pushed = self._pushed.get(name)
        if pushed is None or pushed[1] != number:
            return
        state, _ = pushed
        last_used = self._table.last_used(name)
        if last_used > number:
            self._push(name, state, last_used)
            return
        del self._pushed[name]
        self._table.pop(name)
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
