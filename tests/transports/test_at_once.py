"""Concurrent and cancelled requests."""

import asyncio
import gc
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from tests.servers.dead_ports import full_queue_port, unresponsive_port
from tests.servers.valid import RULES
from tests.servers.web import Site
from tests.transports.harness import LOOPBACK, make_request, transport_class

from canfetch.access.responses import Response
from canfetch.client.transports import AsyncTransport, Transport

pytestmark = pytest.mark.service

ASYNC = ["http-async", "httpx2-async", "aiohttp"]
REQUESTS = 200


@pytest.mark.parametrize("name", ["http", "httpx2"])
def test_threads_can_share_a_transport(name: str, site: Site) -> None:
    transport: Transport = transport_class(name)(resolve=LOOPBACK)
    with ThreadPoolExecutor(32) as threads:
        results = list(threads.map(transport.send, [make_request(site.robots_url("concurrent"))] * REQUESTS))
    transport.close()
    assert all(isinstance(result, Response) and result.body == RULES for result in results)
    assert len(site.requests) == REQUESTS
    assert site.max_connections > 1


@pytest.mark.parametrize("name", ASYNC)
def test_tasks_can_share_a_transport(name: str, site: Site) -> None:
    async def send_all() -> list[object]:
        transport: AsyncTransport = transport_class(name)(resolve=LOOPBACK)
        try:
            return await asyncio.gather(
                *(transport.send(make_request(site.robots_url("concurrent"))) for _ in range(REQUESTS))
            )
        finally:
            await transport.close()

    results = asyncio.run(send_all())
    assert all(isinstance(result, Response) and result.body == RULES for result in results)
    assert len(site.requests) == REQUESTS
    assert site.max_connections > 1


def cancel_requests(name: str, urls: list[str]) -> None:
    async def send_and_cancel() -> None:
        transport: AsyncTransport = transport_class(name)(resolve=LOOPBACK)
        tasks = [asyncio.ensure_future(transport.send(make_request(url, timeout=0.5))) for url in urls]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert not any(isinstance(result, Response) for result in results)
        await transport.close()

    asyncio.run(send_and_cancel())
    # A socket that is still open would raise a ResourceWarning, which is an error in tests.
    gc.collect()


@pytest.mark.parametrize("name", ASYNC)
@pytest.mark.parametrize("label", ["silent", "silent-body", "endless-interim"])
def test_cancelled_request_closes_its_connection(name: str, label: str, site: Site, tls_site: Site) -> None:
    cancel_requests(name, [site.robots_url(label), tls_site.robots_url(label)])


@pytest.mark.parametrize("name", ASYNC)
def test_cancelled_connect_closes_its_socket(name: str) -> None:
    with full_queue_port() as full_queue, unresponsive_port() as unresponsive:
        cancel_requests(name, [f"http://127.0.0.1:{full_queue}/", f"https://127.0.0.1:{unresponsive}/"])


@pytest.mark.parametrize("name", ASYNC)
def test_hanging_lookups_delay_no_other_lookup(name: str, site: Site) -> None:
    released = Event()

    def resolve(host: str) -> Sequence[str]:
        if host.startswith("hangs"):
            released.wait(300)
        return ["127.0.0.1"]

    async def send_all() -> object:
        transport: AsyncTransport = transport_class(name)(resolve=resolve)
        hanging = [asyncio.ensure_future(transport.send(make_request("http://hangs.test/"))) for _ in range(100)]
        await asyncio.sleep(0)
        result = await transport.send(make_request(site.robots_url("rules")))
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        await transport.close()
        return result

    try:
        assert isinstance(asyncio.run(send_all()), Response)
    finally:
        released.set()


@pytest.mark.parametrize("name", ASYNC)
@pytest.mark.parametrize("label", ["rules", "silent"])
def test_transport_can_be_used_on_another_event_loop(name: str, site: Site, label: str) -> None:
    transport: AsyncTransport = transport_class(name)(resolve=LOOPBACK)
    for _ in range(2):
        asyncio.run(transport.send(make_request(site.robots_url(label), timeout=0.5)))
    answer = asyncio.run(transport.send(make_request(site.robots_url("rules"))))
    asyncio.run(transport.close())
    del transport
    # A session that is still open would raise a ResourceWarning, which is an error in tests.
    gc.collect()
    assert isinstance(answer, Response), answer


HANGING_LOOKUP = """
import asyncio
from threading import Event
from tests.transports.harness import make_request
from canfetch.client.transports.http_transport import AsyncHTTPTransport
async def run():
    transport = AsyncHTTPTransport(resolve=lambda host: Event().wait(600))
    async with asyncio.timeout(0.1):
        await transport.send(make_request({url!r}, connect_timeout=600, timeout=600))
try:
    asyncio.run(run())
except TimeoutError:
    print("cancelled")
"""


@pytest.mark.parametrize("scheme", ["http", "ftp"])
def test_hanging_lookup_does_not_delay_the_exit(scheme: str) -> None:
    program = HANGING_LOOKUP.format(url=f"{scheme}://hangs.test/")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300)
    assert (run.stdout, run.stderr) == ("cancelled\n", "")


@pytest.mark.parametrize("name", ASYNC)
def test_silent_origin_does_not_delay_other_requests(name: str, site: Site) -> None:
    async def send_all() -> list[object]:
        transport: AsyncTransport = transport_class(name)(resolve=LOOPBACK)
        silent = [asyncio.ensure_future(transport.send(make_request(site.robots_url("silent")))) for _ in range(192)]
        while len(site.requests) < len(silent):  # noqa: ASYNC110 - the server has another event loop
            await asyncio.sleep(0.01)
        results: list[object] = [await transport.send(make_request(site.robots_url("rules"))) for _ in range(20)]
        assert not any(task.done() for task in silent)
        for task in silent:
            task.cancel()
        await asyncio.gather(*silent, return_exceptions=True)
        await transport.close()
        return results

    results = asyncio.run(send_all())
    assert all(isinstance(result, Response) and result.body == RULES for result in results)
