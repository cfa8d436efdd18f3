"""Concurrent loading for a stream of items, which keep their order.

One thread reads the items, so that a slow list does not delay answers. Other threads load one key each.
All threads are daemons: a caller can stop early, and no waiting request keeps the process alive.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, Generic, NamedTuple, TypeVar

from canfetch.cli.shared.command_errors import CommandError
from canfetch.errors import CanfetchError

Item = TypeVar("Item")
Loaded = TypeVar("Loaded")

_MAX_WAITING_ITEMS: Final = 4096
# Queued keys for each key that is being loaded: the results of all of them are in memory.
_QUEUED_KEYS_PER_LOADER: Final = 2
# On Windows, Ctrl-C is only noticed between two waits.
_WAIT_SECONDS: Final = 0.5


class _Load(Generic[Loaded]):
    """The result for one key, and the number of items that wait for it: 0 if it was known without loading."""

    __slots__ = ("error", "items", "key", "result")

    def __init__(self, key: str, items: int, result: Loaded | None, error: BaseException | None) -> None:
        self.key = key
        self.items = items
        self.result = result
        self.error = error


class _Row(NamedTuple, Generic[Item, Loaded]):
    item: Item
    weight: int
    load: _Load[Loaded]


class Prefetcher(Generic[Item, Loaded]):
    """An iterator over items, each with the result for its key or with the error.

    Items that wait at the same time and have the same key share one load. Only keys that have to be loaded take a lock:
    the reader appends rows, the iterating thread removes them, and each wakes the other only if that one waits.

    Args:
        items: Read and closed by a separate thread. An error that they raise ends the iteration.
        find: Returns the result for an item if no load is needed, otherwise None. Called by the reader, like `to_key`.
        to_key: Returns the key of an item. A CanfetchError or CommandError becomes the result of that item.
        to_weight: Returns the approximate memory of an item.
        load: Returns the result for a key. Called in threads, never twice for one key at the same time. A
            CanfetchError becomes the result of all items with that key; any other error ends the iteration.
        parallel: Number of keys to load at the same time.
        max_weight: Total weight of waiting items.
        before_wait: Called when the next result is not ready, for example to flush output.
    Cost: At most 4096 items, `max_weight`, and three times `parallel` keys are in memory.
    """

    def __init__(
        self,
        items: Iterator[Item],
        *,
        find: Callable[[Item], Loaded | None],
        to_key: Callable[[Item], str],
        to_weight: Callable[[Item], int],
        load: Callable[[str], Loaded],
        parallel: int,
        max_weight: int,
        before_wait: Callable[[], object],
    ) -> None:
        self._items = items
        self._find = find
        self._to_key = to_key
        self._to_weight = to_weight
        self._load_key = load
        self._parallel = parallel
        self._max_weight = max_weight
        self._before_wait = before_wait
        self._changed = threading.Condition()
        self._rows: deque[_Row[Item, Loaded]] = deque()
        # Each is written by one thread only: the reader and the iterating thread.
        self._added_weight = 0
        self._released_weight = 0
        self._loads: dict[str, _Load[Loaded]] = {}
        self._queue: deque[_Load[Loaded]] = deque()
        self._loaders = 0
        self._reader_waits = False
        self._iterator_waits = False
        self._all_read = False
        self._closed = False
        self._reader_error: BaseException | None = None

    def __iter__(self) -> Iterator[tuple[Item, Loaded | CanfetchError | CommandError]]:
        threading.Thread(target=self._read_items, name="canfetch-read", daemon=True).start()
        try:
            while (row := self._next_row()) is not None:
                load = row.load
                if load.result is not None:
                    yield row.item, load.result
                elif isinstance(load.error, CanfetchError | CommandError):
                    yield row.item, load.error
                elif load.error is not None:
                    raise load.error
                self._release(row)
            if self._reader_error is not None:
                raise self._reader_error
        finally:
            with self._changed:
                self._closed = True
                self._changed.notify_all()

    def _next_row(self) -> _Row[Item, Loaded] | None:
        if not self._is_next_ready():
            self._before_wait()
            with self._changed:
                # Set before the rows are read again, so that a row in between is not missed.
                self._iterator_waits = True
                while not self._is_next_ready():
                    self._changed.wait(_WAIT_SECONDS)
                    self._iterator_waits = True
                self._iterator_waits = False
        return self._rows.popleft() if self._rows else None

    def _is_next_ready(self) -> bool:
        # Read first: once it is true, the reader adds no row.
        all_read = self._all_read
        if not self._rows:
            return all_read
        load = self._rows[0].load
        return load.result is not None or load.error is not None

    def _release(self, row: _Row[Item, Loaded]) -> None:
        self._released_weight += row.weight
        load = row.load
        if load.items:
            with self._changed:
                load.items -= 1
                if not load.items:
                    self._loads.pop(load.key, None)
                if self._reader_waits:
                    self._changed.notify_all()
        elif self._reader_waits and self._is_half_empty():
            with self._changed:
                # Reset here, because the reader may wake many rows later.
                self._reader_waits = False
                self._changed.notify_all()

    def _is_half_empty(self) -> bool:
        # Waking the reader for every row would switch threads for every row.
        if len(self._rows) > _MAX_WAITING_ITEMS // 2:
            return False
        return not self._rows or self._added_weight - self._released_weight <= self._max_weight // 2

    def _read_items(self) -> None:
        try:
            for item in self._items:
                if not self._add(item):
                    break
        except BaseException as error:  # noqa: BLE001 - raised in the iterating thread
            self._reader_error = error
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()
            with self._changed:
                self._all_read = True
                self._changed.notify_all()

    def _add(self, item: Item) -> bool:
        """Queue an item as soon as the limits permit. Return False if the iteration has ended."""
        weight = self._to_weight(item)
        key: str | None = None
        result: Loaded | None = None
        error: CanfetchError | CommandError | None = None
        try:
            result = self._find(item)
            if result is None:
                key = self._to_key(item)
        except (CanfetchError, CommandError) as item_error:
            error = item_error
        if not self._wait_for_space(weight, key):
            return False
        load = _Load("", 0, result, error) if key is None else self._load_of(key)
        self._added_weight += weight
        self._rows.append(_Row(item, weight, load))
        if self._iterator_waits:
            with self._changed:
                self._iterator_waits = False
                self._changed.notify_all()
        return True

    def _wait_for_space(self, weight: int, key: str | None) -> bool:
        if not self._fits(weight, key):
            with self._changed:
                # Set before the limits are read again, so that a release in between is not missed.
                self._reader_waits = True
                while not (self._closed or self._fits(weight, key)):
                    self._changed.wait()
                    self._reader_waits = True
                self._reader_waits = False
        return not self._closed

    def _fits(self, weight: int, key: str | None) -> bool:
        if not self._rows:
            return True
        if (
            len(self._rows) >= _MAX_WAITING_ITEMS
            or self._added_weight - self._released_weight + weight > self._max_weight
        ):
            return False
        return key is None or key in self._loads or len(self._loads) < self._parallel * (1 + _QUEUED_KEYS_PER_LOADER)

    def _load_of(self, key: str) -> _Load[Loaded]:
        """Return the load for a key with one more item. Start it if there is none."""
        with self._changed:
            load = self._loads.get(key)
            if load is not None:
                load.items += 1
                return load
            load = self._loads[key] = _Load(key, 1, None, None)
            self._queue.append(load)
            if self._loaders < self._parallel:
                self._loaders += 1
                threading.Thread(target=self._run_loads, name="canfetch-load", daemon=True).start()
            return load

    def _run_loads(self) -> None:
        while True:
            with self._changed:
                if self._closed or not self._queue:
                    self._loaders -= 1
                    return
                load = self._queue.popleft()
            try:
                result = self._load_key(load.key)
            except BaseException as error:  # noqa: BLE001 - raised in the iterating thread
                load.error = error
            else:
                load.result = result
            with self._changed:
                self._changed.notify_all()
