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
    """The result for one key, and the number of items that wait for it."""

    __slots__ = ("error", "items", "key", "result")

    def __init__(self, key: str) -> None:
        self.key = key
        self.items = 1
        self.result: Loaded | None = None
        self.error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        return self.result is not None or self.error is not None


class _Row(NamedTuple, Generic[Item, Loaded]):
    item: Item
    weight: int
    load: _Load[Loaded]


class Prefetcher(Generic[Item, Loaded]):
    """An iterator over items, each with the result for its key or with the error.

    Items that wait at the same time and have the same key share one load.

    Args:
        items: Read and closed by a separate thread. An error that they raise ends the iteration.
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
        to_key: Callable[[Item], str],
        to_weight: Callable[[Item], int],
        load: Callable[[str], Loaded],
        parallel: int,
        max_weight: int,
        before_wait: Callable[[], object],
    ) -> None:
        self._items = items
        self._to_key = to_key
        self._to_weight = to_weight
        self._load_key = load
        self._parallel = parallel
        self._max_weight = max_weight
        self._before_wait = before_wait
        self._changed = threading.Condition()
        self._rows: deque[_Row[Item, Loaded]] = deque()
        self._weight = 0
        self._loads: dict[str, _Load[Loaded]] = {}
        self._queue: deque[_Load[Loaded]] = deque()
        self._loaders = 0
        self._reader_waits = False
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
            while not self._is_next_ready():
                self._changed.wait(_WAIT_SECONDS)
            return self._rows.popleft() if self._rows else None

    def _is_next_ready(self) -> bool:
        return self._rows[0].load.is_done if self._rows else self._all_read

    def _release(self, row: _Row[Item, Loaded]) -> None:
        with self._changed:
            self._weight -= row.weight
            row.load.items -= 1
            if not row.load.items:
                self._loads.pop(row.load.key, None)
            if self._reader_waits:
                self._changed.notify_all()

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
        error: CanfetchError | CommandError | None = None
        key = ""
        try:
            key = self._to_key(item)
        except (CanfetchError, CommandError) as item_error:
            error = item_error
        with self._changed:
            while not (self._closed or self._fits(key, weight)):
                self._reader_waits = True
                self._changed.wait()
            self._reader_waits = False
            if self._closed:
                return False
            load: _Load[Loaded] | None = None if error is not None else self._loads.get(key)
            if load is not None:
                load.items += 1
            else:
                load = _Load(key)
                load.error = error
                if error is None:
                    self._start(load)
            self._rows.append(_Row(item, weight, load))
            self._weight += weight
            self._changed.notify_all()
        return True

    def _fits(self, key: str, weight: int) -> bool:
        if not self._rows:
            return True
        keys = len(self._loads) + (key not in self._loads)
        return (
            len(self._rows) < _MAX_WAITING_ITEMS
            and self._weight + weight <= self._max_weight
            and keys <= self._parallel * (1 + _QUEUED_KEYS_PER_LOADER)
        )

    def _start(self, load: _Load[Loaded]) -> None:
        self._loads[load.key] = load
        self._queue.append(load)
        if self._loaders < self._parallel:
            self._loaders += 1
            threading.Thread(target=self._run_loads, name="canfetch-load", daemon=True).start()

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
