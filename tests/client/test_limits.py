"""Clients with different parsing limits that share a store."""

import pytest
from tests.access.conftest import ScriptedOrigin

from canfetch.access.responses import Failure, Response
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest

USER_AGENT = "ExampleBot/1.0"
FILE = b"User-agent: *\nDisallow: /y\n" + b"#\n" * 300_000 + b"Disallow: /x\n"
LARGE_LIMIT = 1_000_000
X, Y = "https://example.com/x", "https://example.com/y"


class LargeFile(ScriptedOrigin):
    """An origin whose file has its last rule after the default limit. It supports conditional requests."""

    def send(self, request: TransportRequest) -> Response | Failure:
        if self.event != {"status": 200}:
            return super().send(request)
        self.requests.append(request)
        if ("If-None-Match", '"a"') in request.headers:
            return Response(request.url, 304, (("ETag", '"a"'),), b"")
        return Response(request.url, 200, (("ETag", '"a"'),), FILE[: request.max_bytes + 1])


def clients(store: MemoryStore, origin: LargeFile, *, revalidate: bool = False) -> tuple[Client, Client]:
    """Return a client with the default limit, and one with a larger limit."""
    small = Client(user_agent=USER_AGENT, transport=origin, store=store, revalidate=revalidate)
    large = Client(user_agent=USER_AGENT, transport=origin, store=store, revalidate=revalidate, max_bytes=LARGE_LIMIT)
    return small, large


@pytest.mark.parametrize("revalidate", [False, True])
def test_rfc9309_2_5_truncated_copy_is_fetched_again_with_a_larger_limit(*, revalidate: bool) -> None:
    store, origin = MemoryStore(), LargeFile()
    small, large = clients(store, origin, revalidate=revalidate)

    assert [small.allows(url) for url in (X, Y)] == [True, False]
    assert [large.allows(url) for url in (X, Y)] == [False, False]
    assert len(origin.requests) == 2
    # Both clients can use the complete copy.
    for client, allowed in zip(clients(store, origin), (True, False), strict=True):
        assert client.allows(X) is allowed
    assert len(origin.requests) == 2


def test_rfc9309_2_5_truncated_copy_is_used_while_the_origin_is_unreachable() -> None:
    store, origin = MemoryStore(), LargeFile()
    small, large = clients(store, origin)
    assert not small.allows(Y)

    origin.event = {"status": 503}

    assert not large.allows(Y)
    assert len(origin.requests) == 2
