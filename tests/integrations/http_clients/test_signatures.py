"""The option `identity`: each request over https is signed, redirect targets and robots.txt included."""

import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest
from tests.identity.messages import checked, checked_as_sent, keys_of, message_of, verified
from tests.integrations.http_clients.conftest import ROBOTS
from tests.integrations.http_clients.hosts import HOST_NAMES, USER_AGENT, open_host
from tests.servers.broken import send_and_reset
from tests.servers.certificates import Authority
from tests.servers.redirects import redirect
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.agents.identity import SignedRequest
from canfetch.client.identity import SigningIdentity
from canfetch.client.identity.identity_file import new_identity
from canfetch.integrations.request_guard import without_final_dot


@pytest.fixture
def identity(tmp_path: Path) -> SigningIdentity:
    file = tmp_path / "identity.json"
    file.write_bytes(new_identity("https://bot.example", now=time.time()).to_json())
    file.chmod(0o600)
    return SigningIdentity(file)


@pytest.mark.parametrize("name", HOST_NAMES)
def test_every_request_over_https_has_its_own_signature(
    name: str, tls_site: Site, site: Site, authority: Authority, identity: SigningIdentity
) -> None:
    for one in (tls_site, site):
        one.serve("/robots.txt", respond(ROBOTS))
    tls_site.serve("/fish", redirect("/more"))
    tls_site.serve("/more", redirect(site.url("plain")))
    site.serve("/plain", respond(b"plain"))
    with open_host(name, identity=identity, tls=authority.client()) as host:
        assert host.get(tls_site.url("fish")).body == b"plain"
    messages = [message_of(tls_site, request) for request in tls_site.requests]
    assert [message.url.removeprefix(tls_site.origin) for message in messages] == ["/robots.txt", "/fish", "/more"]
    for message in messages:
        assert len(verified(message, keys_of(identity))) == 1, message
    assert len({message.headers["Signature"] for message in messages}) == 3
    # A signature that was copied to another site could be used there.
    for request in site.requests:
        assert not [header for header in request.headers if header.startswith("signature")]


def test_a_redirect_that_another_adapter_sends_has_no_signature(
    tls_site: Site, site: Site, authority: Authority, identity: SigningIdentity
) -> None:
    requests = pytest.importorskip("requests")
    tls_site.serve("/robots.txt", respond(ROBOTS))
    tls_site.serve("/fish", redirect(site.url("plain")))
    site.serve("/plain", respond(b"plain"))
    with open_host("requests", identity=identity, tls=authority.client()) as host:
        host.session.mount("http://", requests.adapters.HTTPAdapter())
        response = host.session.get(tls_site.url("fish"))
    assert response.content == b"plain"
    assert "signature" in tls_site.requests[-1].headers
    assert not [name for request in site.requests for name in request.headers if name.startswith("signature")]
    assert not [name for name in response.history[0].request.headers if name.startswith("Signature")]


def test_a_redirect_that_another_transport_sends_has_no_signature(
    tls_site: Site, site: Site, authority: Authority, identity: SigningIdentity
) -> None:
    httpx2 = pytest.importorskip("httpx2")
    tls_site.serve("/robots.txt", respond(ROBOTS))
    tls_site.serve("/fish", redirect(site.url("plain")))
    site.serve("/plain", respond(b"plain"))
    with open_host("httpx2", identity=identity, tls=authority.client()) as host:
        mounts = {"http://": httpx2.HTTPTransport()}
        with httpx2.Client(transport=host.client._transport, mounts=mounts, follow_redirects=True) as client:
            assert client.get(tls_site.url("fish")).content == b"plain"
    assert "signature" in tls_site.requests[-1].headers
    assert not [name for request in site.requests for name in request.headers if name.startswith("signature")]


def test_a_request_of_urllib_whose_url_has_changed_is_signed_anew_or_not_at_all(
    tls_site: Site, site: Site, authority: Authority, identity: SigningIdentity
) -> None:
    for one in (tls_site, site):
        one.serve("/robots.txt", respond(ROBOTS))
        one.serve("/fish", respond(b"fish"))
    with open_host("urllib", identity=identity, tls=authority.client()) as host:
        request = urllib.request.Request(tls_site.url("fish"))  # noqa: S310 - a server of the tests
        for url in (tls_site.url("fish"), site.url("fish")):
            request.full_url = url
            request.remove_header("Host")
            assert host.opener.open(request).read() == b"fish"
    assert "signature" in tls_site.requests[-1].headers
    assert not [name for one in site.requests for name in one.headers if name.startswith("signature")]


def test_a_request_that_was_sent_has_no_signature(
    tls_site: Site, authority: Authority, identity: SigningIdentity
) -> None:
    tls_site.serve("/robots.txt", respond(ROBOTS))
    tls_site.serve("/fish", respond(b"fish"))
    with open_host("urllib", identity=identity, tls=authority.client()) as host:
        request = urllib.request.Request(tls_site.url("fish"))  # noqa: S310 - a server of the tests
        assert host.opener.open(request).read() == b"fish"
    with open_host("aiohttp", identity=identity, tls=authority.client()) as host:
        # Exceptions of aiohttp show these headers.
        answered = host.run(partial(host.session.get, tls_site.url("fish"))).request_info
    assert sum("signature" in one.headers for one in tls_site.requests) == 4
    for names in (dict(request.header_items()), answered.headers):
        assert not [name for name in names if name.lower().startswith("signature")]


