"""Turns that are started together for several waiting tasks. With a file, only these tests start them together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.crawls import Hosts, open_frontier

from canfetch.client.frontier import Frontier, SkippedURL, Turn
from canfetch.client.frontier.queue_values import TurnStart
from canfetch.client.frontier.sqlite_queue import SQLiteQueue
from canfetch.errors import StoreError

HOSTS = ["https://host0.example", "https://host1.example", "https://host2.example"]
PAGES = [f"{host}/page" for host in HOSTS]
DISALLOWED = f"{HOSTS[1]}/no"


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of turns that were started together."""
    numbers: list[int] = []
    take = SQLiteQueue.take

    def noted_take(queue: SQLiteQueue, starts: Sequence[TurnStart], now: float) -> list[TurnStart]:
        numbers.append(len(starts))
        return take(queue, starts, now)

    monkeypatch.setattr(SQLiteQueue, "turns_at_once", 3)
    monkeypatch.setattr(SQLiteQueue, "take", noted_take)
    return numbers


@asynccontextmanager
async def waiting_tasks(
    on_first: Callable[[Frontier, Turn, list[asyncio.Task[Turn]]], Awaitable[object]] | None = None, **options: Any
) -> AsyncIterator[tuple[Frontier, list[asyncio.Task[Turn]]]]:
    """Yield a frontier and three tasks, which wait until all three hosts may be requested again at the same time.

    Args: on_first: Called when the first task has its turn, and the others do not run yet.
    """
    tasks: list[asyncio.Task[Turn]] = []

    async def wait(frontier: Frontier, number: int) -> Turn:
        turn = await anext(frontier)
        if number == 0 and on_first is not None:
            await on_first(frontier, turn, tasks)
        return turn

    hosts = Hosts({"host1.example": b"User-agent: *\nDisallow: /no"})
    async with open_frontier(hosts, [f"{host}/" for host in HOSTS], min_delay=10.0, **options) as frontier:
        for _ in HOSTS:
            (await anext(frontier)).done()
        frontier.add(DISALLOWED)
        frontier.add_many(PAGES)
        tasks += [asyncio.create_task(wait(frontier, number)) for number in range(3)]
        yield frontier, tasks


async def end_all(frontier: Frontier) -> list[tuple[str, int]]:
    """Return the remaining URLs with the numbers of their attempts."""
    ended = []
    async for turn in frontier:
        ended.append((turn.url, turn.attempt))
        turn.done()
    return ended


def test_one_statement_starts_the_turns_of_all_tasks_that_wait(started: list[int]) -> None:
    async def main() -> None:
        async with waiting_tasks() as (frontier, tasks):
            turns = await asyncio.gather(*tasks)
            assert sorted(turn.url for turn in turns) == PAGES
            assert frontier.counts.in_flight == 3
            for turn in turns:
                turn.done()
            assert await end_all(frontier) == []

    run_in_virtual_time(main)
    assert started == [1, 1, 1, 3]


async def cancel_others(_: Frontier, __: Turn, tasks: list[asyncio.Task[Turn]]) -> None:
    for task in tasks[1:]:
        task.cancel()


def test_the_turn_of_a_cancelled_task_is_released() -> None:
    async def main() -> None:
        async with waiting_tasks(cancel_others) as (frontier, tasks):
            await asyncio.wait(tasks)
            assert [task.cancelled() for task in tasks] == [False, True, True]
            assert frontier.counts.in_flight == 1
            begun = virtual_now()
            turn = tasks[0].result()
            turn.done()
            assert sorted(await end_all(frontier)) == [(url, 1) for url in PAGES if url != turn.url]
            # The delay counts from the release.
            assert virtual_now() == begun + 10.0

    run_in_virtual_time(main)


def test_the_turn_of_a_cancelled_task_is_released_once_the_file_can_be_written(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    end = SQLiteQueue.end

    def broken_end(*_: object) -> bool:
        monkeypatch.setattr(SQLiteQueue, "end", end)
        raise StoreError("the disk is full")

    async def break_and_cancel(frontier: Frontier, turn: Turn, tasks: list[asyncio.Task[Turn]]) -> None:
        monkeypatch.setattr(SQLiteQueue, "end", broken_end)
        await cancel_others(frontier, turn, tasks)

    async def main() -> None:
        async with waiting_tasks(break_and_cancel) as (frontier, tasks):
            await asyncio.wait(tasks)
            turn = tasks[0].result()
            assert frontier.counts.in_flight == 2
            turn.done()
            assert sorted(await end_all(frontier)) == [(url, 1) for url in PAGES if url != turn.url]

    run_in_virtual_time(main)
    assert "the disk is full" in caplog.text


def test_an_exception_of_a_callback_is_raised_in_one_task_and_the_others_have_turns() -> None:
    skipped = []

    def report(url: SkippedURL) -> None:
        skipped.append(url.url)
        raise ConnectionError

    async def main() -> None:
        async with waiting_tasks(on_skip=report) as (frontier, tasks):
            results = await asyncio.gather(*tasks, return_exceptions=True)
            turns = [result for result in results if isinstance(result, Turn)]
            assert [str(type(result)) for result in results if result not in turns] == [str(ConnectionError)]
            for turn in turns:
                turn.done()
            assert len(await end_all(frontier)) == 1

    run_in_virtual_time(main)
    assert skipped == [DISALLOWED]


def test_a_frontier_that_is_closed_before_all_tasks_have_their_turns(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"

    async def close(frontier: Frontier, turn: Turn, _: list[asyncio.Task[Turn]]) -> None:
        turn.done()
        await frontier.close()

    async def main() -> None:
        async with waiting_tasks(close, path=path) as (_, tasks):
            results = await asyncio.gather(*tasks[1:], return_exceptions=True)
            assert [type(result) for result in results] == [StopAsyncIteration, StopAsyncIteration]
        async with open_frontier(path=path) as frontier:
            assert len(await end_all(frontier)) == 2

    run_in_virtual_time(main)


def test_an_origin_that_a_callback_defers_after_the_choice_of_its_turn(started: list[int]) -> None:
    async def main() -> None:
        def report(_: SkippedURL) -> None:
            frontier.defer(f"{HOSTS[0]}/", 60)

        frontier: Frontier
        async with waiting_tasks(on_skip=report) as (frontier, tasks):
            await asyncio.wait(tasks[:2])
            begun = virtual_now()
            assert sorted(task.result().url for task in tasks[:2]) == PAGES[1:]
            assert (await tasks[2]).url == PAGES[0]
            assert virtual_now() == begun + 60.0
            for task in tasks:
                task.result().done()

    run_in_virtual_time(main)
    assert started == [1, 1, 1, 2, 1]
