"""Clients that share a store and read more or less of a file: nobody takes a part for the whole."""

import pytest
from tests.access.conftest import ScriptedOrigin

from canfetch.access.responses import Failure, Response
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest

USER_AGENT = "ExampleBot/1.0"
FILE = b"User-agent: *\nDisallow: /y\n" + b"#\n" * 300_000 + b"Disallow: /x\n"
MORE_OCTETS = 1_000_000
X, Y = "https://example.com/x", "https://example.com/y"


class Large(ScriptedOrigin):
    """An origin whose file ends with a rule that is past the least limit; it knows whether it has changed."""

    def send(self, request: TransportRequest) -> Response | Failure:
        if self.event != {"status": 200}:
            return super().send(request)
        self.asked.append(request)
        if ("If-None-Match", '"a"') in request.headers:
            return Response(request.url, 304, (("ETag", '"a"'),), b"")
        return Response(request.url, 200, (("ETag", '"a"'),), FILE[: request.max_bytes + 1])


def clients(store: MemoryStore, origin: Large, *, revalidate: bool = False) -> tuple[Client, Client]:
    """Give a client that reads as much as all do, and one that reads further."""
    less = Client(user_agent=USER_AGENT, transport=origin, store=store, revalidate=revalidate)
    more = Client(user_agent=USER_AGENT, transport=origin, store=store, revalidate=revalidate, max_bytes=MORE_OCTETS)
    return less, more


@pytest.mark.parametrize("revalidate", [False, True])
def test_rfc9309_2_5_copy_that_was_cut_is_fetched_again_by_who_reads_further(*, revalidate: bool) -> None:
    store, origin = MemoryStore(), Large()
    less, more = clients(store, origin, revalidate=revalidate)

    assert [less.allows(url) for url in (X, Y)] == [True, False]
    assert [more.allows(url) for url in (X, Y)] == [False, False]
    assert len(origin.asked) == 2
    # What is whole serves both of them.
    for client, allowed in zip(clients(store, origin), (True, False), strict=True):
        assert client.allows(X) is allowed
    assert len(origin.asked) == 2


def test_rfc9309_2_5_copy_that_was_cut_counts_while_nobody_can_fetch_it() -> None:
    store, origin = MemoryStore(), Large()
    less, more = clients(store, origin)
    assert not less.allows(Y)

    origin.event = {"status": 503}

    assert not more.allows(Y)
    assert len(origin.asked) == 2
