"""Connections: slow clients are closed, their number is bounded, and others are served meanwhile."""

import asyncio
import json
import select
import socket
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from http.client import HTTPConnection
from types import SimpleNamespace
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time
from starlette.types import Message, Receive, Scope, Send
from tests.web.conftest import ScriptedWeb
from tests.web.servers import running_server
from uvicorn.server import ServerState

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import TransportRequest
from canfetch.web.api.verdict_stream import MAX_LINE_BYTES
from canfetch.web.server.clients import ClientAddresses, ClientConnections
from canfetch.web.server.guard import BODY_LIMITS
from canfetch.web.server.listening import bind
from canfetch.web.server.protocol import BoundedConfig, BoundedProtocol
from canfetch.web.settings import RateLimit, Settings

SECONDS = 300.0
POST = b"POST /v1/%b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
QUESTION = {"content": "User-agent: *\nDisallow: /x\n", "url": "/x", "agent": "GPTBot"}
# An answer of several megabytes.
BATCH = json.dumps(
    {"content": QUESTION["content"], "urls": [f"/x/{number:0200}" for number in range(10_000)], "agents": ["A", "B"]}
).encode()


@pytest.fixture(autouse=True)
def fresh_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let metrics show what lasts shorter than the second for which they are kept."""
    monkeypatch.setattr("canfetch.web.server.metrics._FRESH_SECONDS", 0.0)


def ask(port: int, question: dict[str, str] = QUESTION, *, client: str = "127.0.0.1") -> int:
    """Return the status of a decision on a connection of its own."""
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS, source_address=(client, 0))
    try:
        connection.request("POST", "/v1/decide", json.dumps(question), {"Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def open_slow_clients(stack: ExitStack, port: int, number: int, sent: bytes) -> list[socket.socket]:
    clients = []
    for _ in range(number):
        client = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=SECONDS))
        client.sendall(sent)
        clients.append(client)
    return clients


def send_slowly(client: socket.socket) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        client.send(b"X")
        time.sleep(0.01)


def read_all(client: socket.socket) -> bytes:
    received = b""
    try:
        while data := client.recv(65_536):
            received += data
    except ConnectionResetError:
        pass
    return received


def stopping_server() -> AbstractContextManager[int]:
    """Serve with no time for slow clients but that for the end of the server."""
    settings = Settings(idle_timeout=SECONDS, body_timeout=SECONDS, body_start_timeout=SECONDS)
    return running_server(settings, closing_timeout=0.1, stop_seconds=int(SECONDS), transport=ScriptedWeb())


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running_server(transport=ScriptedWeb()) as running:
        yield running


@pytest.fixture(scope="module")
def named_port() -> Iterator[int]:
    """Return the port of a server that answers for one host name only."""
    with running_server(Settings(host_names=("localhost:8420",)), transport=ScriptedWeb()) as running:
        yield running


@pytest.fixture(scope="module")
def impatient_port() -> Iterator[int]:
    """Return the port of a server that waits a second for the head of a request, and another for its body."""
    settings = Settings(header_timeout=1.0, body_timeout=1.0)
    with running_server(settings, transport=ScriptedWeb()) as running:
        yield running


def test_responses_do_not_wait_for_acknowledgements() -> None:
    async def nodelay_of_a_connection() -> int:
        options: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            options.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with bind("127.0.0.1", 0, is_fixed=True) as bound:
            async with await asyncio.start_server(connected, sock=bound):
                _, writer = await asyncio.open_connection(*bound.getsockname())
                writer.close()
                return await options

    assert asyncio.run(nodelay_of_a_connection()) != 0


@pytest.mark.slow
def test_clients_that_send_no_complete_head_are_closed(impatient_port: int) -> None:
    with ExitStack() as stack:
        clients = open_slow_clients(
            stack, impatient_port, 100, b"POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
        )
        assert ask(impatient_port) == 200
        assert [read_all(client) for client in clients] == [b""] * 100
    assert ask(impatient_port) == 200


@pytest.mark.slow
def test_bodies_that_do_not_arrive_are_answered(impatient_port: int) -> None:
    with ExitStack() as stack:
        clients = open_slow_clients(stack, impatient_port, 100, POST % (b"decide", 99) + b"{")
        assert ask(impatient_port) == 200
        for client in clients:
            answer = read_all(client)
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b"urn:canfetch:problem:request-timeout" in answer


def test_connection_is_kept_for_further_requests(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    for _ in range(3):
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b'{"status":"ok"}')
    connection.close()


def test_oldest_waiting_connection_is_closed_at_the_limit() -> None:
    settings = Settings(max_connections=5)
    with running_server(settings, transport=ScriptedWeb()) as port, ExitStack() as stack:
        clients = open_slow_clients(stack, port, 5, b"GET / HTTP/1.1\r\n")
        assert ask(port) == 200
        readable, _, _ = select.select(clients, [], [], SECONDS)
        assert readable == [clients[0]]


def test_connections_over_the_limit_are_closed_even_if_many_arrive_together() -> None:
    settings = Settings(max_connections=5)
    bound = socket.create_server(("127.0.0.1", 0), backlog=50)
    with ExitStack() as stack:
        clients = open_slow_clients(stack, bound.getsockname()[1], 20, b"")
        # The server accepts all of them before it closes one.
        with running_server(settings, bound=bound, transport=ScriptedWeb()) as port:
            assert ask(port) == 200
            deadline = time.monotonic() + SECONDS
            while len(closed := select.select(clients, [], [], SECONDS)[0]) < 16 and time.monotonic() < deadline:
                pass
            assert closed == clients[:16]


@pytest.mark.parametrize("limit", ["of all", "of a client"])
def test_connections_between_requests_are_closed_at_a_limit(limit: str) -> None:
    settings = Settings(max_connections=3 if limit == "of all" else 100)
    most = 3 if limit == "of a client" else 100
    with running_server(settings, client_connections=most, transport=ScriptedWeb()) as port, ExitStack() as stack:
        clients = open_slow_clients(stack, port, 3, b"")
        for client in clients[::-1]:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b'{"status":"ok"}'):
                answer += client.recv(65_536)
        assert ask(port) == 200
        readable, _, _ = select.select(clients, [], [], SECONDS)
        assert readable == [clients[2]]
        assert read_all(clients[2]) == b""


REQUESTS = {
    "kept": b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200,
    "last": (POST % (b"decide/batch", len(BATCH))).replace(b"Host", b"Connection: close\r\nHost") + BATCH,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", REQUESTS)
def test_answers_that_are_not_read_end_their_connection(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    with running_server(Settings(idle_timeout=0.5), transport=ScriptedWeb()) as port, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(SECONDS)
        client.connect(("127.0.0.1", port))
        client.sendall(REQUESTS[kind])
        # A closed connection is reset as soon as more arrives.
        with pytest.raises(ConnectionError):
            send_slowly(client)
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


class UnreadTransport(asyncio.Transport):
    """A connection whose client reads only when the test says so."""

    is_aborted = False

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert (high, low) == (0, None)

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True

    def close(self) -> None:
        """Do nothing: the answer has ended."""


@pytest.mark.parametrize("pause, size, is_read", [(1.0, 1, False), (29.0, 100, False), (1.0, 1024, True)])
def test_answers_have_a_minimum_rate_at_which_they_are_read(pause: float, size: int, is_read: bool) -> None:  # noqa: FBT001
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        for _ in range(100):
            await send({"type": "http.response.body", "body": b"x" * size, "more_body": True})

    async def run() -> bool:
        limits: dict[str, Any] = {"header_timeout": 10.0, "reading_timeout": 30.0, "max_connections": 5}
        config = BoundedConfig(app, **limits, addresses=ClientAddresses(()), proxy_headers=False, log_config=None)
        config.load()
        protocol = BoundedProtocol(config, ServerState(), {}, asyncio.get_running_loop())
        transport = UnreadTransport()
        protocol.connection_made(transport)

        async def receive() -> Message:
            raise AssertionError

        async def send(_message: Message) -> None:
            protocol.pause_writing()
            await asyncio.sleep(pause)
            protocol.resume_writing()

        # The exchange that uvicorn creates for a request.
        protocol.cycle = SimpleNamespace(response_complete=False, disconnected=False, more_body=False)  # type: ignore[assignment]
        await protocol._run({}, receive, send)
        return not transport.is_aborted

    assert run_in_virtual_time(run) is is_read


@pytest.mark.slow
def test_requests_that_run_when_the_server_stops_have_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    with ExitStack() as stack, running_server(stop_seconds=0, transport=ScriptedWeb()) as port:
        question = json.dumps(QUESTION).encode() + b"\n"
        stream_head = (POST % (b"decide/stream", 10_000)).replace(b"json", b"x-ndjson")
        clients = open_slow_clients(stack, port, 2, stream_head + question)
        clients += open_slow_clients(stack, port, 2, POST % (b"decide", 99) + b"{")
        for client in clients[:2]:
            assert client.recv(65_536).startswith(b"HTTP/1.1 200 ")
    assert [record.message for record in caplog.records if record.exc_info] == []
    assert [record.message for record in caplog.records] == [
        "Cancel 4 running task(s), timeout graceful shutdown exceeded"
    ]


@pytest.mark.slow
def test_100_mb_are_refused_while_they_are_sent(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        client.sendall(POST % (b"lint", 100_000_000))
        sent = 0
        # The server has answered, so it reads no more than what fits into the buffers.
        try:
            while sent < 100_000_000 and not select.select([client], [], [], 0)[0]:
                sent += client.send(b" " * 65_536)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = read_all(client)
    assert sent < 100_000_000
    # A reset can overtake the answer.
    assert answer == b"" or answer.startswith(b"HTTP/1.1 413 ")


def stream(port: int, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return stream_text(port, "".join(f"{json.dumps(line)}\n" for line in lines))


def stream_text(port: int, body: str) -> list[dict[str, Any]]:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("POST", "/v1/decide/stream", body, {"Content-Type": "application/x-ndjson"})
        response = connection.getresponse()
        assert response.headers["content-type"] == "application/x-ndjson"
        return [json.loads(line) for line in response.read().splitlines()]
    finally:
        connection.close()


@pytest.mark.slow
def test_stream_of_verdicts(port: int) -> None:
    questions = [{"url": f"/{name}", "agent": "GPTBot"} for name in "xyz" for _ in range(1000)]
    answers = stream(port, [{"content": QUESTION["content"]}, *questions, {"url": "x", "agent": "a"}, {"agent": "a"}])
    assert len(answers) == 3002
    assert [answer["allowed"] for answer in answers] == [False] * 1000 + [True] * 2000 + [None, None]
    assert [answer["error"] for answer in answers[-2:]] == [
        "invalid URL 'x': expected an absolute URL, '//host/path', or a path starting with '/'",
        "expected url and agent, or content",
    ]


@pytest.mark.slow
def test_lines_after_one_that_is_too_long_are_answered(port: int) -> None:
    question = {"url": "/x", "agent": "GPTBot"}
    long_line = {**question, "content": "#" * MAX_LINE_BYTES}
    too_long = {"allowed": None, "error": "the line is longer than 4 MiB"}
    answers = stream(port, [{"content": QUESTION["content"]}, long_line, question, long_line])
    assert [answers[0], answers[2]] == [too_long, too_long]
    assert answers[1]["allowed"] is False
    assert len(answers) == 3
    # Neither the file before a file that is too long is meant, nor the live one.
    long_file = {"content": "#" * MAX_LINE_BYTES}
    answers = stream(port, [{"content": QUESTION["content"]}, long_file, question, {"content": ""}, question])
    assert answers[0] == {"error": too_long["error"]}
    assert "the last line with a file is not valid" in answers[1]["error"]
    assert answers[2]["allowed"] is True
    longest = json.dumps(question).ljust(MAX_LINE_BYTES)
    answers = stream_text(port, f"{longest}\n{longest} \n{longest} ")
    assert answers[1:] == [too_long, too_long]


def test_invalid_http_is_a_problem(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        client.sendall(b"nonsense\r\n\r\n")
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in answer


@pytest.mark.parametrize(
    "version, headers",
    [(b"1.1", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), (b"1.0", b"Transfer-Encoding: chunked\r\n")],
    ids=["both", "http-1.0"],
)
def test_bodies_of_ambiguous_length_are_refused(port: int, version: bytes, headers: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        client.sendall(
            b"POST /v1/decide HTTP/" + version + b"\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Connection: keep-alive\r\n" + headers + b"\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.slow
def test_body_that_is_a_little_too_large_is_read_before_the_connection_is_closed(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    body = b" " * (BODY_LIMITS["lint"] + 1_000_000)
    for content in (body, iter([body])):
        connection.request("POST", "/v1/lint", content, {"Content-Type": "application/json"})
        response = connection.getresponse()
        assert response.status == 413
        assert json.loads(response.read())["type"] == "urn:canfetch:problem:too-large"
    connection.close()


def test_a_client_has_only_so_many_connections() -> None:
    with running_server(client_connections=5, transport=ScriptedWeb()) as port, ExitStack() as stack:
        clients = open_slow_clients(stack, port, 5, b"GET / HTTP/1.1\r\n")
        assert ask(port) == 200
        readable, _, _ = select.select(clients, [], [], SECONDS)
        assert readable == [clients[0]]
        other = socket.create_connection(("127.0.0.1", port), timeout=SECONDS, source_address=("127.0.0.2", 0))
        with other:
            other.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert read_all(other).startswith(b"HTTP/1.1 200 ")


class SilentWeb(ScriptedWeb):
    """Sites that never answer."""

    async def send(self, request: TransportRequest) -> Response | Failure:
        self.requests.append(request.url)
        await asyncio.get_running_loop().create_future()
        raise AssertionError("unreachable")


def test_requests_that_wait_for_slow_sites_keep_no_other_client_out() -> None:
    web = SilentWeb()
    settings = Settings(max_connections=6, timeout=SECONDS)
    with running_server(settings, client_connections=3, stop_seconds=0, transport=web) as port, ExitStack() as stack:
        clients = []
        for number in range(6):
            client = stack.enter_context(socket.socket())
            client.bind((f"127.0.0.{2 + number // 3}", 0))
            client.connect(("127.0.0.1", port))
            body = json.dumps({"url": f"https://site{number}.example/"}).encode()
            client.sendall(POST % (b"fetch", len(body)) + body)
            clients.append(client)
        deadline = time.monotonic() + SECONDS
        while len(web.requests) < 6 and time.monotonic() < deadline:
            time.sleep(0.01)
        for address in ("127.0.0.4", "127.0.0.5"):
            assert ask(port, client=address) == 200
        # The first question has taken the place of the newest one of a client.
        assert select.select(clients, [], [], SECONDS)[0] == [clients[2]]


def test_newest_connection_of_the_client_with_the_most_is_found() -> None:
    connections: ClientConnections[str] = ClientConnections()
    for client, name in (("10.0.0.1", "a"), ("10.0.0.1", "b"), ("10.0.0.2", "c"), ("8.8.8.1", "d"), ("8.8.8.2", "e")):
        connections.add(client, name)
    assert connections.newest_of_greediest("10.0.0.2") == "b"
    assert connections.newest_of_greediest("10.0.0.1") is None
    # Public addresses of a network count together.
    assert connections.newest_of_greediest("8.8.8.1") is None
    connections.add("8.8.8.1", "f")
    assert connections.newest_of_greediest("10.0.0.1") == "f"
    assert connections.newest_of_greediest("8.8.8.2") == "f"
    for client, name in (("8.8.8.1", "f"), ("8.8.8.1", "d"), ("8.8.8.2", "e")):
        connections.remove(client, name)
    assert connections.newest_of_greediest("10.0.0.2") == "b"


def test_a_client_opens_only_so_many_connections_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.web.server.protocol.NEW_CONNECTIONS", RateLimit(0.01, 3))
    with running_server(transport=ScriptedWeb()) as port:
        assert [ask(port) for _ in range(3)] == [200] * 3
        with pytest.raises(ConnectionError):
            ask(port)
        other = socket.create_connection(("127.0.0.1", port), timeout=SECONDS, source_address=("127.0.0.2", 0))
        with other:
            other.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert read_all(other).startswith(b"HTTP/1.1 200 ")


def slow_request() -> bytes:
    """Return a request whose computation takes about a second."""
    file = "User-agent: *\n" + "".join(f"Disallow: /a*{number}\n" for number in range(800))
    body = json.dumps({"content": file}).encode()
    return POST % (b"fix", len(body)) + body


def computations(port: int) -> tuple[float, float]:
    """Return the number of computations that run or wait, and the number that were stopped."""
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("GET", "/metrics", headers={"Connection": "close"})
    lines = connection.getresponse().read().decode().splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines)
    return float(values["canfetch_computations"]), float(values["canfetch_computations_stopped"])


def wait_for_computations(port: int, number: int) -> float:
    """Wait until so many computations run or wait. Return the number that were stopped."""
    deadline = time.monotonic() + SECONDS
    while (found := computations(port))[0] != number:
        assert time.monotonic() < deadline, found
    return found[1]


@pytest.mark.service
@pytest.mark.parametrize(
    "field, more",
    [(b"", b""), (b"", b"GET"), (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20), (b"Upgrade: h2c\r\n", b"")],
    ids=["alone", "part", "pipeline", "upgrade"],
)
def test_a_computation_ends_if_its_client_goes_away(
    caplog: pytest.LogCaptureFixture, field: bytes, more: bytes
) -> None:
    caplog.set_level("INFO", "canfetch.web.access")
    with running_server(Settings(timeout=SECONDS), stop_seconds=0, transport=ScriptedWeb()) as port:
        with ExitStack() as stack:
            request = slow_request().replace(b"\r\n", b"\r\n" + field, 1) + more
            open_slow_clients(stack, port, 3, request)
            assert wait_for_computations(port, 3) == 0
        # Two of them did not run yet.
        assert wait_for_computations(port, 0) == 1
    assert caplog.text.count("POST /v1/fix 499") == 3


@pytest.mark.service
def test_another_client_is_answered_while_one_fills_its_part_of_the_queue() -> None:
    settings = Settings(timeout=SECONDS, refusal_seconds=0)
    with running_server(settings, stop_seconds=0, transport=ScriptedWeb()) as port, ExitStack() as stack:
        waiting = open_slow_clients(stack, port, 20, slow_request())
        # One is computed, 16 wait, and the others are refused. On a slow machine, one of the three is computed already.
        answers = []
        while len(waiting) > 17:
            client = select.select(waiting, [], [], SECONDS)[0][0]
            waiting.remove(client)
            answers.append(client.recv(12))
        assert b"HTTP/1.1 503" in answers
        # So many bytes are read in a process.
        question = {**QUESTION, "content": QUESTION["content"] + "#" * 20_000}
        assert ask(port, question, client="127.0.0.2") == 200
        # If the other client had waited for all of them, only the last two could still be computed.
        assert len(select.select(waiting, [], [], 0)[0]) < 9


def test_connections_of_a_trusted_proxy_are_not_limited() -> None:
    settings = Settings(trusted_proxies=("127.0.0.1",))
    with running_server(settings, client_connections=1, transport=ScriptedWeb()) as port, ExitStack() as stack:
        clients = open_slow_clients(stack, port, 3, b"GET / HTTP/1.1\r\n")
        assert ask(port) == 200
        assert select.select(clients, [], [], 0)[0] == []


def test_oldest_connection_with_an_incomplete_body_is_closed_at_the_limit() -> None:
    settings = Settings(
        max_connections=5,
        header_timeout=SECONDS,
        body_timeout=SECONDS,
        body_start_timeout=SECONDS,
        timeout=SECONDS,
    )
    head = (POST % (b"decide", 98)).replace(b"Host", b"Expect: 100-continue\r\nHost")
    with running_server(settings, transport=ScriptedWeb()) as port, ExitStack() as stack:
        clients = []
        for _ in range(5):
            clients += open_slow_clients(stack, port, 1, head)
            # Until the server waits for the body, the connection waits for a request, and is closed before the others.
            assert clients[-1].recv(65_536).startswith(b"HTTP/1.1 100 ")
        assert ask(port) == 200
        assert read_all(clients[0]) == b""
        for client in clients[1:]:
            client.sendall(json.dumps(QUESTION).encode().ljust(98))
            assert client.recv(65_536).startswith(b"HTTP/1.1 200 ")


@pytest.mark.slow
def test_bodies_that_arrive_too_slowly_are_answered_before_the_time_for_a_body() -> None:
    settings = Settings(body_start_timeout=0.2, min_body_rate=1_000_000, body_timeout=SECONDS)
    with running_server(settings, transport=ScriptedWeb()) as port, ExitStack() as stack:
        (client,) = open_slow_clients(stack, port, 1, POST % (b"decide", 4_000_000) + b"{" * 100_000)
        assert read_all(client).startswith(b"HTTP/1.1 408 ")


@pytest.mark.slow
@pytest.mark.parametrize("path, media_type", [(b"decide", b"json"), (b"decide/stream", b"x-ndjson")])
def test_slow_bodies_do_not_delay_the_end_of_the_server(path: bytes, media_type: bytes) -> None:
    sent = (POST % (path, 99)).replace(b"json", media_type) + b"{"
    with ExitStack() as stack:
        with stopping_server() as port:
            (client,) = open_slow_clients(stack, port, 1, sent)
            assert ask(port) == 200
        # The head of the answer to a stream is sent at once.
        assert read_all(client).partition(b"\r\n\r\n")[2] == b""


@pytest.mark.slow
def test_clients_that_read_slowly_do_not_delay_the_end_of_the_server() -> None:
    with ExitStack() as stack:
        with stopping_server() as port:
            (client,) = open_slow_clients(stack, port, 1, POST % (b"decide/batch", len(BATCH)) + BATCH)
            assert client.recv(1) == b"H"
        assert not read_all(client).endswith(b"}")


@pytest.mark.parametrize(
    "target, host, status",
    [
        (b"http://localhost:8420/healthz", b"evil.example", 200),
        (b"HTTPS://localhost/healthz?a=b", b"localhost", 200),
        (b"http://localhost?a=b", b"localhost", 200),
        (b"http://localhost", b"localhost", 200),
        (b"http://evil.example/healthz", b"localhost", 421),
        (b"http:///healthz", b"localhost", 400),
        (b"http://localhost@evil.example/healthz", b"localhost", 400),
    ],
)
def test_rfc9112_3_2_2_host_of_an_absolute_target_replaces_the_header(
    named_port: int, target: bytes, host: bytes, status: int
) -> None:
    with socket.create_connection(("127.0.0.1", named_port), timeout=SECONDS) as client:
        client.sendall(b"GET %b HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n" % (target, host))
        assert read_all(client).startswith(b"HTTP/1.1 %d " % status)


def test_head_is_answered_without_a_body(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    for _ in range(2):
        connection.request("HEAD", "/v1/agents/gptbot")
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b"")
        assert int(response.headers["Content-Length"]) > 100
    connection.close()
