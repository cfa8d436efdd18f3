"""Clients with different parsing limits that share a store."""

from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin

from canfetch.access.responses import Failure, Response
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.core.verdict import Effect

USER_AGENT = "ExampleBot/1.0"
FILE = b"User-agent: *\nDisallow: /y\n" + b"#\n" * 300_000 + b"Disallow: /x\n"
LARGE_LIMIT = 1_000_000
X, Y = "https://example.com/x", "https://example.com/y"


# A client with the default limit sees no record.
PAGE = b"<!DOCTYPE html>\n" + b"<p>\n" * 150_000 + b"User-agent: *\nDisallow: /x\n"


class LargeFile(ScriptedOrigin):
    """An origin whose file has its last rule after the default limit. It supports conditional requests."""

    file = FILE

    def send(self, request: TransportRequest) -> Response | Failure:
        if self.event != {"status": 200}:
            return super().send(request)
        self.requests.append(request)
        if ("If-None-Match", '"a"') in request.headers:
            return Response(request.url, 304, (("ETag", '"a"'),), b"")
        return Response(request.url, 200, (("ETag", '"a"'),), self.file[: request.max_bytes + 1])


def clients(store: MemoryStore, origin: LargeFile, **options: Any) -> tuple[Client, Client]:
    """Return a client with the default limit, and one with a larger limit."""
    small = Client(user_agent=USER_AGENT, transport=origin, store=store, **options)
    large = Client(user_agent=USER_AGENT, transport=origin, store=store, max_bytes=LARGE_LIMIT, **options)
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


@pytest.mark.parametrize("revalidate", [False, True])
@pytest.mark.parametrize("oversize", ["full-allow", "full-disallow", "unreachable"])
def test_copy_that_a_policy_does_not_read_is_not_used(oversize: str, *, revalidate: bool) -> None:
    policy = f"rfc9309+oversize={oversize}"
    store, origin = MemoryStore(), LargeFile()
    small, large = clients(store, origin, revalidate=revalidate, policy=policy)
    alone, _ = clients(MemoryStore(), LargeFile(), policy=policy)

    assert [large.allows(url) for url in (X, Y)] == [False, False]
    for agent in (None, "OtherBot"):
        for url in (X, Y):
            assert small.allows(url, agent=agent) == alone.allows(url, agent=agent) == (oversize == "full-allow")
    access, access_alone = small.decide(X).access, alone.decide(X).access
    assert (access.access, access.effect) == (access_alone.access, access_alone.effect)
    assert small.crawl_delay(X) is alone.crawl_delay(X) is None


@pytest.mark.parametrize("revalidate", [False, True])
@pytest.mark.parametrize("not_robots", ["full-allow", "full-disallow", "unreachable"])
def test_copy_that_is_a_page_under_a_limit_is_not_used(not_robots: str, *, revalidate: bool) -> None:
    policy = f"rfc9309+not_robots={not_robots}"
    store, origin = MemoryStore(), LargeFile()
    origin.file = PAGE
    small, large = clients(store, origin, revalidate=revalidate, policy=policy)

    assert [large.allows(url) for url in (X, Y)] == [False, True]
    assert [small.allows(url) for url in (X, Y)] == [not_robots == "full-allow"] * 2
    origin.event = {"status": 503}
    _, other_large = clients(store, origin, revalidate=revalidate, policy=policy)
    assert other_large.allows(Y) is (not_robots == "unreachable")


@pytest.mark.parametrize("oversize", ["full-allow", "full-disallow", "unreachable"])
def test_copy_of_a_client_with_a_higher_limit_outlasts_a_failure(oversize: str) -> None:
    policy = f"rfc9309+oversize={oversize}"
    store, origin = MemoryStore(), LargeFile()
    small, large = clients(store, origin, policy=policy)
    assert large.allows("https://example.com/z")
    assert not large.allows(X)
    origin.event = {"status": 503}

    assert not small.allows("https://example.com/z")
    assert small.decide(X).access.effect is Effect.FULL_DISALLOW
    _, other_large = clients(store, origin, policy=policy)
    assert [other_large.allows(f"https://example.com/{name}") for name in "xyz"] == [False, False, True]


def test_truncated_copy_does_not_replace_the_end_of_the_same_file() -> None:
    store, origin = MemoryStore(), LargeFile()
    now = 0.0
    small, large = clients(store, origin, clock=lambda: now)
    assert not large.allows(X)
    now += 90_000.0
    assert [small.allows(url) for url in (X, Y)] == [True, False]
    now += 90_000.0
    origin.event = {"status": 503}

    _, other_large = clients(store, origin, clock=lambda: now)
    for client in (large, other_large):
        assert [client.allows(url) for url in (X, Y)] == [False, False]
    assert small.allows(X)


def test_truncated_copy_replaces_another_file() -> None:
    store, origin = MemoryStore(), LargeFile()
    now = 0.0
    small, large = clients(store, origin, clock=lambda: now)
    assert not large.allows(X)
    now += 90_000.0
    origin.file = FILE.replace(b"/y", b"/z")
    assert small.allows(Y)
    now += 90_000.0
    origin.event = {"status": 503}

    assert [large.allows(url) for url in (X, Y)] == [True, True]
