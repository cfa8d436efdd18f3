"""Bodies that take long to read leave the event loop to other tasks."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator
from threading import Event, Thread, current_thread, main_thread
from typing import Any

import pytest
from tests.servers.certificates import Authority
from tests.servers.web import Site
from tests.transports.harness import LOOPBACK, make_request, transport_class

from canfetch.access.responses import Response
from canfetch.client.transports import AsyncTransport, turns
from canfetch.client.transports.endpoints import parse_endpoint
from canfetch.client.transports.http_exchange import HTTPExchange
from canfetch.client.transports.http_transport import AsyncHTTPTransport, _receive_in_turns
from canfetch.client.transports.response_body import BodyDecoder, ResponseBuilder
from canfetch.client.transports.turns import CountedSlots, FairSlots
from canfetch.web.server.shares import Shares

URL = "http://example.com/"
PAGE_BYTES = 5_000_000
ENCODED = (("Content-Encoding", "gzip"),)


async def counted_turns(work: Any) -> tuple[Any, int]:
    """Return the result of a coroutine, and how many turns another task has meanwhile."""
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(take_turns())
    try:
        return await work, turns
    finally:
        other.cancel()


async def pieces(*data: bytes) -> AsyncIterator[bytes]:
    for piece in data:
        yield piece


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each piece is decoded in a thread of its own."""
    found: list[bool] = []
    feed = BodyDecoder.feed

    def noting_feed(decoder: BodyDecoder, data: bytes) -> None:
        found.append(current_thread() is not main_thread())
        feed(decoder, data)

    monkeypatch.setattr(BodyDecoder, "feed", noting_feed)
    return found


def test_other_tasks_have_turns_between_chunks() -> None:
    exchange = HTTPExchange(make_request(URL), parse_endpoint(URL))
    chunks = b"1\r\nx\r\n" * 4000
    data = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
    response, turns = asyncio.run(counted_turns(_receive_in_turns(exchange, data)))
    assert response.body == b"x" * 4000
    assert turns >= 4000 // 64


def test_other_tasks_have_turns_between_pieces_of_http_clients() -> None:
    builder = ResponseBuilder(make_request(URL), 200, ())
    response, turns = asyncio.run(counted_turns(builder.read_async(pieces(*[b"x"] * 4000))))
    assert response.body == b"x" * 4000
    assert turns >= 4000 // 64


