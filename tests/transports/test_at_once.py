"""Many requests at once, and requests that nobody waits for any more."""

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.servers.deaf import accepting_port, full_port
from tests.servers.proper import RULES
from tests.servers.web import Site
from tests.transports.faces import HERE, asking, made

from canfetch.access.responses import Response
from canfetch.client.transports import AsyncTransport, Transport

ASYNC = ["standard-async", "httpx2-async", "aiohttp"]
AT_ONCE = 200


@pytest.mark.parametrize("name", ["standard", "httpx2"])
def test_threads_share_a_transport(name: str, site: Site) -> None:
    transport: Transport = made(name)(resolve=HERE)
    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(transport.send, [asking(site.robots_url("slow-enough"))] * AT_ONCE))
    transport.close()
    assert all(isinstance(answer, Response) and answer.body == RULES for answer in answers)
    assert len(site.asked) == AT_ONCE


@pytest.mark.parametrize("name", ASYNC)
def test_tasks_share_a_transport(name: str, site: Site) -> None:
    async def ask_all() -> list[object]:
        transport: AsyncTransport = made(name)(resolve=HERE)
        try:
            return await asyncio.gather(
                *(transport.send(asking(site.robots_url("slow-enough"))) for _ in range(AT_ONCE))
            )
        finally:
            await transport.close()

    answers = asyncio.run(ask_all())
    assert all(isinstance(answer, Response) and answer.body == RULES for answer in answers)
    assert len(site.asked) == AT_ONCE


def give_up_on(name: str, urls: list[str]) -> None:
    async def give_up() -> None:
        transport: AsyncTransport = made(name)(resolve=HERE)
        tasks = [asyncio.ensure_future(transport.send(asking(url, timeout=0.5))) for url in urls]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert not any(isinstance(answer, Response) for answer in answers)
        await transport.close()

    asyncio.run(give_up())
    # Warnings are errors: a socket that is still open would be one.
    gc.collect()


@pytest.mark.parametrize("name", ASYNC)
@pytest.mark.parametrize("label", ["silent", "silent-body", "endless-interim"])
def test_cancelled_requests_leave_nothing_behind(name: str, label: str, site: Site, tls_site: Site) -> None:
    give_up_on(name, [site.robots_url(label), tls_site.robots_url(label)])


@pytest.mark.parametrize("name", ASYNC)
def test_cancelled_connections_leave_nothing_behind(name: str) -> None:
    with full_port() as full, accepting_port() as accepting:
        give_up_on(name, [f"http://127.0.0.1:{full}/", f"https://127.0.0.1:{accepting}/"])


@pytest.mark.parametrize("name", ASYNC)
def test_one_silent_origin_holds_nobody_up(name: str, site: Site) -> None:
    async def ask_all() -> list[bool]:
        transport: AsyncTransport = made(name)(resolve=HERE)
        silent = [
            asyncio.ensure_future(transport.send(asking(site.robots_url("silent"), timeout=1.0))) for _ in range(20)
        ]
        answers = [await transport.send(asking(site.robots_url("rules"))) for _ in range(20)]
        waited = [task.done() for task in silent]
        await asyncio.gather(*silent)
        await transport.close()
        return [*waited, *(not isinstance(answer, Response) for answer in answers)]

    assert not any(asyncio.run(ask_all()))
