"""Proxies that the caller or the environment configures."""

import base64
import gc
import os

import pytest
from tests.servers.certificates import Authority
from tests.servers.dead_ports import full_queue_port, refusing_port, unresponsive_port
from tests.servers.proxy import ProxySite
from tests.servers.valid import RULES
from tests.servers.web import Site
from tests.transports.harness import (
    SHORT_SECONDS,
    SYNC_NAMES,
    TRANSPORT_NAMES,
    make_request,
    open_transport,
    transport_class,
)

from canfetch import AsyncClient, Client
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import Route
from canfetch.client.transports.endpoints import parse_endpoint
from canfetch.client.transports.proxies import Proxies, parse_proxy
from canfetch.errors import InvalidOption

INVALID = [
    "",
    "127.0.0.1:3128",
    "{}@127.0.0.1:3128",
    "socks5://{}@127.0.0.1:1080",
    "https://{}@127.0.0.1",
    "http://",
    "http://{}@",
    "http://{}@127.0.0.1:0",
    "http://{}@127.0.0.1:secret@:3128",
    "http://{}#@127.0.0.1:3128",
    "http://{}/@127.0.0.1:3128",
    "http://{}\u2100@127.0.0.1:3128",
    "http://{}@[127.0.0.1",
    "http://{}@127.0.0.1:3128/path",
    "http://{}@127.0.0.1:3128?query",
    "http://127.0.0.1:3128/secret",
    "http://127.0.0.1:3128?token=secret",
    "http://127.0.0.1:3128#secret",
    "127.0.0.1:3128/?token=secret",
]


@pytest.fixture(params=TRANSPORT_NAMES)
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


