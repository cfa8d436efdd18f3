"""Prefetcher: order, shared loads, limits, errors, and leaving early."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import count
from typing import Any

import pytest

from canfetch.cli.shared.prefetcher import Prefetcher
from canfetch.errors import InvalidURL

PATIENCE_SECONDS = 300


def prefetch(
    items: Iterator[str],
    load: Callable[[str], str],
    *,
    parallel: int = 4,
    max_weight: int = 1_000_000,
    to_key: Callable[[str], str] = lambda item: item[0],
    before_wait: Callable[[], object] = lambda: None,
    find: Callable[[str], str | None] = lambda _: None,
) -> Generator[tuple[str, Any]]:
    """Prefetch for strings whose first letter is their key."""
    yield from Prefetcher(
        items,
        find=find,
        to_key=to_key,
        to_weight=len,
        load=load,
        parallel=parallel,
        max_weight=max_weight,
        before_wait=before_wait,
    )


def test_items_are_in_order_with_the_results_for_their_keys() -> None:
    items = [f"{letter}{number}" for number in range(200) for letter in "abcdefgh"]
    assert list(prefetch(iter(items), str.upper)) == [(item, item[0].upper()) for item in items]


def test_items_that_wait_together_share_one_load() -> None:
    loads: Counter[str] = Counter()
    all_read = threading.Event()

    def load(key: str) -> str:
        loads[key] += 1
        assert all_read.wait(PATIENCE_SECONDS)
        return key

    def items() -> Iterator[str]:
        yield from ("a1", "b1", "a2", "b2", "a3")
        all_read.set()

    assert [item for item, _ in prefetch(items(), load)] == ["a1", "b1", "a2", "b2", "a3"]
    assert loads == {"a": 1, "b": 1}


def test_key_is_loaded_again_after_its_items_are_done() -> None:
    loads: Counter[str] = Counter()
    first_is_done = threading.Event()

    def load(key: str) -> str:
        loads[key] += 1
        return key

    def items() -> Iterator[str]:
        yield "a1"
        assert first_is_done.wait(PATIENCE_SECONDS)
        yield "a2"

    def before_wait() -> None:
        # The consumer waits for the second item, so it has released the first one.
        if seen:
            first_is_done.set()

    seen: list[str] = []
    for item, _ in prefetch(items(), load, before_wait=before_wait):
        seen.append(item)
    assert seen == ["a1", "a2"]
    assert loads == {"a": 2}


def test_later_keys_are_loaded_while_the_first_one_waits() -> None:
    others = threading.Semaphore(0)

    def load(key: str) -> str:
        if key == "a":
            for _ in "bcd":
                assert others.acquire(timeout=PATIENCE_SECONDS)
        else:
            others.release()
        return key

    assert [item for item, _ in prefetch(iter("abcd"), load)] == [*"abcd"]


def test_parallel_is_reached_and_not_exceeded() -> None:
    # The barrier only opens when three loads overlap, and a fourth would be counted.
    barrier = threading.Barrier(3)
    running, most = 0, 0
    lock = threading.Lock()

    def load(key: str) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        barrier.wait(PATIENCE_SECONDS)
        with lock:
            running -= 1
        # Leave together, so that the next three loads start after all of these have been counted.
        barrier.wait(PATIENCE_SECONDS)
        return key

    assert len(list(prefetch((chr(number) for number in range(100, 400)), load, parallel=3))) == 300
    assert most == 3


@pytest.mark.parametrize(
    "to_item, max_weight, expected",
    [
        pytest.param(lambda _: "a", 1_000_000, 4_097, id="items"),
        pytest.param(lambda _: "a" * 100, 1_000, 11, id="weight"),
        pytest.param(lambda number: chr(number + 1_000), 1_000_000, 13, id="keys"),
    ],
)
def test_reading_stops_at_each_limit(to_item: Callable[[int], str], max_weight: int, expected: int) -> None:
    read: list[int] = []
    gate = threading.Event()

    def items() -> Iterator[str]:
        for number in range(10_000):
            read.append(number)
            yield to_item(number)

    def load(key: str) -> str:
        assert gate.wait(PATIENCE_SECONDS)
        return key

    prefetcher: Prefetcher[str, str] = Prefetcher(
        items(),
        find=lambda _: None,
        to_key=lambda item: item[0],
        to_weight=len,
        load=load,
        parallel=4,
        max_weight=max_weight,
        before_wait=lambda: None,
    )
    first: list[str] = []

    def take_first() -> None:
        first.append(next(iter(prefetcher))[0])

    consumer = threading.Thread(target=take_first, daemon=True)
    consumer.start()
    deadline = time.monotonic() + PATIENCE_SECONDS
    with prefetcher._changed:
        # Nothing is loaded before the gate opens, so a reader that waits has reached the limit.
        while not prefetcher._reader_waits:
            assert time.monotonic() < deadline
            prefetcher._changed.wait(0.01)
        assert len(read) == expected
    gate.set()
    consumer.join(PATIENCE_SECONDS)
    assert first == [to_item(0)]


def test_item_without_a_key_has_its_own_error() -> None:
    def to_key(item: str) -> str:
        if item == "?":
            raise InvalidURL("invalid")
        return item

    rows = dict(prefetch(iter("a?b"), str.upper, to_key=to_key))
    assert (rows["a"], rows["b"]) == ("A", "B")
    assert isinstance(rows["?"], InvalidURL)


def test_error_of_a_load_is_the_result_of_all_its_items() -> None:
    def load(key: str) -> str:
        raise InvalidURL(f"{key} is invalid")

    errors = [str(error) for _, error in prefetch(iter(["a1", "b1", "a2"]), load)]
    assert errors == ["a is invalid", "b is invalid", "a is invalid"]


def test_unexpected_error_ends_the_iteration_at_its_item() -> None:
    def load(key: str) -> str:
        if key == "c":
            raise RuntimeError("defect")
        return key

    rows = prefetch(iter("abcd"), load)
    assert [next(rows)[0], next(rows)[0]] == ["a", "b"]
    with pytest.raises(RuntimeError, match="defect"):
        next(rows)


def test_error_of_the_items_follows_the_items_before_it() -> None:
    def items() -> Iterator[str]:
        yield "a"
        yield "b"
        raise OSError("read error")

    rows = prefetch(items(), str.upper)
    assert [next(rows), next(rows)] == [("a", "A"), ("b", "B")]
    with pytest.raises(OSError, match="read error"):
        next(rows)


def test_leaving_early_stops_the_reader_and_closes_the_items() -> None:
    closed = threading.Event()

    def items() -> Iterator[str]:
        try:
            for _ in count():
                yield "a"
        finally:
            closed.set()

    with closing(prefetch(items(), str.upper)) as rows:
        next(rows)
    assert closed.wait(PATIENCE_SECONDS)


def test_queued_keys_are_not_loaded_after_leaving_early() -> None:
    loaded: list[str] = []
    b_started = threading.Event()
    gate = threading.Event()

    def load(key: str) -> str:
        loaded.append(key)
        if key == "b":
            b_started.set()
            assert gate.wait(PATIENCE_SECONDS)
        return key

    with closing(prefetch(iter("abcd"), load, parallel=1)) as rows:
        assert next(rows) == ("a", "a")
        # With one loader, c and d are queued while b is loaded.
        assert b_started.wait(PATIENCE_SECONDS)
    gate.set()
    for thread in threading.enumerate():
        if thread.name == "canfetch-load":
            thread.join(PATIENCE_SECONDS)
            assert not thread.is_alive()
    assert loaded == ["a", "b"]


def test_no_items_yield_no_rows() -> None:
    assert list(prefetch(iter(()), str.upper)) == []


def test_before_wait_is_called_before_waiting_for_a_result() -> None:
    gate = threading.Event()
    seen: list[str] = []

    def load(key: str) -> str:
        # The second load only ends if before_wait is called while the consumer has one row.
        assert key == "a" or gate.wait(PATIENCE_SECONDS)
        return key

    def before_wait() -> None:
        if seen:
            gate.set()

    for item, _ in prefetch(iter("ab"), load, before_wait=before_wait):
        seen.append(item)
    assert seen == ["a", "b"]


def test_known_results_are_not_loaded() -> None:
    loaded: list[str] = []

    def load(key: str) -> str:
        loaded.append(key)
        return f"loaded {key}"

    def find(item: str) -> str | None:
        if item.startswith("?"):
            raise InvalidURL(f"{item} is invalid")
        return f"known {item}" if item.startswith("k") else None

    items = ["k1", "a1", "k2", "?", "a2", *(f"k{number}" for number in range(3, 10_000))]
    rows = dict(prefetch(iter(items), load, find=find))
    assert list(rows) == items
    assert (rows["k1"], rows["a1"], rows["a2"], rows["k9999"]) == ("known k1", "loaded a", "loaded a", "known k9999")
    assert str(rows["?"]) == "? is invalid"
    assert set(loaded) == {"a"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "item, max_weight, expected",
    [pytest.param("k", 1_000_000, 4_097, id="items"), pytest.param("k" * 100, 1_000, 11, id="weight")],
)
def test_reading_known_items_stops_at_each_limit_and_continues(item: str, max_weight: int, expected: int) -> None:
    most = 0
    read = 0

    def items() -> Iterator[str]:
        nonlocal read
        for _ in range(30_000):
            read += 1
            yield item

    taken = 0
    for _ in prefetch(items(), str.upper, max_weight=max_weight, find=str.upper):
        taken += 1
        most = max(most, read - taken)
    assert taken == 30_000
    # The item that the reader holds and the one that is taken are in memory as well.
    assert most <= expected
