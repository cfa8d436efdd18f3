"""One asynchronous client on several event loops, each in a thread of its own: an origin is fetched once."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from tests.servers.valid import RULES
from tests.servers.web import Exchange, Site
from tests.transports.harness import transport_class

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.daemon_threads import start_daemon_thread
from canfetch.errors import ClientClosed, RequestNotSent

USER_AGENT = "ExampleBot/1.0"
LOOPS = 4
SECONDS = 300


class HeldSite:
    """A site that answers when its gate is open. Its first answers can be missing for ever."""

    def __init__(self, site: Site, *, silent: int = 0) -> None:
        self.site = site
        self.gate = threading.Event()
        self.is_requested = threading.Event()
        self.url = f"{site.origin}/private/"
        self._silent = silent
        site.serve("/robots.txt", self._respond)

    async def _respond(self, exchange: Exchange) -> None:
        self.is_requested.set()
        if self.site.count("/robots.txt") <= self._silent:
            await exchange.wait_closed()
            return
        await asyncio.to_thread(self.gate.wait, SECONDS)
        await exchange.respond(200, RULES)


class RunningLoop:
    """An event loop that runs in a thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        # Python reports the pending tasks of a loop that was closed.
        self.loop.set_exception_handler(lambda _loop, _context: None)
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Start a coroutine, and return its future after its first steps."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        for _ in range(3):
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self.loop).result(SECONDS)
        return future

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(SECONDS)

    def close(self) -> None:
        if not self.loop.is_closed():
            self.stop()
            self.loop.close()


@pytest.fixture
def first() -> Iterator[RunningLoop]:
    running = RunningLoop()
    yield running
    running.close()


@pytest.fixture
def second() -> Iterator[RunningLoop]:
    running = RunningLoop()
    yield running
    running.close()


@pytest.mark.parametrize(
    "name", ["http-async", *(pytest.param(name, marks=pytest.mark.slow) for name in ("httpx2-async", "aiohttp"))]
)
def test_event_loops_in_threads_send_one_request(name: str) -> None:
    with Site() as site:
        held = HeldSite(site)
        client = AsyncClient(user_agent=USER_AGENT, transport=transport_class(name)())
        waiting = threading.Semaphore(0)

        async def query() -> list[bool]:
            tasks = [asyncio.create_task(client.allows(held.url)) for _ in range(3)]
            for _ in range(3):
                await asyncio.sleep(0)
            waiting.release()
            return await asyncio.gather(*tasks)

        futures = [start_daemon_thread(lambda: asyncio.run(query()), name="test") for _ in range(LOOPS)]
        for _ in futures:
            assert waiting.acquire(timeout=SECONDS)
        held.gate.set()
        assert [future.result(SECONDS) for future in futures] == [[False] * 3] * LOOPS
        assert site.count("/robots.txt") == 1
        asyncio.run(client.close())


@pytest.mark.parametrize("end", ["cancel", *(pytest.param(end, marks=pytest.mark.slow) for end in ("stop", "close"))])
def test_another_event_loop_takes_over(first: RunningLoop, second: RunningLoop, end: str) -> None:
    ends: dict[str, Callable[[], object]] = {"stop": first.stop, "close": first.close, "cancel": lambda: None}
    with Site() as site:
        held = HeldSite(site, silent=1)
        held.gate.set()
        client = AsyncClient(user_agent=USER_AGENT, connect_timeout=SECONDS, read_timeout=SECONDS, timeout=SECONDS)
        owner = first.start(client.allows(held.url))
        assert held.is_requested.wait(SECONDS)
        waiter = second.start(client.allows(held.url))
        assert not waiter.done()
        if end == "cancel":
            # As `asyncio.run` does at its end.
            first.loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(first.loop)])
        ends[end]()
        assert waiter.result(SECONDS) is False
        assert site.count("/robots.txt") == 2
        if end == "stop":
            # The first fetch was not cancelled: it would continue if its loop did.
            assert not owner.done()
        asyncio.run(client.close())


def test_cancelled_tasks_of_other_event_loops_leave_the_fetch(first: RunningLoop, second: RunningLoop) -> None:
    with Site() as site:
        held = HeldSite(site)
        client = AsyncClient(user_agent=USER_AGENT)
        owner = first.start(client.allows(held.url))
        assert held.is_requested.wait(SECONDS)
        cancelled, waiter = second.start(client.allows(held.url)), second.start(client.allows(held.url))
        cancelled.cancel()
        owner.cancel()
        held.gate.set()
        assert waiter.result(SECONDS) is False
        assert site.count("/robots.txt") == 1
        asyncio.run(client.close())


