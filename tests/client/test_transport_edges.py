"""Every transport where a request cannot be made: hosts that TLS refuses, headers, deadlines that are over."""

import threading
from collections.abc import Iterator, Sequence

import pytest
from tests.servers.certificates import Authority
from tests.servers.fixtures import authority, site, tls_site
from tests.servers.web import Site
from tests.transports.harness import TRANSPORT_NAMES, Send, make_request, open_transport

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import resolve_host
from canfetch.client.transports.failures import TransportError

__all__ = ["authority", "site", "tls_site"]

MOST_LOOK_UPS = 64


@pytest.fixture(params=TRANSPORT_NAMES)
def send(request: pytest.FixtureRequest, authority: Authority) -> Iterator[Send]:
    """Each transport in turn, trusting the authority of the tests."""
    with open_transport(request.param, ssl_context=authority.client()) as opened:
        yield opened


def failed(answer: object, kind: FailureKind) -> str:
    """Check that it is a failure of that kind, and give its detail."""
    assert isinstance(answer, Failure)
    assert answer.kind is kind
    return answer.detail


@pytest.mark.parametrize("host", [".site.test", "rules..site.test", ".", ".."])
def test_host_that_no_certificate_can_name(send: Send, tls_site: Site, host: str) -> None:
    """Nothing is left open either: a connection that nobody closes is a warning, and that an error."""
    failed(send(make_request(f"https://{host}:{tls_site.port}/robots.txt")), FailureKind.TLS)
    assert tls_site.requests == []


@pytest.mark.parametrize("header", [("X-Y", "a\r\nZ: b"), ("X Y", "a"), ("", "a"), ("X-Y\r\nZ", "a"), ("X-Y", "\0")])
def test_header_that_cannot_be_sent_is_sent_by_nobody(send: Send, site: Site, header: tuple[str, str]) -> None:
    detail = failed(send(make_request(site.url("rules"), headers=(header,))), FailureKind.PROTOCOL)
    assert detail == f"invalid request header {header[0]!r}"
    assert site.requests == []


@pytest.mark.parametrize("changes", [{"timeout": 1e-9}, {"connect_timeout": 1e-9}])
def test_deadline_that_is_over_before_anything_begins(send: Send, site: Site, changes: dict[str, float]) -> None:
    detail = failed(send(make_request(site.url("rules"), **changes)), FailureKind.TIMEOUT)
    assert detail in ("not connected within 1e-09 s", "response not complete within 1e-09 s")


def test_deadlines_that_are_over_give_no_seconds() -> None:
    over = Deadlines(make_request("http://127.0.0.1/", timeout=0.0, read_timeout=5.0))
    assert over.timeout() == 0
    for left in (over.connect_timeout, over.read_timeout):
        with pytest.raises(TransportError) as told:
            left()
        assert told.value.kind is FailureKind.TIMEOUT


def test_names_that_nobody_waits_for_any_more_are_not_looked_up() -> None:
    gate = threading.Event()
    looked_up: list[str] = []
    begun = threading.Semaphore(0)

    def hanging(host: str) -> Sequence[str]:
        begun.release()
        assert gate.wait(30)
        looked_up.append(host)
        return ["127.0.0.1"]

    def look_up(host: str, seconds: float) -> None:
        resolve_host(host, hanging, Deadlines(make_request("http://127.0.0.1/", connect_timeout=seconds)))

    waiting = [threading.Thread(target=look_up, args=(f"host{n}.test", 20.0)) for n in range(MOST_LOOK_UPS)]
    for thread in waiting:
        thread.start()
    # Every thread hangs: this one waits behind them, and not for long.
    for _ in waiting:
        assert begun.acquire(timeout=30)
    with pytest.raises(TransportError):
        look_up("late.test", 0.01)
    gate.set()
    for thread in waiting:
        thread.join()
    look_up("later.test", 20.0)
    assert "later.test" in looked_up
    assert "late.test" not in looked_up


@pytest.mark.parametrize("name", ["Host", "ACCEPT-ENCODING", "content-length", "Transfer-Encoding"])
def test_fields_of_the_connection_are_the_transports_own(send: Send, site: Site, name: str) -> None:
    answer = send(make_request(site.url("rules"), headers=((name, "5"), ("User-Agent", "ExampleBot/1.0"))))
    assert isinstance(answer, Response)
    assert [asked.headers.get(name.lower()) == "5" for asked in site.requests] == [False]
    assert site.requests[0].headers["user-agent"] == "ExampleBot/1.0"
