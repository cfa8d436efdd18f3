"""Requests that no transport can send: invalid host names, headers, and expired deadlines."""

import threading
from collections.abc import Iterator, Sequence

import pytest
from tests.servers.certificates import Authority
from tests.servers.fixtures import authority, site, tls_site
from tests.servers.web import Site
from tests.transports.harness import TRANSPORT_NAMES, Send, make_request, open_transport

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import _MAX_THREADS, resolve_host
from canfetch.client.transports.failures import TransportError

__all__ = ["authority", "site", "tls_site"]


@pytest.fixture(params=TRANSPORT_NAMES)
def send(request: pytest.FixtureRequest, authority: Authority) -> Iterator[Send]:
    """Each transport in turn, trusting the authority of the tests."""
    with open_transport(request.param, ssl_context=authority.client()) as opened:
        yield opened


def failure_detail(answer: object, kind: FailureKind) -> str:
    """Check that `answer` is a failure of a kind, and return its detail."""
    assert isinstance(answer, Failure)
    assert answer.kind is kind
    return answer.detail


@pytest.mark.parametrize("host", [".site.test", "rules..site.test", ".", ".."])
def test_host_name_that_is_invalid_in_a_certificate_fails(send: Send, tls_site: Site, host: str) -> None:
    """The connection is closed as well: a ResourceWarning would be an error."""
    failure_detail(send(make_request(f"https://{host}:{tls_site.port}/robots.txt")), FailureKind.TLS)
    assert tls_site.requests == []


@pytest.mark.parametrize("header", [("X-Y", "a\r\nZ: b"), ("X Y", "a"), ("", "a"), ("X-Y\r\nZ", "a"), ("X-Y", "\0")])
def test_invalid_header_is_not_sent(send: Send, site: Site, header: tuple[str, str]) -> None:
    detail = failure_detail(send(make_request(site.url("rules"), headers=(header,))), FailureKind.PROTOCOL)
    assert detail == f"invalid request header {header[0]!r}"
    assert site.requests == []


@pytest.mark.parametrize("changes", [{"timeout": 1e-9}, {"connect_timeout": 1e-9}])
def test_deadline_that_has_passed_before_the_request_fails(send: Send, site: Site, changes: dict[str, float]) -> None:
    detail = failure_detail(send(make_request(site.url("rules"), **changes)), FailureKind.TIMEOUT)
    assert detail in ("not connected within 1e-09 s", "response not complete within 1e-09 s")


def test_passed_deadlines_raise() -> None:
    passed = Deadlines(make_request("http://127.0.0.1/", timeout=0.0, read_timeout=5.0))
    assert passed.timeout() == 0
    for remaining in (passed.connect_timeout, passed.read_timeout):
        with pytest.raises(TransportError) as error:
            remaining()
        assert error.value.kind is FailureKind.TIMEOUT


@pytest.mark.slow
def test_name_is_not_resolved_after_its_deadline() -> None:
    gate = threading.Event()
    resolved: list[str] = []
    begun = threading.Semaphore(0)

    def hanging(host: str) -> Sequence[str]:
        begun.release()
        assert gate.wait(300)
        resolved.append(host)
        return ["127.0.0.1"]

    def resolve(host: str, seconds: float) -> None:
        resolve_host(host, hanging, Deadlines(make_request("http://127.0.0.1/", connect_timeout=seconds)))

    waiting = [threading.Thread(target=resolve, args=(f"host{n}.test", 20.0)) for n in range(_MAX_THREADS)]
    for thread in waiting:
        thread.start()
    # All threads of the resolver are busy, so the next lookup times out.
    for _ in waiting:
        assert begun.acquire(timeout=300)
    with pytest.raises(TransportError):
        resolve("late.test", 0.01)
    gate.set()
    for thread in waiting:
        thread.join()
    resolve("later.test", 20.0)
    assert "later.test" in resolved
    assert "late.test" not in resolved


@pytest.mark.parametrize("name", ["Host", "ACCEPT-ENCODING", "content-length", "Transfer-Encoding"])
def test_headers_of_the_connection_cannot_be_overridden(send: Send, site: Site, name: str) -> None:
    answer = send(make_request(site.url("rules"), headers=((name, "5"), ("User-Agent", "ExampleBot/1.0"))))
    assert isinstance(answer, Response)
    assert [request.headers.get(name.lower()) == "5" for request in site.requests] == [False]
    assert site.requests[0].headers["user-agent"] == "ExampleBot/1.0"
