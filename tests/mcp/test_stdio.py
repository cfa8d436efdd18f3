"""The command in a process of its own, on its standard input and output, as hosts run it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.mcp.asking import to_reply
from tests.servers.web import Exchange, Site

from canfetch.web.mcp import stdio
from canfetch.web.mcp.stdio import MAX_MESSAGE_BYTES

pytestmark = pytest.mark.service

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def arguments(folder: Path, *more: str) -> list[str]:
    return ["-m", "canfetch", "mcp", "--allow-private", "--store", str(folder / "robots.sqlite3"), *more]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONWARNINGS": "error", "PYTHONUTF8": "1"}


def start(folder: Path, *more: str) -> "subprocess.Popen[bytes]":
    return start_python(*arguments(folder, *more))


def start_python(*arguments: str) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=environment())


def request(process: "subprocess.Popen[bytes]", method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Send a request, and return the response."""
    assert process.stdin is not None
    assert process.stdout is not None
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    response: dict[str, Any] = json.loads(process.stdout.readline())
    return response


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_client_of_the_sdk(tmp_path: Path, site: Site, mode: str) -> None:
    async def run() -> None:
        parameters = StdioServerParameters(
            command=sys.executable, args=arguments(tmp_path, "--user-agent", "GPTBot/1.2"), env=environment()
        )
        async with Client(stdio_client(parameters), mode=mode) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} >= {"may_fetch", "lint"}
            calls = [client.call_tool("may_fetch", {"url": site.url(f"{number}")}) for number in range(100)]
            replies = [to_reply(one) for one in await asyncio.gather(*calls)]
        assert {reply.text.partition("\n")[0] for reply in replies} == {"DISALLOWED: GPTBot may not fetch this URL."}

    before = site.count("/robots.txt")
    asyncio.run(run())
    assert site.count("/robots.txt") == before + 1
    # Another process uses the store.
    asyncio.run(run())
    assert site.count("/robots.txt") == before + 1


def test_the_process_ends_with_standard_input(tmp_path: Path) -> None:
    process = start(tmp_path)
    out, err = process.communicate(b"")
    assert (process.returncode, out, err) == (0, b"", b"")


