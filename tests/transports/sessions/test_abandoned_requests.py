"""A request that takes too long is abandoned: its thread ends, and its place in the pool is free again."""

import asyncio
import gc
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.servers.threaded import ThreadedServer
from tests.servers.valid import RULES
from tests.servers.web import Site
from tests.transports.harness import SHORT_SECONDS, Send, expect_response, failure_kind, make_request
from tests.transports.session_harness import (
    SYNC_NAMES,
    open_session,
)

from canfetch.access.responses import Failure, FailureKind, Response


def join_threads(*, of_httpx2: bool = False, apart_from: Collection[threading.Thread] = ()) -> None:
    """Wait until the threads end that carry abandoned requests."""
    for thread in threading.enumerate():
        if thread not in apart_from and (thread.name == "canfetch-httpx2" or not of_httpx2):
            thread.join(300)
            assert not thread.is_alive()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, labels",
    [
        ("httpx2-client", ["endless-interim", "slow-head", "slow-body", "silent"]),
        # A head without end keeps its thread.
        ("requests-session", ["slow-body", "silent-body"]),
    ],
)
def test_thread_of_an_abandoned_request_ends(name: str, labels: list[str], shared_site: Site) -> None:
    others = set(threading.enumerate())
    with open_session(name) as send:
        for label in labels:
            answer = send(make_request(shared_site.url(label), timeout=SHORT_SECONDS))
            assert failure_kind(answer) is FailureKind.TIMEOUT
        join_threads(of_httpx2=name == "httpx2-client", apart_from=others)
    gc.collect()


@pytest.mark.parametrize("name", ["httpx2-client", "httpx2-async-client"])
@pytest.mark.parametrize("label", ["endless-interim", "slow-head", "slow-body", "silent", "silent-body"])
def test_abandoned_request_frees_its_place_in_the_pool(name: str, site: Site, label: str) -> None:
    import httpx2

    with open_session(name, limits=httpx2.Limits(max_connections=1)) as send:
        assert failure_kind(send(make_request(site.url(label), timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
        join_threads(of_httpx2=True)
        expect_response(send(make_request(site.url("rules"))))


class _SlowSecondResponse(ThreadedServer):
    """Responds to the first request on a connection, and sends the second response without end, in single bytes."""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)


def test_thread_of_an_abandoned_request_on_an_older_connection_ends() -> None:
    with _SlowSecondResponse() as server, open_session("httpx2-client") as send:
        url = f"http://127.0.0.1:{server.port}/robots.txt"
        expect_response(send(make_request(url)))
        assert failure_kind(send(make_request(url, timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
        join_threads(of_httpx2=True)
        assert server.max_connections == 1


@pytest.mark.parametrize("label", ["silent", "silent-body"])
def test_silence_exceeds_the_read_timeout(session_send: Send, shared_site: Site, label: str) -> None:
    answer = session_send(make_request(shared_site.url(label), read_timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure), answer
    assert (answer.kind, answer.detail) == (FailureKind.TIMEOUT, f"no data for {SHORT_SECONDS:g} s")


@pytest.mark.slow
@pytest.mark.parametrize("name", SYNC_NAMES)
def test_threads_can_share_a_client(name: str, site: Site) -> None:
    with open_session(name) as send, ThreadPoolExecutor(32) as threads:
        results = list(threads.map(send, [make_request(site.url("concurrent"))] * 100))
    assert all(isinstance(result, Response) and result.body == RULES for result in results)
    assert site.max_connections > 1
