"""An error of the system is not an answer of a site, with every transport: docs/access.md lists it."""

import errno
import gzip
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NoReturn

import pytest
from tests.access.conftest import AnsweringOrigin
from tests.servers.certificates import Authority
from tests.servers.web import Exchange, Site
from tests.transports.harness import TRANSPORT_NAMES, Send, failure_kind, make_request, open_transport
from tests.transports.session_harness import SESSION_NAMES, open_session

from canfetch import Client
from canfetch.access.responses import FailureKind
from canfetch.client.stores.memory import MemoryStore
from canfetch.core.verdict import Access
from canfetch.integrations.urllib import RobotsHandler, _OpenerTransport

ALL_NAMES = [*TRANSPORT_NAMES, *SESSION_NAMES, "urllib"]


@contextmanager
def open_urllib() -> Iterator[Send]:
    """Open what the handler for urllib sends its requests with."""
    handler = RobotsHandler(user_agent="ExampleBot/1.0")
    urllib.request.build_opener(handler)
    with handler:
        yield _OpenerTransport(handler).send


def open_any(name: str) -> AbstractContextManager[Send]:
    if name == "urllib":
        return open_urllib()
    return open_session(name) if name in SESSION_NAMES else open_transport(name)


@pytest.fixture
def refused_code(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that lets every new TCP socket fail with an error code.

    The limits of a system hold for all its processes, so this test does not reach them. All libraries create their
    sockets with this class.
    """
    code: list[int] = []

    class RefusedSocket(socket.socket):
        def __init__(self, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None) -> None:  # noqa: A002 - the name of the base class
            if code and fileno is None and family in (socket.AF_INET, socket.AF_INET6):
                raise OSError(code[0], "refused by the system")
            super().__init__(family, type, proto, fileno)

    monkeypatch.setattr(socket, "socket", RefusedSocket)
    return code.append


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
@pytest.mark.parametrize("name", ALL_NAMES)
def test_socket_that_the_system_refuses(name: str, code: int, refused_code: Callable[[int], None]) -> None:
    with open_any(name) as send:
        # Whatever is connected already, such as the event loop, is not affected.
        refused_code(code)
        assert failure_kind(send(make_request("http://127.0.0.1:9/robots.txt"))) is FailureKind.LOCAL


@pytest.mark.parametrize("name", [*TRANSPORT_NAMES, *SESSION_NAMES])
def test_name_that_no_thread_can_look_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    with open_any(name) as send:
        with monkeypatch.context() as patches:
            patches.setattr(threading.Thread, "start", refuse)
            assert failure_kind(send(make_request("http://localhost:9/robots.txt"))) is FailureKind.LOCAL
        assert failure_kind(send(make_request("http://localhost:9/robots.txt"))) is FailureKind.CONNECT


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.mark.parametrize("name", [*TRANSPORT_NAMES, *SESSION_NAMES])
def test_certificate_that_a_wrong_clock_rejects_is_unreachable_for_the_same_limits_only(
    name: str, authority: Authority
) -> None:
    # For a clock that is behind, every new certificate is one that is not valid yet.
    open_named = open_session if name in SESSION_NAMES else open_transport
    opened = open_named(name, ssl_context=authority.client())
    store = MemoryStore()
    with Site(tls=authority.not_yet_valid()) as site, opened as send:
        answer = send(make_request(f"{site.origin}/robots.txt"))
        assert failure_kind(answer) is FailureKind.TLS
        origin = AnsweringOrigin(lambda _: answer)
        with Client(user_agent="ExampleBot/1.0", transport=origin, store=store) as client:
            access = client.access(f"{site.origin}/")
    assert access.access is Access.UNREACHABLE
    assert "not yet valid" in access.explanation
    (key,) = list(store.keys())
    assert key.startswith(f"{site.origin}#rfc9309#limits-")


WITHOUT_MEMORY = """
import asyncio, resource, sys
import canfetch
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.transports import http_transport

url, name = sys.argv[1:]
store = MemoryStore()
options = {"user_agent": "ExampleBot/1.0", "store": store, "max_bytes": 1 << 29}

def limit():
    pages = int(open("/proc/self/statm").read().split()[0])
    soft = pages * resource.getpagesize() + (64 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (soft, resource.RLIM_INFINITY))

def unlimit():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

def ask():
    if name == "http-async":
        async def main():
            try:
                async with canfetch.AsyncClient(transport=http_transport.AsyncHTTPTransport(), **options) as client:
                    await client.allows(sys.argv[1])
            finally:
                # `asyncio.run` starts a thread at its end.
                unlimit()
        asyncio.run(main())
    else:
        with canfetch.Client(transport=http_transport.HTTPTransport(), **options) as client:
            client.allows(url)

import canfetch.client.sync_client, canfetch.client.async_client
limit()
try:
    ask()
    found = "answered"
except MemoryError:
    found = "no memory"
except canfetch.RequestNotSent:
    found = "not sent"
unlimit()
print(found, list(store.keys()))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs the limit of the address space, and /proc")
@pytest.mark.parametrize("name", ["http", "http-async"])
def test_file_for_which_there_is_no_memory(name: str) -> None:
    async def serve_zeros(exchange: Exchange) -> None:
        # 128 MiB without the coding.
        await exchange.respond(200, gzip.compress(bytes(1 << 27), 1), "Content-Encoding: gzip")

    with Site() as site:
        site.serve("/robots.txt", serve_zeros)
        ran = subprocess.run(
            [sys.executable, "-c", WITHOUT_MEMORY, f"{site.origin}/", name],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ran.stderr == ""
    assert ran.stdout == "no memory []\n"
