"""Clients that are closed while documents of a site are requested."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.servers.fixtures import site
from tests.servers.slow import silent
from tests.servers.valid import respond
from tests.servers.web import Exchange, Site
from tests.transports.harness import SYNC_NAMES, TRANSPORT_NAMES, transport_class

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.audit import audit
from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.errors import ClientClosed
from canfetch.sitemaps import read_sitemaps

__all__ = ["site"]

USER_AGENT = "ExampleBot/1.0"
ASYNC_NAMES = [name for name in TRANSPORT_NAMES if name not in SYNC_NAMES]
SITEMAPS = ("a", "b", "c", "d")


def serve_silent_documents(site: Site) -> threading.Event:
    """Let a site respond to requests for robots.txt and an index only. Return when another request has arrived."""
    is_requested = threading.Event()

    async def report(exchange: Exchange) -> None:
        is_requested.set()
        await silent(exchange)

    site.serve("/robots.txt", respond(f"Sitemap: {site.url('index.xml')}\n".encode()))
    entries = "".join(f"<sitemap><loc>{site.url(name)}</loc></sitemap>" for name in SITEMAPS)
    site.serve("/index.xml", respond(f"<sitemapindex>{entries}</sitemapindex>".encode()))
    for target in ("/document", "/.well-known/tdmrep.json", *(f"/{name}" for name in SITEMAPS)):
        site.serve(target, report)
    return is_requested


async def read_all(client: AsyncClient, site: Site) -> list[object]:
    return [event async for event in read_sitemaps(client, site.origin)]


CALLS: dict[str, Callable[[AsyncClient, Site], Awaitable[object]]] = {
    "document": lambda client, site: client.request_document(site.url("document"), max_bytes=100),
    "sitemaps": read_all,
    "tdmrep.json": lambda client, site: client.tdm_file(site.url("document")),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("transport", ASYNC_NAMES)
def test_close_cancels_requests_for_documents(
    transport: str, call: Callable[[AsyncClient, Site], Awaitable[object]], site: Site
) -> None:
    is_requested = serve_silent_documents(site)

    async def run() -> None:
        client = AsyncClient(user_agent=USER_AGENT, transport=transport_class(transport)(), timeout=300)
        waiting = asyncio.ensure_future(call(client, site))
        await asyncio.to_thread(is_requested.wait, 300)
        await client.close()
        with pytest.raises(ClientClosed):
            await asyncio.wait_for(waiting, 60)
        assert not client._document_fetches

    asyncio.run(run())


class Silent:
    """A transport that never responds, and reports how its requests end."""

    def __init__(self) -> None:
        self.is_requested = threading.Event()
        self.ends: list[type[BaseException] | None] = []

    async def send(self, request: TransportRequest) -> Response | Failure:
        self.is_requested.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            await asyncio.sleep(0)
            self.ends.append(type(error))
            raise
        except GeneratorExit as error:
            self.ends.append(type(error))
            raise
        raise AssertionError(f"unexpected response for {request.url}")

    async def close(self) -> None:
        self.ends.append(None)


def test_close_cancels_documents_of_another_event_loop() -> None:
    transport = Silent()
    client = AsyncClient(user_agent=USER_AGENT, transport=transport)
    errors: list[BaseException] = []

    async def request() -> None:
        with pytest.raises(ClientClosed) as caught:
            await client.request_document("https://example.com/document", max_bytes=100)
        errors.append(caught.value)

    thread = threading.Thread(target=lambda: asyncio.run(request()))
    thread.start()
    assert transport.is_requested.wait(300)
    asyncio.run(client.close())
    thread.join(300)
    assert len(errors) == 1
    assert transport.ends == [asyncio.CancelledError, None]


def test_cancelled_task_waits_for_the_end_of_its_request() -> None:
    async def run() -> None:
        transport = Silent()
        async with AsyncClient(user_agent=USER_AGENT, transport=transport) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await client.request_document("https://example.com/document", max_bytes=100)
            assert transport.ends == [asyncio.CancelledError]
            assert not client._document_fetches
            assert len(asyncio.all_tasks()) == 1

    asyncio.run(run())


def test_request_of_a_closed_event_loop_is_closed() -> None:
    transport = Silent()
    client = AsyncClient(user_agent=USER_AGENT, transport=transport)
    loop = asyncio.new_event_loop()
    request = client.request_document("https://example.com/document", max_bytes=100)
    task = loop.create_task(request)
    loop.run_until_complete(asyncio.sleep(0.01))
    assert transport.is_requested.is_set()
    loop.close()
    request.close()
    assert transport.ends == [GeneratorExit]
    assert not client._document_fetches
    assert not task.done()


@pytest.mark.parametrize("transport", sorted(SYNC_NAMES))
def test_closed_client_reads_no_more_sitemaps(transport: str, site: Site) -> None:
    serve_silent_documents(site)
    urlset = b"<urlset><url><loc>%s</loc></url></urlset>" % site.url("x").encode()
    for name in SITEMAPS:
        site.serve(f"/{name}", respond(urlset))
    client = Client(user_agent=USER_AGENT, transport=transport_class(transport)())
    events = read_sitemaps(client, site.origin, parallel=1)
    next(events)
    client.close()
    with pytest.raises(ClientClosed):
        list(events)


class Closable(ScriptedOrigin):
    """A transport whose requests fail when it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.is_requested, self.is_closed = threading.Event(), threading.Event()

    def send(self, request: TransportRequest) -> Response | Failure:
        self.is_requested.set()
        assert self.is_closed.wait(300)
        return Failure(request.url, FailureKind.RESET, "the connection was closed")

    def close(self) -> None:
        self.is_closed.set()


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.request_document("https://example.com/document", max_bytes=100),
        lambda client: client.decide("https://example.com/document"),
        lambda client: client.decide("https://example.com/document", cross_origin=True),
        lambda client: client.tdm_file("https://example.com/document"),
    ],
    ids=["document", "robots.txt", "foreign robots.txt", "tdmrep.json"],
)
def test_request_that_fails_because_the_client_is_closed_is_no_answer(call: Callable[[Client], Any]) -> None:
    transport, store = Closable(), MemoryStore()
    headers = {"Authorization": "Basic eDp5"}
    client = Client(user_agent=USER_AGENT, transport=transport, store=store, headers=headers)
    errors: list[BaseException] = []

    def run() -> None:
        with pytest.raises(ClientClosed) as caught:
            call(client)
        errors.append(caught.value)

    thread = threading.Thread(target=run)
    thread.start()
    assert transport.is_requested.wait(300)
    client.close()
    thread.join(300)
    assert len(errors) == 1
    assert not list(store.keys())


def test_audit_with_a_closed_client_raises(site: Site) -> None:
    site.serve("/robots.txt", respond(f"Sitemap: {site.url('sitemap.txt')}\n".encode()))
    site.serve("/", respond(b"<html></html>"))
    site.serve("/sitemap.txt", respond("\n".join(site.url(name) for name in SITEMAPS).encode()))
    client = Client(user_agent=USER_AGENT)
    with pytest.raises(ClientClosed):
        audit(client, site.origin, on_sample=lambda _pages, _seconds: client.close(), sleep=lambda _seconds: None)
    assert "/a" not in {request.target for request in site.requests}
