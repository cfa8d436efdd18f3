"""`refresh`: both clients fetch the robots.txt of an origin now, with a conditional request."""

import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.access.conftest import GatedOrigin, ScriptedOrigin
from tests.client.either import EitherClient

from canfetch.access.outcomes import OutcomeKind
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.origin_state import OriginState
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.transports import TransportRequest
from canfetch.core.verdict import Access
from canfetch.errors import ClientClosed, InvalidURL, RequestNotSent

ORIGIN = "https://example.com"
URL = f"{ORIGIN}/forbidden"
TAGGED = {"status": 200, "headers": {"ETag": '"1"', "Cache-Control": "max-age=86400"}}
UNAVAILABLE = {"status": 503, "headers": {"Retry-After": "3600"}}


class Both(EitherClient):
    """A client and its clock."""

    def __init__(self, kind: str, origin: Any, store: Any) -> None:
        self.now = 1_000_000_000.0
        super().__init__(kind, origin, store=store, clock=lambda: self.now)


@pytest.fixture(params=["sync", "async"])
def create(request: pytest.FixtureRequest) -> Callable[..., Both]:
    return lambda origin, store=None: Both(request.param, origin, store)


def test_fresh_copy_is_fetched_again(create: Callable[..., Both], tmp_path: Path) -> None:
    origin, path = ScriptedOrigin(TAGGED), tmp_path / "robots.sqlite3"
    both = create(origin, SQLiteStore(path))
    assert not both.allows(URL)
    origin.event = {"status": 200, "body": "User-agent: *\nDisallow:\n"}

    state: OriginState = both.refresh(URL)

    assert state.allows(URL, "ExampleBot", both.now)
    assert both.origin_state(URL) is state
    assert both.allows(URL)
    # Another process reads the new copy.
    other = create(ScriptedOrigin({"status": 404}), SQLiteStore(path))
    assert other.origin_state(ORIGIN).entry == state.entry
    assert len(origin.requests) == 2
    both.close()
    other.close()


def test_request_is_conditional(create: Callable[..., Both]) -> None:
    origin = ScriptedOrigin({**TAGGED, "conditional": {"status": 304}})
    both = create(origin)
    both.allows(URL)
    both.now += 1000
    state = both.refresh(ORIGIN)
    assert ("If-None-Match", '"1"') in origin.requests[1].headers
    assert state.entry.outcome.kind is OutcomeKind.NOT_MODIFIED
    assert state.entry.fetched_at == both.now
    assert not both.allows(URL)


def test_rfc9309_2_3_1_4_last_good_copy_applies_if_the_refresh_fails(create: Callable[..., Both]) -> None:
    origin = ScriptedOrigin(TAGGED)
    both = create(origin, MemoryStore())
    both.allows(URL)
    origin.event = UNAVAILABLE
    state = both.refresh(URL)
    assert state.entry.outcome.access is Access.UNREACHABLE
    assert not both.allows(URL)
    assert both.allows(f"{ORIGIN}/open")
    # The owner of the site repaired it, and need not wait for the delay after the failure.
    origin.event = {"status": 404}
    assert both.refresh(URL).entry.outcome.access is Access.UNAVAILABLE
    assert both.allows(URL)


def test_local_cause_changes_nothing(create: Callable[..., Both]) -> None:
    origin, store = ScriptedOrigin(TAGGED), MemoryStore()
    both = create(origin, store)
    state = both.origin_state(URL)
    origin.send = lambda request: Failure(request.url, FailureKind.LOCAL, "no port")  # type: ignore[method-assign]
    with pytest.raises(RequestNotSent):
        both.refresh(URL)
    assert both.origin_state(URL) is state
    assert store._leases == {}


def test_refresh_of_a_closed_client_and_of_an_invalid_url(create: Callable[..., Both]) -> None:
    both = create(ScriptedOrigin(TAGGED))
    with pytest.raises(InvalidURL):
        both.refresh("mailto:fish")
    both.allows(URL)
    both.close()
    with pytest.raises(ClientClosed):
        both.refresh(URL)


@pytest.mark.parametrize("shares_client", [True, False], ids=["one client", "one store"])
def test_response_to_an_earlier_request_is_too_old(create: Callable[..., Both], *, shares_client: bool) -> None:
    origin, store = GatedOrigin({"status": 404}), MemoryStore()
    first = create(origin, store)
    second = first if shares_client else create(origin, store)
    states: list[OriginState] = []

    def refresh() -> None:
        states.append(second.refresh(URL))

    fetching = threading.Thread(target=first.allows, args=(URL,))
    fetching.start()
    assert origin.arrived.wait(300)
    # The owner changes the file after the first request.
    origin.event = {"status": 200}
    threads = [threading.Thread(target=refresh) for _ in range(3)]
    for thread in threads:
        thread.start()
    origin.gate.set()
    for thread in (fetching, *threads):
        thread.join(300)
    assert {state.allows(URL, "ExampleBot", second.now) for state in states} == {False}
    # At most one request for each call, and never two at a time.
    assert 2 <= len(origin.requests) <= 4


def test_a_refresh_that_waits_for_a_fetch_ends_if_that_one_is_interrupted(create: Callable[..., Both]) -> None:
    origin = GatedOrigin({"status": 200})
    both = create(origin)
    interrupted = RuntimeError("interrupted")
    raised: list[BaseException] = []

    def fetch() -> None:
        try:
            both.allows(URL)
        except RuntimeError as error:
            raised.append(error)

    respond = origin.send

    def send(request: TransportRequest) -> Response | Failure:
        answer = respond(request)
        if len(origin.requests) == 1:
            raise interrupted
        return answer

    origin.send = send  # type: ignore[method-assign]
    fetching = threading.Thread(target=fetch)
    fetching.start()
    assert origin.arrived.wait(300)
    threading.Timer(0.05, origin.gate.set).start()
    state: OriginState = both.refresh(URL)
    fetching.join(300)
    assert raised == [interrupted]
    assert state.entry.outcome.access is Access.SUCCESSFUL
    assert len(origin.requests) == 2


def test_an_error_during_the_end_of_a_generator_reaches_the_caller(create: Callable[..., Both]) -> None:
    origin, store = ScriptedOrigin(TAGGED), MemoryStore()
    both = create(origin, store)

    def fail(request: TransportRequest) -> Response | Failure:
        raise RuntimeError(f"broken: {request.url}")

    origin.send = fail  # type: ignore[method-assign]

    def crawl() -> Generator[None, None, None]:
        try:
            yield
        finally:
            both.refresh(URL)

    crawling = crawl()
    next(crawling)
    with pytest.raises(RuntimeError, match="broken"):
        crawling.close()
    assert store._leases == {}


def test_a_failed_refresh_keeps_the_file_of_the_fetch_that_it_waited_for(create: Callable[..., Both]) -> None:
    origin = GatedOrigin({"status": 200}, ungated=1)
    both = create(origin)
    assert not both.allows(URL)
    both.now += 86_401
    origin.event = {"status": 200, "body": "User-agent: *\nDisallow: /open\n"}
    fetching = threading.Thread(target=both.allows, args=(URL,))
    fetching.start()
    assert origin.arrived.wait(300)
    origin.event = UNAVAILABLE
    threading.Timer(0.05, origin.gate.set).start()
    state: OriginState = both.refresh(URL)
    fetching.join(300)
    assert state.entry.outcome.access is Access.UNREACHABLE
    assert both.allows(URL)
    assert not both.allows(f"{ORIGIN}/open")
    assert len(origin.requests) == 3