@pytest.mark.slow
def test_refusing_proxy_is_a_connect_failure(name: str, tls_site: Site) -> None:
    with (
        ProxySite(refusal="403 Forbidden") as proxy,
        open_transport(name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
    ):
        answer = send(make_request(tls_site.robots_url("rules")))
    # A connection that is still open would raise a ResourceWarning, which is an error in tests.
    gc.collect()
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.CONNECT


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy_that_requires_a_login_is_a_connect_failure(name: str, scheme: str) -> None:
    # As a client error of the site, the status would allow everything.
    with (
        ProxySite(refusal="407 Proxy Authentication Required") as proxy,
        open_transport(name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
    ):
        answer = send(make_request(f"{scheme}://rules.site.test/robots.txt"))
    gc.collect()
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.CONNECT
    assert "407" in answer.detail


@pytest.mark.parametrize("through", ["tunnel", "nothing"])
def test_status_407_of_a_site_is_returned(name: str, authority: Authority, tls_site: Site, through: str) -> None:
    with ProxySite() as proxy:
        proxy_url = f"http://127.0.0.1:{proxy.port}" if through == "tunnel" else None
        with open_transport(name, ssl_context=authority.client(), proxy=proxy_url) as send:
            answer = send(make_request(tls_site.robots_url("status-407")))
    assert isinstance(answer, Response), answer
    assert answer.status == 407


@pytest.mark.parametrize("name", ["http", "http-async"])
def test_proxy_fetches_ftp_urls(name: str, site: Site) -> None:
    with ProxySite() as proxy, open_transport(name, proxy=f"http://127.0.0.1:{proxy.port}") as send:
        answer = send(make_request(f"ftp://rules.site.test:{site.port}/robots.txt"))
    assert isinstance(answer, Response), answer
    assert answer.body == RULES
    assert proxy.heads[0].startswith(f"GET ftp://rules.site.test:{site.port}/robots.txt HTTP/1.1")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["http", "http-async"])
@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200", b"SSH-2.0-OpenSSH_9.2\r\n\r\n"])
def test_proxy_with_an_invalid_response_is_a_connect_failure(name: str, head: bytes) -> None:
    with ProxySite(raw=head) as proxy, open_transport(name, proxy=f"http://127.0.0.1:{proxy.port}") as send:
        answer = send(make_request("https://rules.site.test/robots.txt"))
    gc.collect()
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.CONNECT
    assert answer.detail.startswith("proxy: ")


def test_tunnel_to_an_ipv6_address(name: str, authority: Authority) -> None:
    with (
        Site(host="::1", tls=authority.good()) as site,
        ProxySite() as proxy,
        open_transport(name, ssl_context=authority.client(), proxy=f"http://127.0.0.1:{proxy.port}") as send,
    ):
        send(make_request(f"https://[::1]:{site.port}/rules"))
    assert proxy.heads[0].startswith(f"CONNECT [::1]:{site.port} HTTP/1.1")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_unreachable_proxy_is_a_failure_of_this_machine(name: str, scheme: str) -> None:
    with refusing_port() as refusing, full_queue_port() as full:
        for port in (refusing, full):
            with open_transport(name, proxy=f"http://127.0.0.1:{port}") as send:
                answer = send(make_request(f"{scheme}://a.test/", connect_timeout=0.3))
            assert isinstance(answer, Failure)
            assert answer.kind is FailureKind.LOCAL
            assert answer.detail.startswith("the proxy cannot be reached: ")
            assert answer.detail.count("proxy") == 1


def test_silent_site_behind_a_proxy_times_out(name: str, authority: Authority) -> None:
    with unresponsive_port() as silent, ProxySite() as proxy:
        url = f"https://127.0.0.1:{silent}/robots.txt"
        with open_transport(name, ssl_context=authority.client(), proxy=f"http://127.0.0.1:{proxy.port}") as send:
            answer = send(make_request(url, connect_timeout=0.3, read_timeout=0.3, timeout=1.0))
        assert proxy.heads
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.TIMEOUT


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_unresponsive_proxy_times_out(name: str, scheme: str) -> None:
    with unresponsive_port() as port, open_transport(name, proxy=f"http://127.0.0.1:{port}") as send:
        answer = send(make_request(f"{scheme}://a.test/", timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure)
    # If the time was over before the connection was made, the proxy was not reached.
    assert answer.kind in {FailureKind.TIMEOUT, FailureKind.LOCAL}


def test_credentials_beyond_ascii_are_sent(name: str, site: Site) -> None:
    with ProxySite() as proxy, open_transport(name, proxy=f"http://üser:pä:ss@127.0.0.1:{proxy.port}") as send:
        assert isinstance(send(make_request(site.robots_url("rules"))), Response)
    login = base64.b64encode("üser:pä:ss".encode()).decode()
    assert f"basic {login}" in proxy.heads[0].replace("Basic", "basic")


@pytest.mark.parametrize("shape", INVALID, ids=range(len(INVALID)))
def test_invalid_proxy_raises_without_the_password(name: str, shape: str) -> None:
    with pytest.raises(InvalidOption, match="invalid proxy") as raised:
        transport_class(name)(proxy=shape.format("user:secret"))
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_proxy_that_is_not_a_string_raises(name: str) -> None:
    with pytest.raises(InvalidOption, match="invalid proxy 3128: expected a URL"):
        transport_class(name)(proxy=3128)
    with pytest.raises(InvalidOption, match="invalid trust_env 'no': expected True or False"):
        transport_class(name)(trust_env="no")


# --- the environment -------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [variable for variable in os.environ if variable.lower().endswith("_proxy")]:
        monkeypatch.delenv(variable)
    monkeypatch.delenv("REQUEST_METHOD", raising=False)


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("form", ["http://127.0.0.1:{}", "http://127.0.0.1:{}/", "127.0.0.1:{}", "user:p@127.0.0.1:{}"])
def test_proxy_of_the_environment_is_used(
    name: str, monkeypatch: pytest.MonkeyPatch, site: Site, variable: str, form: str
) -> None:
    with ProxySite() as proxy:
        monkeypatch.setenv(variable, form.format(proxy.port))
        with open_transport(name) as send:
            assert isinstance(send(make_request(site.robots_url("rules"))), Response)
        assert len(proxy.heads) == 1


def test_https_proxy_of_the_environment_is_used_for_https_only(
    name: str, monkeypatch: pytest.MonkeyPatch, authority: Authority, site: Site, tls_site: Site
) -> None:
    with ProxySite() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        with open_transport(name, ssl_context=authority.client()) as send:
            for url in (site.robots_url("rules"), tls_site.robots_url("rules")):
                assert isinstance(send(make_request(url)), Response)
    (head,) = proxy.heads
    assert head.startswith("CONNECT rules.site.test")


def test_scheme_takes_precedence_over_all_proxy_and_lower_case_over_upper_case(
    name: str, monkeypatch: pytest.MonkeyPatch, site: Site
) -> None:
    with ProxySite() as used, refusing_port() as refusing:
        for variable in ("ALL_PROXY", "HTTP_PROXY"):
            monkeypatch.setenv(variable, f"http://127.0.0.1:{refusing}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{used.port}")
        with open_transport(name) as send:
            assert isinstance(send(make_request(site.robots_url("rules"))), Response)
        assert len(used.heads) == 1


@pytest.mark.parametrize("switch", ["proxy", "trust_env"])
def test_environment_is_overridden_or_ignored(
    name: str, monkeypatch: pytest.MonkeyPatch, site: Site, switch: str
) -> None:
    with ProxySite() as proxy, refusing_port() as refusing:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{refusing}")
        # An explicit proxy is used for every host.
        monkeypatch.setenv("NO_PROXY", "site.test")
        options = {"proxy": f"http://127.0.0.1:{proxy.port}"} if switch == "proxy" else {"trust_env": False}
        with open_transport(name, **options) as send:
            assert isinstance(send(make_request(site.robots_url("rules"))), Response)
        assert len(proxy.heads) == (switch == "proxy")


def test_http_proxy_of_a_cgi_request_is_ignored(name: str, monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
    # CGI passes the request header `Proxy`, which the browser controls, as HTTP_PROXY (CVE-2016-1000110).
    with refusing_port() as refusing:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{refusing}")
        monkeypatch.setenv("REQUEST_METHOD", "GET")
        with open_transport(name) as send:
            assert isinstance(send(make_request(site.robots_url("rules"))), Response)


@pytest.mark.parametrize(
    "url, listed, proxied",
    [
        ("http://example.com/", "", True),
        ("http://example.com/", "*", False),
        ("http://example.com/", "example.com", False),
        ("http://example.com/", "EXAMPLE.com", False),
        ("http://www.example.com/", ".example.com", False),
        ("http://www.example.com/", "example.org, example.com", False),
        ("http://anexample.com/", "example.com", True),
        ("http://example.com/", "example.com:80", False),
        ("http://example.com/", "example.com:8080", True),
        ("http://example.com:8080/", "example.com:8080", False),
        ("http://127.0.0.1/", "127.0.0.1", False),
        ("http://[::1]/", "::1", False),
        ("http://[::1]:8080/", "::1", False),
        ("http://[::1]/", "[::1]", False),
        ("http://[::1]:8080/", "[::1]:8080", False),
        ("http://[::2]/", "::1", True),
    ],
)
def test_no_proxy_lists_hosts(monkeypatch: pytest.MonkeyPatch, url: str, listed: str, *, proxied: bool) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("NO_PROXY", listed)
    assert (Proxies().find(parse_endpoint(url)) is not None) is proxied


@pytest.mark.parametrize("value", ["socks5://{}@127.0.0.1:1080", "https://{}@127.0.0.1", "{}@127.0.0.1:x"])
def test_unsupported_proxy_of_the_environment_raises(name: str, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", value.format("user:secret"))
    with pytest.raises(InvalidOption, match=r"invalid or unsupported proxy .* for https in the environment") as raised:
        transport_class(name)()
    assert "secret" not in str(raised.value)
    transport_class(name)(trust_env=False)
    transport_class(name)(proxy="http://127.0.0.1:3128")


def test_unsupported_proxy_is_ignored_if_no_scheme_uses_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:3128")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:3128")
    transport_class(name)()


# --- private addresses -----------------------------------------------------------------------------------------------


def client_class(name: str) -> type[Client] | type[AsyncClient]:
    return Client if name in SYNC_NAMES else AsyncClient


def test_client_rejects_a_proxy_if_private_addresses_are_forbidden(name: str) -> None:
    transport = transport_class(name)(proxy="http://user:secret@127.0.0.1:3128")
    with pytest.raises(InvalidOption, match="the addresses behind the proxy cannot be checked; remove proxy="):
        client_class(name)(user_agent="ExampleBot/1.0", transport=transport, allow_private=False)
    client_class(name)(user_agent="ExampleBot/1.0", transport=transport)


def test_client_rejects_a_proxy_of_the_environment_if_private_addresses_are_forbidden(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:3128")
    with pytest.raises(InvalidOption, match="pass trust_env=False to the transport to connect directly"):
        client_class(name)(user_agent="ExampleBot/1.0", transport=transport_class(name)(), allow_private=False)
    direct = transport_class(name)(trust_env=False)
    client_class(name)(user_agent="ExampleBot/1.0", transport=direct, allow_private=False)


def test_proxy_does_not_show_its_password() -> None:
    assert repr(parse_proxy("http://user:secret@proxy.test")) == "<Proxy http://proxy.test:80>"


def test_route_contains_the_proxies(name: str) -> None:
    create = transport_class(name)
    direct, first, second = (
        create().route,
        create(proxy="http://a:b@p.test").route,
        create(proxy="http://a:c@p.test").route,
    )
    assert direct == Route(("http", "https", "ftp") if name in {"http", "http-async"} else ("http", "https"))
    assert first.proxies != second.proxies
    assert first == create(proxy="http://a:b@p.test").route
