"""Sessions and openers return the responses of the contract of transports, with few deviations for each library."""

from collections.abc import Iterator
from email.message import Message

import pytest
from tests.servers.dead_ports import refusing_port
from tests.servers.valid import ETAG, RULES
from tests.servers.web import Exchange, Site
from tests.transports.harness import SHORT_SECONDS, Send, expect_response, failure_kind, make_request
from tests.transports.session_harness import SESSION_NAMES, open_session, opener_send
from tests.transports.test_contract import AIOHTTP, FAILURES, HTTPX2, LIMIT, SLOW, TOO_LONG, WHOLE, skip_without_decoder

from canfetch.access.responses import FailureKind, Response
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.http_client_responses import check_head
from canfetch.errors import InvalidURL

URLLIB = "urllib-opener"
# http.client does not read these heads.
HTTP_CLIENT: dict[str, FailureKind | None] = {
    "interim": FailureKind.PROTOCOL,
    "many-fields": FailureKind.PROTOCOL,
    "very-many-fields": FailureKind.PROTOCOL,
    "cut-status": FailureKind.PROTOCOL,
    "cut-field": FailureKind.PROTOCOL,
    "cut-head": FailureKind.INCOMPLETE,
    "endless-interim": FailureKind.TIMEOUT,
    # All chunks have arrived, but not the end of the trailers.
    "cut-last-chunk": None,
}
# The responses that each library reads in another way than the other transports. None is a response, not a failure.
DEVIATIONS: dict[str, dict[str, FailureKind | None]] = {
    "httpx2-client": {**HTTPX2, "endless-interim": FailureKind.TIMEOUT},
    "httpx2-async-client": {**HTTPX2, "endless-interim": FailureKind.TIMEOUT},
    "aiohttp-session": {
        **AIOHTTP,
        "reset-in-body": FailureKind.INCOMPLETE,
        "reset-in-chunks": FailureKind.INCOMPLETE,
        # A session does not show how the connection ended.
        "reset-closing": None,
    },
    # urllib3 reads the bodies.
    "requests-session": HTTP_CLIENT,
    # http.client does not tell an invalid chunk from a missing one.
    URLLIB: {
        **HTTP_CLIENT,
        **dict.fromkeys(("bad-chunk", "negative-chunk", "long-chunk", "late-bad-chunk"), FailureKind.INCOMPLETE),
    },
}
ALL_FAILURES = [(label, kind) for kind, labels in FAILURES.items() for label in labels]
ALL_FAILURES += [(label, FailureKind.TIMEOUT) for label in SLOW]


