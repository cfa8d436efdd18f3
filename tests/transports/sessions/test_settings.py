"""Settings of a session that apply to robots.txt: headers, cookies, proxies and TLS. Targets are not among them."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from threading import Event
from typing import Any

import pytest
from tests.access.client_harness import fetch
from tests.servers.certificates import Authority
from tests.servers.dead_ports import full_queue_port, refusing_port, unresponsive_port
from tests.servers.proxy import NoTLSProxy, ProxySite
from tests.servers.valid import RULES, respond
from tests.servers.web import Site
from tests.transports.harness import Send, expect_response, failure_kind, make_request
from tests.transports.session_harness import SESSION_NAMES, make_transport, open_session, opener_send

from canfetch.access.responses import Failure, FailureKind, Response


def test_header_of_the_client_replaces_that_of_the_session(session_name: str, site: Site) -> None:
    settings = {"headers": {"From": "session@example.com", "User-Agent": "Other/1.0", "Accept-Encoding": "identity"}}
    fetch(session_name, site.origin, settings, headers={"from": "bot@example.com"})
    (request,) = site.requests
    assert request.headers["from"] == "bot@example.com"
    assert request.headers["user-agent"] == "ExampleBot/1.0"
    assert "gzip" in request.headers["accept-encoding"]


@pytest.mark.parametrize("name", ["httpx2-client", "httpx2-async-client"])
def test_query_parameters_and_base_url_of_an_httpx2_client_are_not_used(name: str, site: Site) -> None:
    with open_session(name, params={"a": "b"}, base_url="https://example.com/base/") as send:
        answer = send(make_request(f"{site.origin}/rules"))
    assert isinstance(answer, Response), answer
    assert [request.target for request in site.requests] == ["/rules"]


def test_cookies_of_the_servers_are_stored_in_the_session(session_name: str, site: Site) -> None:
    site.serve("/robots.txt", respond(RULES, "Set-Cookie: a=b"))
    with open_session(session_name) as send:
        for _ in range(2):
            send(make_request(f"http://localhost:{site.port}/robots.txt"))
    assert "a=b" in site.requests[1].headers["cookie"]


def test_proxy_of_the_session_is_used(session_name: str, site: Site) -> None:
    with (
        ProxySite() as proxy,
        open_session(session_name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
    ):
        answer = expect_response(send(make_request(site.robots_url("rules"))))
        assert answer.body == RULES
        assert len(proxy.heads) == 1


def test_tunnel_of_the_session_is_used(session_name: str, authority: Authority, tls_site: Site) -> None:
    with ProxySite() as proxy:
        with open_session(session_name, ssl_context=authority.client(), proxy=f"http://127.0.0.1:{proxy.port}") as send:
            answer = send(make_request(tls_site.robots_url("rules")))
        assert isinstance(answer, Response), answer
        assert answer.body == RULES
        assert proxy.heads[0].startswith("CONNECT ")
    for refusal in ("403 Forbidden", "407 Proxy Authentication Required"):
        with (
            ProxySite(refusal=refusal) as proxy,
            open_session(session_name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
        ):
            assert failure_kind(send(make_request(tls_site.robots_url("rules")))) is FailureKind.CONNECT


@contextmanager
def sending_through(name: str, proxy: str) -> Iterator[Send]:
    """Yield what fetches with a session, or an opener of urllib, whose proxy is set."""
    if name == "opener":
        yield opener_send(proxy=proxy)
        return
    with open_session(name, proxy=proxy) as send:
        yield send


@pytest.mark.parametrize("name", [*SESSION_NAMES, "opener"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_unreachable_proxy_of_the_session_is_a_failure_of_this_machine(name: str, scheme: str) -> None:
    with refusing_port() as refusing, full_queue_port() as full:
        for proxy in (f"127.0.0.1:{refusing}", f"127.0.0.1:{full}", "nowhere.invalid:3128"):
            with sending_through(name, f"http://{proxy}") as send:
                answer = send(make_request(f"{scheme}://a.test/robots.txt", connect_timeout=0.3))
            assert failure_kind(answer) is FailureKind.LOCAL
            assert isinstance(answer, Failure)
            assert answer.detail.startswith("the proxy cannot be reached: ")
            assert answer.detail.count("proxy") == 1


@pytest.mark.parametrize("name", [*SESSION_NAMES, "opener"])
@pytest.mark.parametrize("last", ["127.0.0.3", "127.0.0.2"], ids=["refusing", "silent"])
def test_proxy_none_of_whose_addresses_can_be_reached(name: str, monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    lookup = socket.getaddrinfo

    def lookup_both(host: Any, *arguments: Any, **options: Any) -> Any:
        if host not in ("proxy.test", b"proxy.test"):
            return lookup(host, *arguments, **options)
        return [found for one in ("127.0.0.2", last) for found in lookup(one, *arguments, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", lookup_both)
    with full_queue_port("127.0.0.2") as port, sending_through(name, f"http://proxy.test:{port}") as send:
        answer = send(make_request("http://a.test/robots.txt", connect_timeout=0.3, timeout=2.0))
    assert failure_kind(answer) is FailureKind.LOCAL


class SlowLookup:
    """Replaces `socket.getaddrinfo`. The name `proxy.test` is found at once at first, and then not before `end`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, fast: int = 0) -> None:
        self._lookup = socket.getaddrinfo
        self._fast = fast
        self._ended = Event()
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host: Any, *arguments: Any, **options: Any) -> Any:
        if host not in ("proxy.test", b"proxy.test"):
            return self._lookup(host, *arguments, **options)
        self._fast -= 1
        if self._fast < 0:
            self._ended.wait(20)
        return self._lookup("127.0.0.1", *arguments, **options)

    def end(self) -> None:
        self._ended.set()


