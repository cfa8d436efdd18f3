"""The contract of the transports, with an opener of urllib."""

import threading
from typing import Any

import pytest
from tests.servers.dead_ports import refusing_port
from tests.servers.redirects import redirect
from tests.servers.web import Site
from tests.transports.harness import SHORT_SECONDS, Send, failure_kind, make_request
from tests.transports.test_contract import FAILURES, LIMIT, SLOW, TOO_LONG, WHOLE, skip_without_decoder

from canfetch.access.responses import FailureKind, Response

# The same as those of requests, which is built on http.client too. None of them turns a failure into a success.
DEVIATIONS: dict[str, FailureKind | None] = {
    "interim": FailureKind.PROTOCOL,
    "many-fields": FailureKind.PROTOCOL,
    "very-many-fields": FailureKind.PROTOCOL,
    "cut-status": FailureKind.PROTOCOL,
    "cut-field": FailureKind.PROTOCOL,
    "cut-head": FailureKind.INCOMPLETE,
    "cut-last-chunk": None,
    "endless-interim": FailureKind.TIMEOUT,
    # http.client does not tell an invalid chunk from a missing one.
    **dict.fromkeys(("bad-chunk", "negative-chunk", "long-chunk", "late-bad-chunk"), FailureKind.INCOMPLETE),
}


@pytest.fixture(scope="module")
def send() -> Send:
    from urllib.request import build_opener

    from canfetch.integrations.urllib import RobotsHandler, _OpenerTransport

    handler = RobotsHandler(user_agent="ExampleBot/1.0")
    build_opener(handler)
    return _OpenerTransport(handler).send


@pytest.mark.parametrize("label", WHOLE)
def test_complete_response_is_returned(send: Send, shared_site: Site, label: str) -> None:
    skip_without_decoder(label)
    url = shared_site.url(label)
    answer = send(make_request(url))
    if label in DEVIATIONS:
        assert failure_kind(answer) is DEVIATIONS[label]
        return
    assert isinstance(answer, Response), answer
    assert (answer.url, answer.status, answer.body) == (url, 200, WHOLE[label])


@pytest.mark.slow
@pytest.mark.parametrize("label", TOO_LONG)
def test_reading_stops_one_byte_past_the_limit(send: Send, shared_site: Site, label: str) -> None:
    skip_without_decoder(label)
    answer = send(make_request(shared_site.url(label)))
    assert isinstance(answer, Response), answer
    assert len(answer.body) == LIMIT + 1


@pytest.mark.parametrize(
    "label, kind",
    [
        *((label, kind) for kind, labels in FAILURES.items() for label in labels),
        *((label, FailureKind.TIMEOUT) for label in SLOW),
    ],
)
def test_broken_response_is_a_failure(send: Send, shared_site: Site, label: str, kind: FailureKind) -> None:
    skip_without_decoder(label)
    expected = DEVIATIONS.get(label, kind)
    timeout = SHORT_SECONDS if expected is FailureKind.TIMEOUT else 20.0
    answer = send(make_request(shared_site.url(label), timeout=timeout))
    if expected is None:
        assert isinstance(answer, Response)
    else:
        assert failure_kind(answer) is expected, answer


@pytest.mark.parametrize("status", [204, 301, 304, 404, 410, 429, 500, 503, 999])
def test_status_is_returned_without_a_body(send: Send, shared_site: Site, status: int) -> None:
    answer = send(make_request(shared_site.url(f"status-{status}")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (status, b"")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed(send: Send, site: Site, status: int) -> None:
    site.serve("/robots.txt", redirect("/rules", status))
    answer = send(make_request(f"{site.origin}/robots.txt"))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.header("location")) == (status, "/rules")
    assert len(site.requests) == 1


@pytest.mark.parametrize("written", ["/a/../b/./c//d", "/%c3%b6?a[1]='", "/?a%20b"])
def test_target_is_sent_unchanged(send: Send, site: Site, written: str) -> None:
    send(make_request(f"{site.origin}{written}"))
    assert [received.target for received in site.requests] == [written]


def test_other_failures(send: Send, site: Site) -> None:
    with refusing_port() as port:
        assert failure_kind(send(make_request(f"http://127.0.0.1:{port}/"))) is FailureKind.CONNECT
    assert failure_kind(send(make_request("http://nowhere.invalid/"))) is FailureKind.DNS
    assert failure_kind(send(make_request("ftp://127.0.0.1/"))) is FailureKind.SCHEME
    header = make_request(site.url("rules"), headers=(("User-Agent", "a\r\nb: c"),))
    assert failure_kind(send(header)) is FailureKind.PROTOCOL
    assert site.requests == []


def test_thread_of_an_abandoned_body_ends(send: Send, shared_site: Site) -> None:
    # The threads of other tests wait for heads that do not end.
    others = set(threading.enumerate())
    for label in ("slow-body", "silent-body"):
        answer = send(make_request(shared_site.url(label), timeout=SHORT_SECONDS))
        assert failure_kind(answer) is FailureKind.TIMEOUT
    for thread in set(threading.enumerate()) - others:
        thread.join(300)
        assert not thread.is_alive()


@pytest.mark.slow
def test_credentials_of_the_opener_are_not_sent_to_another_origin(site: Site) -> None:
    from urllib.request import build_opener

    from canfetch.integrations.urllib import RobotsHandler

    with Site() as other, RobotsHandler(user_agent="ExampleBot/1.0") as handler:
        opener: Any = build_opener(handler)
        opener.addheaders = [("X-Api-Key", "secret"), ("X-Team", "7")]
        site.serve("/robots.txt", redirect(f"http://localhost:{other.port}/rules"))
        opener.open(site.url("rules")).close()
    assert [request.headers.get("x-api-key") for request in site.requests] == ["secret", "secret"]
    assert [request.headers.get("x-api-key", "") for request in other.requests] == [""]
    assert {request.headers["x-team"] for request in (*site.requests, *other.requests)} == {"7"}
