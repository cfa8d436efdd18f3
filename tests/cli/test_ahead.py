"""Waiting ahead: in order, each key once, bounded, and over as soon as nobody wants the rest."""

import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import count
from typing import Any

import pytest

from canfetch.cli.shared.prefetcher import Ahead
from canfetch.errors import InvalidURL

PATIENCE_SECONDS = 30


def ahead(
    items: Iterator[str],
    learn: Callable[[str], str],
    *,
    parallel: int = 4,
    most_weight: int = 1_000_000,
    key_of: Callable[[str], str] = lambda item: item[0],
    before_waiting: Callable[[], object] = lambda: None,
) -> Generator[tuple[str, Any]]:
    """Look ahead over texts whose first letter is their key."""
    yield from Ahead(
        items,
        key_of=key_of,
        weight_of=len,
        learn=learn,
        parallel=parallel,
        most_weight=most_weight,
        before_waiting=before_waiting,
    )


def test_items_come_in_their_order_with_what_was_learned() -> None:
    items = [f"{letter}{number}" for number in range(200) for letter in "abcdefgh"]
    assert list(ahead(iter(items), str.upper)) == [(item, item[0].upper()) for item in items]


def test_items_that_wait_together_share_one_lesson() -> None:
    learned: Counter[str] = Counter()
    gate = threading.Event()

    def learn(key: str) -> str:
        assert gate.wait(PATIENCE_SECONDS)
        learned[key] += 1
        return key

    def items() -> Iterator[str]:
        yield from ("a1", "b1", "a2", "b2", "a3")
        gate.set()

    assert [item for item, _ in ahead(items(), learn)] == ["a1", "b1", "a2", "b2", "a3"]
    assert learned == {"a": 1, "b": 1}


def test_later_keys_are_learned_while_the_first_one_waits() -> None:
    others = threading.Semaphore(0)

    def learn(key: str) -> str:
        if key == "a":
            for _ in "bcd":
                assert others.acquire(timeout=PATIENCE_SECONDS)
        else:
            others.release()
        return key

    assert [item for item, _ in ahead(iter("abcd"), learn)] == [*"abcd"]


def test_no_more_keys_at_once_than_asked_for() -> None:
    here, most = 0, 0
    lock = threading.Lock()

    def learn(key: str) -> str:
        nonlocal here, most
        with lock:
            here += 1
            most = max(most, here)
        with lock:
            here -= 1
        return key

    assert len(list(ahead((chr(number) for number in range(100, 400)), learn, parallel=3))) == 300
    assert 1 <= most <= 3


@pytest.mark.parametrize(
    "item_of, most_weight, most_read",
    [
        (lambda _: "a", 1_000_000, 4_097),  # items
        (lambda _: "a" * 100, 1_000, 11),  # their weight
        (lambda number: chr(number + 1_000), 1_000_000, 13),  # keys
    ],
)
def test_reading_ahead_is_bounded(item_of: Callable[[int], str], most_weight: int, most_read: int) -> None:
    read = count()
    seen = [0]
    full = threading.Event()

    def items() -> Iterator[str]:
        for number in range(10_000):
            seen[0] = next(read) + 1
            if seen[0] == most_read:
                full.set()
            yield item_of(number)

    gate = threading.Event()

    def learn(key: str) -> str:
        assert gate.wait(PATIENCE_SECONDS)
        return key

    def open_when_full() -> None:
        assert full.wait(PATIENCE_SECONDS)
        # Whoever read further than it may would do so now.
        before = seen[0]
        gate.set()
        stood_at.append(before)

    stood_at: list[int] = []
    opener = threading.Thread(target=open_when_full)
    opener.start()
    rows = ahead(items(), learn, most_weight=most_weight)
    with closing(rows):
        next(rows)
        opener.join()
    assert stood_at == [most_read]


def test_item_without_a_key_has_its_own_error() -> None:
    def key_of(item: str) -> str:
        if item == "?":
            raise InvalidURL("is none")
        return item

    rows = dict(ahead(iter("a?b"), str.upper, key_of=key_of))
    assert (rows["a"], rows["b"]) == ("A", "B")
    assert isinstance(rows["?"], InvalidURL)


def test_error_of_a_lesson_is_that_of_all_who_wait() -> None:
    def learn(key: str) -> str:
        raise InvalidURL(f"{key} is none")

    assert [str(said) for _, said in ahead(iter(["a1", "b1", "a2"]), learn)] == ["a is none", "b is none", "a is none"]


def test_defect_ends_it_where_it_happened() -> None:
    def learn(key: str) -> str:
        if key == "c":
            raise RuntimeError("a defect")
        return key

    rows = ahead(iter("abcd"), learn)
    assert [next(rows)[0], next(rows)[0]] == ["a", "b"]
    with pytest.raises(RuntimeError, match="a defect"):
        next(rows)


def test_error_of_the_items_comes_after_those_before_it() -> None:
    def items() -> Iterator[str]:
        yield "a"
        yield "b"
        raise OSError("cannot be read further")

    rows = ahead(items(), str.upper)
    assert [next(rows), next(rows)] == [("a", "A"), ("b", "B")]
    with pytest.raises(OSError, match="cannot be read further"):
        next(rows)


def test_who_leaves_early_stops_the_reading_and_closes_the_items() -> None:
    closed = threading.Event()

    def items() -> Iterator[str]:
        try:
            for _ in count():
                yield "a"
        finally:
            closed.set()

    rows = ahead(items(), str.upper)
    with closing(rows):
        next(rows)
    assert closed.wait(PATIENCE_SECONDS)


def test_nothing_is_learned_after_who_asked_has_left() -> None:
    learned: list[str] = []
    gate = threading.Event()

    def learn(key: str) -> str:
        if key != "a":
            learned.append(key)
            assert gate.wait(PATIENCE_SECONDS)
        return key

    rows = ahead(iter("abcd"), learn, parallel=1)
    with closing(rows):
        next(rows)
    gate.set()
    for thread in threading.enumerate():
        if thread.name == "canfetch-learn":
            thread.join()
    assert learned in ([], ["b"])


def test_no_item_is_no_row() -> None:
    assert list(ahead(iter(()), str.upper)) == []


def test_what_was_made_goes_out_before_the_wait() -> None:
    gate = threading.Event()
    waits: list[str] = []

    def learn(key: str) -> str:
        assert key == "a" or gate.wait(PATIENCE_SECONDS)
        return key

    def before_waiting() -> None:
        waits.append("wait")
        if made:
            gate.set()

    made: list[str] = []
    for item, _ in ahead(iter("ab"), learn, before_waiting=before_waiting):
        made.append(item)
    assert made == ["a", "b"]
    assert waits
