"""Headers that the caller adds to every request."""

import asyncio

import pytest
from tests.access.client_harness import open_client
from tests.access.scripted_web import ScriptedWeb
from tests.servers.certificates import Authority
from tests.servers.fixtures import authority, site
from tests.servers.redirects import redirect
from tests.servers.valid import rules
from tests.servers.web import Site
from tests.transports.harness import LOOPBACK, TRANSPORT_NAMES

from canfetch import AsyncClient, Client
from canfetch.client.request_headers import parse_request_headers
from canfetch.errors import InvalidOption

__all__ = ["authority", "site"]

HEADERS = {
    "From": "bot@example.com",
    "X-Crawler": "7",
    "Authorization": "Basic c2VjcmV0",
    "Cookie": "preview=secret",
    "X-Api-Key": "secret",
    "CF-Access-Client-Secret": "secret",
}
PUBLIC = {"from", "x-crawler"}
ALL = {name.lower() for name in HEADERS}
MAPPING = "invalid headers: expected a mapping such as {'From': 'bot@example.com'}, or pairs of name and value"


def fetch(name: str, authority: Authority, url: str) -> None:
    with open_client(name, ssl_context=authority.client(), resolve=LOOPBACK, headers=HEADERS) as client:
        client.origin_state(url)


def added(site: Site) -> list[set[str]]:
    return [set(request.headers) & ALL for request in site.requests]


@pytest.mark.parametrize("name", TRANSPORT_NAMES)
def test_headers_are_sent_with_every_request_to_the_origin(name: str, authority: Authority, site: Site) -> None:
    site.serve("/robots.txt", redirect("/a"))
    site.serve("/a", redirect(site.url("b")))
    site.serve("/b", rules)
    fetch(name, authority, site.origin)
    assert [request.target for request in site.requests] == ["/robots.txt", "/a", "/b"]
    for request in site.requests:
        assert {name: request.headers[name.lower()] for name in HEADERS} == HEADERS


def test_a_document_can_be_requested_with_another_user_agent(site: Site) -> None:
    async def request() -> None:
        async with AsyncClient(user_agent="ExampleBot/1.0") as client:
            await client.request_document(f"{site.origin}/rules", max_bytes=100, user_agent="OtherBot/2.0")

    asyncio.run(request())
    with Client(user_agent="ExampleBot/1.0") as client:
        client.request_document(f"{site.origin}/rules", max_bytes=100, user_agent="OtherBot/2.0")
        client.request_document(f"{site.origin}/rules", max_bytes=100)
    agents = [request.headers["user-agent"] for request in site.requests]
    assert agents == ["OtherBot/2.0", "OtherBot/2.0", "ExampleBot/1.0"]


@pytest.mark.parametrize("name", TRANSPORT_NAMES)
def test_credentials_are_not_sent_to_another_port_after_a_redirect(name: str, authority: Authority, site: Site) -> None:
    with Site() as other:
        site.serve("/robots.txt", redirect(other.url("a")))
        other.serve("/a", redirect("/b"))
        other.serve("/b", rules)
        fetch(name, authority, site.origin)
        assert added(site) == [ALL]
        assert added(other) == [PUBLIC, PUBLIC]


@pytest.mark.parametrize("name", TRANSPORT_NAMES)
def test_credentials_are_not_sent_to_the_origin_again_after_another_origin(
    name: str, authority: Authority, site: Site
) -> None:
    """The other origin chooses the URL. Source: Fetch standard, HTTP-redirect fetch."""
    with Site() as other:
        site.serve("/robots.txt", redirect(other.url("a")))
        other.serve("/a", redirect(site.url("b")))
        site.serve("/b", redirect("/c"))
        site.serve("/c", rules)
        fetch(name, authority, site.origin)
        assert added(site) == [ALL, PUBLIC, PUBLIC]
        assert added(other) == [PUBLIC]


@pytest.mark.parametrize("name", TRANSPORT_NAMES)
def test_credentials_are_not_sent_over_http_after_a_redirect_from_https(
    name: str, authority: Authority, site: Site
) -> None:
    with Site(tls=authority.good()) as tls_site:
        tls_site.serve("/robots.txt", redirect(site.url("rules")))
        fetch(name, authority, tls_site.origin)
        assert added(tls_site) == [ALL]
    assert added(site) == [PUBLIC]


@pytest.mark.parametrize("name", TRANSPORT_NAMES)
def test_credentials_are_not_sent_to_another_host_on_the_same_server(
    name: str, authority: Authority, site: Site
) -> None:
    site.serve("/robots.txt", redirect(f"http://other.site.test:{site.port}/rules"))
    fetch(name, authority, f"http://first.site.test:{site.port}")
    assert added(site) == [ALL, PUBLIC]