@pytest.mark.parametrize("name", [*SESSION_NAMES, "opener"])
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("cause", ["lookup", "connection"])
def test_proxy_that_is_connected_too_late_is_a_failure_of_this_machine(
    name: str, monkeypatch: pytest.MonkeyPatch, scheme: str, cause: str
) -> None:
    lookup = SlowLookup(monkeypatch, fast=0 if cause == "lookup" else 9)
    with full_queue_port() as port, sending_through(name, f"http://proxy.test:{port}") as send:
        answer = send(make_request(f"{scheme}://a.test/robots.txt", timeout=0.4))
        lookup.end()
    assert failure_kind(answer) is FailureKind.LOCAL
    assert isinstance(answer, Failure)
    assert answer.detail.startswith("the proxy cannot be reached: ")


@pytest.mark.parametrize("name", [*SESSION_NAMES, "opener"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy_that_takes_the_request_and_does_not_respond_is_a_failure_of_the_site(name: str, scheme: str) -> None:
    with unresponsive_port() as port, sending_through(name, f"http://127.0.0.1:{port}") as send:
        answer = send(make_request(f"{scheme}://a.test/robots.txt", timeout=0.4))
    assert failure_kind(answer) is FailureKind.TIMEOUT


@pytest.mark.parametrize("cause", ["slow", "full"])
def test_timeout_during_a_retry_to_connect_to_a_proxy(monkeypatch: pytest.MonkeyPatch, cause: str) -> None:
    requests = pytest.importorskip("requests")
    from urllib3.util.retry import Retry

    lookup = SlowLookup(monkeypatch, fast=1 if cause == "slow" else 9)
    adapter = requests.adapters.HTTPAdapter(max_retries=Retry(3))
    with refusing_port() as refusing, full_queue_port() as full, requests.Session() as session:
        port = refusing if cause == "slow" else full
        session.mount("http://", adapter)
        session.proxies = {"http": f"http://proxy.test:{port}"}
        answer = make_transport("requests-session", session).send(make_request("http://a.test/robots.txt", timeout=0.4))
        lookup.end()
    assert failure_kind(answer) is FailureKind.LOCAL


def test_timeout_during_a_retry_after_a_response_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = pytest.importorskip("requests")
    from urllib3.util.retry import Retry

    lookup = SlowLookup(monkeypatch, fast=1)
    adapter = requests.adapters.HTTPAdapter(max_retries=Retry(3, status_forcelist=[503]))
    with ProxySite(raw=b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n") as proxy, requests.Session() as session:
        session.mount("http://", adapter)
        session.proxies = {"http": f"http://proxy.test:{proxy.port}"}
        answer = make_transport("requests-session", session).send(make_request("http://a.test/robots.txt", timeout=0.4))
        lookup.end()
    assert failure_kind(answer) is FailureKind.TIMEOUT


@contextmanager
def no_tls_proxy(kind: str, authority: Authority) -> Iterator[int]:
    """Yield the port of an `https://` proxy with which no TLS handshake succeeds."""
    if kind == "silent":
        with unresponsive_port() as port:
            yield port
        return
    answer = b"HTTP/1.1 400 Bad Request\r\n\r\n" if kind == "plain" else b""
    with ProxySite(tls=authority.self_signed()) if kind == "untrusted" else NoTLSProxy(answer) as proxy:
        yield proxy.port


@pytest.mark.parametrize(
    "scheme, kind",
    # requests does not verify the certificate of a proxy for http URLs.
    [*product(["http", "https"], ["silent", "closing", "plain"]), ("https", "untrusted")],
)
def test_failed_tls_handshake_with_a_proxy_is_a_failure_of_this_machine(
    session_name: str, authority: Authority, scheme: str, kind: str
) -> None:
    with (
        no_tls_proxy(kind, authority) as port,
        open_session(session_name, proxy=f"https://127.0.0.1:{port}") as send,
    ):
        answer = send(make_request(f"{scheme}://a.test/robots.txt", connect_timeout=0.3))
    assert failure_kind(answer) is FailureKind.LOCAL
    assert isinstance(answer, Failure)
    assert answer.detail.startswith("the proxy cannot be reached: ")


def test_failed_tls_handshake_with_a_site_behind_a_proxy_is_a_failure_of_the_site(
    session_name: str, authority: Authority
) -> None:
    with (
        Site(tls=authority.self_signed()) as site,
        ProxySite() as proxy,
        open_session(session_name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
    ):
        assert failure_kind(send(make_request(site.robots_url("rules")))) is FailureKind.TLS
        assert proxy.heads


@contextmanager
def sending_through_tls_proxy(authority: Authority, **options: Any) -> Iterator[tuple[ProxySite, Send]]:
    """Yield an `https://` proxy with these options, and what fetches with a session of requests that trusts it."""
    # Without `trust_env`, because authorities of the environment would replace these.
    settings = {"verify": str(authority.file), "trust_env": False}
    with (
        ProxySite(tls=authority.good(), **options) as proxy,
        open_session("requests-session", proxy=f"https://127.0.0.1:{proxy.port}", **settings) as send,
    ):
        yield proxy, send


def test_failed_tls_handshake_with_a_site_behind_a_tls_proxy_is_a_failure_of_the_site(authority: Authority) -> None:
    with Site(tls=authority.self_signed()) as site, sending_through_tls_proxy(authority) as (proxy, send):
        assert failure_kind(send(make_request(site.robots_url("rules")))) is FailureKind.TLS
        assert proxy.heads


# requests does not verify the certificate of a proxy for http URLs.
@pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("data", [b"", b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"], ids=["close", "407"])
def test_tls_proxy_that_refuses_a_request_makes_the_site_unreachable(
    authority: Authority, scheme: str, data: bytes
) -> None:
    with sending_through_tls_proxy(authority, raw=data) as (proxy, send):
        assert failure_kind(send(make_request(f"{scheme}://a.test/robots.txt"))) is not FailureKind.LOCAL
        assert proxy.heads


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("retries", [3, 10])
@pytest.mark.parametrize("proxy", ["http", "https"])
def test_retries_of_an_adapter_end_before_the_time_of_the_request(scheme: str, retries: int, proxy: str) -> None:
    requests = pytest.importorskip("requests")
    adapter = requests.adapters.HTTPAdapter(max_retries=retries)
    unreachable = full_queue_port if proxy == "http" else unresponsive_port
    with unreachable() as port, requests.Session() as session:
        session.mount(f"{scheme}://", adapter)
        session.proxies = {scheme: f"{proxy}://127.0.0.1:{port}"}
        answer = make_transport("requests-session", session).send(
            make_request(f"{scheme}://a.test/robots.txt", connect_timeout=1.0, timeout=2.0)
        )
    assert failure_kind(answer) is FailureKind.LOCAL


@pytest.mark.parametrize("name", [*SESSION_NAMES, "opener"])
def test_silent_site_behind_the_proxy_of_the_session_times_out(name: str) -> None:
    with unresponsive_port() as silent, ProxySite() as proxy:
        url = f"https://127.0.0.1:{silent}/robots.txt"
        with sending_through(name, f"http://127.0.0.1:{proxy.port}") as send:
            answer = send(make_request(url, connect_timeout=0.3, read_timeout=0.3, timeout=1.0))
        assert proxy.heads
    assert failure_kind(answer) is FailureKind.TIMEOUT


def test_proxy_of_the_session_that_requires_a_login_is_a_connect_failure(session_name: str) -> None:
    with (
        ProxySite(refusal="407 Proxy Authentication Required") as proxy,
        open_session(session_name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
    ):
        assert failure_kind(send(make_request("http://rules.site.test/robots.txt"))) is FailureKind.CONNECT


def test_tls_settings_of_the_session_apply(session_name: str, authority: Authority) -> None:
    with Site(tls=authority.good()) as tls_site:
        with open_session(session_name, ssl_context=authority.client()) as send:
            answer = expect_response(send(make_request(tls_site.url("rules"))))
            assert answer.body == RULES
        with open_session(session_name) as send:
            assert failure_kind(send(make_request(tls_site.url("rules")))) is FailureKind.TLS
    with Site(tls=authority.expired()) as tls_site, open_session(session_name, ssl_context=authority.client()) as send:
        assert failure_kind(send(make_request(tls_site.url("rules")))) is FailureKind.TLS
