"""A proxy that the caller names makes the connections; none is taken from anywhere else."""

import base64
import gc
import os
import subprocess
import sys

import pytest
from tests.servers.certificates import Authority
from tests.servers.deaf import accepting_port, refusing_port
from tests.servers.proper import RULES
from tests.servers.proxy import ProxySite
from tests.servers.web import Site
from tests.transports.faces import FACES, asking, face, made

from canfetch.access.responses import Failure, FailureKind, Response

SHORT_SECONDS = 0.15
PROXIED = ["httpx2", "httpx2-async", "aiohttp"]


@pytest.fixture(params=PROXIED)
def name(request: pytest.FixtureRequest) -> str:
    transport: str = request.param
    return transport


def test_proxy_makes_the_connection(name: str, authority: Authority, site: Site, tls_site: Site) -> None:
    with (
        ProxySite() as proxy,
        face(name, ssl_context=authority.client(), proxy=f"http://user:p%40ss@127.0.0.1:{proxy.port}") as ask,
    ):
        for url in (site.robots_url("rules"), tls_site.robots_url("gzip")):
            answer = ask(asking(url))
            assert isinstance(answer, Response), answer
            assert answer.body == RULES
        plain, tunnel = proxy.heads
    assert plain.startswith(f"GET {site.robots_url('rules')} HTTP/1.1")
    assert tunnel.startswith(f"CONNECT gzip.site.test:{tls_site.port} HTTP/1.1")
    login = base64.b64encode(b"user:p@ss").decode()
    assert all(f"proxy-authorization: basic {login}".lower() in head.lower() for head in (plain, tunnel))
    assert "proxy-authorization" not in tls_site.asked[0].headers


def test_guard_refuses_what_it_cannot_see(name: str, site: Site) -> None:
    with ProxySite() as proxy, face(name, proxy=f"http://127.0.0.1:{proxy.port}") as ask:
        answer = ask(asking(site.robots_url("rules"), allow_private=False))
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.FORBIDDEN_ADDRESS
        assert proxy.heads == []


# The library leaves its connection to a proxy that refuses to the collector, which says so when it comes by.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_proxy_that_refuses_is_a_failure_to_connect(name: str, tls_site: Site) -> None:
    with ProxySite(refusing=True) as proxy, face(name, proxy=f"http://127.0.0.1:{proxy.port}") as ask:
        answer = ask(asking(tls_site.robots_url("rules")))
    gc.collect()
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.CONNECT


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy_that_is_not_there_is_a_failure(name: str, scheme: str) -> None:
    with refusing_port() as port, face(name, proxy=f"http://127.0.0.1:{port}") as ask:
        answer = ask(asking(f"{scheme}://a.test/"))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.CONNECT


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy_that_is_silent_ends_in_time(name: str, scheme: str) -> None:
    with accepting_port() as port, face(name, proxy=f"http://127.0.0.1:{port}") as ask:
        answer = ask(asking(f"{scheme}://a.test/", timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.TIMEOUT


@pytest.mark.parametrize("proxy", ["", "127.0.0.1:3128", "socks5://127.0.0.1:1080", "https://127.0.0.1", "http://"])
def test_what_is_no_proxy_is_refused(name: str, proxy: str) -> None:
    with pytest.raises(ValueError, match="is no proxy"):
        made(name)(proxy=proxy)


@pytest.mark.parametrize("name", FACES)
def test_environment_is_not_asked(name: str, site: Site) -> None:
    made(name)
    program = f"""
from tests.transports.faces import asking, face
with face({name!r}) as ask:
    print(ask(asking({site.robots_url("rules")!r})).status)
"""
    with refusing_port() as port:
        proxy = f"http://127.0.0.1:{port}"
        environment = {**os.environ, "http_proxy": proxy, "HTTP_PROXY": proxy, "ALL_PROXY": proxy}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
    assert done.stdout.strip() == "200", done.stderr
