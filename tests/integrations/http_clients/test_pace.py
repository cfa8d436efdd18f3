"""Requests that wait for the delay of the origin, with a fake clock."""

import asyncio
import pkgutil
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.integrations.http_clients.conftest import ROBOTS
from tests.integrations.http_clients.hosts import ASYNC_NAMES, USER_AGENT, open_host
from tests.servers.redirects import redirect
from tests.servers.valid import respond
from tests.servers.web import Exchange, Site

from canfetch.core.verdict import RobotsDisallowed
from canfetch.errors import ClientClosed


class Clock:
    """A clock that only the waits of requests advance."""

    def __init__(self) -> None:
        self.now = 1_000_000_000.0

    def __call__(self) -> float:
        return self.now

    def options(self, name: str) -> dict[str, Any]:
        """Return the options of a host with this clock."""
        return {"wait": True, "clock": self, "sleep": self.sleep_async if name in ASYNC_NAMES else self.sleep}

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def serve_times(site: Site, clock: Clock, *paths: str) -> list[tuple[str, float]]:
    """Serve pages, and return a list to which the times of their requests are added."""
    times: list[tuple[str, float]] = []

    async def behaviour(exchange: Exchange) -> None:
        times.append((exchange.request.target, clock.now - 1_000_000_000))
        await exchange.respond(200, b"page")

    for path in paths:
        site.serve(path, behaviour)
    return times


def test_files_about_uses_wait_like_other_requests(name: str, shop: Site) -> None:
    clock = Clock()
    times = serve_times(shop, clock, "/fish", "/.well-known/tdmrep.json", "/rsl")
    shop.serve("/robots.txt", respond(f"License: {shop.url('rsl')}\n".encode() + ROBOTS))
    with open_host(name, purpose="training", mark_uses=True, **clock.options(name)) as host:
        for _ in range(2):
            host.get(shop.url("fish"))
        # Before the page, so that its response does not hold a connection that they need.
        assert times == [("/.well-known/tdmrep.json", 0.0), ("/rsl", 10.0), ("/fish", 20.0), ("/fish", 30.0)]
        assert host.robots.stats.waited_seconds == 30.0


def test_requests_wait_for_the_crawl_delay(name: str, shop: Site) -> None:
    clock = Clock()
    times = serve_times(shop, clock, "/fish", "/more")
    with open_host(name, **clock.options(name)) as host:
        for label in ("fish", "more", "fish"):
            host.get(shop.url(label))
        assert times == [("/fish", 0.0), ("/more", 10.0), ("/fish", 20.0)]
        assert host.robots.stats.waited_seconds == 20.0


# The functions of the HTTP clients that wait for a free connection, or call those that do.
CONNECTS = {
    "httpx2": "httpx2.HTTPTransport.handle_request",
    "httpx2-async": "httpx2.AsyncHTTPTransport.handle_async_request",
    "aiohttp": "aiohttp.TCPConnector.connect",
    "requests": "requests.adapters.HTTPAdapter.send",
}


