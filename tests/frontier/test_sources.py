"""How sources are read: in small steps, between which other tasks run."""

import asyncio

from canfetch.client.frontier.sources import Sources
from canfetch.core.urls import AnyURL


def test_other_tasks_run_after_each_batch_of_any_source() -> None:
    batches: list[int] = []

    def add(urls: list[AnyURL], _: float) -> int:
        batches.append(len(urls))
        return len(urls)

    async def main() -> int:
        sources = Sources(add, lambda: 1_000, lambda: None, batch=lambda: 25)
        for number in range(4):
            sources.append([f"https://a.example/{number}/{each}" for each in range(100)], 0.0)
        sources.start()
        most = 0
        while sources.may_add:
            before = len(batches)
            await asyncio.sleep(0)
            most = max(most, len(batches) - before)
        return most

    assert asyncio.run(main()) == 1
    assert sorted(batches) == [0] * 4 + [25] * 16
