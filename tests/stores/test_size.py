"""The entries of a file have a limit of bytes."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.stores.entries import make_entry

from canfetch.access.entries import CacheEntry
from canfetch.client.stores.locations import open_store_at
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.errors import InvalidOption

MIB = 1 << 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "robots.sqlite3"


def clock() -> Any:
    seconds = count()
    return lambda: float(next(seconds))


def entries(sizes: Iterator[int]) -> Iterator[CacheEntry]:
    for number, size in enumerate(sizes):
        # Compressed or not, the content takes its space.
        yield make_entry(f"https://host{number}.example/", body=b"#" + os.urandom(size // 2).hex().encode())


def test_oldest_entries_are_evicted(path: Path) -> None:
    with closing(SQLiteStore(path, max_bytes=MIB, clock=clock())) as store:
        written = []
        for number, entry in enumerate(entries(100_000 for _ in range(40))):
            store.put(entry)
            written.append(entry)
            assert store.get(entry.key) == entry
            kept = set(store.keys())
            assert kept == {entry.key for entry in written[-len(kept) :]}
            assert min(number, 4) <= len(kept) <= 12


def test_entry_that_is_written_again_is_not_the_oldest(path: Path) -> None:
    with closing(SQLiteStore(path, max_bytes=MIB, clock=clock())) as store:
        kept = make_entry()
        for entry in entries(100_000 for _ in range(40)):
            store.put(kept)
            store.put(entry)
        assert store.get(kept.key) == kept


def test_file_is_bounded(path: Path) -> None:
    random = Random(1)  # noqa: S311
    sizes = [random.choice((10, 1_000, 30_000, 500_000)) for _ in range(300)]
    with closing(SQLiteStore(path, max_bytes=4 * MIB, clock=clock())) as store:
        for entry in entries(iter(sizes)):
            store.put(entry)
    assert 3 * MIB < path.stat().st_size < 6 * MIB


def test_entry_larger_than_the_limit_is_kept_alone(path: Path) -> None:
    with closing(SQLiteStore(path, max_bytes=1, clock=clock())) as store:
        for entry in entries(iter((100, 200_000, 100, 100))):
            store.put(entry)
            assert list(store.keys()) == [entry.key]


def test_file_that_was_larger_before_is_reused(path: Path) -> None:
    with closing(SQLiteStore(path)) as store:
        for entry in entries(100_000 for _ in range(100)):
            store.put(entry)
    size = path.stat().st_size
    remaining = []
    with closing(open_store_at(str(path), max_bytes=MIB)) as store:
        for _ in range(20):
            store.put(make_entry())
            remaining.append(len(list(store.keys())))
    # Each `put` evicts a little more than a megabyte.
    assert 70 < remaining[0] < 100
    assert remaining[-1] <= 12
    assert sorted(remaining, reverse=True) == remaining
    assert path.stat().st_size < size + 20_000


def test_without_limit_nothing_is_evicted(path: Path) -> None:
    with closing(SQLiteStore(path)) as store:
        for entry in entries(100_000 for _ in range(40)):
            store.put(entry)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (40,)


@pytest.mark.parametrize("max_bytes", [0, -1, 1.5, True, "1"])
def test_limit_is_a_positive_integer(path: Path, max_bytes: Any) -> None:
    with pytest.raises(InvalidOption, match=r"^invalid max_bytes .*: expected an integer, 1 or more$"):
        SQLiteStore(path, max_bytes=max_bytes)
