"""All transports by name, sync and async, with the same interface for the tests."""

import asyncio
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from tests.servers.web import resolve_all_to

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import AsyncTransport, Transport, TransportRequest
from canfetch.client.transports.dns import Resolve
from canfetch.client.transports.http_transport import AsyncHTTPTransport, HTTPTransport

Send = Callable[[TransportRequest], Response | Failure]
# Every name resolves to loopback, so that no test leaves this machine.
LOOPBACK = resolve_all_to("127.0.0.1")
# For deadlines that a test waits for.
SHORT_SECONDS = 0.15
# The transports of `Client`. The others belong to `AsyncClient`.
SYNC_NAMES = {"http", "httpx2"}
TRANSPORT_NAMES = ["http", "http-async", "httpx2", "httpx2-async", "aiohttp"]


def make_request(url: str, **changes: Any) -> TransportRequest:
    """Return a request with long timeouts and private addresses allowed."""
    request = TransportRequest(
        url=url,
        headers=(("User-Agent", "ExampleBot/1.0"),),
        max_bytes=512_000,
        connect_timeout=20.0,
        read_timeout=20.0,
        timeout=20.0,
        allow_private=True,
    )
    return request._replace(**changes)


def failure_kind(result: Response | Failure) -> FailureKind:
    """Return the kind of a failure, which must have a description."""
    assert isinstance(result, Failure), result
    assert result.detail
    return result.kind


def expect_response(result: Response | Failure) -> Response:
    """Return a response, which must not be a failure."""
    assert isinstance(result, Response), result
    return result


def split_at(data: bytes, cuts: list[int]) -> list[bytes]:
    """Split `data` at positions, in any order, that may be past its end."""
    positions = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(positions)]


@contextmanager
def open_transport(
    name: str, *, ssl_context: ssl.SSLContext | None = None, resolve: Resolve = LOOPBACK, **options: Any
) -> Iterator[Send]:
    """Open a transport and yield its `send`. An async transport runs on an event loop of its own."""
    create = partial(transport_class(name), ssl_context=ssl_context, resolve=resolve, **options)
    if name in SYNC_NAMES:
        transport: Transport = create()
        try:
            yield transport.send
        finally:
            transport.close()
        return
    with asyncio.Runner() as runner:
        async_transport: AsyncTransport = create()
        try:
            yield lambda request: runner.run(async_transport.send(request))
        finally:
            runner.run(async_transport.close())


def transport_class(name: str) -> Any:
    """Return the class of a transport, or skip the test if its library is not installed."""
    if name == "http":
        return HTTPTransport
    if name == "http-async":
        return AsyncHTTPTransport
    if name == "aiohttp":
        pytest.importorskip("aiohttp")
        from canfetch.client.transports.aiohttp_transport import AiohttpTransport

        return AiohttpTransport
    if name == "requests":
        pytest.importorskip("requests")
        from canfetch.client.transports.requests_transport import RequestsTransport

        return RequestsTransport
    pytest.importorskip("httpx2")
    from canfetch.client.transports.httpx2_transport import AsyncHttpx2Transport, Httpx2Transport

    return Httpx2Transport if name == "httpx2" else AsyncHttpx2Transport
