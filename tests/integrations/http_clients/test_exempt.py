"""Exempt requests: those of a block, until it ends, also in contexts that were copied in it."""

import asyncio
import multiprocessing
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from typing import Any

import pytest
from tests.integrations.http_clients.hosts import ASYNC_NAMES, open_host
from tests.servers.web import Site

from canfetch.core.verdict import RobotsDisallowed

SYNC_NAMES = ["httpx2", "requests", "urllib"]


@pytest.mark.parametrize("name", ASYNC_NAMES)
def test_task_that_starts_in_a_block_is_exempt_until_the_block_ends(name: str, shop: Site) -> None:
    url = shop.url("private/notes")

    async def run(host: Any) -> None:
        has_ended = asyncio.Event()

        async def work() -> None:
            assert (await host.fetch(url)).status == 200
            await has_ended.wait()
            with pytest.raises(RobotsDisallowed):
                await host.fetch(url)
            # Its own blocks are not affected.
            with host.robots.exempt():
                assert (await host.fetch(url)).status == 200
            with pytest.raises(RobotsDisallowed):
                await host.fetch(url)

        async def work_late() -> None:
            await has_ended.wait()
            with pytest.raises(RobotsDisallowed):
                await host.fetch(url)

        with host.robots.exempt():
            task, late = asyncio.create_task(work()), asyncio.create_task(work_late())
            # `wait_for` sends the request in a task of its own in some versions of Python.
            assert (await asyncio.wait_for(host.fetch(url), 300)).status == 200
            while host.robots.stats.exempt < 2:  # noqa: ASYNC110 - the guard has no event for it
                await asyncio.sleep(0.01)
        has_ended.set()
        await asyncio.gather(task, late)

    with open_host(name) as host:
        host.run(lambda: run(host))
        assert host.robots.stats.exempt == 3


@pytest.mark.parametrize("name", ASYNC_NAMES)
def test_tasks_outside_of_a_block_are_checked(name: str, shop: Site) -> None:
    url = shop.url("private/notes")

    async def run(host: Any) -> None:
        is_open, is_checked = asyncio.Event(), asyncio.Event()

        async def check() -> None:
            await is_open.wait()
            with pytest.raises(RobotsDisallowed):
                await host.fetch(url)
            is_checked.set()

        task = asyncio.create_task(check())
        with host.robots.exempt():
            is_open.set()
            await is_checked.wait()
        await task

    with open_host(name) as host:
        host.run(lambda: run(host))


@pytest.mark.parametrize("name", SYNC_NAMES)
def test_thread_with_a_copied_context_is_exempt_until_the_block_ends(name: str, shop: Site) -> None:
    url = shop.url("private/notes")
    with open_host(name) as host, ThreadPoolExecutor(1) as threads:
        with host.robots.exempt():
            context = copy_context()
            assert threads.submit(context.run, host.get, url).result().status == 200
            # Without the context, the thread is another one.
            assert isinstance(threads.submit(host.get, url).exception(), RobotsDisallowed)
        assert isinstance(threads.submit(context.run, host.get, url).exception(), RobotsDisallowed)


def exempt_generator(host: Any) -> Generator[None]:
    with host.robots.exempt():
        yield


@pytest.mark.parametrize(
    "leave",
    [lambda first, second: (first.close(), second.close()), lambda first, second: (second.close(), first.close())],
    ids=["first", "last"],
)
def test_blocks_can_end_in_any_order(leave: Callable[[Any, Any], object], shop: Site) -> None:
    url = shop.url("private/notes")
    with open_host("urllib") as host:
        generators = exempt_generator(host), exempt_generator(host)
        for generator in generators:
            next(generator)
        assert host.get(url).status == 200
        leave(*generators)
        with pytest.raises(RobotsDisallowed):
            host.get(url)


def test_a_block_is_open_until_the_last_one_has_ended(shop: Site) -> None:
    url = shop.url("private/notes")
    with open_host("urllib") as host:
        first = exempt_generator(host)
        next(first)
        with host.robots.exempt():
            first.close()
            assert host.get(url).status == 200
        with pytest.raises(RobotsDisallowed):
            host.get(url)


def test_block_can_end_in_another_context(shop: Site) -> None:
    url = shop.url("private/notes")
    with open_host("urllib") as host:
        stack = ExitStack()
        stack.enter_context(host.robots.exempt())
        copy_context().run(stack.close)
        with pytest.raises(RobotsDisallowed):
            host.get(url)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_process_that_is_forked_in_a_block_is_checked(shop: Site) -> None:
    """The block never ends in it."""
    url = shop.url("private/notes")
    fork: Any = multiprocessing.get_context("fork")
    results = fork.SimpleQueue()
    with open_host("urllib") as host:

        def request() -> None:
            try:
                results.put(host.get(url).status)
            except RobotsDisallowed:
                results.put("disallowed")

        with host.robots.exempt():
            process = fork.Process(target=request)
            process.start()
            process.join(300)
            assert results.get() == "disallowed"
            assert host.get(url).status == 200


def test_task_that_starts_during_a_request_for_robots_txt_is_checked(shop: Site) -> None:
    """Such as one that a middleware starts to obtain a token now and then."""
    aiohttp = pytest.importorskip("aiohttp")
    from canfetch.integrations.aiohttp import RobotsMiddleware

    url = shop.url("private/notes")

    async def run() -> None:
        tasks: list[asyncio.Task[None]] = []
        has_ended = asyncio.Event()

        async def work(session: Any) -> None:
            await has_ended.wait()
            with pytest.raises(RobotsDisallowed):
                await session.get(url)

        async def start_task(request: Any, handler: Any) -> Any:
            if request.url.path == "/robots.txt":
                tasks.append(asyncio.create_task(work(request.session)))
            return await handler(request)

        robots = RobotsMiddleware(user_agent="ExampleBot/1.0")
        async with robots, aiohttp.ClientSession(middlewares=[start_task, robots]) as session:
            async with session.get(shop.url("fish")) as response:
                assert response.status == 200
            has_ended.set()
            await asyncio.gather(*tasks)
        assert len(tasks) == 1

    asyncio.run(run())
