"""A fault of this machine or program is not an answer of a site: it raises, and is neither cached nor shared."""

import asyncio
import errno
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.access.client_harness import open_client
from tests.access.conftest import AnsweringOrigin
from tests.frontier.crawls import Hosts
from tests.servers.certificates import Authority
from tests.servers.web import Exchange, Site
from tests.transports.harness import TRANSPORT_NAMES, transport_class
from tests.transports.session_harness import SESSION_NAMES, make_session, make_transport

from canfetch import AsyncClient, Client, Frontier
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.fetch_tasks import send_refusal
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.transports import TransportRequest, headers, response_body
from canfetch.client.transports.local_errors import is_local_error
from canfetch.core.verdict import Access
from canfetch.errors import RequestNotSent

USER_AGENT = "ExampleBot/1.0"
RULES = b"User-agent: *\nDisallow: /private/\n"


async def serve_half(exchange: Exchange) -> None:
    """Send half of a page, so that its connection stays in use."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf.")
    await exchange.wait_closed()


async def serve_rules(exchange: Exchange) -> None:
    await exchange.respond(200, RULES)


@pytest.fixture
def busy_site() -> Any:
    with Site() as site:
        site.serve("/page", serve_half)
        site.serve("/robots.txt", serve_rules)
        yield site


def options(store: MemoryStore, seconds: float = 0.4) -> dict[str, Any]:
    """Return the options of a client whose requests end after half a second."""
    return {
        "user_agent": USER_AGENT,
        "store": store,
        "timeout": 0.5,
        "read_timeout": seconds,
        "connect_timeout": seconds,
    }


def check_not_sent(error: RequestNotSent, site: Site, store: MemoryStore) -> None:
    assert str(error).startswith(f"{site.origin}/robots.txt was not requested: ")
    assert "pool" in str(error)
    assert list(store.keys()) == []
    assert [request.target for request in site.requests] == ["/page"]


# --- requests that were refused after the decision to fetch ----------------------------------------------------------


def test_a_refused_request_is_not_sent(busy_site: Site) -> None:
    store = MemoryStore()

    async def main() -> None:
        async with AsyncClient(**options(store)) as client:
            reasons = ["the group is lost", None]
            token = send_refusal.set(lambda: reasons.pop(0))
            with pytest.raises(RequestNotSent, match=r"robots\.txt was not requested: the group is lost$"):
                await client.origin_state(f"{busy_site.origin}/")
            assert busy_site.requests == []
            assert list(store.keys()) == []
            # The refusal has not kept the lease of the fetch.
            assert not await client.allows(f"{busy_site.origin}/private/")
            assert reasons == []
            send_refusal.reset(token)

    asyncio.run(main())


# --- no free connection in the pool of the caller --------------------------------------------------------------------


@pytest.mark.parametrize("read_timeout", [0.2, 5.0], ids=["silence", "whole request"])
def test_full_pool_of_httpx2(busy_site: Site, read_timeout: float) -> None:
    httpx2 = pytest.importorskip("httpx2")
    store = MemoryStore()
    with (
        make_session("httpx2-client", limits=httpx2.Limits(max_connections=1)) as session,
        Client(transport=make_transport("httpx2-client", session), **options(store, read_timeout)) as client,
    ):
        with session.stream("GET", busy_site.url("page")):
            with pytest.raises(RequestNotSent) as raised:
                client.allows(f"{busy_site.origin}/")
            check_not_sent(raised.value, busy_site, store)
            assert client.stats.failures == {}
        # The connection is free now, so the next call asks the site.
        assert not client.allows(f"{busy_site.origin}/private/")


@pytest.mark.parametrize("read_timeout", [0.2, 5.0], ids=["silence", "whole request"])
def test_full_pool_of_requests(busy_site: Site, read_timeout: float) -> None:
    adapters = pytest.importorskip("requests.adapters")
    store = MemoryStore()
    with make_session("requests-session") as session:
        session.mount("http://", adapters.HTTPAdapter(pool_connections=1, pool_maxsize=1, pool_block=True))
        with Client(transport=make_transport("requests-session", session), **options(store, read_timeout)) as client:
            with session.get(busy_site.url("page"), stream=True):
                with pytest.raises(RequestNotSent) as raised:
                    client.allows(f"{busy_site.origin}/")
                check_not_sent(raised.value, busy_site, store)
            assert not client.allows(f"{busy_site.origin}/private/")


@pytest.mark.parametrize("read_timeout", [0.2, 5.0], ids=["silence", "whole request"])
@pytest.mark.parametrize("name", ["httpx2-async-client", "aiohttp-session"])
def test_full_pool_of_an_asynchronous_session(busy_site: Site, name: str, read_timeout: float) -> None:
    library = pytest.importorskip("aiohttp" if name == "aiohttp-session" else "httpx2")
    store = MemoryStore()

    async def main() -> None:
        if name == "aiohttp-session":
            session = make_session(name, connector=library.TCPConnector(limit=1))
            busy = session.get(busy_site.url("page"))
        else:
            session = make_session(name, limits=library.Limits(max_connections=1))
            busy = session.stream("GET", busy_site.url("page"))
        async with (
            session,
            AsyncClient(transport=make_transport(name, session), **options(store, read_timeout)) as client,
        ):
            async with busy:
                with pytest.raises(RequestNotSent) as raised:
                    await client.allows(f"{busy_site.origin}/")
                check_not_sent(raised.value, busy_site, store)
            assert not await client.allows(f"{busy_site.origin}/private/")

    asyncio.run(main())


# --- a connection that becomes free late -----------------------------------------------------------------------------


async def serve_nothing(exchange: Exchange) -> None:
    """Send the head of a response, and then nothing."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
    await exchange.wait_closed()