def test_the_chunks_of_several_responses_are_read_in_turns() -> None:
    data = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 640 + b"0\r\n\r\n"

    async def read(number: int) -> Any:
        exchanges = [HTTPExchange(make_request(URL), parse_endpoint(URL)) for _ in range(number)]
        return await asyncio.gather(*(_receive_in_turns(exchange, data) for exchange in exchanges))

    responses, turns = asyncio.run(counted_turns(read(8)))
    assert [response.body for response in responses] == [b"x" * 640] * 8
    # One step of 64 chunks a turn, after the first ones.
    assert turns >= 8 * (640 // 64 - 1)


def test_other_tasks_have_turns_between_small_tls_records(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = most = 0
    read_record = ssl.SSLObject.read

    def count(session: ssl.SSLObject, *arguments: Any) -> Any:
        nonlocal reads, most
        reads += 1
        most = max(most, reads)
        return read_record(session, *arguments)

    async def take_turns() -> None:
        nonlocal reads
        while True:
            reads = 0
            await asyncio.sleep(0)

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n")
        for _ in range(4000):
            # Each is a record.
            writer.write(b"x")
        await writer.drain()
        writer.close()

    async def main() -> Any:
        server = await asyncio.start_server(respond, "127.0.0.1", 0, ssl=authority.good())
        port = server.sockets[0].getsockname()[1]
        other = asyncio.create_task(take_turns())
        transport = AsyncHTTPTransport(ssl_context=authority.client())
        monkeypatch.setattr(ssl.SSLObject, "read", count)
        async with server:
            answer = await transport.send(make_request(f"https://localhost:{port}/"))
        other.cancel()
        return answer

    assert asyncio.run(main()).body == b"x" * 4000
    assert 1 < most <= 140


def test_those_who_wait_for_slots_take_turns() -> None:
    order: list[str] = []

    async def use(slots: FairSlots, name: str) -> None:
        await slots.acquire(name)
        order.append(name)
        await asyncio.sleep(0)
        slots.release(name)

    async def main() -> None:
        slots = FairSlots(CountedSlots(1))
        tasks = [asyncio.create_task(use(slots, name)) for name in "aaaaabbc"]
        await asyncio.sleep(0)
        # The first one has the slot. The second one of `a` waits no longer.
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # All slots are free again.
        await slots.acquire("d")

    asyncio.run(main())
    assert order == list("abcabaa")


def test_clients_wait_only_for_slots_that_they_can_have() -> None:
    async def main() -> None:
        # Eight, of which a client has at most two, and a network at most half.
        slots = FairSlots(Shares(8))
        await asyncio.gather(*(slots.acquire(name) for name in ["20.0.0.1"] * 2 + ["20.0.0.2"] * 2))
        waiting = [asyncio.create_task(slots.acquire("20.0.0.3")) for _ in range(4)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)
        async with slots.hold("20.0.1.1"), slots.hold("20.0.1.1"), slots.hold("20.0.2.1"):
            slots.release("20.0.0.1")
            await asyncio.sleep(0)
        slots.release("20.0.0.1")
        await asyncio.wait(waiting, timeout=300, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0)
        assert sum(task.done() for task in waiting) == 2
        for name in ["20.0.0.2"] * 2 + ["20.0.0.3"] * 2:
            slots.release(name)
        await asyncio.gather(*waiting)

    asyncio.run(main())


def test_a_slot_that_a_cancelled_task_was_given_is_passed_on() -> None:
    async def main() -> None:
        slots = FairSlots(CountedSlots(1))
        await slots.acquire("a")
        given, other = (asyncio.create_task(slots.acquire(name)) for name in "bc")
        await asyncio.sleep(0)
        slots.release("a")
        given.cancel()
        await asyncio.wait_for(other, 300)
        assert given.cancelled()

    asyncio.run(main())


def test_closed_event_loops_are_forgotten() -> None:
    async def contend() -> None:
        await asyncio.gather(*(turns.call_in_turn(lambda: None) for _ in range(3)))
        # It waits when the event loop is closed.
        turn = turns._computations().turn
        await turn.acquire("a")
        _waiting.append(asyncio.create_task(turn.acquire("b")))
        await asyncio.sleep(0)

    _waiting: list[asyncio.Task[None]] = []
    for _ in range(3):
        asyncio.run(contend())
    assert len(turns._COMPUTATIONS) <= 1 + sum(not loop.is_closed() for loop in turns._COMPUTATIONS)


def test_a_call_in_a_thread_counts_until_it_ends() -> None:
    running = 0
    most = 0
    released = Event()

    def compute() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        assert released.wait(300)
        running -= 1

    async def main() -> None:
        for _ in range(8):
            call = asyncio.create_task(turns.call_off_loop(compute))
            await asyncio.sleep(0.01)
            call.cancel()
        released.set()
        await turns.call_off_loop(lambda: None)

    asyncio.run(main())
    assert 1 <= most <= 4


def test_few_functions_are_called_in_threads_at_the_same_time() -> None:
    running: list[int] = []
    most = 0
    released = Event()

    def compute() -> None:
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        assert released.wait(300)
        running.pop()

    async def call_all() -> None:
        calls = [asyncio.create_task(turns.call_off_loop(compute)) for _ in range(16)]
        while not running:  # noqa: ASYNC110 - a thread sets it
            await asyncio.sleep(0.01)
        released.set()
        await asyncio.gather(*calls)

    asyncio.run(call_all())
    assert 1 <= most <= 4


@pytest.mark.parametrize(
    "headers, max_bytes, is_slow", [(ENCODED, PAGE_BYTES, True), (ENCODED, 512_000, False), ((), PAGE_BYTES, False)]
)
def test_large_encoded_bodies_are_decoded_in_threads(
    threads: list[bool],
    headers: tuple[tuple[str, str], ...],
    max_bytes: int,
    is_slow: bool,  # noqa: FBT001
) -> None:
    body = gzip.compress(b"x" * 400_000) if headers else b"x" * 400_000
    request = make_request(URL, max_bytes=max_bytes)
    response = asyncio.run(ResponseBuilder(request, 200, headers).read_async(pieces(body[:100], body[100:])))
    assert response.body == b"x" * 400_000
    assert threads == [is_slow] * 2


def test_bodies_are_decoded_in_the_loop_without_threads(threads: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    builder = ResponseBuilder(make_request(URL, max_bytes=PAGE_BYTES), 200, ENCODED)
    assert asyncio.run(builder.read_async(pieces(gzip.compress(b"x")))).body == b"x"
    assert threads == [False]


@pytest.mark.service
@pytest.mark.parametrize("name", ["http-async", "httpx2-async", "aiohttp"])
def test_each_transport_decodes_bombs_in_threads(name: str, shared_site: Site, threads: list[bool]) -> None:
    async def send() -> Any:
        transport: AsyncTransport = transport_class(name)(resolve=LOOPBACK)
        try:
            return await transport.send(make_request(shared_site.url("gzip-bomb"), max_bytes=PAGE_BYTES))
        finally:
            await transport.close()

    response = asyncio.run(send())
    assert isinstance(response, Response), response
    assert len(response.body) > 512_000
    assert threads
    assert all(threads)
