"""Attacks over sockets on a running server: each is refused at its limit, and another client is answered meanwhile."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from itertools import pairwise

import pytest
from tests.web.conftest import ScriptedWeb
from tests.web.servers import running_server

from canfetch.web.server.protocol import Turns
from canfetch.web.settings import Settings

SECONDS = 300.0
ATTACKER = "127.0.0.2"
# The limits that docs/serve.md states.
MAX_HEAD_LINES = 200
MAX_HEAD_BYTES = 65_536
MAX_FIELD_BYTES = 4096
MAX_ACCEPT_BYTES = 1024
MAX_TARGET_BYTES = 8000
MAX_INVALID_ESCAPES = 256
FREE_PARTS = 1000
MIN_PART_BYTES = 16
FILE = "User-agent: *\nDisallow: /x\n"
QUESTION = json.dumps({"content": FILE, "url": "/x", "agent": "GPTBot"}).encode()
STREAM = (
    b"POST /v1/decide/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n"
)
CHUNKED = (
    b"POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running_server(Settings(refusal_seconds=0), transport=ScriptedWeb()) as running:
        yield running


def connect(port: int, address: str = ATTACKER) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=SECONDS, source_address=(address, 0))


def read_all(client: socket.socket) -> bytes:
    received = b""
    while data := client.recv(65_536):
        received += data
    return received


def attack(port: int, *parts: bytes) -> bytes:
    """Send parts one after the other, and return the answer."""
    with connect(port) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            client.sendall(part)
        return read_all(client)


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def type_of(answer: bytes) -> str:
    kind: str = json.loads(answer.partition(b"\r\n\r\n")[2])["type"]
    return kind.rpartition(":")[2]


def assert_others_are_answered(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("POST", "/v1/decide", QUESTION, {"Content-Type": "application/json"})
        response = connection.getresponse()
        assert (response.status, json.loads(response.read())["allowed"]) == (200, False)
    finally:
        connection.close()


def in_parts(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("more, status", [(0, 200), (1, 431), (1000, 431)])
def test_heads_have_at_most_200_lines(port: int, more: int, status: int, line_end: bytes) -> None:
    answer = attack(port, head_of(MAX_HEAD_LINES + more, line_end) + line_end)
    assert status_of(answer) == status
    assert status == 200 or type_of(answer) == "head-too-large"
    assert_others_are_answered(port)


def test_heads_that_arrive_slowly_have_at_most_200_lines(port: int) -> None:
    complete = in_parts(head_of(MAX_HEAD_LINES, b"\r\n") + b"\r\n", 100)
    assert status_of(attack(port, *complete)) == 200
    # It is refused before its end, with the line that is one too many.
    incomplete = in_parts(head_of(MAX_HEAD_LINES + 1, b"\r\n"), 100)
    answer = attack(port, *incomplete)
    assert (status_of(answer), type_of(answer)) == (431, "head-too-large")


def head_of(number: int, line_end: bytes) -> bytes:
    """Return the request line and a number of fields."""
    # Two fields are in the beginning.
    fields = b"".join(b"X-%d: a%b" % (each, line_end) for each in range(number - 2))
    return HEAD.replace(b"\r\n", line_end) + fields


@pytest.mark.parametrize("size", [1 << 20, 5000], ids=["at once", "in parts"])
@pytest.mark.parametrize("more, status", [(0, 200), (1, 431)])
@pytest.mark.parametrize("fields", [16, 100])
def test_heads_have_at_most_64_kib(port: int, fields: int, more: int, status: int, size: int) -> None:
    names = [b"X-%03d: " % number for number in range(fields)]
    left = MAX_HEAD_BYTES + more - len(HEAD) - len(b"\r\n") - sum(len(name) + len(b"\r\n") for name in names)
    values = [b"a" * (left // fields + (left % fields if number == 0 else 0)) for number in range(fields)]
    head = HEAD + b"".join(name + value + b"\r\n" for name, value in zip(names, values, strict=True)) + b"\r\n"
    assert len(head) == MAX_HEAD_BYTES + more
    answer = attack(port, *in_parts(head, size))
    assert status_of(answer) == status
    assert status == 200 or type_of(answer) == "head-too-large"
    assert_others_are_answered(port)


def test_a_head_without_an_end_is_refused_at_64_kib(port: int) -> None:
    assert MAX_HEAD_BYTES == 64 << 10
    answer = attack(port, b"GET /", b"a" * (MAX_HEAD_BYTES - 4))
    assert (status_of(answer), type_of(answer)) == (431, "head-too-large")


@pytest.mark.parametrize("size", [1 << 20, 1000], ids=["at once", "in parts"])
@pytest.mark.parametrize("before", [b"/healthz?", b"/v1/agents/find?user_agent=", b"/", b"http://localhost/"])
@pytest.mark.parametrize("method", [b"GET", b"HEAD", b"POST"])
def test_targets_have_at_most_8000_bytes(port: int, method: bytes, before: bytes, size: int) -> None:
    for more, is_refused in ((0, False), (1, True), (50_000, True)):
        target = before + b"a" * (MAX_TARGET_BYTES + more - len(before))
        head = HEAD.replace(b"GET /healthz", b"%b %b" % (method, target))
        answer = attack(port, *in_parts(head + b"\r\n", size))
        assert (status_of(answer) == 414) is is_refused
        assert not is_refused or type_of(answer) == "target-too-long"
    assert_others_are_answered(port)


@pytest.mark.parametrize("target", [b"/%b", b"/v1/agents/find?user_agent=%b", b"http://localhost/%b"])
@pytest.mark.parametrize("escape", [b"%", b"%a", b"%zz", b"%%41"])
def test_targets_have_at_most_256_invalid_escapes(port: int, target: bytes, escape: bytes) -> None:
    for number, is_refused in ((MAX_INVALID_ESCAPES, False), (MAX_INVALID_ESCAPES + 1, True), (1900, True)):
        head = HEAD.replace(b"/healthz", target % (escape * number))
        assert (type_of_refusal(attack(port, head + b"\r\n")) == "invalid-http") is is_refused
    valid = HEAD.replace(b"/healthz", b"/healthz?%b" % (b"%C3%A4" * 1300))
    assert status_of(attack(port, valid + b"\r\n")) == 200


def type_of_refusal(answer: bytes) -> str | None:
    """Return the type of the problem of a request that is not valid HTTP, or None."""
    return type_of(answer) if status_of(answer) == 400 else None


LONG_FIELDS = {
    "in one line": lambda name, value: b"%b: %b\r\n" % (name, value),
    "in many lines": lambda name, value: b"".join(b"%b: %b\r\n" % (name, part) for part in in_parts(value, 100)),
    "in folded lines": lambda name, value: (
        b"%b: a\r\n" % name + b"".join(b" %b\r\n" % part for part in in_parts(value, 100))
    ),
}


@pytest.mark.parametrize("form", LONG_FIELDS)
@pytest.mark.parametrize(
    "name", [b"Accept", b"connection", b"X-FORWARDED-FOR", b"Authorization", b"If-None-Match", b"traceparent", b"X"]
)
def test_fields_have_at_most_4_kib(port: int, name: bytes, form: str) -> None:
    limit = MAX_ACCEPT_BYTES if name.lower() == b"accept" else MAX_FIELD_BYTES
    for size, status in ((limit * 3 // 4, 200), (limit, 431), (15_000, 431)):
        field = LONG_FIELDS[form](name, b"," * size)
        # Other connection options keep the connection open.
        answer = attack(port, HEAD.replace(b"Connection: close\r\n", b"") + field + b"Connection: close\r\n\r\n")
        assert status_of(answer) == status
        assert status == 200 or type_of(answer) == "head-too-large"
    assert_others_are_answered(port)


@pytest.mark.parametrize("name", [b"baggage", b"Referer", b"tracestate"])
def test_long_fields_that_nothing_splits_are_accepted(port: int, name: bytes) -> None:
    assert status_of(attack(port, HEAD + name + b": " + b"a=b," * 2_048 + b"\r\n\r\n")) == 200
    assert status_of(attack(port, HEAD + name + b": " + b"a=b," * 2_500 + b"\r\n\r\n")) == 431


def test_cookies_of_other_servers_on_the_host_are_accepted(port: int) -> None:
    assert status_of(attack(port, HEAD + b"Cookie: " + b"a=b; " * 12_000 + b"\r\n\r\n")) == 200


@pytest.mark.parametrize("white_space", [b" ", b"\t"])
def test_fields_of_white_space_with_an_invalid_byte_are_refused_in_linear_time(port: int, white_space: bytes) -> None:
    """In quadratic time, they take ten seconds."""
    field = b"Cookie: " + white_space * 60_000 + b"\0\r\n"
    assert status_of(attack(port, HEAD + field + b"\r\n")) == 400
    assert_others_are_answered(port)


def chunked(body: bytes, size: int) -> bytes:
    """Return a body in chunks of a size, without its end."""
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in in_parts(body, size))


@pytest.mark.parametrize(
    "body_bytes, size, status",
    [
        (FREE_PARTS, 1, 200),
        (FREE_PARTS + 1, 1, 400),
        (60_000, 1, 400),
        (60_000, MIN_PART_BYTES - 1, 400),
        (60_000, 2 * MIN_PART_BYTES, 200),
    ],
)
def test_bodies_in_tiny_chunks_are_refused(port: int, body_bytes: int, size: int, status: int) -> None:
    chunks = chunked(QUESTION.ljust(body_bytes), size)
    if status == 400:
        # The server refuses the rest, and what arrives then resets the connection.
        chunks = chunks[: (FREE_PARTS + 1) * len(chunked(b"a" * size, size))]
    answer = attack(port, CHUNKED, chunks, b"0\r\n\r\n" if status == 200 else b"")
    assert status_of(answer) == status
    assert status == 200 or type_of(answer) == "invalid-http"
    assert_others_are_answered(port)


def test_streams_of_empty_lines_hold_up_nobody(port: int) -> None:
    first = json.dumps({"content": FILE}).encode() + b"\n"
    question = b'{"url":"/x","agent":"GPTBot"}\n'
    empty = (b"\n" * 500_000, b" \t\n" * 200_000, b"\r\n" * 300_000)
    body = first + b"".join(question + lines for lines in empty) + question
    with connect(port) as client:
        client.sendall(STREAM % len(body))
        client.sendall(first)
        for lines in empty:
            client.sendall(question + lines)
            assert_others_are_answered(port)
        client.sendall(question)
        answer = read_all(client)
    assert status_of(answer) == 200
    assert answer.count(b'"allowed":false') == 4
    assert b"error" not in answer


def open_stream(stack: ExitStack, port: int, address: str) -> tuple[socket.socket, bytes]:
    """Open a stream, and return its connection and the beginning of the answer."""
    client = stack.enter_context(connect(port, address))
    client.sendall(STREAM % 1000 + b'{"content":""}\n{"url":"/x","agent":"GPTBot"}\n')
    return client, client.recv(65_536)


def test_a_client_has_16_streams(port: int) -> None:
    with ExitStack() as stack:
        streams = [open_stream(stack, port, ATTACKER) for _ in range(16)]
        assert {status_of(answer) for _, answer in streams} == {200}
        _, refused = open_stream(stack, port, ATTACKER)
        assert status_of(refused) == 503
        assert b"\r\nretry-after: 5\r\n" in refused.lower()
        _, other = open_stream(stack, port, "127.0.0.1")
        assert status_of(other) == 200
        # The place of a stream is free again when its client disconnects.
        streams[0][0].close()
        while status_of(open_stream(stack, port, ATTACKER)[1]) != 200:
            pass
        assert_others_are_answered(port)


def test_requests_on_many_connections_take_turns_with_those_of_other_clients(port: int) -> None:
    connections, requests = 30, 300
    pipelined = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * requests
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(port)) for _ in range(connections)]
        for client in clients:
            client.sendall(pipelined)
        assert_others_are_answered(port)
        answers = 0
        for client in clients:
            client.setblocking(False)
            with suppress(BlockingIOError):
                answers += client.recv(1 << 22).count(b"HTTP/1.1 200 ")
        assert answers < connections * requests / 2


class CountedParser:
    """A connection with a request, which takes all the work of a turn.

    Args:
        turn_key: The client.
        order: The clients in the order of their turns, to which each turn adds one.
    """

    def __init__(self, turn_key: str, order: list[str]) -> None:
        self.turn_key = turn_key
        self._order = order
        self._left = 10

    def parse(self, work: int) -> int:
        self._order.append(self.turn_key)
        self._left -= 1
        return work if self._left else 0


@pytest.mark.parametrize(
    "attackers, most_before",
    [
        # 100 connections of one client.
        (["192.0.2.1"] * 100, 2),
        # A public network of 100 clients.
        ([f"8.8.8.{number}" for number in range(100)], 2),
        # Two of them.
        ([f"8.8.{number % 2}.{number}" for number in range(100)], 3),
    ],
    ids=["client", "network", "networks"],
)
def test_each_network_has_a_turn_before_one_has_a_second(attackers: list[str], most_before: int) -> None:
    async def order_of_turns() -> list[str]:
        order: list[str] = []
        turns = Turns()
        for client in attackers:
            turns.add(CountedParser(client, order))
        turns.add(CountedParser("1.1.1.1", order))
        while len(order) < 10 * (len(attackers) + 1):  # noqa: ASYNC110 - turns report no end
            await asyncio.sleep(0)
        return order

    order = asyncio.run(order_of_turns())
    own = [number for number, client in enumerate(order) if client == "1.1.1.1"]
    assert [later - earlier for earlier, later in pairwise([-1, *own])] == [most_before] * 10
