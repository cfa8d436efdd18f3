"""Every transport behind one face, so that one suite asks them all."""

import asyncio
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from tests.servers.web import everywhere_is

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import AsyncTransport, Transport, TransportRequest
from canfetch.client.transports.names import Resolve
from canfetch.client.transports.standard import StandardAsyncTransport, StandardTransport

Ask = Callable[[TransportRequest], Response | Failure]
# Names of any number: no test asks anybody outside of this machine.
HERE = everywhere_is("127.0.0.1")
FACES = ["standard", "standard-async", "httpx2", "httpx2-async", "aiohttp"]


def asking(url: str, **changes: Any) -> TransportRequest:
    """Give a request as tests make it: patient, and at loopback."""
    usual = TransportRequest(
        url=url,
        headers=(("User-Agent", "ExampleBot/1.0"),),
        max_bytes=512_000,
        connect_timeout=20.0,
        read_timeout=20.0,
        timeout=20.0,
        allow_private=True,
    )
    return usual._replace(**changes)


@contextmanager
def face(
    name: str, *, ssl_context: ssl.SSLContext | None = None, resolve: Resolve = HERE, **options: Any
) -> Iterator[Ask]:
    """Open a transport by its name; an async one runs on a loop of its own."""
    opened = partial(made(name), ssl_context=ssl_context, resolve=resolve, **options)
    if name in {"standard", "httpx2"}:
        transport: Transport = opened()
        try:
            yield transport.send
        finally:
            transport.close()
        return
    with asyncio.Runner() as runner:
        waiting: AsyncTransport = opened()
        try:
            yield lambda asked: runner.run(waiting.send(asked))
        finally:
            runner.run(waiting.close())


def made(name: str) -> Any:
    """Give a transport's class by its name."""
    if name == "standard":
        return StandardTransport
    if name == "standard-async":
        return StandardAsyncTransport
    if name == "aiohttp":
        pytest.importorskip("aiohttp")
        from canfetch.client.transports.aiohttp_transport import AiohttpTransport

        return AiohttpTransport
    pytest.importorskip("httpx2")
    from canfetch.client.transports.httpx2_transport import Httpx2AsyncTransport, Httpx2Transport

    return Httpx2Transport if name == "httpx2" else Httpx2AsyncTransport
