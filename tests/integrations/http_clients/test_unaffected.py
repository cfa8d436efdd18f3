"""What an integration leaves as it is: bodies, methods, other schemes, and the settings of single requests."""

import asyncio
import io
import sys
from pathlib import Path
from subprocess import PIPE, Popen, run
from typing import Any

import pytest
from tests.integrations.http_clients.conftest import ROBOTS
from tests.integrations.http_clients.hosts import USER_AGENT, open_host
from tests.servers.proxy import ProxySite
from tests.servers.valid import respond
from tests.servers.web import Exchange, Site

from canfetch.core.verdict import RobotsDisallowed


async def endless(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    while True:
        await exchange.send(bytes(65_536))


def test_body_is_streamed(name: str, shop: Site) -> None:
    """The body has no end, so it is not read before it is passed on."""
    shop.serve("/endless", endless)
    url = shop.url("endless")
    with open_host(name, page_rules=True) as host:
        if name == "httpx2":
            with host.client.stream("GET", url) as response:
                assert next(response.iter_bytes())
        elif name == "httpx2-async":

            async def stream() -> None:
                async with host.client.stream("GET", url) as response:
                    assert await anext(response.aiter_bytes())

            host.run(stream)
        elif name == "aiohttp":

            async def read() -> None:
                async with host.session.get(url) as response:
                    assert await response.content.read(10)
                    response.close()

            host.run(read)
        elif name == "requests":
            with host.session.get(url, stream=True) as response:
                assert response.raw.read(10)
        else:
            with host.opener.open(url) as response:
                assert response.read(10)


def test_method_and_body_are_sent(name: str, site: Site) -> None:
    received: list[tuple[str, bytes]] = []

    async def form(exchange: Exchange) -> None:
        received.append((exchange.request.method, await exchange.read_body()))
        await exchange.respond(201, b"made")

    site.serve("/robots.txt", respond(ROBOTS))
    site.serve("/form", form)
    url = site.url("form")
    with open_host(name) as host:
        if name == "httpx2":
            assert host.client.post(url, content=b"fish").status_code == 201
        elif name == "httpx2-async":
            assert host.run(lambda: host.client.post(url, content=b"fish")).status_code == 201
        elif name == "aiohttp":
            assert host.run(lambda: host.session.post(url, data=io.BytesIO(b"fish"))).status == 201
        elif name == "requests":
            assert host.session.post(url, data=b"fish").status_code == 201
        else:
            assert host.get(url, data=b"fish").status == 201
    assert received == [("POST", b"fish")]


def test_other_schemes_are_left_to_the_http_client() -> None:
    httpx2 = pytest.importorskip("httpx2")
    with open_host("httpx2") as host, pytest.raises(httpx2.UnsupportedProtocol):
        host.get("ftp://127.0.0.1/")
    with open_host("httpx2-async") as host, pytest.raises(httpx2.UnsupportedProtocol):
        host.get("ftp://127.0.0.1/")
    with open_host("urllib") as host, host.opener.open("data:text/plain,fish") as response:
        assert response.read() == b"fish"


def test_websockets_of_aiohttp_are_checked(shop: Site) -> None:
    with open_host("aiohttp") as host, pytest.raises(RobotsDisallowed) as caught:
        host.run(lambda: host.session.ws_connect(f"ws://{shop.netloc}/private/socket"))
    assert caught.value.url == f"{shop.origin}/private/socket"
    assert [request.target for request in shop.requests] == ["/robots.txt"]


@pytest.mark.parametrize("way", ["direct", "redirect"])
@pytest.mark.parametrize("host_name", ["httpx2", "httpx2-async"])
def test_websockets_of_httpx2_are_checked(shop: Site, host_name: str, way: str) -> None:
    private = f"ws://{shop.netloc}/private/socket"
    shop.serve("/moved", respond(b"", f"Location: {private}", status=302))
    with open_host(host_name) as host:
        with pytest.raises(RobotsDisallowed) as caught:
            host.get(private if way == "direct" else f"{shop.origin}/moved")
        assert caught.value.url == f"{shop.origin}/private/socket"
        assert host.get(f"ws://{shop.netloc}/fish").body == b"/fish"
    assert "/private/socket" not in [request.target for request in shop.requests]


def test_proxy_of_a_request_of_aiohttp_is_used_for_robots_txt(site: Site) -> None:
    site.serve("/fish", respond(b"fish"))
    with ProxySite() as proxy, open_host("aiohttp") as host:
        assert (
            host.get(f"http://rules.site.test:{site.port}/fish", proxy=f"http://127.0.0.1:{proxy.port}").status == 200
        )
        assert len(proxy.heads) == 2


def test_tls_settings_of_a_request_of_aiohttp_are_used_for_robots_txt(authority: Any, tls_site: Site) -> None:
    tls_site.serve("/robots.txt", respond(ROBOTS))
    tls_site.serve("/fish", respond(b"fish"))
    with open_host("aiohttp") as host:
        assert host.get(tls_site.url("fish"), ssl=authority.client()).status == 200


def test_session_of_aiohttp_is_unknown_before_its_first_request(shop: Site) -> None:
    with open_host("aiohttp") as host:
        with pytest.raises(RuntimeError, match="the session is unknown before its first request"):
            host.run(lambda: host.robots.client.decide(shop.url("fish")))
        host.get(shop.url("fish"))
        # Afterwards, the client uses the last session.
        assert host.run(lambda: host.robots.client.decide(f"http://localhost:{shop.port}/fish")).allowed


def test_refresh_in_the_background_uses_the_settings_of_the_request(name: str, site: Site) -> None:
    now = [1_000_000_000.0]
    site.serve("/fish", respond(b"fish"))
    url = f"http://rules.site.test:{site.port}/fish"
    options: dict[str, Any] = {"clock": lambda: now[0], "stale_while_revalidate": 86_400.0}
    with ProxySite() as proxy, open_host(name, proxy=f"http://127.0.0.1:{proxy.port}", **options) as host:
        assert host.get(url).status == 200
        now[0] += 25 * 3600
        assert host.get(url).status == 200
        client = host.robots.client
        if hasattr(client, "_refresh_threads"):
            for thread in list(client._refresh_threads):
                thread.join(300)
        else:
            host.run(lambda: asyncio.gather(*(fetch.task for fetch in client._in_flight.values())))
        assert client.stats.background_refreshes == 1
        assert client.stats.failures == {}
        assert len(proxy.heads) == 4


def test_requests_authentication_that_repeats_a_request_is_checked(shop: Site) -> None:
    requests = pytest.importorskip("requests")
    challenge = respond(b"", 'WWW-Authenticate: Digest realm="a", nonce="b", qop="auth", algorithm=SHA-256', status=401)
    shop.serve("/fish", challenge, respond(b"fish"))
    with open_host("requests") as host:
        auth = requests.auth.HTTPDigestAuth("user", "secret")
        assert host.get(shop.url("fish"), auth=auth).body == b"fish"
        assert host.robots.stats.checked == 2


@pytest.mark.slow
@pytest.mark.parametrize("module, library", [("httpx2", "httpx2"), ("aiohttp", "aiohttp"), ("requests", "requests")])
def test_missing_library_is_named_with_its_extra(module: str, library: str) -> None:
    program = f"""
import sys
sys.modules[{library!r}] = None
from canfetch.errors import MissingExtra
try:
    import canfetch.integrations.{module}
except MissingExtra as missing:
    print(missing)
"""
    done = run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False, timeout=300)
    extra = "requests" if library == "requests" else "http"
    assert done.stdout.strip() == f'{library} is not installed: pip install "canfetch[{extra}]"', done.stderr


PROCESS = """
import sys
from tests.integrations.http_clients.hosts import open_host
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.core.verdict import RobotsDisallowed
name, path, url = sys.argv[1:]
with open_host(name, store=SQLiteStore(path)) as host:
    input()
    for number in range(20):
        assert host.get(url + "/fish").status == 200
        try:
            host.get(url + "/private/notes")
        except RobotsDisallowed:
            continue
        sys.exit("allowed")
"""


@pytest.mark.service
def test_processes_with_one_store_fetch_robots_txt_once(name: str, shop: Site, tmp_path: Path) -> None:
    path = tmp_path / "robots.db"
    command = [sys.executable, "-c", PROCESS, name, str(path), shop.origin]
    processes = [Popen(command, stdin=PIPE, stderr=PIPE, text=True) for _ in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    assert (shop.count("/robots.txt"), shop.count("/fish"), shop.count("/private/notes")) == (1, 80, 0)
    assert {request.headers["user-agent"] for request in shop.requests} == {USER_AGENT}