def test_requests_before_the_end_of_standard_input_are_answered(tmp_path: Path) -> None:
    robots = {"robots_txt": "User-agent: *\nDisallow: /"}
    messages = (
        {"id": 0, "method": "initialize", "params": INITIALIZE},
        {"method": "notifications/initialized"},
        {"id": 7, "method": "tools/list"},
        {"id": "eight", "method": "tools/call", "params": {"name": "lint", "arguments": robots}},
    )
    process = start(tmp_path)
    lines = (json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    out, err = process.communicate("".join(lines).encode())
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert (process.returncode, err, set(answers)) == (0, b"", {0, 7, "eight"})
    assert all("result" in answer for answer in answers.values())


class SlowCall:
    """A call with the ID 5 of a process. The robots.txt that it needs is sent when `release` is called."""

    def __init__(self, process: "subprocess.Popen[bytes]", site: Site) -> None:
        self._is_released = threading.Event()
        self.process = process
        site.serve("/robots.txt", self._respond)
        request(process, "initialize", INITIALIZE)
        self.send(method="notifications/initialized")
        call = {"name": "may_fetch", "arguments": {"url": site.url("page")}}
        self.send(id=5, method="tools/call", params=call)
        while not site.count("/robots.txt"):
            time.sleep(0.01)

    async def _respond(self, exchange: Exchange) -> None:
        await asyncio.to_thread(self._is_released.wait, 60)
        await exchange.respond(200, b"User-agent: *\nDisallow:\n", "Content-Type: text/plain")

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def release(self) -> None:
        self._is_released.set()

    def answers(self) -> list[tuple[int, bool]]:
        """Return the IDs of all further answers, and whether they are results, after the process has ended."""
        assert self.process.stdout is not None
        found = [json.loads(line) for line in self.process.stdout]
        assert self.process.wait(20) == 0
        return [(answer["id"], "result" in answer) for answer in found]


@pytest.fixture
def slow_call(tmp_path: Path) -> Iterator[SlowCall]:
    with Site() as site, start(tmp_path) as process:
        call = SlowCall(process, site)
        try:
            yield call
        finally:
            call.release()


def test_both_requests_with_an_id_are_answered_at_the_end(slow_call: SlowCall) -> None:
    slow_call.send(id=5, method="ping")
    assert slow_call.process.stdout is not None
    assert json.loads(slow_call.process.stdout.readline())["id"] == 5
    assert slow_call.process.stdin is not None
    slow_call.process.stdin.close()
    time.sleep(0.3)
    slow_call.release()
    assert slow_call.answers() == [(5, True)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_a_call_that_runs_at_sigterm_is_answered(slow_call: SlowCall) -> None:
    slow_call.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    slow_call.release()
    assert slow_call.answers() == [(5, True)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_requests_in_the_pipe_at_sigterm_are_answered(tmp_path: Path) -> None:
    arguments = {"url": "/x", "agents": ["a"], "robots_txt": "User-agent: *\nDisallow: /x"}
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "explain", "arguments": arguments}}
    with start(tmp_path) as process:
        request(process, "initialize", INITIALIZE)
        assert process.stdin is not None
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        process.stdin.write(b"".join(json.dumps({**call, "id": number}).encode() + b"\n" for number in range(200)))
        process.stdin.flush()
        process.send_signal(signal.SIGTERM)
        # The host has not closed its side.
        assert process.stdout is not None
        answers = [json.loads(line) for line in process.stdout]
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert {answer["id"] for answer in answers if "result" in answer} == set(range(200))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_a_second_sigterm_ends_the_process_at_once(slow_call: SlowCall) -> None:
    # Much less than the time for which requests may delay the end.
    for _ in range(400):
        slow_call.process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            slow_call.process.wait(0.05)
            break
    assert slow_call.answers() == []


# The program waits for SIGTERM in an import, before it can serve.
STOPPED_AT_START = """\
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == "canfetch.web":
            signal.raise_signal(signal.SIGTERM)
sys.meta_path.insert(0, Finder())
from canfetch.cli.main import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
@pytest.mark.parametrize("command", ["mcp", "mcp --http", "serve --port 0"])
def test_sigterm_during_the_start_ends_the_process_cleanly(command: str) -> None:
    process = start_python("-c", STOPPED_AT_START, *command.split())
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    out, err = process.communicate(json.dumps(call).encode() + b"\n", 60)
    assert (process.returncode, err) == (0, b"")
    assert (b"serverInfo" in out) is (command == "mcp")


# The times are short, so that the test is.
IMPATIENT = """\
from canfetch.web.mcp import stdio
stdio._MAX_DRAIN_SECONDS = stdio._WRITING_SECONDS = 0.1
from canfetch.cli.main import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
@pytest.mark.parametrize("end", ["sigterm", "closed input"])
def test_a_host_that_does_not_read_the_answers_does_not_keep_the_process(end: str) -> None:
    with start_python("-c", IMPATIENT, "mcp", "--store", "none") as process:
        request(process, "initialize", INITIALIZE)
        fill_output(process)
        if end == "sigterm":
            process.send_signal(signal.SIGTERM)
        else:
            assert process.stdin is not None
            process.stdin.close()
        assert process.wait(30) == 0


def test_a_host_that_dies_with_unread_answers_ends_the_process(tmp_path: Path) -> None:
    with start(tmp_path, "-v") as process:
        request(process, "initialize", INITIALIZE)
        fill_output(process)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"invalid\n")
        process.stdin.flush()
        # The answers before this message wait.
        assert process.stderr.readline().startswith(b"canfetch: rejected a message: ")
        process.stdout.close()
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b"canfetch: the host closed standard output\n"