def test_urllib_connects_to_the_host_that_was_checked() -> None:
    with open_host("urllib") as host:
        for url, sent in (
            ("https://fa\u00df.example/x", "xn--fa-hia.example"),
            ("http://FA\u00df.example:8080/x", "xn--fa-hia.example:8080"),
            ("http://b\u00fccher.example/x", "xn--bcher-kva.example"),
            ("http://Example.com:80/x", "Example.com:80"),
        ):
            request = urllib.request.Request(url)  # noqa: S310 - it is not opened
            request.canfetch = False  # type: ignore[attr-defined]
            assert host.handler.http_request(request).host == sent


@pytest.mark.parametrize("name", HOST_NAMES)
def test_a_signature_covers_the_path_that_the_client_sends(
    name: str, tls_site: Site, authority: Authority, identity: SigningIdentity
) -> None:
    tls_site.serve("/robots.txt", redirect("/r|o{b}^[o]`ts%zz%2f"))
    with open_host(name, identity=identity, tls=authority.client()) as host:
        for path in ("a|b", "{x}", "y^z", "[0]", "100%", "%zz", "%7e%2f", "a`b'c", "x?a|b={c}^[d]%zz"):
            host.get(tls_site.url(path))
    targets = [request.target for request in tls_site.requests]
    assert len(targets) == 11
    # urllib3 escapes more than other libraries.
    assert targets[1] == (
        "/r%257Co%257Bb%257D%255E%5Bo%5D%2560ts%25zz%252F" if name == "requests" else "/r%7Co%7Bb%7D%5E[o]%60ts%zz%2f"
    )
    for request in tls_site.requests:
        check = checked_as_sent(tls_site, request, identity)
        assert check.is_valid, (request.target, check)


@pytest.mark.parametrize("name", HOST_NAMES)
def test_a_url_that_cannot_be_signed_is_an_error_of_the_client(
    name: str, authority: Authority, identity: SigningIdentity
) -> None:
    with open_host(name, identity=identity, tls=authority.client()) as host, host.robots.exempt():
        for url in ("https://exa mple.com/", "https://a<b.example/"):
            with pytest.raises((host.base_error, ValueError, OSError)):
                host.get(url)


@pytest.mark.parametrize("name", HOST_NAMES)
def test_requests_are_not_signed_without_the_option(name: str, tls_site: Site, authority: Authority) -> None:
    tls_site.serve("/robots.txt", respond(ROBOTS))
    tls_site.serve("/fish", respond(b"fish"))
    with open_host(name, tls=authority.client()) as host:
        host.get(tls_site.url("fish"))
    assert not [header for request in tls_site.requests for header in request.headers if "signature" in header]


def test_each_retry_has_its_own_signature(tls_site: Site, authority: Authority, identity: SigningIdentity) -> None:
    requests = pytest.importorskip("requests")

    from canfetch.integrations.requests import PacedRetry, RobotsAdapter

    tls_site.serve("/robots.txt", respond(ROBOTS))
    tls_site.serve("/fish", respond(b"", status=503), respond(b"", status=503), respond(b"fish"))
    inner = requests.adapters.HTTPAdapter(max_retries=PacedRetry(3, status_forcelist=[503]))
    with requests.Session() as session:
        session.mount("https://", RobotsAdapter(user_agent=USER_AGENT, adapter=inner, identity=identity))
        response = session.get(tls_site.url("fish"), verify=str(authority.file))
    assert response.content == b"fish"
    assert not [name for name in response.request.headers if name.startswith("Signature")]
    assert len({request.headers["signature"] for request in tls_site.requests}) == 4
    for request in tls_site.requests:
        assert checked_as_sent(tls_site, request, identity).is_valid


def test_a_request_of_urllib_that_failed_has_no_signature(
    tls_site: Site, authority: Authority, identity: SigningIdentity
) -> None:
    tls_site.serve("/robots.txt", respond(ROBOTS))
    tls_site.serve("/fish", send_and_reset(b""))
    with open_host("urllib", identity=identity, tls=authority.client()) as host:
        request = urllib.request.Request(tls_site.url("fish"))  # noqa: S310 - a server of the tests
        with pytest.raises(ConnectionError):
            host.opener.open(request)
    assert all("signature" in one.headers for one in tls_site.requests)
    assert not [name for name, _ in request.header_items() if name.lower().startswith("signature")]


def test_a_signature_covers_the_host_that_requests_sends_through_a_proxy(
    tls_site: Site, authority: Authority, identity: SigningIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = pytest.importorskip("requests")
    from tests.servers.proxy import ProxySite

    from canfetch.integrations.requests import RobotsAdapter

    monkeypatch.setenv("no_proxy", "")
    tls_site.serve("/fish", respond(b"fish"))
    with ProxySite() as proxy, requests.Session() as session:
        adapter = RobotsAdapter(user_agent=USER_AGENT, identity=identity)
        session.mount("https://", adapter)
        proxies = {"https": f"http://127.0.0.1:{proxy.port}"}
        url = f"https://localhost.:{tls_site.port}/fish"
        with adapter.robots.exempt():
            response = session.get(url, proxies=proxies, verify=str(authority.file))
    assert response.content == b"fish"
    assert "Host" not in response.request.headers
    (request,) = tls_site.requests
    message = SignedRequest("GET", "https", request.headers["host"], request.target, request.headers.get)
    assert checked(message, identity).is_valid


@pytest.mark.parametrize(
    "url, signed",
    [
        ("https://a.example./x.", "https://a.example/x."),
        ("https://a.example.:8443?x", "https://a.example:8443?x"),
        ("https://a.example.", "https://a.example"),
        ("https://a.example/x./y", "https://a.example/x./y"),
        ("https://u.:p.@a.example/", "https://u.:p.@a.example/"),
    ],
)
def test_a_dot_at_the_end_of_a_host_is_not_signed_if_it_is_not_sent(url: str, signed: str) -> None:
    assert without_final_dot(url) == signed
