"""A source or a resolver closes its frontier, whose tasks they run in."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import Hosts, open_frontier

from canfetch import Frontier

pytestmark = pytest.mark.usefixtures("backend")
A = "https://a.example"
# How a task closes a frontier: by itself, or by another task that it waits for.
CLOSE: dict[str, Callable[[Frontier], Awaitable[object]]] = {
    "directly": lambda frontier: frontier.close(),
    "in a task": lambda frontier: asyncio.create_task(frontier.close()),
}


@pytest.mark.parametrize("how", CLOSE)
def test_a_source_closes_its_frontier(how: str) -> None:
    steps: list[str] = []

    async def main() -> list[str]:
        async def read() -> AsyncIterator[str]:
            yield f"{A}/1"
            await asyncio.sleep(5.0)
            try:
                await CLOSE[how](frontier)
                # The rest is not read.
                yield f"{A}/2"
                steps.append("next URL")
            finally:
                steps.append("end")

        taken = []
        async with open_frontier(Hosts(), read()) as frontier:
            async for turn in frontier:
                taken.append(turn.url)
                turn.done()
            await frontier.close()
            return taken

    assert run_in_virtual_time(main) == [f"{A}/1"]
    assert steps == ["end"]


@pytest.mark.parametrize("how", CLOSE)
def test_a_resolver_closes_its_frontier(how: str) -> None:
    async def main() -> list[str]:
        async def resolve(host: str) -> list[str]:
            if host == "b.example":
                await CLOSE[how](frontier)
            return ["192.0.2.1"]

        taken = []
        options: dict[str, Any] = {"group_by": "address", "resolver": resolve}
        async with open_frontier(Hosts(), [f"{A}/1"], **options) as frontier:
            async for turn in frontier:
                taken.append(turn.url)
                turn.add(["https://b.example/"])
                turn.done()
            await frontier.close()
            return taken

    assert run_in_virtual_time(main) == [f"{A}/1"]
