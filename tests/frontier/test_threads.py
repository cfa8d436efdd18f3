"""A frontier and its turns in another thread: one clear error, and nothing is lost."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import nullcontext

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import USER_AGENT, Hosts, open_frontier

from canfetch import AsyncClient, Frontier
from canfetch.access.responses import Failure, Response
from canfetch.client.frontier import Turn
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.daemon_threads import start_daemon_thread
from canfetch.errors import StoreError

URL = "https://a.example/"
METHODS: dict[str, Callable[[Frontier], object]] = {
    "add": lambda frontier: frontier.add(URL),
    "add_many": lambda frontier: frontier.add_many([URL]),
    "add_many of nothing": lambda frontier: frontier.add_many([]),
    "add_source": lambda frontier: frontier.add_source([URL]),
    "defer": lambda frontier: frontier.defer(URL, 5),
    "failed": lambda frontier: frontier.failed(),
    "retry_failed": lambda frontier: frontier.retry_failed(),
    "counts": lambda frontier: frontier.counts,
}


@pytest.mark.parametrize("name", METHODS)
def test_method_in_another_thread(name: str) -> None:
    async def main() -> None:
        async with AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client, Frontier(client) as frontier:
            with pytest.raises(RuntimeError, match="a frontier belongs to the thread that created it"):
                start_daemon_thread(lambda: METHODS[name](frontier), name="test").result(300)
            assert frontier.counts.queued == 0

    asyncio.run(main())


@pytest.mark.parametrize("name", [name for name in METHODS if name != "counts"])
def test_method_of_a_closed_frontier(name: str) -> None:
    async def main() -> None:
        async with AsyncClient(user_agent=USER_AGENT, transport=Hosts()) as client, Frontier(client) as frontier:
            await frontier.close()
            with pytest.raises(StoreError, match="the frontier is closed"):
                METHODS[name](frontier)

    asyncio.run(main())


@pytest.mark.urlfrontier
def test_frontier_whose_lease_no_thread_can_renew(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "canfetch frontier lease":
            raise RuntimeError("can't start new thread")
        start(thread)

    async def main() -> None:
        async with open_frontier(Hosts(), [URL]) as frontier:
            (await anext(frontier)).done()

    # A file has no lease.
    fails = pytest.raises(StoreError, match="no thread renews the lease")
    with monkeypatch.context() as patches, nullcontext() if backend == "sqlite" else fails:
        patches.setattr(threading.Thread, "start", refuse)
        run_in_virtual_time(main)


@pytest.mark.usefixtures("backend")
@pytest.mark.urlfrontier
def test_closing_in_another_thread_changes_nothing() -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{URL}1", f"{URL}2"]) as frontier:
            first = await anext(frontier)
            with pytest.raises(RuntimeError, match="a frontier belongs to the thread that created it"):
                start_daemon_thread(lambda: asyncio.run(frontier.close()), name="test").result(300)
            assert first.done()
            with await anext(frontier) as second:
                assert second.url == f"{URL}2"
            assert [turn async for turn in frontier] == []
            assert frontier.counts.done == 2

    run_in_virtual_time(main)


@pytest.mark.usefixtures("backend")
@pytest.mark.urlfrontier
def test_iterating_in_another_thread_leaves_the_sources_to_the_owner() -> None:
    async def main() -> None:
        async with open_frontier(urls=[f"{URL}1", f"{URL}2"]) as frontier:

            async def iterate() -> Turn:
                turn: Turn = await anext(frontier)
                return turn

            with pytest.raises(RuntimeError, match="a frontier belongs to the thread that created it"):
                start_daemon_thread(lambda: asyncio.run(iterate()), name="test").result(300)
            urls = []
            async for turn in frontier:
                with turn:
                    urls.append(turn.url)
            assert urls == [f"{URL}1", f"{URL}2"]

    run_in_virtual_time(main)


@pytest.mark.parametrize("is_closed", [False, True])
def test_turns_come_on_one_event_loop(*, is_closed: bool) -> None:
    class Silent(Hosts):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the protocol
            await asyncio.sleep(3600)
            return await super().send(request)

    first, second = asyncio.new_event_loop(), asyncio.new_event_loop()
    # Python reports the pending tasks of a loop that was closed.
    first.set_exception_handler(lambda _loop, _context: None)
    client = AsyncClient(user_agent=USER_AGENT, transport=Silent())
    frontier = Frontier(client, ["https://a.example/1"])

    async def take() -> list[str]:
        return [turn.url async for turn in frontier]

    try:
        task = first.create_task(take())
        first.run_until_complete(asyncio.sleep(0.05))
        if is_closed:
            first.close()
        with pytest.raises(RuntimeError, match="the frontier belongs to the event loop of its first turn"):
            second.run_until_complete(anext(frontier))
        second.run_until_complete(frontier.close())
        assert frontier.counts.queued == 1
        if not is_closed:
            assert first.run_until_complete(task) == []
            first.run_until_complete(client.close())
    finally:
        first.close()
        second.close()