class LateSite:
    """A site with a page that occupies a connection for a while, and a robots.txt that never ends.

    Args: redirects: Whether its robots.txt redirects to the one that never ends, in the time that is left.
    """

    def __init__(self, *, redirects: bool = False) -> None:
        self.site = Site()
        self.is_busy = Event()
        self.site.serve("/page", self._serve_page)
        self.site.serve("/robots.txt", self._redirect if redirects else serve_nothing)
        self.site.serve("/late", serve_nothing)

    async def _serve_page(self, exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf.")
        self.is_busy.set()
        # A quarter of the time of the fetch.
        await asyncio.sleep(0.3)
        await exchange.send(b"whole")

    async def _redirect(self, exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 302 Found\r\nLocation: /late\r\nContent-Length: 0\r\n\r\n")

    def options(self, store: MemoryStore) -> dict[str, Any]:
        return {"user_agent": USER_AGENT, "store": store, "timeout": 1.2}

    def check_not_sent(self, error: RequestNotSent, store: MemoryStore) -> None:
        assert "pool" in str(error)
        assert list(store.keys()) == []
        # The site was asked, and had too little time.
        assert "/robots.txt" in [request.target for request in self.site.requests]


@pytest.mark.slow
@pytest.mark.parametrize("redirects", [False, True], ids=["direct", "redirect"])
@pytest.mark.parametrize("name", ["httpx2-client", "requests-session"])
def test_connection_that_becomes_free_late(name: str, *, redirects: bool) -> None:
    library = pytest.importorskip("requests.adapters" if name == "requests-session" else "httpx2")
    late, store = LateSite(redirects=redirects), MemoryStore()

    def read_page(session: Any) -> None:
        if name == "requests-session":
            session.get(late.site.url("page"))
        else:
            with session.stream("GET", late.site.url("page")) as response:
                response.read()

    with late.site:
        if name == "requests-session":
            session = make_session(name)
            session.mount("http://", library.HTTPAdapter(pool_connections=1, pool_maxsize=1, pool_block=True))
        else:
            session = make_session(name, limits=library.Limits(max_connections=1))
        with session, Client(transport=make_transport(name, session), **late.options(store)) as client:
            reader = Thread(target=read_page, args=[session])
            reader.start()
            assert late.is_busy.wait(300)
            with pytest.raises(RequestNotSent) as raised:
                client.allows(f"{late.site.origin}/")
            late.check_not_sent(raised.value, store)
            reader.join()
            if not redirects:
                # The connection is free, so the same silence is that of the site.
                assert client.access(f"{late.site.origin}/").access is Access.UNREACHABLE


@pytest.mark.slow
@pytest.mark.parametrize("redirects", [False, True], ids=["direct", "redirect"])
@pytest.mark.parametrize("name", ["httpx2-async-client", "aiohttp-session"])
def test_connection_of_an_asynchronous_session_that_becomes_free_late(name: str, *, redirects: bool) -> None:
    library = pytest.importorskip("aiohttp" if name == "aiohttp-session" else "httpx2")
    late, store = LateSite(redirects=redirects), MemoryStore()

    async def main() -> None:
        if name == "aiohttp-session":
            session = make_session(name, connector=library.TCPConnector(limit=1))
        else:
            session = make_session(name, limits=library.Limits(max_connections=1))
        async with session, AsyncClient(transport=make_transport(name, session), **late.options(store)) as client:
            reader = asyncio.create_task(read_page(session))
            assert await asyncio.to_thread(late.is_busy.wait, 300)
            with pytest.raises(RequestNotSent) as raised:
                await client.allows(f"{late.site.origin}/")
            late.check_not_sent(raised.value, store)
            await reader
            if not redirects:
                assert (await client.access(f"{late.site.origin}/")).access is Access.UNREACHABLE

    async def read_page(session: Any) -> None:
        if name == "aiohttp-session":
            async with session.get(late.site.url("page")) as response:
                await response.read()
        else:
            await session.get(late.site.url("page"))

    with late.site:
        asyncio.run(main())


# --- no descriptor ---------------------------------------------------------------------------------------------------

WITHOUT_DESCRIPTORS = """
import os, resource, sys
import canfetch
from tests.access.client_harness import open_client
from tests.integrations.http_clients.hosts import open_host
from tests.transports.harness import TRANSPORT_NAMES
from tests.transports.session_harness import SESSION_NAMES

# The first site loads what is imported late.
warm, url = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

def use_all():
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        return taken

def check(name, allows):
    allows(warm)
    taken = use_all()
    try:
        allows(url)
    except canfetch.RequestNotSent as error:
        message = str(error)
    else:
        message = "sent"
    for descriptor in taken:
        os.close(descriptor)
    print(name, allows(url + "private/"), message)

def guarded(url):
    try:
        host.get(url)
    except canfetch.RobotsDisallowed:
        return False
    return True

for name in (*TRANSPORT_NAMES, *SESSION_NAMES):
    with open_client(name) as client:
        check(name, lambda url: client.allows(url)[0])
for name in ("urllib", "requests"):
    with open_host(name) as host:
        check(f"{name}-integration", guarded)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of descriptors")
def test_limit_of_descriptors() -> None:
    for library in ("aiohttp", "httpx2", "requests"):
        pytest.importorskip(library)
    with Site() as site, Site(host="127.0.0.2") as other:
        for each in (site, other):
            each.serve("/robots.txt", serve_rules)
            each.serve("/", serve_rules)
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", WITHOUT_DESCRIPTORS, f"{other.origin}/", f"{site.origin}/"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ran.stderr == ""
    found = {line.split()[0]: line.split(maxsplit=2)[1:] for line in ran.stdout.splitlines()}
    assert sorted(found) == sorted((*TRANSPORT_NAMES, *SESSION_NAMES, "urllib-integration", "requests-integration"))
    for name, (allowed, message) in found.items():
        assert message.startswith(f"{site.origin}/robots.txt was not requested: "), name
        assert "Too many open files" in message, name
        # After that, the site is asked.
        assert allowed == "False", name


FIRST_FETCH_WITHOUT_DESCRIPTORS = """
import asyncio, os, resource, sys
import canfetch
from canfetch.client.transports import aiohttp_transport, http_transport, httpx2_transport

TRANSPORTS = {
    "http": http_transport.HTTPTransport,
    "http-async": http_transport.AsyncHTTPTransport,
    "httpx2": httpx2_transport.Httpx2Transport,
    "httpx2-async": httpx2_transport.AsyncHttpx2Transport,
    "aiohttp": aiohttp_transport.AiohttpTransport,
}
name, *urls = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

async def allows(client, url):
    try:
        answer = client.allows(url)
        return answer if isinstance(answer, bool) else await answer
    except canfetch.RequestNotSent as error:
        return str(error)

async def main():
    transport = TRANSPORTS[name](resolve=lambda host: ["127.0.0.1"])
    kind = canfetch.Client if name in ("http", "httpx2") else canfetch.AsyncClient
    client = kind(user_agent="ExampleBot/1.0", transport=transport, timeout=5)
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        pass
    without = [await allows(client, url) for url in urls]
    for descriptor in taken:
        os.close(descriptor)
    for url, answer in zip(urls, without):
        print(url, await allows(client, url), answer)
    closed = client.close()
    if closed is not None:
        await closed

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of descriptors")
@pytest.mark.parametrize("name", TRANSPORT_NAMES)
def test_limit_of_descriptors_before_the_first_fetch(tmp_path: Path, name: str) -> None:
    for library in ("aiohttp", "httpx2"):
        pytest.importorskip(library)
    authority = Authority(tmp_path)
    with Site() as site, Site(tls=authority.good()) as secure:
        for each in (site, secure):
            each.serve("/robots.txt", serve_rules)
        port, secure_port = (each.netloc.rpartition(":")[2] for each in (site, secure))
        # The modules for host names beyond ASCII, for content codings and for names of certificates.
        urls = [f"http://bücher.test:{port}/", f"{site.origin}/", f"https://localhost:{secure_port}/"]
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", FIRST_FETCH_WITHOUT_DESCRIPTORS, name, *urls],
            env=os.environ | {"SSL_CERT_FILE": str(authority.file), "PYTHONUTF8": "1"},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
    assert ran.stderr == ""
    lines = ran.stdout.splitlines()
    assert len(lines) == len(urls)
    for line, url in zip(lines, urls, strict=True):
        # Once there are descriptors again, the site is asked.
        assert line.startswith(f"{url} True {url.removesuffix('/')}"), line
        assert "was not requested: " in line
        assert "Too many open files" in line


def test_libraries_that_cannot_be_loaded_now_are_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = f"libbrotli.so: cannot open shared object file: {os.strerror(errno.EMFILE)}"
    loads = {"brotli": 0}

    def fail(name: str) -> Any:
        loads[name] += 1
        raise ImportError(reason)

    monkeypatch.setattr(response_body, "import_module", fail)
    monkeypatch.setattr(response_body, "available_codings", cache(response_body.available_codings.__wrapped__))
    monkeypatch.setattr(headers, "accept_encoding", cache(response_body.accept_encoding.__wrapped__))
    with Site() as site, Client(user_agent=USER_AGENT) as client:
        site.serve("/robots.txt", serve_rules)
        for number in (1, 2):
            with pytest.raises(RequestNotSent, match="Too many open files"):
                client.allows(f"{site.origin}/")
            assert loads["brotli"] == number
        monkeypatch.setattr(response_body, "import_module", import_module)
        assert not client.allows(f"{site.origin}/private/")


def test_name_that_cannot_be_looked_up_without_a_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    error = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    assert not is_local_error(error)

    def fail(*_: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("canfetch.client.transports.local_errors.os.open", fail)
    assert is_local_error(error)


def test_certificate_authorities_that_appear_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "later"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "missing"))
    with Site(tls=authority.good()) as site, Client(user_agent=USER_AGENT) as client:
        site.serve("/robots.txt", serve_rules)
        with pytest.raises(RequestNotSent, match="no certificate authorities"):
            client.allows(f"{site.origin}/")
        (tmp_path / "later").write_bytes(authority.file.read_bytes())
        assert not client.allows(f"{site.origin}/private/")


# --- other conditions of this machine and program --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["httpx2-async-client", "aiohttp-session"])
def test_session_that_is_closed_during_a_request(name: str) -> None:
    pytest.importorskip("aiohttp" if name == "aiohttp-session" else "httpx2")
    store, is_requested = MemoryStore(), Event()

    async def wait(exchange: Exchange) -> None:
        is_requested.set()
        await exchange.wait_closed()

    async def main(site: Site) -> None:
        session = make_session(name)
        async with AsyncClient(transport=make_transport(name, session), user_agent=USER_AGENT, store=store) as client:
            task = asyncio.create_task(client.allows(f"{site.origin}/"))
            assert await asyncio.to_thread(is_requested.wait, 300)
            await (session.close() if name == "aiohttp-session" else session.aclose())
            with pytest.raises(RequestNotSent, match="was closed during the request"):
                await task

    with Site() as site:
        site.serve("/robots.txt", wait)
        asyncio.run(main(site))
    assert list(store.keys()) == []


WITHOUT_AUTHORITIES = """
import sys
import canfetch
from tests.access.client_harness import open_client

for name in ("http", "http-async", "httpx2", "aiohttp"):
    with open_client(name) as client:
        try:
            print(client.origin_state(sys.argv[1]).entry.outcome.kind)
        except canfetch.RequestNotSent as error:
            print(error)
"""


@pytest.mark.service
@pytest.mark.parametrize("has_authorities", [True, False])
def test_no_certificate_authorities(tmp_path: Path, *, has_authorities: bool) -> None:
    pytest.importorskip("aiohttp")
    pytest.importorskip("httpx2")
    authority = Authority(tmp_path)
    own = str(authority.file) if has_authorities else str(tmp_path / "missing")
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    with Site(tls=other.good()) as site:
        ran = subprocess.run(
            [sys.executable, "-c", WITHOUT_AUTHORITIES, f"{site.origin}/"],
            env=os.environ | {"SSL_CERT_FILE": own, "SSL_CERT_DIR": str(tmp_path / "missing")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ran.stderr == ""
    lines = ran.stdout.splitlines()
    assert len(lines) == 4
    if has_authorities:
        # The certificate of the site is from another authority.
        assert set(lines) == {"network_error"}
    else:
        assert all("was not requested: this machine has no certificate authorities" in line for line in lines)


@pytest.mark.parametrize("name", ["requests-session", "httpx2-client"])
def test_no_thread_for_a_request(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("requests" if name == "requests-session" else "httpx2")

    def fail(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    with (
        make_session(name) as session,
        Client(user_agent=USER_AGENT, transport=make_transport(name, session)) as client,
    ):
        # The limit of threads holds for all processes of the user, so it cannot be reached here.
        monkeypatch.setattr(Thread, "start", fail)
        with pytest.raises(RequestNotSent, match="can't start new thread"):
            client.allows("http://127.0.0.1/")


# --- name servers of this machine ------------------------------------------------------------------------------------


class NameServers:
    """A resolver some of whose names have no answer.

    Args:
        unanswered: The names without an answer, or None for all of them.
        hangs: Whether their lookups end only after the test, instead of a temporary failure.
    """

    def __init__(self, unanswered: set[str] | None, *, hangs: bool) -> None:
        self.unanswered = unanswered
        self.hangs = hangs
        self.names: list[str] = []
        self.released = Event()

    def __call__(self, name: str) -> Sequence[str]:
        self.names.append(name)
        if self.unanswered is None or name in self.unanswered:
            if self.hangs:
                self.released.wait(30)
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.mark.parametrize("hangs", [False, True], ids=["fail", "hang"])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_name_servers_that_answer_nothing(*, hangs: bool, is_async: bool) -> None:
    servers, store = NameServers(None, hangs=hangs), MemoryStore()
    try:
        with pytest.raises(RequestNotSent, match=r"^https://site.test/robots.txt was not requested: ") as raised:
            ask("https://site.test/", servers, store, is_async=is_async)
    finally:
        servers.released.set()

    assert list(store.keys()) == []
    assert servers.names == ["site.test", "a.root-servers.net"]
    assert ("no answer from name servers within 0.4 s" if hangs else "Temporary failure") in str(raised.value)


@pytest.mark.parametrize("hangs", [False, True], ids=["fail", "hang"])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_name_servers_of_a_site_that_do_not_answer(*, hangs: bool, is_async: bool) -> None:
    servers, store = NameServers({"site.test"}, hangs=hangs), MemoryStore()
    try:
        found = ask("https://site.test/", servers, store, is_async=is_async)
    finally:
        servers.released.set()

    assert found.access is Access.UNREACHABLE
    assert len(list(store.keys())) == 1


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_names_that_do_not_exist_need_no_other_lookup(*, is_async: bool) -> None:
    servers = NameServers(set(), hangs=False)
    assert ask("https://site.test/", servers, MemoryStore(), is_async=is_async).access is Access.UNREACHABLE
    assert servers.names == ["site.test"]


def ask(url: str, servers: NameServers, store: MemoryStore, *, is_async: bool) -> Any:
    """Return the access of an origin."""
    name = "http-async" if is_async else "http"
    with open_client(name, resolve=servers, **options(store)) as client:
        return client.decide(url)[0].access


# --- what follows ----------------------------------------------------------------------------------------------------


class LocalFailures(Hosts):
    """A transport that cannot send requests for a time."""

    def __init__(self, until: float) -> None:
        super().__init__({"a.example": RULES})
        self.until = until
        self.sent_at: list[float] = []

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        self.sent_at.append(virtual_now())
        if virtual_now() < self.until:
            return Failure(request.url, FailureKind.LOCAL, "no descriptor")
        return await super().send(request)


def test_a_frontier_waits_and_continues() -> None:
    transport = LocalFailures(35.0)

    async def main() -> list[tuple[float, str]]:
        turns = []
        async with (
            AsyncClient(user_agent=USER_AGENT, transport=transport, clock=virtual_now) as client,
            Frontier(client, ["https://a.example/1"], clock=virtual_now, monotonic=virtual_now) as frontier,
        ):
            async for turn in frontier:
                turns.append((virtual_now(), turn.url))
                turn.done()
        return turns

    assert run_in_virtual_time(main) == [(40.0, "https://a.example/1")]
    assert transport.sent_at == [0.0, 10.0, 20.0, 30.0, 40.0]


def test_a_refresh_in_the_background_keeps_what_is_known(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    transport = LocalFailures(0.0)

    async def main() -> None:
        async with AsyncClient(
            user_agent=USER_AGENT, transport=transport, clock=virtual_now, stale_while_revalidate=3600.0
        ) as client:
            assert not await client.allows("https://a.example/private/")
            transport.until = float("inf")
            state = await client.origin_state("https://a.example/")
            await asyncio.sleep(state.next_fetch_at - virtual_now() + 1)
            for _ in range(3):
                assert not await client.allows("https://a.example/private/")
                await asyncio.sleep(1)

    errors: list[dict[str, Any]] = []

    async def observed() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
        await main()

    run_in_virtual_time(observed)
    assert errors == []
    assert caplog.records == []


def test_a_waiting_worker_gets_the_lease(tmp_path: Path) -> None:
    from canfetch.client.stores.sqlite import SQLiteStore

    offline = AnsweringOrigin(lambda request: Failure(request.url, FailureKind.LOCAL, "no descriptor"))
    with Client(user_agent=USER_AGENT, transport=offline, store=SQLiteStore(tmp_path / "robots.sqlite3")) as client:
        with pytest.raises(RequestNotSent):
            client.allows("https://a.example/")
        store = SQLiteStore(tmp_path / "robots.sqlite3")
        assert store.acquire_lease("https://a.example", holder="other", seconds=60.0)
        store.close()


@pytest.mark.slow
@pytest.mark.parametrize("is_silent", [False, True])
@pytest.mark.parametrize("name", ["http-async", "httpx2-async", "aiohttp"])
def test_a_request_is_repeated_if_the_event_loop_is_blocked_until_its_timeout(name: str, *, is_silent: bool) -> None:
    async def main(site: Site) -> Access:
        is_requested = asyncio.Event()
        loop = asyncio.get_running_loop()

        async def respond(exchange: Exchange) -> None:
            loop.call_soon_threadsafe(is_requested.set)
            if is_silent:
                await exchange.wait_closed()
            else:
                await asyncio.sleep(0.2)
                await exchange.respond(200, RULES)

        async def block() -> None:
            while True:
                await is_requested.wait()
                is_requested.clear()
                # Until each timeout has passed, if the site is silent.
                time.sleep(1.0 if site.count("/robots.txt") == 1 else 4.0 * is_silent)  # noqa: ASYNC251 - a long callback

        site.serve("/robots.txt", respond)
        blocking = asyncio.create_task(block())
        async with AsyncClient(user_agent=USER_AGENT, transport=transport_class(name)(), timeout=0.5) as client:
            verdict = await client.decide(f"{site.origin}/private/")
        blocking.cancel()
        return verdict.access.access

    with Site() as site:
        assert asyncio.run(main(site)) is (Access.UNREACHABLE if is_silent else Access.SUCCESSFUL)
        # A silent site is reported after three requests.
        assert site.count("/robots.txt") == 3 if is_silent else site.count("/robots.txt") <= 2


class LateRedirect:
    """A transport whose process is blocked until the time limit of the first request has passed."""

    def send(self, request: TransportRequest) -> Response | Failure:
        if request.url.startswith("https://www."):
            return Response(request.url, 200, (), RULES)
        time.sleep(request.timeout + 0.15)
        return Response(request.url, 301, (("Location", "https://www.example.com/robots.txt"),), b"")

    def close(self) -> None:
        """Close nothing."""


def test_a_redirect_that_is_processed_after_the_time_limit_says_nothing_about_its_target() -> None:
    with Client(user_agent=USER_AGENT, transport=LateRedirect(), timeout=0.05) as client:
        assert client.allows("https://example.com/")
        assert not client.allows("https://example.com/private/")


def test_a_request_is_not_repeated_if_it_must_no_longer_be_sent() -> None:
    requests: list[str] = []

    class Blocked:
        async def send(self, request: TransportRequest) -> Response | Failure:
            requests.append(request.url)
            time.sleep(0.4)  # noqa: ASYNC251 - a callback that takes long
            return Failure(request.url, FailureKind.TIMEOUT, "too late")

        async def close(self) -> None:
            """Close nothing."""

    async def main() -> None:
        refusal = send_refusal.set(lambda: "the lease has ended" if requests else None)
        try:
            async with AsyncClient(user_agent=USER_AGENT, transport=Blocked()) as client:
                with pytest.raises(RequestNotSent, match="the lease has ended"):
                    await client.allows("https://example.com/")
        finally:
            send_refusal.reset(refusal)

    asyncio.run(main())
    assert requests == ["https://example.com/robots.txt"]