def fill_output(process: "subprocess.Popen[bytes]") -> None:
    """Send requests whose answers are larger than a pipe, and wait for the first answer, of which a byte is read."""
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(4):
        request_id = f"{number}" * 300_000
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "ping"}).encode() + b"\n")
    process.stdin.flush()
    process.stdout.read(1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_an_input_ends_after_what_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds, expected in ((60.0, [b"a\n", b"b\n", b"c"]), (-1.0, [])):
        monkeypatch.setattr(stdio, "_MAX_DRAIN_SECONDS", seconds)
        descriptor, writer = os.pipe()
        source = stdio._EndableInput(descriptor)
        os.write(writer, b"a\nb\nc")
        source.end()
        source.end()
        assert list(BufferedReader(source)) == expected
        for each in (descriptor, writer):
            os.close(each)


# The SDK accepts both forms of a number.
@pytest.mark.parametrize("request_id", [5, "5"])
def test_a_cancelled_request_does_not_delay_the_end(slow_call: SlowCall, request_id: int | str) -> None:
    slow_call.send(method="notifications/cancelled", params={"requestId": request_id})
    slow_call.send(method="notifications/cancelled", params={"requestId": 77})
    slow_call.send(id=6, method="ping")
    assert slow_call.process.stdin is not None
    slow_call.process.stdin.close()
    # Much less than the time for which requests may delay it.
    timer = threading.Timer(40, slow_call.process.kill)
    timer.start()
    try:
        assert slow_call.answers() == [(6, True)]
    finally:
        timer.cancel()


def test_invalid_messages_are_answered(tmp_path: Path) -> None:
    private = "zebra"
    large = private * (MAX_MESSAGE_BYTES // len(private) + 1)
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    nested = {"method": "x", "params": {"a": large, "id": 8}}
    messages: list[tuple[bytes, int, str | int | None]] = [
        (private.encode(), -32700, None),
        (b"\xff\xfe\x00", -32700, None),
        (b"[" * 100_000, -32700, None),
        (json.dumps({**call, "params": {"name": "lint", "arguments": {"robots_txt": "\ud800"}}}).encode(), -32700, 7),
        (b'{"params":' + b"[" * 300 + b"]" * 300 + b',"id":"a"}', -32700, "a"),
        (b'{"jsonrpc":"2.0","id":7,"method":"zebra","params":{"a":NaN}}', -32700, 7),
        (b"[]", -32600, None),
        (json.dumps([call]).encode(), -32600, None),
        (b"{}", -32600, None),
        (b"null", -32600, None),
        (json.dumps({**call, "method": [private]}).encode(), -32600, 7),
        (json.dumps({**call, "id": None}).encode(), -32600, None),
        (json.dumps({**call, "id": 1.5}).encode(), -32600, None),
        (json.dumps({"jsonrpc": "2.0", "id": 7, "result": private}).encode(), -32600, None),
        (large.encode(), -32600, None),
        (json.dumps({**call, "params": {"a": large}}).encode(), -32600, 7),
        (
            json.dumps({**nested, "jsonrpc": "2.0", "id": "b"}).encode(),
            -32600,
            "b",
        ),
        (json.dumps(nested).encode(), -32600, None),
    ]
    notification = json.dumps({"jsonrpc": "2.0", "method": private, "params": {"a": private}}).encode()
    process = start(tmp_path, "-vv")
    assert process.stdin is not None
    assert process.stdout is not None
    for message, code, request_id in messages:
        process.stdin.write(notification + b"\n" + message + b"\n\n")
        process.stdin.flush()
        response = json.loads(process.stdout.readline())
        assert (response["error"]["code"], response["id"]) == (code, request_id), message[:100]
        assert private not in response["error"]["message"]
    assert "serverInfo" in request(process, "initialize", INITIALIZE)["result"]
    process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{"id":1}}}\n')
    reply = request(process, "tools/call", {"name": "explain", "arguments": {"url": "/x", "robots_txt": "#"}})
    assert reply["result"]["structuredContent"]["decisions"][0]["allowed"]
    _, err = process.communicate()
    assert process.returncode == 0
    assert err.count(b"canfetch: rejected a message: ") == len(messages)
    assert private.encode() not in err


def test_a_host_that_closes_standard_output_ends_the_process(tmp_path: Path) -> None:
    process = start(tmp_path)
    request(process, "initialize", INITIALIZE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    process.stdin.flush()
    assert process.wait() == 0
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()


@pytest.mark.parametrize("transport", [(), ("--http", "--port", "0")], ids=["stdio", "http"])
def test_ctrl_c_ends_the_process(tmp_path: Path, transport: tuple[str, ...]) -> None:
    process = start(tmp_path, *transport)
    if transport:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"canfetch: serving MCP at http://127.0.0.1:")
    else:
        request(process, "initialize", INITIALIZE)
    process.send_signal(signal.SIGINT)
    assert process.wait() == (0 if transport else 130)
    process.communicate()


def test_ctrl_c_ends_the_process_while_requests_run(tmp_path: Path) -> None:
    process = start(tmp_path)
    request(process, "initialize", INITIALIZE)
    assert process.stdin is not None
    arguments = {"name": "lint", "arguments": {"robots_txt": "User-agent: *\nDisallow: /a\n" * 500}}
    for number in range(20):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": arguments}
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, b"")


def test_options_are_checked_before_serving(tmp_path: Path) -> None:
    for more, message in [
        (("--port", "1"), "canfetch: --port requires --http\n"),
        (("--http", "--host", "0.0.0.0"), "canfetch: --host 0.0.0.0 is reachable from other machines: pass"),  # noqa: S104
        (("--user-agent", "Mozilla/5.0"), "canfetch: --user-agent: no product token in the User-Agent header"),
        (("--http", "--host", "192.0.2.1", "--token", "x"), "canfetch: cannot listen on 192.0.2.1, port 8421: "),
    ]:
        process = start(tmp_path, *more)
        _, err = process.communicate(b"")
        assert process.returncode == 2
        assert err.decode().startswith(message)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
@pytest.mark.parametrize("transport", [(), ("--http", "--port", "0")], ids=["stdio", "http"])
def test_sigterm_ends_the_server_cleanly(tmp_path: Path, transport: tuple[str, ...]) -> None:
    process = start(tmp_path, *transport)
    with process:
        assert process.stderr is not None
        if transport:
            assert process.stderr.readline().startswith(b"canfetch: serving MCP at http://127.0.0.1:")
        else:
            assert "result" in request(process, "initialize", INITIALIZE)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stderr.read() == b""
