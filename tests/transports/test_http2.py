"""HTTP/2 with httpx2: complete and broken responses."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.servers.certificates import Authority
from tests.servers.valid import RULES
from tests.servers.web import Site
from tests.transports.harness import SHORT_SECONDS, Send, make_request, open_transport
from tests.transports.session_harness import SESSION_NAMES, open_session

from canfetch.access.responses import Failure, FailureKind, Response

pytest.importorskip("h2")

from tests.servers.http2 import Http2Site


@pytest.fixture(scope="module")
def http2_site(authority: Authority) -> Iterator[Http2Site]:
    with Http2Site(authority.good("h2")) as running:
        yield running


@pytest.fixture(params=["httpx2", "httpx2-async", "httpx2-client", "httpx2-async-client"])
def send(request: pytest.FixtureRequest, authority: Authority) -> Iterator[Send]:
    if request.param in SESSION_NAMES:
        with open_session(request.param, ssl_context=authority.client(), http2=True) as opened:
            yield opened
        return
    with open_transport(request.param, ssl_context=authority.client(), http2=True) as opened:
        yield opened


@pytest.mark.parametrize("label", ["rules", "interim", "gzip"])
def test_complete_response_is_returned(send: Send, http2_site: Http2Site, label: str) -> None:
    answer = send(make_request(http2_site.url(label)))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (200, RULES)


def test_request_headers_are_sent(send: Send, http2_site: Http2Site) -> None:
    send(make_request(http2_site.url("rules")))
    headers = dict(http2_site.requests[-1])
    assert headers[":authority"] == f"127.0.0.1:{http2_site.port}"
    assert headers["user-agent"] == "ExampleBot/1.0"
    assert headers["accept-encoding"].startswith("gzip, deflate")


def test_404_is_returned(send: Send, http2_site: Http2Site) -> None:
    answer = send(make_request(http2_site.url("missing")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (404, b"")


@pytest.mark.parametrize("label", ["endless-body", "gzip-bomb"])
def test_reading_stops_one_byte_past_the_limit(send: Send, http2_site: Http2Site, label: str) -> None:
    answer = send(make_request(http2_site.url(label)))
    assert isinstance(answer, Response), answer
    assert len(answer.body) == 512_001


@pytest.mark.parametrize(
    "label, kind",
    [
        ("reset", FailureKind.RESET),
        ("reset-in-body", FailureKind.RESET),
        ("closed", FailureKind.RESET),
        ("cut-in-body", FailureKind.RESET),
        ("closed-in-body", FailureKind.INCOMPLETE),
        ("goaway", FailureKind.PROTOCOL),
        ("short-body", FailureKind.PROTOCOL),
        ("garbage", FailureKind.PROTOCOL),
        ("garbage-in-body", FailureKind.PROTOCOL),
        ("status-word", FailureKind.PROTOCOL),
    ],
)
def test_broken_response_is_a_failure(
    request: pytest.FixtureRequest, send: Send, http2_site: Http2Site, label: str, kind: FailureKind
) -> None:
    answer = send(make_request(http2_site.url(label)))
    assert isinstance(answer, Failure), answer
    kinds = {kind}
    if label == "cut-in-body" and request.node.callspec.params["send"] in SESSION_NAMES:
        # A client of httpx2 does not require the closing alert of TLS, so it sees the end of the connection or, if the
        # server had not read all of the client's frames yet, a reset.
        kinds.add(FailureKind.INCOMPLETE)
    assert answer.kind in kinds, answer
    assert answer.detail


@pytest.mark.parametrize("label", ["silent", "silent-body"])
@pytest.mark.parametrize("bound", ["read_timeout", "timeout"])
def test_silence_times_out(send: Send, http2_site: Http2Site, label: str, bound: str) -> None:
    answer = send(make_request(http2_site.url(label), **{bound: SHORT_SECONDS}))
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TIMEOUT


def test_http1_is_used_if_the_server_does_not_support_http2(send: Send, authority: Authority) -> None:
    with Site(tls=authority.good("http/1.1")) as site:
        answer = send(make_request(site.url("rules")))
    assert isinstance(answer, Response), answer


def test_http2_is_not_offered_by_default(http2_site: Http2Site, authority: Authority) -> None:
    from canfetch.client.transports.httpx2_transport import Httpx2Transport

    transport = Httpx2Transport(ssl_context=authority.client())
    before = len(http2_site.requests)
    answer = transport.send(make_request(http2_site.url("rules"), timeout=2.0))
    assert isinstance(answer, Failure)
    assert len(http2_site.requests) == before


@pytest.mark.slow
def test_timeout_leaves_the_connection_to_the_other_requests_of_a_client(
    authority: Authority, http2_site: Http2Site
) -> None:
    # On a slow machine, the first request may not have been sent within a short timeout.
    for seconds in (1.0, 10.0, 100.0):
        received = len(http2_site.requests)
        with (
            open_session("httpx2-client", ssl_context=authority.client(), http2=True) as send,
            ThreadPoolExecutor() as threads,
        ):
            first = threads.submit(send, make_request(http2_site.url("silent"), timeout=seconds))
            while len(http2_site.requests) == received and not first.done():
                time.sleep(0.001)
            second = send(make_request(http2_site.url("silent"), timeout=seconds + 1.0))
            for answer in (first.result(), second):
                assert isinstance(answer, Failure)
                assert answer.kind is FailureKind.TIMEOUT, answer
        # A request on a connection that was shut down would have been repeated.
        assert len(http2_site.requests) <= received + 2
        if len(http2_site.requests) == received + 2:
            return
    pytest.fail("the requests were not sent in time")
