"""Streamable HTTP: through the client of the SDK, and with requests that must be refused."""

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.mcp.asking import Reply, to_reply
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.web import Exchange, Site

from canfetch.errors import InvalidOption
from canfetch.web.mcp.http import PATH, HTTPSettings, server_config
from canfetch.web.mcp.http_guard import MAX_BODY_BYTES, HTTPGuard
from canfetch.web.mcp.service import CLIENT_QUESTIONS, Service, ServiceSettings
from canfetch.web.server.running import AcceptingServer
from canfetch.web.settings import RateLimit

TOKEN = "secret-token"  # noqa: S105 - the tests' own
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@contextmanager
def serving(settings: HTTPSettings) -> Iterator[int]:
    """Run a server in a thread, and yield its port."""
    service = Service(ServiceSettings(timeout=300.0, allow_private=True, is_shared=True))
    server = AcceptingServer(server_config(service, settings))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def open_port() -> Iterator[int]:
    with serving(HTTPSettings()) as port:
        yield port


@pytest.fixture(scope="module")
def closed_port() -> Iterator[int]:
    with serving(HTTPSettings(host="0.0.0.0", token=TOKEN)) as port:  # noqa: S104 - nothing listens there
        yield port


def call(port: int, name: str, arguments: dict[str, Any], *, mode: str = "auto", token: str | None = None) -> Reply:
    async def run() -> Reply:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=None) as http_client:
            transport = streamable_http_client(f"http://127.0.0.1:{port}{PATH}", http_client=http_client)
            async with Client(transport, mode=mode) as client:
                return to_reply(await client.call_tool(name, arguments))

    return asyncio.run(run())


