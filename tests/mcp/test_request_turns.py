"""Requests over HTTP take turns on the event loop, so that no network of clients delays the others."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from canfetch.web.mcp import request_turns
from canfetch.web.mcp.http_guard import HTTPGuard
from canfetch.web.mcp.request_turns import RequestTurns, outside_turn

pytestmark = pytest.mark.filterwarnings("error")

FLOOD = [f"8.8.8.{number}" for number in range(1, 201)]
OTHER = "1.1.1.1"
SCOPE = {"type": "http", "method": "POST", "path": "/mcp", "scheme": "http", "headers": [(b"host", b"localhost")]}


class App:
    """An application whose requests take steps on the event loop. It counts those that run at a time."""

    def __init__(self, steps: int = 20) -> None:
        self._steps = steps
        self.running = 0
        self.most = 0

    async def __call__(self, _scope: Any, _receive: Any, send: Any) -> None:
        await self._compute()
        async with outside_turn():
            # A request that waits for a site keeps no other request from its turn.
            await asyncio.sleep(0.001)
        await self._compute()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def _compute(self) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(self._steps):
            await asyncio.sleep(0)
        self.running -= 1


async def _simple(_body: bytes) -> bool:
    return True


def ask(guard: HTTPGuard, client: str, send: Callable[[Any], Awaitable[None]] | None = None) -> asyncio.Task[None]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'}

    async def sent(_message: Any) -> None:
        """Write nothing."""

    return asyncio.ensure_future(guard({**SCOPE, "client": (client, 1)}, receive, send or sent))


def make_guard(app: Any) -> HTTPGuard:
    return HTTPGuard(app, is_simple=_simple, listens_on="127.0.0.1", token=None)


def test_a_request_does_not_wait_for_those_of_another_network() -> None:
    app = App()

    async def race() -> int:
        guard = make_guard(app)
        flood = [ask(guard, client) for client in FLOOD]
        await asyncio.sleep(0)
        await ask(guard, OTHER)
        done = sum(task.done() for task in flood)
        await asyncio.gather(*flood)
        return done

    assert asyncio.run(race()) < 20
    assert app.most <= 4
    assert app.running == 0


def test_a_client_that_reads_slowly_keeps_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "_MAX_SECONDS", 3600.0)

    async def race() -> None:
        guard = make_guard(App(1))
        released = asyncio.Event()

        async def blocked(_message: Any) -> None:
            await released.wait()

        slow = [ask(guard, client, blocked) for client in FLOOD]
        async with asyncio.timeout(60):
            await ask(guard, OTHER)
        released.set()
        await asyncio.gather(*slow)

    asyncio.run(race())


def test_a_request_that_waits_keeps_its_turn_for_a_short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "_MAX_SECONDS", 0.01)

    async def race() -> None:
        released = asyncio.Event()

        async def app(scope: Any, _receive: Any, send: Any) -> None:
            if scope["client"][0] != OTHER:
                await released.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        guard = make_guard(app)
        stuck = [ask(guard, client) for client in FLOOD]
        await ask(guard, OTHER)
        released.set()
        await asyncio.gather(*stuck)

    asyncio.run(race())


@pytest.mark.parametrize("ending", ["cancelled", "failed"])
def test_turns_of_requests_that_fail_are_free_again(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "_MAX_SECONDS", 3600.0)

    class Failed(Exception):
        """Raised by the application."""

    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        async with outside_turn():
            if ending == "failed":
                raise Failed
            await asyncio.get_running_loop().create_future()

    async def race() -> list[Any]:
        guard = make_guard(app)
        tasks = [ask(guard, client) for client in FLOOD]
        await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        await all_turns(guard._turns)
        return ended

    ended = asyncio.run(race())
    assert {type(one) for one in ended} == {asyncio.CancelledError if ending == "cancelled" else Failed}


async def all_turns(turns: RequestTurns) -> None:
    """Hold all turns at once, which are free."""
    async with asyncio.timeout(60), AsyncExitStack() as stack:
        for _ in range(request_turns._SLOTS):
            await stack.enter_async_context(turns.hold(OTHER))


def test_a_tool_that_outlives_its_request_takes_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "_MAX_SECONDS", 3600.0)
    tools: list[asyncio.Task[None]] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        started, released = asyncio.Event(), asyncio.Event()

        async def tool() -> None:
            async with outside_turn():
                started.set()
                await released.wait()

        tools.append(asyncio.ensure_future(tool()))
        await started.wait()
        asyncio.get_running_loop().call_later(0.01, released.set)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def race() -> None:
        guard = make_guard(app)
        await asyncio.gather(*(ask(guard, client) for client in FLOOD[:20]))
        await asyncio.gather(*tools)
        await all_turns(guard._turns)

    asyncio.run(race())


def test_networks_take_turns() -> None:
    order: list[str] = []

    async def one(turns: RequestTurns, client: str) -> None:
        async with turns.hold(client):
            order.append(client)
            await asyncio.sleep(0)

    async def race() -> None:
        turns = RequestTurns()
        clients = [*FLOOD[:40], *(f"9.9.9.{number}" for number in range(5))]
        await asyncio.gather(*(one(turns, client) for client in clients))

    asyncio.run(race())
    assert max(order.index(f"9.9.9.{number}") for number in range(5)) < 20


def test_without_turns_nothing_waits() -> None:
    async def ask_alone() -> str:
        async with outside_turn():
            return "answered"

    assert asyncio.run(ask_alone()) == "answered"
