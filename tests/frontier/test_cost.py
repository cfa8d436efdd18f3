"""The cost of a turn, counted in instructions of SQLite's virtual machine: it grows with the logarithm of the origins.

A scan of a table or an index would execute instructions for each row.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import open_frontier

from canfetch.client.frontier import Frontier
from canfetch.client.frontier.sqlite_queue import SQLiteQueue

FEW, MANY = 50, 5_000


class InstructionCount:
    """The number of instructions that a database has executed."""

    def __init__(self) -> None:
        self.number = 0

    def increase(self) -> int:
        """Count an instruction. SQLite continues after 0."""
        self.number += 1
        return 0


@contextmanager
def counted(frontier: Frontier) -> Iterator[InstructionCount]:
    count = InstructionCount()
    queue = frontier._queue
    assert isinstance(queue, SQLiteQueue)
    connection = queue.database.connection
    connection.set_progress_handler(count.increase, 1)
    try:
        yield count
    finally:
        connection.set_progress_handler(None, 0)


def count_instructions(
    origins: int, *, urls_per_origin: int = 2, deferred: bool = False, min_delay: float = 1.0
) -> int:
    """Return the largest number of instructions of one turn: to take it, add a link, and end it."""

    async def main() -> int:
        most = 0
        async with open_frontier(min_delay=min_delay) as frontier:
            frontier.add_many(
                f"https://host{number}.example/{page}" for page in range(urls_per_origin) for number in range(origins)
            )
            for _ in range(10):
                # Origins become due, and files are obtained.
                (await anext(frontier)).done()
                await asyncio.sleep(0.01)
            if deferred:
                for number in range(origins):
                    frontier.defer(f"https://host{number}.example/", 1000)
                frontier.add("https://other.example/")
                (await anext(frontier)).done()
                frontier.add("https://other.example/2")
            for turns in range(1 if deferred else 20):
                with counted(frontier) as count:
                    turn = await anext(frontier)
                    frontier.add(f"https://host{turns}.example/link")
                    turn.done()
                most = max(most, count.number)
                await asyncio.sleep(0)
        return most

    return run_in_virtual_time(main)


@pytest.mark.slow
def test_counting_finds_a_scan() -> None:
    async def main(origins: int) -> int:
        async with open_frontier() as frontier:
            frontier.add_many(f"https://host{number}.example/" for number in range(origins))
            with counted(frontier) as count:
                frontier._queue.database.fetch("SELECT max(length(url)) FROM urls")
            return count.number

    few = run_in_virtual_time(lambda: main(FEW))
    many = run_in_virtual_time(lambda: main(1000))
    assert many > 10 * few


@pytest.mark.slow
@pytest.mark.parametrize("deferred", [False, True], ids=["ready", "deferred"])
def test_cost_of_a_turn_does_not_grow_with_the_origins(*, deferred: bool) -> None:
    few = count_instructions(FEW, deferred=deferred)
    many = count_instructions(MANY, deferred=deferred)
    # Up to 16 robots.txt files are requested during a turn. A scan would execute several instructions for each origin.
    assert many <= few + 3000


@pytest.mark.slow
def test_cost_of_a_turn_does_not_grow_with_the_urls_of_an_origin() -> None:
    few = count_instructions(1, urls_per_origin=100, min_delay=0.0)
    many = count_instructions(1, urls_per_origin=50_000, min_delay=0.0)
    assert many <= few + 200