@pytest.mark.parametrize("name", CONNECTS)
def test_delay_counts_from_the_time_when_a_request_is_sent(
    name: str, shop: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    times: list[float] = []

    async def behaviour(exchange: Exchange) -> None:
        times.append(clock.now - 1_000_000_000)
        clock.now += 3
        await exchange.respond(200, b"page")

    shop.serve("/fish", behaviour)
    with open_host(name, **clock.options(name)) as host:
        wait_for_connections(name, clock, monkeypatch)
        for _ in range(2):
            host.get(shop.url("fish"))
    # The second request starts 10 seconds after the first one was sent, which is before the response.
    assert times == [25.0, 60.0]


def wait_for_connections(name: str, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests for /fish wait for a connection for 25 seconds."""
    connect = pkgutil.resolve_name(CONNECTS[name])

    def connect_later(owner: Any, request: Any, *args: Any, **options: Any) -> Any:
        if str(request.url).endswith("/fish"):
            clock.now += 25
        return connect(owner, request, *args, **options)

    monkeypatch.setattr(CONNECTS[name], connect_later)


@pytest.mark.parametrize("name", ["httpx2", "httpx2-async"])
def test_trace_of_the_caller_is_called(name: str, shop: Site) -> None:
    events: list[str] = []

    def trace(event: str, _: Any) -> None:
        events.append(event)

    async def trace_async(event: str, _: Any) -> None:
        events.append(event)

    with open_host(name, **Clock().options(name)) as host:
        host.get(shop.url("fish"), extensions={"trace": trace_async if name in ASYNC_NAMES else trace})
    assert "http11.send_request_headers.started" in events


def test_requests_do_not_wait_by_default(name: str, shop: Site) -> None:
    with open_host(name, clock=Clock()) as host:
        for _ in range(3):
            host.get(shop.url("fish"))
        assert host.robots.stats.waited_seconds == 0.0


def test_requests_wait_for_the_visit_time_on_request(name: str, shop: Site) -> None:
    clock = Clock()
    # The clock starts at 01:46:40.
    shop.serve("/robots.txt", respond(b"User-agent: *\nVisit-time: 0200-0230\n"))
    times = serve_times(shop, clock, "/fish", "/more")
    with open_host(name, visit_times=True, **clock.options(name)) as host:
        host.get(shop.url("fish"))
        host.get(shop.url("more"))
        clock.now += 3_600
        host.get(shop.url("fish"))
    assert times == [("/fish", 800.0), ("/more", 800.0), ("/fish", 87_200.0)]
    # The file expired during the second wait.
    assert shop.count("/robots.txt") == 2


def test_visit_time_has_no_effect_by_default(name: str, shop: Site) -> None:
    clock = Clock()
    shop.serve("/robots.txt", respond(b"User-agent: *\nVisit-time: 0200-0230\n"))
    times = serve_times(shop, clock, "/fish")
    with open_host(name, **clock.options(name)) as host:
        host.get(shop.url("fish"))
    assert times == [("/fish", 0.0)]


def retrying_adapter(clock: Clock, retries: int) -> Any:
    """Return an adapter that repeats requests after 503 and failures."""
    requests = pytest.importorskip("requests")
    from canfetch.integrations.requests import PacedRetry, RobotsAdapter

    retry = PacedRetry(retries, status_forcelist=[503], raise_on_status=False)
    inner = requests.adapters.HTTPAdapter(max_retries=retry)
    return RobotsAdapter(user_agent=USER_AGENT, adapter=inner, **clock.options("requests"))


def test_retries_wait_for_the_crawl_delay(shop: Site) -> None:
    requests = pytest.importorskip("requests")
    clock = Clock()
    shop.serve("/fish", redirect("/reset"))
    shop.serve("/more", respond(b"", status=503))
    with requests.Session() as session:
        adapter = retrying_adapter(clock, 2)
        session.mount("http://", adapter)
        with pytest.raises(requests.ConnectionError):
            session.get(shop.url("fish"))
        assert (shop.count("/reset"), clock.now) == (3, 1_000_000_030)
        assert session.get(shop.url("more")).status_code == 503
        assert (shop.count("/more"), clock.now) == (3, 1_000_000_060)
        assert adapter.robots.stats == (7, 0, 0, 60.0, 0, 0)
        with adapter.robots.exempt():
            session.get(shop.url("more"))
        assert clock.now == 1_000_000_060


@pytest.mark.parametrize("pause", ["Retry-After", "backoff"])
def test_closing_ends_the_wait_for_a_retry(shop: Site, pause: str) -> None:
    requests = pytest.importorskip("requests")

    from canfetch.integrations.requests import PacedRetry, RobotsAdapter

    shop.serve("/fish", respond(b"", *(["Retry-After: 50"] if pause == "Retry-After" else []), status=503))
    retry = PacedRetry(5, status_forcelist=[503], backoff_factor=50 if pause == "backoff" else 0)
    session = requests.Session()
    adapter = RobotsAdapter(user_agent=USER_AGENT, adapter=requests.adapters.HTTPAdapter(max_retries=retry))
    session.mount("http://", adapter)
    with ThreadPoolExecutor(1) as threads:
        sent = threads.submit(session.get, shop.url("fish"))
        # urllib3 waits before the second retry only, unless the server states a time.
        while shop.count("/fish") < (1 if pause == "Retry-After" else 2):
            time.sleep(0.01)
        time.sleep(0.1)
        started_at = time.monotonic()
        session.close()
        with pytest.raises(ClientClosed):
            sent.result()
    assert time.monotonic() - started_at < 10.0


def test_retries_wait_as_long_as_those_of_urllib3(shop: Site) -> None:
    requests = pytest.importorskip("requests")

    from canfetch.integrations.requests import PacedRetry, RobotsAdapter

    shop.serve("/fish", respond(b"", "Retry-After: 1", status=503), respond(b"page"))
    retry = PacedRetry(5, status_forcelist=[503])
    with requests.Session() as session:
        adapter = RobotsAdapter(user_agent=USER_AGENT, adapter=requests.adapters.HTTPAdapter(max_retries=retry))
        session.mount("http://", adapter)
        started_at = time.monotonic()
        assert session.get(shop.url("fish")).content == b"page"
        assert time.monotonic() - started_at >= 1.0


def test_retry_that_a_new_file_disallows_is_not_sent(shop: Site) -> None:
    requests = pytest.importorskip("requests")
    clock = Clock()

    async def fail(exchange: Exchange) -> None:
        shop.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /\n"))
        clock.now += 90_000
        await exchange.respond(503, b"")

    shop.serve("/fish", fail)
    with requests.Session() as session:
        session.mount("http://", retrying_adapter(clock, 2))
        with pytest.raises(RobotsDisallowed, match="line 2, Disallow: /") as caught:
            session.get(shop.url("fish"))
    assert caught.value.request.url == shop.url("fish")  # type: ignore[attr-defined]  # of requests
    assert (shop.count("/fish"), shop.count("/robots.txt")) == (1, 2)


def test_retries_of_robots_txt_do_not_wait(shop: Site) -> None:
    requests = pytest.importorskip("requests")
    clock = Clock()
    shop.serve("/robots.txt", respond(b"", status=503))
    with requests.Session() as session:
        session.mount("http://", retrying_adapter(clock, 2))
        with pytest.raises(RobotsDisallowed, match="status 503"):
            session.get(shop.url("fish"))
    assert (shop.count("/robots.txt"), clock.now) == (3, 1_000_000_000)


def test_targets_of_redirects_wait(name: str, shop: Site) -> None:
    clock = Clock()
    times = serve_times(shop, clock, "/more")
    shop.serve("/fish", redirect("/more"))
    with open_host(name, **clock.options(name)) as host:
        host.get(shop.url("fish"))
    assert times == [("/more", 10.0)]


def test_disallowed_requests_do_not_wait(name: str, shop: Site) -> None:
    clock = Clock()
    with open_host(name, **clock.options(name)) as host:
        for _ in range(3):
            with pytest.raises(RobotsDisallowed):
                host.get(shop.url("private/notes"))
        with host.robots.exempt():
            host.get(shop.url("private/notes"))
    assert clock.now == 1_000_000_000


def test_concurrent_requests_share_the_delay(name: str, shop: Site, other: Site) -> None:
    clock = Clock()
    with open_host(name, **clock.options(name)) as host:
        host.get_all([site.url("fish") for site in (shop, other) for _ in range(6)])
    # The waits of the two origins overlap or follow each other, because one clock serves both.
    assert 50.0 <= clock.now - 1_000_000_000 <= 100.0
    assert (shop.count("/fish"), other.count("/fish")) == (6, 6)


def test_min_delay_applies_without_crawl_delay(name: str, shop: Site) -> None:
    clock = Clock()
    shop.serve("/robots.txt", respond(b"", status=404))
    times = serve_times(shop, clock, "/fish")
    with open_host(name, min_delay=2.5, **clock.options(name)) as host:
        for _ in range(2):
            host.get(shop.url("fish"))
    assert times == [("/fish", 0.0), ("/fish", 2.5)]


def test_file_that_changes_during_the_wait_applies(name: str, shop: Site) -> None:
    clock = Clock()
    closed = respond(b"User-agent: *\nDisallow: /\n")
    shop.serve("/robots.txt", respond(ROBOTS), closed)
    with open_host(name, **clock.options(name)) as host:
        host.get(shop.url("fish"))
        # Five seconds before the file expires.
        clock.now += 86_395
        host.get(shop.url("fish"))
        with pytest.raises(RobotsDisallowed):
            host.get(shop.url("fish"))
        assert host.robots.stats[:2] == (3, 1)
    assert (shop.count("/robots.txt"), shop.count("/fish")) == (2, 2)


@pytest.mark.parametrize("async_name", ASYNC_NAMES)
def test_cancelled_request_gives_up_its_turn(async_name: str, shop: Site) -> None:
    clock = Clock()
    with open_host(async_name, **{**clock.options(async_name), "sleep": lambda _: asyncio.sleep(3600)}) as host:
        host.get(shop.url("fish"))

        async def cancel() -> None:
            tasks = [asyncio.create_task(host.fetch(shop.url("more"))) for _ in range(5)]
            # The task that waits for the clock, and those behind it.
            while host.robots.stats.checked < 6:  # noqa: ASYNC110 - nothing signals it
                await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        host.run(cancel)
        clock.now += 10
        assert host.get(shop.url("fish")).status == 200
    assert shop.count("/more") == 0


def test_closing_ends_the_waits(name: str, shop: Site) -> None:
    with open_host(name, wait=True) as host:
        host.get(shop.url("fish"))
        if name in ASYNC_NAMES:

            async def close() -> list[Any]:
                tasks = [asyncio.create_task(host.fetch(shop.url("more"))) for _ in range(4)]
                while host.robots.stats.checked < 5:  # noqa: ASYNC110 - nothing signals it
                    await asyncio.sleep(0)
                await host.robots.close()
                return await asyncio.gather(*tasks, return_exceptions=True)

            errors = host.run(close)
        else:
            with ThreadPoolExecutor(4) as threads:
                waits = [threads.submit(host.get, shop.url("more")) for _ in range(4)]
                while host.robots.stats.checked < 5:
                    time.sleep(0)
                host.close()
                errors = [wait.exception(300) for wait in waits]
    assert [type(error) for error in errors] == [ClientClosed] * 4
    assert shop.count("/more") == 0