@pytest.mark.parametrize("name", TRANSPORT_NAMES)
def test_header_replaces_the_default_header_and_can_be_repeated(name: str, authority: Authority, site: Site) -> None:
    headers = [("accept", "text/plain"), ("X-Note", "a"), ("X-Note", "b")]
    with open_client(name, ssl_context=authority.client(), resolve=LOOPBACK, headers=headers) as client:
        client.origin_state(site.origin)
    (request,) = site.requests
    assert request.headers["accept"] == "text/plain"
    assert request.headers["user-agent"] == "ExampleBot/1.0"
    # The server of the tests keeps the last field of each name.
    assert request.headers["x-note"] == "b"


@pytest.mark.parametrize(
    "target, is_origin",
    [
        ("https://example.com/a", True),
        ("https://EXAMPLE.com:443/a", True),
        ("https://user@example.com/a", True),
        ("http://example.com/a", False),
        ("https://example.com:8443/a", False),
        ("https://example.com./a", False),
        ("https://www.example.com/a", False),
        ("https://example.com.example.net/a", False),
        ("https://example.com@example.net/a", False),
    ],
)
def test_origin_of_the_redirect_target_decides(target: str, *, is_origin: bool) -> None:
    origin = ScriptedWeb({"https://example.com/robots.txt": {"location": target}})
    with Client(user_agent="ExampleBot/1.0", transport=origin, headers=HEADERS) as client:
        client.origin_state("https://example.com")
    first, second = origin.requests
    assert not first.cross_origin
    assert {name.lower() for name, _ in first.headers} & ALL == ALL
    assert second.cross_origin is not is_origin
    assert {name.lower() for name, _ in second.headers} & ALL == (ALL if is_origin else PUBLIC)


@pytest.mark.parametrize(
    "headers, message",
    [
        ("From: bot@example.com", f"{MAPPING}, but got str"),
        (b"From", f"{MAPPING}, but got bytes"),
        (None, f"{MAPPING}, but got NoneType"),
        (7, f"{MAPPING}, but got int"),
        (["From"], f"{MAPPING}, but got list"),
        ([("From", "a", "b")], f"{MAPPING}, but got list"),
        ({"": "a"}, "invalid header name '': expected a name such as 'From'"),
        ({"a b": "c"}, "invalid header name 'a b'"),
        ({"a:": "c"}, "invalid header name 'a:'"),
        ({"a\r\nb": "c"}, r"invalid header name 'a\r\nb'"),
        ({"größe": "c"}, "invalid header name 'größe'"),
        ({7: "c"}, "invalid header name 7"),
        ({"From": ""}, "invalid value of header 'From': expected a non-empty string of printable ASCII"),
        ({"From": "  "}, "invalid value of header 'From'"),
        ({"From": "a\r\nCookie: b"}, "invalid value of header 'From'"),
        ({"From": "a\tb"}, "invalid value of header 'From'"),
        ({"From": "größe"}, "invalid value of header 'From'"),
        ({"From": None}, "invalid value of header 'From'"),
        ({"User-Agent": "a"}, "header 'User-Agent' cannot be added: the option user_agent sets it"),
        ({"host": "a"}, "header 'host' cannot be added: the transport sets it"),
        ({"HOST": "a"}, "header 'HOST' cannot be added: the transport sets it"),
        ({"Content-Length": "0"}, "header 'Content-Length' cannot be added: the transport sets it"),
        ({"Connection": "close"}, "header 'Connection' cannot be added: the transport sets it"),
        ({"Accept-Encoding": "br"}, "header 'Accept-Encoding' cannot be added: the transport sets it"),
        ({"If-None-Match": "a"}, "header 'If-None-Match' cannot be added: the option revalidate"),
        ({"If-Modified-Since": "a"}, "header 'If-Modified-Since' cannot be added: the option revalidate"),
        ({"Range": "bytes=0-9"}, "header 'Range' cannot be added: robots.txt is requested as a whole"),
        ({"Proxy-Authorization": "a"}, "header 'Proxy-Authorization' cannot be added: the URL of the proxy"),
    ],
)
@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_invalid_headers_raise(client: type[Client | AsyncClient], headers: object, message: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        client(user_agent="ExampleBot/1.0", headers=headers)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_message_does_not_contain_the_value() -> None:
    for headers in ({"Authorization": "secret\n"}, {"Proxy-Authorization": "secret"}, {"Cookie": "secrét"}):
        with pytest.raises(InvalidOption) as raised:
            parse_request_headers(headers)
        assert "secret" not in str(raised.value)
        assert "secrét" not in str(raised.value)
