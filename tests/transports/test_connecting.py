"""Names, addresses, connections and certificates: whom a transport talks to, and whom not."""

import socket
from collections.abc import Callable, Sequence
from threading import Event

import pytest
from tests.servers.certificates import Authority
from tests.servers.deaf import accepting_port, full_port, refusing_port
from tests.servers.proper import RULES
from tests.servers.web import Site, everywhere_is
from tests.transports.faces import Ask, asking, face

from canfetch.access.responses import Failure, FailureKind, Response

SHORT_SECONDS = 0.15


def kind_of(answer: Response | Failure) -> FailureKind:
    assert isinstance(answer, Failure), answer
    assert answer.detail
    return answer.kind


def test_names_are_resolved_and_sent_as_host(ask: Ask, site: Site) -> None:
    answer = ask(asking(site.robots_url("rules")))
    assert isinstance(answer, Response), answer
    assert answer.body == RULES
    assert site.asked[0].host == f"rules.site.test:{site.port}"


def test_names_beyond_ascii_are_sent_as_punycode(ask: Ask, site: Site) -> None:
    ask(asking(f"http://exämple.test:{site.port}/rules"))
    assert site.asked[0].host == f"xn--exmple-cua.test:{site.port}"


def test_system_resolver_is_the_default(site: Site) -> None:
    from canfetch.client.transports.standard import StandardTransport

    answer = StandardTransport().send(asking(f"http://localhost:{site.port}/rules"))
    assert isinstance(answer, Response), answer


@pytest.mark.parametrize("error", [socket.gaierror(-2, "Name or service not known"), OSError("broken")])
def test_name_without_address_is_a_failure(name: str, error: OSError) -> None:
    def resolve(_host: str) -> Sequence[str]:
        raise error

    with face(name, resolve=resolve) as ask:
        answer = ask(asking("http://nowhere.test/robots.txt"))
    assert kind_of(answer) is FailureKind.DNS
    assert "nowhere.test" in answer.detail  # type: ignore[union-attr]


@pytest.mark.parametrize("found", [[], ["not-an-address"], ["another.test"]])
def test_resolver_that_gives_no_address_is_a_failure(name: str, found: list[str]) -> None:
    with face(name, resolve=everywhere_is(*found)) as ask:
        assert kind_of(ask(asking("http://nowhere.test/robots.txt"))) is FailureKind.DNS


