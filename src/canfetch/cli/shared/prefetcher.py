"""Items in their order, each with what had to be waited for, while what later items need is waited for already.

One thread reads the items, so that a list that is still being written holds no answer up; others learn, one key each.
All are daemons: whoever does not want the rest leaves, and nothing that still waits for a network holds the end up.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, Generic, NamedTuple, TypeVar

from canfetch.cli.shared.problems import Problem
from canfetch.errors import CanfetchError

Item = TypeVar("Item")
Learned = TypeVar("Learned")

_ITEMS_AHEAD: Final = 4096
# Keys that are known and not yet asked for, for each that is being learned: what is known of them is in memory.
_KEYS_AHEAD: Final = 2
# Windows hears of ctrl-C only between two waits.
_WAIT_SECONDS: Final = 0.5


class _Lesson(Generic[Learned]):
    """What is learned about one key, and how many items wait for it."""

    __slots__ = ("error", "items", "key", "learned")

    def __init__(self, key: str) -> None:
        self.key = key
        self.items = 1
        self.learned: Learned | None = None
        self.error: BaseException | None = None

    @property
    def is_over(self) -> bool:
        return self.learned is not None or self.error is not None


class _Row(NamedTuple, Generic[Item, Learned]):
    item: Item
    weight: int
    lesson: _Lesson[Learned]


class Ahead(Generic[Item, Learned]):
    """An iterator over items, each with what was learned about its key, or with the error that says why not.

    Items that wait at the same time and have the same key share one lesson.

    Args:
        items: read by a thread of its own, which also closes them; an error that they raise ends the iteration.
        key_of: gives an item's key; a CanfetchError or Problem is the item's own.
        weight_of: gives about how much memory an item takes.
        learn: learns about a key; called in threads, for one key at a time once. A CanfetchError is that of all
            who wait for it; any other error ends the iteration.
        parallel: how many keys are learned at the same time.
        most_weight: how much memory waiting items may take.
        before_waiting: called when the next item is not there yet, so that what was made of the last one can go out.
    Cost: 4096 items, `most_weight`, and three times `parallel` keys are in memory.
    """

    def __init__(
        self,
        items: Iterator[Item],
        *,
        key_of: Callable[[Item], str],
        weight_of: Callable[[Item], int],
        learn: Callable[[str], Learned],
        parallel: int,
        most_weight: int,
        before_waiting: Callable[[], object],
    ) -> None:
        self._items = items
        self._key_of = key_of
        self._weight_of = weight_of
        self._learn = learn
        self._parallel = parallel
        self._most_weight = most_weight
        self._before_waiting = before_waiting
        self._changed = threading.Condition()
        self._rows: deque[_Row[Item, Learned]] = deque()
        self._weight = 0
        self._lessons: dict[str, _Lesson[Learned]] = {}
        self._to_learn: deque[_Lesson[Learned]] = deque()
        self._learners = 0
        self._is_full = False
        self._all_read = False
        self._closed = False
        self._defect: BaseException | None = None

    def __iter__(self) -> Iterator[tuple[Item, Learned | CanfetchError | Problem]]:
        threading.Thread(target=self._read, name="canfetch-read", daemon=True).start()
        try:
            while (row := self._next_row()) is not None:
                lesson = row.lesson
                if lesson.learned is not None:
                    yield row.item, lesson.learned
                elif isinstance(lesson.error, CanfetchError | Problem):
                    yield row.item, lesson.error
                elif lesson.error is not None:
                    raise lesson.error
                self._done_with(row)
            if self._defect is not None:
                raise self._defect
        finally:
            with self._changed:
                self._closed = True
                self._changed.notify_all()

    def _next_row(self) -> _Row[Item, Learned] | None:
        if not self._has_next():
            self._before_waiting()
        with self._changed:
            while not self._has_next():
                self._changed.wait(_WAIT_SECONDS)
            return self._rows.popleft() if self._rows else None

    def _has_next(self) -> bool:
        return self._rows[0].lesson.is_over if self._rows else self._all_read

    def _done_with(self, row: _Row[Item, Learned]) -> None:
        with self._changed:
            self._weight -= row.weight
            row.lesson.items -= 1
            if not row.lesson.items:
                self._lessons.pop(row.lesson.key, None)
            if self._is_full:
                self._changed.notify_all()

    def _read(self) -> None:
        try:
            for item in self._items:
                if not self._take(item):
                    break
        except BaseException as error:  # noqa: BLE001 - it is for whoever iterates
            self._defect = error
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()
            with self._changed:
                self._all_read = True
                self._changed.notify_all()

    def _take(self, item: Item) -> bool:
        """Put an item in line when there is room, and say whether to go on."""
        weight = self._weight_of(item)
        error: CanfetchError | Problem | None = None
        key = ""
        try:
            key = self._key_of(item)
        except (CanfetchError, Problem) as said:
            error = said
        with self._changed:
            while not (self._closed or self._has_room(key, weight)):
                self._is_full = True
                self._changed.wait()
            self._is_full = False
            if self._closed:
                return False
            lesson: _Lesson[Learned] | None = None if error is not None else self._lessons.get(key)
            if lesson is not None:
                lesson.items += 1
            else:
                lesson = _Lesson(key)
                lesson.error = error
                if error is None:
                    self._begin(lesson)
            self._rows.append(_Row(item, weight, lesson))
            self._weight += weight
            self._changed.notify_all()
        return True

    def _has_room(self, key: str, weight: int) -> bool:
        if not self._rows:
            return True
        keys = len(self._lessons) + (key not in self._lessons)
        return (
            len(self._rows) < _ITEMS_AHEAD
            and self._weight + weight <= self._most_weight
            and keys <= self._parallel * (1 + _KEYS_AHEAD)
        )

    def _begin(self, lesson: _Lesson[Learned]) -> None:
        self._lessons[lesson.key] = lesson
        self._to_learn.append(lesson)
        if self._learners < self._parallel:
            self._learners += 1
            threading.Thread(target=self._teach, name="canfetch-learn", daemon=True).start()

    def _teach(self) -> None:
        while True:
            with self._changed:
                if self._closed or not self._to_learn:
                    self._learners -= 1
                    return
                lesson = self._to_learn.popleft()
            try:
                learned = self._learn(lesson.key)
            except BaseException as error:  # noqa: BLE001 - it is for whoever iterates
                lesson.error = error
            else:
                lesson.learned = learned
            with self._changed:
                self._changed.notify_all()
