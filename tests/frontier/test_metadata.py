"""Values of JSON that are added with URLs, and come back with their turns."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import crawl, open_frontier

from canfetch.client.frontier import export_frontier, import_frontier
from canfetch.client.frontier.transfer_lines import InvalidExport
from canfetch.errors import InvalidOption, StoreError

pytestmark = pytest.mark.usefixtures("backend")
A = "https://a.example"


def nested(levels: int) -> Any:
    """Return lists and dicts in one another."""
    value: Any = 0
    for level in range(levels):
        value = {"a": value} if level % 2 else [value, "["]
    return value


DEEP = "more than 100 levels of lists and dicts"
DEEPEST: Any = [0]
for _ in range(99):
    DEEPEST = [DEEPEST]
VALUES = [{"seed": "n\0ews \ud800 ü"}, [1, 2.5, None, True], "text", 0, False, "x" * 16_382, DEEPEST]


@pytest.mark.urlfrontier
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


@pytest.mark.files
@pytest.mark.parametrize("levels", [101, 950, 7000])
def test_metadata_that_an_earlier_version_nested_too_deeply(levels: int, tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    text = json.dumps(DEEPEST).replace("0", "[" * (levels - 100) + "0" + "]" * (levels - 100))

    async def main() -> None:
        async with open_frontier(path=path) as frontier:
            frontier.add(f"{A}/", metadata=1)
            frontier._queue.database.connection.execute("UPDATE urls SET metadata = ?", (text,))
            with await anext(frontier) as turn:
                with pytest.raises(StoreError, match=f"the metadata of {A}/ are damaged: {DEEP}"):
                    _ = turn.metadata
                turn.release()

    run_in_virtual_time(main)
    with pytest.raises(StoreError, match=f"damaged: {DEEP}"):
        list(export_frontier(path))


@pytest.mark.files
@pytest.mark.parametrize("levels", [150, 900, 960, 980, 985, 990, 5000])
@pytest.mark.parametrize("key", ["url", "priority", "due_at", "error", "metadata", "ended", "visit"])
def test_import_of_a_value_that_is_nested_too_deeply(key: str, levels: int, tmp_path: Path) -> None:
    async def main() -> None:
        async with open_frontier(path=tmp_path / "crawl") as frontier:
            frontier.add(f"{A}/")

    run_in_virtual_time(main)
    lines = list(export_frontier(tmp_path / "crawl"))
    number = next(number for number, line in enumerate(lines) if '"url": ' in line)
    lines[number] = json.dumps(json.loads(lines[number]) | {key: "DEEP"}).replace('"DEEP"', "[" * levels + "]" * levels)
    with pytest.raises(InvalidExport):
        import_frontier(lines, tmp_path / "other")


@pytest.mark.parametrize(
    "value, message",
    [
        ("x" * 16_383, "16385 bytes of JSON, expected at most 16384"),
        ({1, 2}, "expected a value of JSON"),
        (math.nan, "expected a value of JSON"),
        (nested(101), DEEP),
        ([DEEPEST], DEEP),
        ([[]] * 50 + [[DEEPEST]], DEEP),
        (nested(950), DEEP),
        (nested(5000), DEEP),
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
