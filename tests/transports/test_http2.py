"""HTTP/2 by httpx2: what a whole answer is, and what is none."""

from collections.abc import Iterator

import pytest
from tests.servers.certificates import Authority
from tests.servers.proper import RULES
from tests.servers.web import Site
from tests.transports.faces import Ask, asking, face

from canfetch.access.responses import Failure, FailureKind, Response

pytest.importorskip("h2")

from tests.servers.http2 import Http2Site

SHORT_SECONDS = 0.15


@pytest.fixture(scope="module")
def http2_site(authority: Authority) -> Iterator[Http2Site]:
    with Http2Site(authority.good("h2")) as running:
        yield running


@pytest.fixture(params=["httpx2", "httpx2-async"])
def ask(request: pytest.FixtureRequest, authority: Authority) -> Iterator[Ask]:
    with face(request.param, ssl_context=authority.client()) as asked:
        yield asked


@pytest.mark.parametrize("label", ["rules", "interim", "gzip"])
def test_whole_answers_come_whole(ask: Ask, http2_site: Http2Site, label: str) -> None:
    answer = ask(asking(http2_site.url(label)))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (200, RULES)


def test_request_says_what_the_caller_says(ask: Ask, http2_site: Http2Site) -> None:
    ask(asking(http2_site.url("rules")))
    asked = dict(http2_site.asked[-1])
    assert asked[":authority"] == f"127.0.0.1:{http2_site.port}"
    assert asked["user-agent"] == "ExampleBot/1.0"
    assert asked["accept-encoding"].startswith("gzip, deflate")


def test_missing_is_missing(ask: Ask, http2_site: Http2Site) -> None:
    answer = ask(asking(http2_site.url("missing")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (404, b"")


@pytest.mark.parametrize("label", ["endless-body", "gzip-bomb"])
def test_reading_stops_one_octet_past_the_limit(ask: Ask, http2_site: Http2Site, label: str) -> None:
    answer = ask(asking(http2_site.url(label)))
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
        ("goodbye", FailureKind.PROTOCOL),
        ("short-body", FailureKind.PROTOCOL),
        ("garbage", FailureKind.PROTOCOL),
        ("garbage-in-body", FailureKind.PROTOCOL),
        ("status-word", FailureKind.PROTOCOL),
    ],
)
def test_broken_answers_are_failures(ask: Ask, http2_site: Http2Site, label: str, kind: FailureKind) -> None:
    answer = ask(asking(http2_site.url(label)))
    assert isinstance(answer, Failure), answer
    assert answer.kind is kind, answer
    assert answer.detail


@pytest.mark.parametrize("label", ["silent", "silent-body"])
@pytest.mark.parametrize("bound", ["read_timeout", "timeout"])
def test_silence_ends_in_time(ask: Ask, http2_site: Http2Site, label: str, bound: str) -> None:
    answer = ask(asking(http2_site.url(label), **{bound: SHORT_SECONDS}))
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TIMEOUT


def test_server_that_knows_http1_alone_gets_that(ask: Ask, authority: Authority) -> None:
    with Site(tls=authority.good("http/1.1")) as site:
        answer = ask(asking(site.url("rules")))
    assert isinstance(answer, Response), answer


def test_http2_can_be_left_out(http2_site: Http2Site, authority: Authority) -> None:
    from canfetch.client.transports.httpx2_transport import Httpx2Transport

    transport = Httpx2Transport(ssl_context=authority.client(), http2=False)
    before = len(http2_site.asked)
    answer = transport.send(asking(http2_site.url("rules"), timeout=2.0))
    assert isinstance(answer, Failure)
    assert len(http2_site.asked) == before