def test_close_ends_the_fetches_of_all_event_loops(first: RunningLoop, second: RunningLoop) -> None:
    with Site() as site:
        held = HeldSite(site, silent=1)
        client = AsyncClient(user_agent=USER_AGENT, connect_timeout=SECONDS, read_timeout=SECONDS, timeout=SECONDS)
        waiters = [running.start(client.allows(held.url)) for running in (first, second)]
        assert held.is_requested.wait(SECONDS)
        asyncio.run(client.close())
        for waiter in waiters:
            with pytest.raises(ClientClosed):
                waiter.result(SECONDS)
        assert site.count("/robots.txt") == 1


class Offline:
    """A transport that cannot send requests, and says so when its gate is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.is_requested = threading.Event()
        self.requests = 0

    async def send(self, request: TransportRequest) -> Failure:
        self.requests += 1
        self.is_requested.set()
        await asyncio.to_thread(self.gate.wait, SECONDS)
        return Failure(request.url, FailureKind.LOCAL, "no descriptor")

    async def close(self) -> None:
        pass


def test_tasks_of_other_event_loops_get_the_error(first: RunningLoop, second: RunningLoop) -> None:
    transport = Offline()
    client = AsyncClient(user_agent=USER_AGENT, transport=transport)
    waiters = [first.start(client.allows("https://example.com/"))]
    assert transport.is_requested.wait(SECONDS)
    waiters.append(second.start(client.allows("https://example.com/")))
    transport.gate.set()
    for waiter in waiters:
        with pytest.raises(RequestNotSent, match="no descriptor"):
            waiter.result(SECONDS)
    assert transport.requests == 1


class LateOrigin:
    """An origin that answers the first request with an older file than the second one, and later.

    Args: late: The older answer, or None for a failure.
    """

    def __init__(self, late: bytes | None) -> None:
        self._late = late
        self._requests = 0
        self.is_answered = asyncio.Event()

    async def send(self, request: TransportRequest) -> Response | Failure:
        self._requests += 1
        body: bytes | None = b"User-agent: *\nDisallow: /private/\n"
        if self._requests == 1:
            await self.is_answered.wait()
            body = self._late
        if body is None:
            return Failure(request.url, FailureKind.TIMEOUT, "no answer")
        return Response(request.url, 200, (), body)

    async def close(self) -> None:
        """Close nothing."""


@pytest.mark.parametrize("late", [b"User-agent: *\nDisallow: /\n", None])
@pytest.mark.parametrize("has_store", [False, True])
def test_the_late_end_of_a_fetch_does_not_replace_that_of_another_event_loop(
    late: bytes | None, *, has_store: bool
) -> None:
    origin = LateOrigin(late)
    client = AsyncClient(user_agent=USER_AGENT, transport=origin, store=MemoryStore() if has_store else None)
    first, second = asyncio.new_event_loop(), asyncio.new_event_loop()
    url = "https://example.com/open"
    try:
        task = first.create_task(client.allows(url))
        while not origin._requests:
            first.run_until_complete(asyncio.sleep(0.001))
        # The first loop does not run.
        assert second.run_until_complete(client.allows(url))
        origin.is_answered.set()
        assert first.run_until_complete(task)
        assert second.run_until_complete(client.allows(url))
        second.run_until_complete(client.close())
    finally:
        first.close()
        second.close()


class PromptOrigin:
    """An origin whose answers do not wait for anything."""

    async def send(self, request: TransportRequest) -> Response | Failure:
        return Response(request.url, 200, (), b"[]")

    async def close(self) -> None:
        """Close nothing."""


def test_fetches_start_after_the_call_that_causes_them() -> None:
    """An eager factory for tasks would start them at once, while the client holds its lock."""
    created: list[str] = []

    def create(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> Any:
        created.append(coroutine.__qualname__)
        return asyncio.Task(coroutine, loop=loop, **options)

    async def main() -> None:
        # Python 3.12 and later have an eager one.
        factory: Any = getattr(asyncio, "eager_task_factory", None) or create
        asyncio.get_running_loop().set_task_factory(factory)
        async with AsyncClient(user_agent=USER_AGENT, transport=PromptOrigin()) as client:
            await asyncio.wait_for(client.tdm_file("https://example.com/"), SECONDS)

    asyncio.run(main())
    assert not [name for name in created if "fetch" in name]
