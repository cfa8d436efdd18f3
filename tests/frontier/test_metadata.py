"""Values of JSON that are added with URLs, and come back with their turns."""

import math
from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import crawl, open_frontier

from canfetch.errors import InvalidOption, StoreError

pytestmark = pytest.mark.usefixtures("backend")
A = "https://a.example"
VALUES = [{"seed": "n\0ews \ud800 ü"}, [1, 2.5, None, True], "text", 0, False, "x" * 16_382]


def test_metadata_survive_retries_and_restarts(tmp_path: Path) -> None:
    path = tmp_path / "crawl"

    async def first() -> None:
        async with open_frontier(path=path, retry_delay=1.0) as frontier:
            for number, value in enumerate(VALUES):
                frontier.add(f"{A}/{number}", metadata=value)
            frontier.add(f"{A}/0", metadata="the first one stays")
            with await anext(frontier) as turn:
                assert turn.metadata == VALUES[0]
                turn.add([f"{A}/link"], metadata={"from": turn.url})
                frontier.add_many([f"{A}/none"])
                turn.retry()
            (await anext(frontier)).release()

    run_in_virtual_time(first)
    found: dict[str, Any] = {}
    crawl({}, [], path=path, on_turn=lambda _, turn: found.update({turn.url: turn.metadata}), start=100.0)
    expected = {f"{A}/{number}": value for number, value in enumerate(VALUES)}
    assert found == {**expected, f"{A}/link": {"from": f"{A}/0"}, f"{A}/none": None}


@pytest.mark.files
def test_damaged_metadata_are_named(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_frontier(path=tmp_path / "crawl") as frontier:
            frontier.add(f"{A}/", metadata=1)
            frontier._queue.database.connection.execute("UPDATE urls SET metadata = '{'")
            with await anext(frontier) as turn, pytest.raises(StoreError, match=f"the metadata of {A}/ are damaged: "):
                _ = turn.metadata

    run_in_virtual_time(main)


@pytest.mark.parametrize(
    "value, message",
    [
        ("x" * 16_383, "16385 bytes of JSON, expected at most 16384"),
        ({1, 2}, "expected a value of JSON"),
        (math.nan, "expected a value of JSON"),
    ],
)
def test_other_values_are_rejected(value: Any, message: str) -> None:
    async def main() -> int:
        async with open_frontier() as frontier:
            with pytest.raises(InvalidOption, match=f"invalid metadata.*{message}"):
                frontier.add(f"{A}/", metadata=value)
            with pytest.raises(InvalidOption, match=f"invalid metadata.*{message}"):
                frontier.add_many([f"{A}/"], metadata=value)
            queued: int = frontier.counts.queued
            return queued

    assert run_in_virtual_time(main) == 0
