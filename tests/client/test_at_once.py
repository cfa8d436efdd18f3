"""Both clients over real connections: one request for each origin, and no origin waits for another.

On Linux, a socket that is bound to all addresses accepts connections to every address of 127.0.0.0/8. Each address is
another origin.
"""

import asyncio
import sys
from collections import Counter

import pytest
from tests.servers.slow import BEHAVIOURS
from tests.servers.valid import RULES, respond
from tests.servers.web import Site

from canfetch.client.async_client import AsyncClient

pytest.importorskip("aiohttp", reason="aiohttp is not installed")

from canfetch.client.transports.aiohttp_transport import AiohttpTransport

USER_AGENT = "ExampleBot/1.0"
TASKS = 10_000
# The number of concurrent fetches. Each takes two sockets of this process.
CONCURRENT = 500

needs_loopback_addresses = pytest.mark.skipif(sys.platform != "linux", reason="127.x.y.z works only on Linux")


@pytest.mark.slow
def test_rfc9309_2_4_ten_thousand_tasks_send_one_http_request() -> None:
    async def run(site: Site) -> list[bool]:
        async with AsyncClient(user_agent=USER_AGENT, transport=AiohttpTransport()) as client:
            urls = [f"{site.origin}/{'private/' if number % 2 else 'fish'}" for number in range(TASKS)]
            return await asyncio.gather(*(client.allows(url) for url in urls))

    with Site() as site:
        site.serve("/robots.txt", respond(RULES))
        answers = asyncio.run(run(site))
        assert site.count("/robots.txt") == len(site.requests) == 1
    assert Counter(answers) == {True: TASKS // 2, False: TASKS // 2}


@pytest.mark.slow
@needs_loopback_addresses
@pytest.mark.parametrize("origins", [1_000, pytest.param(10_000, marks=[pytest.mark.service, pytest.mark.nightly])])
def test_each_of_many_origins_gets_one_http_request(origins: int) -> None:
    async def run(site: Site) -> int:
        hosts = [f"127.1.{number // 250}.{number % 250 + 1}" for number in range(origins)]
        limit = asyncio.Semaphore(CONCURRENT)

        async def both(client: AsyncClient, host: str) -> bool:
            async with limit:
                urls = [f"http://{host}:{site.port}/{path}" for path in ("fish", "private/")]
                answers = await asyncio.gather(*(client.allows(url) for url in urls))
                return answers == [True, False]

        async with AsyncClient(user_agent=USER_AGENT, transport=AiohttpTransport()) as client:
            return sum(await asyncio.gather(*(both(client, host) for host in hosts)))

    with Site(host="0.0.0.0") as site:  # noqa: S104 - all loopback addresses
        site.serve("/robots.txt", respond(RULES))
        assert asyncio.run(run(site)) == origins
        counts = Counter(request.host for request in site.requests)
    assert (len(counts), set(counts.values())) == (origins, {1})


@pytest.mark.slow
@needs_loopback_addresses
def test_no_origin_waits_for_a_silent_one() -> None:
    async def run(site: Site) -> None:
        async with AsyncClient(user_agent=USER_AGENT, transport=AiohttpTransport()) as client:
            silent = [asyncio.create_task(client.allows(f"http://127.2.0.{n}:{site.port}/x")) for n in range(1, 101)]
            await asyncio.sleep(0)
            with Site() as other:
                other.serve("/robots.txt", respond(RULES))
                allowed = await client.allows(f"{other.origin}/fish")
            assert not any(task.done() for task in silent)
            for task in silent:
                task.cancel()
            raise _Done(allowed)

    with Site(host="0.0.0.0") as site:  # noqa: S104 - all loopback addresses
        site.serve("/robots.txt", BEHAVIOURS["silent"])
        with pytest.raises(_Done) as done:
            asyncio.run(run(site))
    assert done.value.args == (True,)


class _Done(Exception):
    """Raised to close a client without waiting for fetches."""
