"""The transport of servers: what clients share of its requests."""

import asyncio
from collections.abc import Sequence
from threading import Event

from tests.transports.harness import make_request

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.web.server.clients import current_client
from canfetch.web.server.shares import Shares
from canfetch.web.web_transport import WebTransport

SLOW = "http://slow.example/"


def test_two_networks_of_clients_leave_requests_to_a_third_one() -> None:
    released = Event()
    started: list[str] = []

    def resolve(host: str) -> Sequence[str]:
        if host == "slow.example":
            started.append(host)
            assert released.wait(300)
        raise OSError(-2, "Name or service not known")

    transport = WebTransport(resolve, requests=Shares(16))

    async def send(client: str, url: str) -> Response | Failure:
        current_client.set(client)
        return await transport.send(make_request(url, connect_timeout=300.0, timeout=300.0))

    async def main() -> None:
        clients = [f"20.0.{network}.{number}" for network in range(2) for number in range(8)]
        slow = [asyncio.create_task(send(client, SLOW)) for client in clients for _ in range(4)]
        # The networks have a half of the requests, and a half of the rest.
        while len(started) < 12:  # noqa: ASYNC110 - threads start them
            await asyncio.sleep(0.01)
        answer = await asyncio.wait_for(send("20.0.2.1", "http://none.example/"), 300)
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.DNS
        assert not any(task.done() for task in slow)
        assert len(started) == 12
        released.set()
        await asyncio.gather(*slow)
        await transport.close()

    asyncio.run(main())