def post(
    port: int, body: bytes, headers: dict[str, str] | None = None, *, path: str = PATH, client: str = "127.0.0.1"
) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, source_address=(client, 0))
    try:
        connection.request("POST", path, body, {**HEADERS, **(headers or {})})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def message(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def ping() -> bytes:
    return message("ping")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_answer_over_http(open_port: int, site: Site, mode: str) -> None:
    reply = call(open_port, "may_fetch", {"url": site.url("private/x")}, mode=mode)
    assert reply.text.startswith("DISALLOWED")
    assert reply.result["line"] == {"number": 2, "quote": "`Disallow: /private`"}


@pytest.mark.parametrize("size, status", [(900, 200), (1024, 431), (63_000, 431)])
def test_accept_fields_that_the_sdk_splits_are_short(open_port: int, size: int, status: int) -> None:
    accept = "," * size + HEADERS["Accept"]
    assert post(open_port, ping(), {"Accept": accept})[0] == status


def test_a_client_has_a_limited_number_of_connections() -> None:
    with serving(HTTPSettings()) as port, ExitStack() as stack:

        def connect(address: str) -> socket.socket:
            source = (address, 0)
            return stack.enter_context(socket.create_connection(("127.0.0.1", port), 10, source_address=source))

        other = connect("127.0.0.3")
        oldest, *rest = [connect("127.0.0.2") for _ in range(65)]
        # Closed, without an answer.
        with suppress(ConnectionResetError):
            assert oldest.recv(1) == b""
        for one in (other, rest[0], rest[-1]):
            one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert one.recv(8) == b"HTTP/1.1"


def test_a_body_with_a_content_coding_is_refused(open_port: int) -> None:
    assert post(open_port, ping(), {"Content-Encoding": "gzip"})[0] == 415
    assert post(open_port, ping(), {"Content-Encoding": "identity"})[0] == 200


def test_a_slash_at_the_end_of_the_path_changes_nothing(open_port: int) -> None:
    assert post(open_port, ping(), path=f"{PATH}/") == post(open_port, ping())


@pytest.mark.slow
def test_one_fetch_for_many_clients(open_port: int) -> None:
    async def ask(host: str, url: str) -> list[Any]:
        network = httpx2.AsyncHTTPTransport(local_address=host, verify=False)
        async with httpx2.AsyncClient(transport=network, trust_env=False, timeout=None) as http_client:
            transport = streamable_http_client(f"http://127.0.0.1:{open_port}{PATH}", http_client=http_client)
            async with Client(transport) as client:
                calls = [client.call_tool("may_fetch", {"url": f"{url}{number}"}) for number in range(CLIENT_QUESTIONS)]
                return await asyncio.gather(*calls)

    async def run(url: str) -> list[list[Any]]:
        return await asyncio.gather(*(ask(f"127.0.0.{number}", url) for number in range(1, 3)))

    with Site() as site:
        replies = [to_reply(one) for of_client in asyncio.run(run(site.url("page-"))) for one in of_client]
        assert site.count("/robots.txt") == 1
    assert len(replies) == 2 * CLIENT_QUESTIONS
    assert not any(reply.is_error for reply in replies)


def test_a_token_is_required(closed_port: int, site: Site) -> None:
    assert post(closed_port, ping())[0] == 401
    assert post(closed_port, ping(), {"Authorization": "Bearer other"})[0] == 401
    assert post(closed_port, ping(), {"Authorization": TOKEN})[0] == 401
    assert post(closed_port, ping(), {"Authorization": f"bearer {TOKEN}"})[0] == 200
    reply = call(closed_port, "may_fetch", {"url": site.url("x")}, token=TOKEN)
    assert not reply.is_error


@pytest.mark.parametrize(
    "headers, status",
    [
        ({}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "LOCALHOST:1"}, 200),
        ({"Host": "[::1]:8421"}, 200),
        ({"Host": "127.9.9.9"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "10.0.0.1"}, 421),
        ({"Host": "localhost:8421@evil.example"}, 421),
        ({"Host": "127.0.0.1:8421x"}, 421),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 421),
        ({"Host": "localhost:1", "Origin": "http://localhost:1"}, 200),
        ({"Host": "localhost:1", "Origin": "http://localhost:2"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost:1", "Origin": "https://localhost:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 200),
    ],
    ids=range(20),
)
def test_pages_of_other_sites_are_refused(open_port: int, headers: dict[str, str], status: int) -> None:
    assert post(open_port, ping(), headers)[0] == status


@pytest.mark.parametrize(
    "body, headers, status",
    [
        (b"", {}, 400),
        (b"garbage", {}, 400),
        (b"[" * 100_000, {}, 400),
        (b"\xff\xfe", {}, 400),
        (ping(), {"Content-Type": "text/plain"}, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"arguments":[' + b"[[]]," * 2_000 + b"0]}}", {}, 400),
        (b"x" * (MAX_BODY_BYTES + 1), {}, 413),
    ],
    ids=range(7),
)
def test_invalid_requests_are_refused(open_port: int, body: bytes, headers: dict[str, str], status: int) -> None:
    assert post(open_port, body, headers)[0] == status
    assert post(open_port, ping())[0] == 200


# The SDK compares each value with its models, which took 0.2 s of the event loop for 5,000 of them.
COSTLY = (
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint","arguments":{},"inputResponses":[%s0]}}'
    % ("{}," * 250)
)
NOT_JSON = (
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may_fetch","arguments":{"url":%s,"x":"zebra"}}}'
)
INVALID_IDS = ["{}", "[]", "true", "null", "1.5"]


@pytest.mark.parametrize("protocol", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize(
    "body, code, request_id",
    [
        *((f'{{"jsonrpc":"2.0","id":{value},"method":"ping"}}', -32600, None) for value in INVALID_IDS),
        (r'{"jsonrpc":"2.0","\u0069d":{},"method":"ping"}', -32600, None),
        ('{"jsonrpc":"2.0","id":{},"method":"notifications/initialized"}', -32600, None),
        ('{"jsonrpc":"2.0","id":{},"method":"ping","params":["zebra"]}', -32600, None),
        ('{"jsonrpc":"2.0","id":{},"result":"zebra"}', -32600, None),
        ('{"jsonrpc":"2.0","id":"a","method":["zebra"]}', -32600, "a"),
        ('[{"jsonrpc":"2.0","id":1,"method":"zebra"}]', -32600, None),
        (COSTLY, -32600, 1),
        *((NOT_JSON % number, -32700, 1) for number in ("NaN", "Infinity", "-Infinity")),
        ("zebra", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700, None),
    ],
    ids=range(17),
)
def test_invalid_messages_are_answered(
    open_port: int, body: str | bytes, code: int, request_id: str | int | None, protocol: str
) -> None:
    raw = body.encode() if isinstance(body, str) else body
    status, text = post(open_port, raw, {"MCP-Protocol-Version": protocol})
    answer = json.loads(text)
    assert (status, answer["error"]["code"], answer["id"]) == (400, code, request_id)
    assert "zebra" not in text


@pytest.mark.parametrize(
    "params",
    [{}, {"a": "NaN Infinity", "b": 1e300}, {"_meta": {"id": {}}}, {"id": None}, {"arguments": {"x": [[]] * 200}}],
)
def test_notifications_are_accepted(open_port: int, params: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized", "params": params}).encode()
    assert post(open_port, body) == (202, "")


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS"])
def test_there_are_no_streams_and_no_sessions(open_port: int, method: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", open_port)
    connection.request(method, PATH, headers={"Accept": "text/event-stream"})
    response = connection.getresponse()
    assert (response.status, response.headers["Allow"]) == (405, "POST")
    response.read()
    connection.close()


def test_other_paths_do_not_exist(open_port: int) -> None:
    assert post(open_port, ping(), path="/")[0] == 404


@pytest.mark.parametrize(
    "settings, hosts, refused",
    [
        (HTTPSettings(token=TOKEN), ["localhost"], ["10.0.0.1", "a.example"]),
        (HTTPSettings(host="10.0.0.1", token=TOKEN), ["10.0.0.1", "a.example"], []),
        (HTTPSettings(host="::", token=TOKEN, host_names=("A.example",)), ["a.example:8421", "[::1]"], ["b.example"]),
        (HTTPSettings(host="10.0.0.1", allow_public=True), ["10.0.0.1:8421", "localhost"], ["a.example", ""]),
        (HTTPSettings(host_names=("mcp.example",)), ["mcp.example.", "localhost"], ["a.example"]),
        (HTTPSettings(host_names=("mcp.example:443",)), ["mcp.example", "mcp.example:8421"], ["a.example", ""]),
    ],
    ids=range(6),
)
def test_names_that_a_server_answers_for(settings: HTTPSettings, hosts: list[str], refused: list[str]) -> None:
    statuses = {host: guarded_status(settings, host) for host in [*hosts, *refused]}
    assert statuses == {**dict.fromkeys(hosts, 200), **dict.fromkeys(refused, 421)}


def test_host_names_are_not_urls() -> None:
    with pytest.raises(InvalidOption, match=r"invalid host name 'https://mcp\.example': expected a name such as"):
        HTTPSettings(host_names=("https://mcp.example",)).check()


def guarded_status(settings: HTTPSettings, host: str) -> int:
    """Return the status of a request to an application behind the guard."""
    guard = HTTPGuard(
        _ok, is_simple=_simple, listens_on=settings.host, token=settings.token, host_names=settings.host_names
    )
    return status_of(guard, host.encode(), token=settings.token)


async def _simple(_body: bytes) -> bool:
    return True


async def _ok(_scope: Any, receive: Any, send: Any) -> None:
    assert (await receive())["body"] == ping()
    await send({"type": "http.response.start", "status": 200, "headers": []})


async def receive_one() -> dict[str, Any]:
    return {"type": "http.request", "body": ping()}


def status_of(
    guard: HTTPGuard,
    host: bytes,
    *,
    token: str | None = None,
    client: str = "192.0.2.1",
    receive: Callable[[], Awaitable[dict[str, Any]]] = receive_one,
) -> int:
    status: int = start_of(guard, host, token=token, client=client, receive=receive)["status"]
    return status


def start_of(
    guard: HTTPGuard,
    host: bytes,
    *,
    token: str | None = None,
    client: str = "192.0.2.1",
    receive: Callable[[], Awaitable[dict[str, Any]]] = receive_one,
) -> Any:
    """Return the message with the status and the headers of the response."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", host), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "POST", "path": PATH, "headers": headers, "client": (client, 1)}
    asyncio.run(guard(scope, receive, send))
    return sent[0]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1"])  # noqa: S104 - refused
def test_a_server_beyond_loopback_needs_a_token(host: str) -> None:
    with pytest.raises(InvalidOption, match="is reachable from other machines: pass --token, or --allow-public"):
        HTTPSettings(host=host).check()
    for settings in (HTTPSettings(host=host, token=TOKEN), HTTPSettings(host=host, allow_public=True)):
        settings.check()


@pytest.mark.parametrize("token", ["", "a b", "a\n", "\u00e9", "a" * 4001], ids=range(5))
def test_a_token_must_fit_a_header(token: str) -> None:
    with pytest.raises(InvalidOption, match="invalid token"):
        HTTPSettings(token=token).check()


def test_the_longest_token_is_accepted() -> None:
    token = "a" * 4000
    HTTPSettings(token=token).check()
    with serving(HTTPSettings(token=token)) as port:
        assert post(port, ping(), {"Authorization": f"Bearer {token}"})[0] == 200


def test_the_requests_of_a_client_are_limited() -> None:
    guard = HTTPGuard(_ok, is_simple=_simple, listens_on="127.0.0.1", token=None, limit=RateLimit(1e-6, 3))
    statuses = [status_of(guard, b"localhost", client=client) for client in ("192.0.2.1",) * 5 + ("192.0.2.2",)]
    assert statuses == [200, 200, 200, 429, 429, 200]
    refused = start_of(guard, b"localhost")
    assert int(dict(refused["headers"])[b"retry-after"]) > 0


@pytest.mark.slow
def test_clients_behind_a_trusted_proxy_have_limits_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.web.mcp.http.PUBLIC_REQUESTS", RateLimit(1e-6, 2))
    with serving(HTTPSettings(trusted_proxies=("127.0.0.1",))) as port:
        clients = ("192.0.2.1",) * 3 + ("192.0.2.2",)
        statuses = [post(port, ping(), {"X-Forwarded-For": client})[0] for client in clients]
    assert statuses == [200, 200, 429, 200]


@pytest.mark.parametrize(
    "settings, is_open",
    [
        (HTTPSettings(), False),
        (HTTPSettings(trusted_proxies=("127.0.0.1",)), True),
        (HTTPSettings(host="::", allow_public=True), True),
        (HTTPSettings(host="::", token=TOKEN), False),
    ],
)
def test_servers_that_strangers_may_use(settings: HTTPSettings, *, is_open: bool) -> None:
    assert settings.is_open is is_open


def test_proxies_are_checked() -> None:
    with pytest.raises(InvalidOption, match="invalid trusted proxy 'proxy': expected an address or a network"):
        HTTPSettings(trusted_proxies=("proxy",)).check()


@pytest.mark.service
def test_another_client_is_answered_while_one_asks_all_its_questions(open_port: int) -> None:
    is_over = threading.Event()

    async def wait(exchange: Exchange) -> None:
        await asyncio.to_thread(is_over.wait)
        await exchange.respond(200, b"User-agent: *\nDisallow: /x\n")

    def ask(name: str, *, client: str, **arguments: str) -> str:
        status, body = post(port, message("tools/call", name=name, arguments=arguments), client=client)
        assert status == 200
        (content,) = json.loads(body)["result"]["content"]
        text: str = content["text"]
        return text

    port = open_port
    with Site(behaviours=BEHAVIOURS) as site, ThreadPoolExecutor(17) as pool:
        site.serve("/robots.txt", wait)
        url = f"{site.origin}/x"
        try:
            questions = [pool.submit(ask, "may_fetch", client="127.0.0.1", url=url) for _ in range(17)]
            # The first answer is that of the question that is one too many.
            refused = next(as_completed(questions)).result()
            assert refused.startswith("the server is answering too many questions")
            answer = ask("explain", client="127.0.0.2", url="/x", robots_txt="User-agent: *\nDisallow: /x\n")
            assert "DISALLOWED" in answer
            assert sum(question.done() for question in questions) == 1
        finally:
            is_over.set()
        assert sum(question.result().startswith("DISALLOWED") for question in questions) == 16


async def receive_nothing() -> dict[str, Any]:
    await asyncio.Event().wait()
    raise AssertionError


async def receive_endlessly() -> dict[str, Any]:
    return {"type": "http.request", "body": b"x" * 1_000_000, "more_body": True}


async def receive_end() -> dict[str, Any]:
    return {"type": "http.disconnect"}


@pytest.mark.parametrize(
    "receive, status",
    [(receive_nothing, 408), (receive_endlessly, 413), (receive_end, 400)],
    ids=["slow", "endless", "cut"],
)
def test_bodies_are_bounded(receive: Callable[[], Awaitable[dict[str, Any]]], status: int) -> None:
    guard = HTTPGuard(
        _ok, is_simple=_simple, listens_on="127.0.0.1", token=None, body_seconds=0.05 if status == 408 else 60
    )
    assert status_of(guard, b"localhost", receive=receive) == status
    assert guard.bodies.taken == 0


@pytest.mark.slow
def test_all_bodies_together_are_bounded() -> None:
    guard = HTTPGuard(_ok, is_simple=_simple, listens_on="127.0.0.1", token=None)
    others = [(f"192.0.2.{number}", 4 * MAX_BODY_BYTES) for number in range(4)]
    assert all(guard.bodies.take(*one) for one in others)
    assert status_of(guard, b"localhost") == 503
    for one in others:
        guard.bodies.give_back(*one)
    assert status_of(guard, b"localhost") == 200
