"""Proxies configured by the caller. Proxies from the environment are ignored."""

import base64
import gc
import os
import subprocess
import sys

import pytest
from tests.servers.certificates import Authority
from tests.servers.dead_ports import refusing_port, unresponsive_port
from tests.servers.proxy import ProxySite
from tests.servers.valid import RULES
from tests.servers.web import Site
from tests.transports.harness import SHORT_SECONDS, TRANSPORT_NAMES, make_request, open_transport, transport_class

from canfetch.access.responses import Failure, FailureKind, Response

PROXIED = ["httpx2", "httpx2-async", "aiohttp"]


@pytest.fixture(params=PROXIED)
def name(request: pytest.FixtureRequest) -> str:
    transport_name: str = request.param
    return transport_name


def test_proxy_is_used_with_credentials(name: str, authority: Authority, site: Site, tls_site: Site) -> None:
    with (
        ProxySite() as proxy,
        open_transport(
            name, ssl_context=authority.client(), proxy=f"http://user:p%40ss@127.0.0.1:{proxy.port}"
        ) as send,
    ):
        for url in (site.robots_url("rules"), tls_site.robots_url("gzip")):
            answer = send(make_request(url))
            assert isinstance(answer, Response), answer
            assert answer.body == RULES
        plain, tunnel = proxy.heads
    assert plain.startswith(f"GET {site.robots_url('rules')} HTTP/1.1")
    assert tunnel.startswith(f"CONNECT gzip.site.test:{tls_site.port} HTTP/1.1")
    login = base64.b64encode(b"user:p@ss").decode()
    assert all(f"proxy-authorization: basic {login}".lower() in head.lower() for head in (plain, tunnel))
    assert "proxy-authorization" not in tls_site.requests[0].headers


def test_proxy_is_refused_if_private_addresses_are_forbidden(name: str, site: Site) -> None:
    with ProxySite() as proxy, open_transport(name, proxy=f"http://127.0.0.1:{proxy.port}") as send:
        answer = send(make_request(site.robots_url("rules"), allow_private=False))
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.FORBIDDEN_ADDRESS
        assert proxy.heads == []


def test_refusing_proxy_is_a_connect_failure(name: str, tls_site: Site) -> None:
    with ProxySite(refusing=True) as proxy, open_transport(name, proxy=f"http://127.0.0.1:{proxy.port}") as send:
        answer = send(make_request(tls_site.robots_url("rules")))
    # A connection that is still open would raise a ResourceWarning, which is an error in tests.
    gc.collect()
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.CONNECT


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_unreachable_proxy_is_a_connect_failure(name: str, scheme: str) -> None:
    with refusing_port() as port, open_transport(name, proxy=f"http://127.0.0.1:{port}") as send:
        answer = send(make_request(f"{scheme}://a.test/"))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.CONNECT


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_unresponsive_proxy_times_out(name: str, scheme: str) -> None:
    with unresponsive_port() as port, open_transport(name, proxy=f"http://127.0.0.1:{port}") as send:
        answer = send(make_request(f"{scheme}://a.test/", timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.TIMEOUT


@pytest.mark.parametrize(
    "proxy", ["", "127.0.0.1:3128", "socks5://127.0.0.1:1080", "https://127.0.0.1", "http://", "http://127.0.0.1:0"]
)
def test_invalid_proxy_raises(name: str, proxy: str) -> None:
    with pytest.raises(ValueError, match="invalid proxy"):
        transport_class(name)(proxy=proxy)


@pytest.mark.parametrize("name", TRANSPORT_NAMES)
def test_proxy_settings_of_the_environment_are_ignored(name: str, site: Site) -> None:
    transport_class(name)
    program = f"""
from tests.transports.harness import make_request, open_transport
with open_transport({name!r}) as send:
    print(send(make_request({site.robots_url("rules")!r})).status)
"""
    with refusing_port() as port:
        proxy = f"http://127.0.0.1:{port}"
        environment = {**os.environ, "http_proxy": proxy, "HTTP_PROXY": proxy, "ALL_PROXY": proxy}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
    assert done.stdout.strip() == "200", done.stderr