@pytest.fixture(scope="module", params=[*SESSION_NAMES, URLLIB])
def session_name(request: pytest.FixtureRequest) -> str:
    """The name of each session, and that of the opener of urllib."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def session_send(session_name: str) -> Iterator[Send]:
    """The `send` of a transport with each of them."""
    if session_name == URLLIB:
        yield opener_send()
        return
    with open_session(session_name) as opened:
        yield opened


@pytest.mark.parametrize("label", WHOLE)
def test_complete_response_is_returned(session_name: str, session_send: Send, shared_site: Site, label: str) -> None:
    skip_without_decoder(label)
    url = shared_site.url(label)
    answer = session_send(make_request(url))
    if label in DEVIATIONS[session_name]:
        assert failure_kind(answer) is DEVIATIONS[session_name][label]
        return
    assert isinstance(answer, Response), answer
    assert (answer.url, answer.status, answer.body) == (url, 200, WHOLE[label])


@pytest.mark.slow
@pytest.mark.parametrize("label", TOO_LONG)
def test_reading_stops_one_byte_past_the_limit(session_send: Send, shared_site: Site, label: str) -> None:
    skip_without_decoder(label)
    answer = expect_response(session_send(make_request(shared_site.url(label))))
    assert len(answer.body) == LIMIT + 1


@pytest.mark.slow
@pytest.mark.parametrize("label, kind", ALL_FAILURES)
def test_broken_response_is_a_failure(
    session_name: str, session_send: Send, shared_site: Site, label: str, kind: FailureKind
) -> None:
    skip_without_decoder(label)
    expected = DEVIATIONS[session_name].get(label, kind)
    timeout = SHORT_SECONDS if expected is FailureKind.TIMEOUT else 20.0
    answer = session_send(make_request(shared_site.url(label), timeout=timeout))
    if expected is None:
        assert isinstance(answer, Response)
    else:
        assert failure_kind(answer) is expected


@pytest.mark.parametrize("status", [204, 301, 304, 404, 410, 429, 500, 503, 999])
def test_status_is_returned_without_a_body(session_send: Send, shared_site: Site, status: int) -> None:
    answer = expect_response(session_send(make_request(shared_site.url(f"status-{status}"))))
    assert (answer.status, answer.body) == (status, b"")


@pytest.mark.parametrize("label", ["itself", "relative", "raw-location", "nowhere", "mail"])
def test_redirect_is_not_followed(session_name: str, session_send: Send, site: Site, label: str) -> None:
    if session_name.startswith("httpx2"):
        with open_session(session_name, follow_redirects=True) as send:
            answer = expect_response(send(make_request(site.url(label))))
    else:
        answer = expect_response(session_send(make_request(site.url(label))))
    assert answer.status // 100 == 3
    assert len(site.requests) == 1


def test_conditional_request_is_sent(session_send: Send, shared_site: Site) -> None:
    request = make_request(shared_site.url("revalidating"), headers=(("If-None-Match", ETAG),))
    answer = expect_response(session_send(request))
    assert (answer.status, answer.header("etag"), answer.body) == (304, ETAG, b"")


@pytest.mark.parametrize(
    "written, sent", [("/a/../b/./c//d", "/a/../b/./c//d"), ("/%c3%b6?a[1]='", "/%c3%b6?a[1]='"), ("?a b", "/?a%20b")]
)
def test_target_is_sent_unchanged(session_name: str, session_send: Send, site: Site, written: str, sent: str) -> None:
    session_send(make_request(f"{site.origin}{written}"))
    if session_name == "requests-session":
        # urllib3 normalises escapes, but not the path.
        sent = sent.replace("%c3%b6", "%C3%B6").replace("[1]", "%5B1%5D")
    assert [received.target for received in site.requests] == [sent]


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/robots.txt", "gopher://127.0.0.1/"])
def test_other_schemes_are_a_failure(session_send: Send, url: str) -> None:
    assert failure_kind(session_send(make_request(url))) is FailureKind.SCHEME


def test_url_without_host_raises(session_send: Send) -> None:
    with pytest.raises(InvalidURL):
        session_send(make_request("http:///robots.txt"))


def test_header_with_line_break_is_not_sent(session_send: Send, site: Site) -> None:
    answer = session_send(make_request(site.url("rules"), headers=(("User-Agent", "a\r\nb: c"),)))
    assert failure_kind(answer) is FailureKind.PROTOCOL
    assert site.requests == []


def test_refused_connection_is_a_failure(session_send: Send) -> None:
    with refusing_port() as port:
        assert failure_kind(session_send(make_request(f"http://127.0.0.1:{port}/"))) is FailureKind.CONNECT


@pytest.mark.parametrize("auto_decompress", [True, False])
@pytest.mark.parametrize("label", ["gzip", "br", "zstd", "gzip-bomb", "br-bomb", "zstd-bomb"])
def test_aiohttp_session_may_decompress(shared_site: Site, label: str, *, auto_decompress: bool) -> None:
    skip_without_decoder(label)
    with open_session("aiohttp-session", auto_decompress=auto_decompress) as send:
        answer = send(make_request(shared_site.url(label)))
    assert isinstance(answer, Response), answer
    assert answer.body == WHOLE[label] if label in WHOLE else len(answer.body) == LIMIT + 1


def test_connection_that_the_server_closed_while_it_was_idle_is_replaced(session_send: Send, site: Site) -> None:
    async def behaviour(exchange: Exchange) -> None:
        # Without `Connection: close`, although the server closes the connection.
        await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(RULES), RULES))

    site.serve("/robots.txt", behaviour)
    for _ in range(20):
        answer = expect_response(session_send(make_request(f"{site.origin}/robots.txt")))
        assert answer.body == RULES


def test_only_heads_of_http_client_are_checked() -> None:
    # Such as the headers of urllib3-future, whose parser rejects what is no field.
    check_head({"a": "b"})
    head = Message()
    head.set_payload("User-agent: *")
    with pytest.raises(TransportError, match="a line in the response head is not a header field"):
        check_head(head)
