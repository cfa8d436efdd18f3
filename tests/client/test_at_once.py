"""Both clients over real connections: one request for each origin, however many ask, and no origin waits for another.

Linux answers at every address of 127.0.0.0/8 by one socket that is bound to all of them: each is an origin of its own.
"""

import asyncio
import sys
import threading
from collections import Counter

import pytest
from tests.servers.slow import BEHAVIOURS
from tests.servers.valid import RULES, respond
from tests.servers.web import Site

from canfetch.client.async_client import AsyncClient
from canfetch.client.sync_client import Client

pytest.importorskip("aiohttp", reason="aiohttp is not installed")

from canfetch.client.transports.aiohttp_transport import AiohttpTransport

USER_AGENT = "ExampleBot/1.0"
TASKS = ORIGINS = 10_000
THREADS = 200
# As many as are asked at the same time; each is a connection with two ends in this process.
FLYING = 500

needs_loopback_addresses = pytest.mark.skipif(sys.platform != "linux", reason="127.x.y.z is answered on Linux alone")


def test_rfc9309_2_4_ten_thousand_tasks_of_a_cold_origin_cause_one_request_on_the_wire() -> None:
    async def ask(site: Site) -> list[bool]:
        async with AsyncClient(user_agent=USER_AGENT, transport=AiohttpTransport()) as client:
            urls = [f"{site.origin}/{'private/' if number % 2 else 'fish'}" for number in range(TASKS)]
            return await asyncio.gather(*(client.allows(url) for url in urls))

    with Site() as site:
        site.serve("/robots.txt", respond(RULES))
        answers = asyncio.run(ask(site))
        assert site.count("/robots.txt") == len(site.requests) == 1
    assert Counter(answers) == {True: TASKS // 2, False: TASKS // 2}


def test_rfc9309_2_4_two_hundred_threads_of_a_cold_origin_cause_one_request_on_the_wire() -> None:
    answers: list[bool] = []
    with Site() as site, Client(user_agent=USER_AGENT) as client:
        site.serve("/robots.txt", respond(RULES))
        start = threading.Barrier(THREADS)

        def ask() -> None:
            start.wait()
            answers.append(client.allows(f"{site.origin}/fish"))

        threads = [threading.Thread(target=ask) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert site.count("/robots.txt") == len(site.requests) == 1
    assert answers == [True] * THREADS


@needs_loopback_addresses
def test_ten_thousand_origins_are_asked_once_each_on_the_wire() -> None:
    async def ask(site: Site) -> int:
        hosts = [f"127.1.{number // 250}.{number % 250 + 1}" for number in range(ORIGINS)]
        flying = asyncio.Semaphore(FLYING)

        async def both(client: AsyncClient, host: str) -> bool:
            async with flying:
                urls = [f"http://{host}:{site.port}/{path}" for path in ("fish", "private/")]
                answers = await asyncio.gather(*(client.allows(url) for url in urls))
                return answers == [True, False]

        async with AsyncClient(user_agent=USER_AGENT, transport=AiohttpTransport()) as client:
            return sum(await asyncio.gather(*(both(client, host) for host in hosts)))

    with Site(host="0.0.0.0") as site:  # noqa: S104 - every loopback address is one of all
        site.serve("/robots.txt", respond(RULES))
        assert asyncio.run(ask(site)) == ORIGINS
        asked = Counter(asked.host for asked in site.requests)
    assert (len(asked), set(asked.values())) == (ORIGINS, {1})


@needs_loopback_addresses
def test_no_origin_waits_for_another_on_the_wire() -> None:
    async def ask(site: Site) -> None:
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

    with Site(host="0.0.0.0") as site:  # noqa: S104 - as above
        site.serve("/robots.txt", BEHAVIOURS["silent"])
        with pytest.raises(_Done) as done:
            asyncio.run(ask(site))
    assert done.value.args == (True,)


class _Done(Exception):
    """Ends a client without waiting for its origins."""