def test_resolver_that_hangs_ends_in_time(name: str) -> None:
    released = Event()

    def resolve(_host: str) -> Sequence[str]:
        released.wait(20)
        return ["127.0.0.1"]

    try:
        with face(name, resolve=resolve) as ask:
            assert kind_of(ask(asking("http://hangs.test/", connect_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
            assert kind_of(ask(asking("http://hangs.test/", timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
    finally:
        released.set()


def test_ipv6_is_spoken(ask: Ask) -> None:
    with Site(host="::1") as site:
        answer = ask(asking(site.url("rules")))
        assert isinstance(answer, Response), answer
        assert site.asked[0].host == f"[::1]:{site.port}"


def test_addresses_are_tried_in_turn(name: str, site: Site) -> None:
    # Nobody listens at the site's port of the first two.
    with face(name, resolve=everywhere_is("127.0.0.9", "::1", "127.0.0.1")) as ask:
        answer = ask(asking(site.robots_url("rules")))
    assert isinstance(answer, Response), answer


def test_refused_connection_is_a_failure(ask: Ask) -> None:
    with refusing_port() as port:
        assert kind_of(ask(asking(f"http://127.0.0.1:{port}/robots.txt"))) is FailureKind.CONNECT


def test_connection_that_is_never_made_ends_in_time(ask: Ask) -> None:
    with full_port() as port:
        answer = ask(asking(f"http://127.0.0.1:{port}/robots.txt", connect_timeout=SHORT_SECONDS))
    assert kind_of(answer) is FailureKind.TIMEOUT


def test_connection_that_nobody_reads_ends_in_time(ask: Ask) -> None:
    with accepting_port() as port:
        url = f"http://127.0.0.1:{port}/robots.txt"
        assert kind_of(ask(asking(url, read_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
        assert kind_of(ask(asking(url, timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT


# --- addresses that are somebody's own -------------------------------------------------------------------------------

PRIVATE = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1", "64:ff9b::7f00:1"]


@pytest.mark.parametrize("address", PRIVATE)
def test_guard_refuses_literal_private_addresses(ask: Ask, site: Site, address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    answer = ask(asking(f"http://{host}:{site.port}/rules", allow_private=False))
    assert kind_of(answer) is FailureKind.FORBIDDEN_ADDRESS
    assert site.asked == []


@pytest.mark.parametrize("address", PRIVATE)
def test_guard_refuses_names_of_private_addresses(name: str, site: Site, address: str) -> None:
    with face(name, resolve=everywhere_is(address)) as ask:
        answer = ask(asking(f"http://innocent.test:{site.port}/rules", allow_private=False))
    assert kind_of(answer) is FailureKind.FORBIDDEN_ADDRESS
    assert site.asked == []


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "localhost."])
def test_guard_sees_through_other_spellings(name: str, site: Site, host: str) -> None:
    from canfetch.client.transports.names import system_addresses

    with face(name, resolve=system_addresses) as ask:
        answer = ask(asking(f"http://{host}:{site.port}/rules", allow_private=False))
    # Some of them are no name at all to some systems.
    assert kind_of(answer) in {FailureKind.FORBIDDEN_ADDRESS, FailureKind.DNS}
    assert site.asked == []


def test_guard_asks_for_the_address_once(name: str, site: Site) -> None:
    # The rebinding trick: a public address for the check, a private one for the connection.
    given = iter([["192.0.2.1"], ["127.0.0.1"], ["127.0.0.1"]])
    seen: list[str] = []

    def resolve(host: str) -> Sequence[str]:
        seen.append(host)
        return next(given)

    with face(name, resolve=resolve) as ask:
        answer = ask(asking(f"http://rebinding.test:{site.port}/rules", allow_private=False))
    assert kind_of(answer) is FailureKind.FORBIDDEN_ADDRESS
    assert seen == ["rebinding.test"]
    assert site.asked == []


# --- certificates ----------------------------------------------------------------------------------------------------


def test_tls_is_spoken(tls_ask: Ask, tls_site: Site) -> None:
    for url in (tls_site.url("rules"), tls_site.robots_url("rules"), f"https://localhost.:{tls_site.port}/rules"):
        answer = tls_ask(asking(url))
        assert isinstance(answer, Response), answer
        assert answer.body == RULES


@pytest.mark.parametrize("certificate", [Authority.expired, Authority.of_another_host, Authority.self_signed])
def test_bad_certificates_are_failures(tls_ask: Ask, authority: Authority, certificate: Callable[..., object]) -> None:
    with Site(tls=certificate(authority)) as site:  # type: ignore[arg-type]
        for url in (site.url("rules"), site.robots_url("rules")):
            assert kind_of(tls_ask(asking(url))) is FailureKind.TLS
        assert site.asked == []


def test_certificate_of_an_unknown_authority_is_a_failure(name: str, tls_site: Site) -> None:
    with face(name) as ask:
        assert kind_of(ask(asking(tls_site.url("rules")))) is FailureKind.TLS


def test_plain_http_at_a_tls_url_is_a_failure(ask: Ask, site: Site) -> None:
    assert kind_of(ask(asking(f"https://127.0.0.1:{site.port}/rules"))) is FailureKind.TLS


def test_tls_at_a_plain_url_is_a_failure(tls_ask: Ask, tls_site: Site) -> None:
    answer = tls_ask(asking(f"http://127.0.0.1:{tls_site.port}/rules"))
    assert kind_of(answer) in {FailureKind.RESET, FailureKind.PROTOCOL}


def test_handshake_that_never_comes_ends_in_time(ask: Ask) -> None:
    with accepting_port() as port:
        url = f"https://127.0.0.1:{port}/robots.txt"
        assert kind_of(ask(asking(url, connect_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
        assert kind_of(ask(asking(url, timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT


@pytest.mark.parametrize("label, kind", [("silent", FailureKind.TIMEOUT), ("slow-body", FailureKind.TIMEOUT)])
def test_deadlines_hold_over_tls(tls_ask: Ask, tls_site: Site, label: str, kind: FailureKind) -> None:
    assert kind_of(tls_ask(asking(tls_site.url(label), timeout=SHORT_SECONDS))) is kind


@pytest.mark.parametrize("label", ["endless-body", "gzip-bomb"])
def test_limits_hold_over_tls(tls_ask: Ask, tls_site: Site, label: str) -> None:
    answer = tls_ask(asking(tls_site.url(label)))
    assert isinstance(answer, Response), answer
    assert len(answer.body) == 512_001


def test_rfc9112_9_8_cut_tls_is_no_end(name: str, tls_ask: Ask, site: Site, tls_site: Site) -> None:
    assert tls_ask(asking(site.url("cut-closing"))) == Response(
        site.url("cut-closing"), 200, (("Connection", "close"),), RULES
    )
    answer = tls_ask(asking(tls_site.url("cut-closing")))
    if name == "aiohttp":
        # It cannot tell; its module says so.
        assert isinstance(answer, Response)
    else:
        assert kind_of(answer) is FailureKind.RESET


def test_rfc9112_9_8_closed_tls_is_an_end(tls_ask: Ask, tls_site: Site) -> None:
    answer = tls_ask(asking(tls_site.url("closing")))
    assert isinstance(answer, Response), answer
    assert answer.body == RULES


def test_many_addresses_are_not_all_tried() -> None:
    from canfetch.client.transports.addresses import MOST_ADDRESSES, permitted

    many = [f"192.0.2.{number}" for number in range(1, 255)]
    assert permitted("many.test", many, allow_private=True) == many[:MOST_ADDRESSES]


def test_look_ups_are_bounded_and_all_answered() -> None:
    from concurrent.futures import Future
    from threading import active_count

    from canfetch.client.transports.names import _Threads

    threads = _Threads(4)
    gate = Event()
    before = active_count()

    def resolve(host: str) -> Sequence[str]:
        gate.wait(20)
        return [host]

    futures: list[Future[Sequence[str]]] = [threads.look_up(resolve, str(number)) for number in range(100)]
    assert active_count() - before <= 4
    gate.set()
    assert [future.result(20) for future in futures] == [[str(number)] for number in range(100)]
