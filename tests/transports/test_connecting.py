"""Name resolution, address checks, connections and certificates."""

import asyncio
import gc
import socket
import struct
from collections.abc import Callable, Sequence
from contextlib import closing
from threading import Event, Semaphore
from typing import Any

import pytest
from tests.servers.certificates import Authority
from tests.servers.dead_ports import full_queue_port, refusing_port, unresponsive_port
from tests.servers.unclosed import unclosed_tls_port
from tests.servers.valid import LARGE_BYTES, RULES, large
from tests.servers.web import Site, resolve_all_to
from tests.transports.harness import (
    LOOPBACK,
    SHORT_SECONDS,
    Send,
    failure_kind,
    make_request,
    open_transport,
    transport_class,
)

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports.connections import connect
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failures import TransportError
from canfetch.errors import InvalidURL


def test_name_is_resolved_and_sent_as_host_header(send: Send, site: Site) -> None:
    answer = send(make_request(site.robots_url("rules")))
    assert isinstance(answer, Response), answer
    assert answer.body == RULES
    assert site.requests[0].host == f"rules.site.test:{site.port}"


def test_international_name_is_sent_as_punycode(send: Send, site: Site) -> None:
    send(make_request(f"http://exämple.test:{site.port}/rules"))
    assert site.requests[0].host == f"xn--exmple-cua.test:{site.port}"


def test_system_resolver_is_the_default(site: Site) -> None:
    from canfetch.client.transports.http_transport import HTTPTransport

    answer = HTTPTransport().send(make_request(f"http://localhost:{site.port}/rules"))
    assert isinstance(answer, Response), answer


@pytest.mark.parametrize(
    "error",
    [
        socket.gaierror(-2, "Name or service not known"),
        OSError("broken"),
        UnicodeError("label too long"),
        TypeError("not a name"),
    ],
)
def test_name_without_address_is_a_failure(name: str, error: Exception) -> None:
    def resolve(_host: str) -> Sequence[str]:
        raise error

    with open_transport(name, resolve=resolve) as send:
        answer = send(make_request("http://nowhere.test/robots.txt"))
    assert failure_kind(answer) is FailureKind.DNS
    assert "nowhere.test" in answer.detail  # type: ignore[union-attr]


@pytest.mark.parametrize("found", [[], ["not-an-address"], ["another.test"], [None], None])
def test_resolver_without_valid_address_is_a_failure(name: str, found: Any) -> None:
    with open_transport(name, resolve=lambda _: found) as send:
        assert failure_kind(send(make_request("http://nowhere.test/robots.txt"))) is FailureKind.DNS


@pytest.mark.parametrize("zone", ["a..b", "a" * 64])
def test_resolver_with_a_zone_that_no_interface_has_is_a_failure(name: str, zone: str) -> None:
    with open_transport(name, resolve=resolve_all_to(f"fe80::1%{zone}")) as send:
        assert isinstance(send(make_request("http://printer.test/robots.txt")), Failure)


@pytest.mark.parametrize("zone", ["eth0", "a..b", "a" * 64, "\u00e9"])
@pytest.mark.parametrize("scheme", ["http", "https", "ftp"])
def test_a_zone_in_a_url_is_invalid(send: Send, scheme: str, zone: str) -> None:
    with pytest.raises(InvalidURL):
        send(make_request(f"{scheme}://[::1%25{zone}]/robots.txt"))


def test_hanging_resolver_times_out(name: str) -> None:
    released = Event()

    def resolve(host: str) -> Sequence[str]:
        if host == "hangs.test":
            released.wait(300)
        return ["127.0.0.1"]

    try:
        with open_transport(name, resolve=resolve) as send:
            assert (
                failure_kind(send(make_request("http://hangs.test/", connect_timeout=SHORT_SECONDS)))
                is FailureKind.TIMEOUT
            )
            assert failure_kind(send(make_request("http://hangs.test/", timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
    finally:
        released.set()


def test_ipv6_is_supported(send: Send) -> None:
    with Site(host="::1") as site:
        answer = send(make_request(site.url("rules")))
        assert isinstance(answer, Response), answer
        assert site.requests[0].host == f"[::1]:{site.port}"


def test_addresses_are_tried_in_turn(name: str, site: Site) -> None:
    # No server listens on the first two addresses.
    with open_transport(name, resolve=resolve_all_to("127.0.0.9", "::1", "127.0.0.1")) as send:
        answer = send(make_request(site.robots_url("rules")))
    assert isinstance(answer, Response), answer


@pytest.mark.slow
@pytest.mark.parametrize("good", ["127.0.0.1", "::1"])
def test_rfc8305_5_unresponsive_addresses_are_not_waited_for(name: str, good: str) -> None:
    with (
        Site(host=good) as site,
        full_queue_port("127.0.0.2", site.port),
        full_queue_port("127.0.0.3", site.port),
        open_transport(name, resolve=resolve_all_to("127.0.0.2", "127.0.0.3", "127.0.0.4", good)) as send,
    ):
        answer = send(make_request(site.robots_url("rules")))
    assert isinstance(answer, Response), answer
    gc.collect()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["http", "http-async"])
def test_connect_times_out_with_several_addresses(name: str) -> None:
    with (
        full_queue_port("127.0.0.2") as port,
        full_queue_port("127.0.0.3", port),
        open_transport(name, resolve=resolve_all_to("127.0.0.2", "127.0.0.3")) as send,
    ):
        answer = send(make_request(f"http://slow.test:{port}/", connect_timeout=0.4))
    assert failure_kind(answer) is FailureKind.TIMEOUT
    # A socket that is still open would raise a ResourceWarning, which is an error in tests.
    gc.collect()


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["127.0.0.9", "::1", "127.0.0.1"]])
def test_refused_addresses_are_a_connect_failure(name: str, addresses: list[str]) -> None:
    with refusing_port() as port, open_transport(name, resolve=resolve_all_to(*addresses)) as send:
        assert failure_kind(send(make_request(f"http://a.test:{port}/"))) is FailureKind.CONNECT


def test_refused_connection_is_a_failure(send: Send) -> None:
    with refusing_port() as port:
        assert failure_kind(send(make_request(f"http://127.0.0.1:{port}/robots.txt"))) is FailureKind.CONNECT


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_port_0_cannot_be_connected_to(send: Send, scheme: str) -> None:
    answer = send(make_request(f"{scheme}://127.0.0.1:0/robots.txt"))
    assert failure_kind(answer) is FailureKind.CONNECT
    assert "port 0:" in answer.detail  # type: ignore[union-attr]


def test_connect_times_out(send: Send) -> None:
    with full_queue_port() as port:
        answer = send(make_request(f"http://127.0.0.1:{port}/robots.txt", connect_timeout=SHORT_SECONDS))
    assert failure_kind(answer) is FailureKind.TIMEOUT


def test_unresponsive_server_times_out(send: Send) -> None:
    with unresponsive_port() as port:
        url = f"http://127.0.0.1:{port}/robots.txt"
        assert failure_kind(send(make_request(url, read_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
        assert failure_kind(send(make_request(url, timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT


# --- private addresses -----------------------------------------------------------------------------------------------

PRIVATE = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1", "64:ff9b::7f00:1"]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_ip_literal_is_forbidden(send: Send, site: Site, address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    answer = send(make_request(f"http://{host}:{site.port}/rules", allow_private=False))
    assert failure_kind(answer) is FailureKind.FORBIDDEN_ADDRESS
    assert site.requests == []


@pytest.mark.parametrize("address", PRIVATE)
def test_name_with_private_address_is_forbidden(name: str, site: Site, address: str) -> None:
    with open_transport(name, resolve=resolve_all_to(address)) as send:
        answer = send(make_request(f"http://innocent.test:{site.port}/rules", allow_private=False))
    assert failure_kind(answer) is FailureKind.FORBIDDEN_ADDRESS
    assert site.requests == []


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "localhost."])
def test_other_form_of_a_private_address_is_forbidden(name: str, site: Site, host: str) -> None:
    from canfetch.client.transports.dns import system_resolve

    with open_transport(name, resolve=system_resolve) as send:
        answer = send(make_request(f"http://{host}:{site.port}/rules", allow_private=False))
    # Some systems cannot resolve some of these names.
    assert failure_kind(answer) in {FailureKind.FORBIDDEN_ADDRESS, FailureKind.DNS}
    assert site.requests == []


@pytest.mark.parametrize("found, kind", [("127.0.0.1", FailureKind.FORBIDDEN_ADDRESS), ("127.1", FailureKind.DNS)])
def test_address_is_checked_if_aiohttp_does_not_resolve_it(
    monkeypatch: pytest.MonkeyPatch, site: Site, found: str, kind: FailureKind
) -> None:
    transport_class("aiohttp")
    from canfetch.client.transports import aiohttp_transport

    async def resolve(_self: object, host: str, port: int = 0, family: int = 0) -> list[dict[str, object]]:
        address = {"hostname": host, "host": found, "port": port, "family": socket.AF_INET, "proto": 0, "flags": family}
        return [address]

    monkeypatch.setattr(aiohttp_transport._CheckedResolver, "resolve", resolve)
    with open_transport("aiohttp") as send:
        answer = send(make_request(f"http://innocent.test:{site.port}/rules", allow_private=False))
    assert failure_kind(answer) is kind
    assert site.requests == []


def test_name_is_resolved_only_once(name: str, site: Site) -> None:
    # DNS rebinding would return another address for a second lookup.
    lookups = iter([["192.0.2.1"], ["127.0.0.1"], ["127.0.0.1"]])
    seen: list[str] = []

    def resolve(host: str) -> Sequence[str]:
        seen.append(host)
        return next(lookups)

    with open_transport(name, resolve=resolve) as send:
        answer = send(make_request(f"http://rebinding.test:{site.port}/rules", allow_private=False))
    assert failure_kind(answer) is FailureKind.FORBIDDEN_ADDRESS
    assert seen == ["rebinding.test"]
    assert site.requests == []


# --- certificates ----------------------------------------------------------------------------------------------------


def test_tls_is_supported(tls_send: Send, tls_site: Site) -> None:
    for url in (tls_site.url("rules"), tls_site.robots_url("rules"), f"https://localhost.:{tls_site.port}/rules"):
        answer = tls_send(make_request(url))
        assert isinstance(answer, Response), answer
        assert answer.body == RULES


@pytest.mark.parametrize("certificate", [Authority.expired, Authority.for_another_host, Authority.self_signed])
def test_invalid_certificate_is_a_failure(
    tls_send: Send, authority: Authority, certificate: Callable[..., object]
) -> None:
    with Site(tls=certificate(authority)) as site:  # type: ignore[arg-type]
        for url in (site.url("rules"), site.robots_url("rules")):
            assert failure_kind(tls_send(make_request(url))) is FailureKind.TLS
        assert site.requests == []


def test_certificate_of_unknown_authority_is_a_failure(name: str, tls_site: Site) -> None:
    with open_transport(name) as send:
        assert failure_kind(send(make_request(tls_site.url("rules")))) is FailureKind.TLS


def test_plain_http_server_at_https_url_is_a_failure(send: Send, site: Site) -> None:
    assert failure_kind(send(make_request(f"https://127.0.0.1:{site.port}/rules"))) is FailureKind.TLS


def test_tls_server_at_http_url_is_a_failure(tls_send: Send, tls_site: Site) -> None:
    answer = tls_send(make_request(f"http://127.0.0.1:{tls_site.port}/rules"))
    assert failure_kind(answer) in {FailureKind.RESET, FailureKind.PROTOCOL}


def test_missing_handshake_times_out(send: Send) -> None:
    with unresponsive_port() as port:
        url = f"https://127.0.0.1:{port}/robots.txt"
        assert failure_kind(send(make_request(url, connect_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
        assert failure_kind(send(make_request(url, timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT


@pytest.mark.parametrize("label, kind", [("silent", FailureKind.TIMEOUT), ("slow-body", FailureKind.TIMEOUT)])
def test_deadlines_hold_over_tls(tls_send: Send, tls_site: Site, label: str, kind: FailureKind) -> None:
    assert failure_kind(tls_send(make_request(tls_site.url(label), timeout=SHORT_SECONDS))) is kind


@pytest.mark.parametrize("label", ["endless-body", "gzip-bomb"])
def test_limits_hold_over_tls(tls_send: Send, tls_site: Site, label: str) -> None:
    answer = tls_send(make_request(tls_site.url(label)))
    assert isinstance(answer, Response), answer
    assert len(answer.body) == 512_001


@pytest.mark.parametrize("label", ["cut-closing", "reset-closing", "reset-in-body", "reset-in-chunks"])
def test_rfc9112_9_8_tls_without_closing_alert_is_incomplete(tls_send: Send, tls_site: Site, label: str) -> None:
    assert failure_kind(tls_send(make_request(tls_site.url(label)))) is FailureKind.RESET


def test_closed_connection_without_tls_ends_the_body(tls_send: Send, site: Site) -> None:
    assert tls_send(make_request(site.url("cut-closing"))) == Response(
        site.url("cut-closing"), 200, (("Connection", "close"),), RULES
    )


@pytest.mark.parametrize("label, body", [("closing", RULES), ("closing-large", large())])
def test_rfc9112_9_8_tls_closing_alert_ends_the_body(tls_send: Send, tls_site: Site, label: str, body: bytes) -> None:
    answer = tls_send(make_request(tls_site.url(label), max_bytes=LARGE_BYTES))
    assert isinstance(answer, Response), answer
    assert answer.body == body


@pytest.mark.parametrize("name", ["http-async", "httpx2-async", "aiohttp"])
def test_tls_connection_is_closed_without_waiting_for_the_server(name: str, authority: Authority) -> None:
    async def send_and_wait() -> tuple[Response | Failure, bool]:
        transport = transport_class(name)(ssl_context=authority.client(), resolve=LOOPBACK)
        result = await transport.send(make_request(f"https://127.0.0.1:{port}/robots.txt"))
        is_closed = await asyncio.wrap_future(closed)
        await transport.close()
        return result, is_closed

    with unclosed_tls_port(authority.good()) as (port, closed):
        result, is_closed = asyncio.run(send_and_wait())
    assert isinstance(result, Response), result
    assert is_closed


def test_number_of_addresses_is_limited() -> None:
    from canfetch.client.transports.addresses import MAX_ADDRESSES, filter_addresses

    many = [f"192.0.2.{number}" for number in range(1, 255)]
    assert filter_addresses("many.test", many, allow_private=True) == many[:MAX_ADDRESSES]


def test_lookups_are_limited_to_the_threads_and_all_finish() -> None:
    from concurrent.futures import Future

    from canfetch.client.transports.dns import _ResolverThreads

    threads = _ResolverThreads(4)
    gate = Event()
    running = Semaphore(0)

    def resolve(host: str) -> Sequence[str]:
        running.release()
        assert gate.wait(300)
        return [host]

    futures: list[Future[Sequence[str]]] = [threads.submit(resolve, str(number)) for number in range(100)]
    for _ in range(4):
        assert running.acquire(timeout=300)
    assert not running.acquire(timeout=0.05)
    gate.set()
    assert [future.result(300) for future in futures] == [[str(number)] for number in range(100)]


@pytest.mark.slow
def test_peer_is_known_after_a_reset() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        deadlines = Deadlines(make_request("http://127.0.0.1/"))
        connection = connect("127.0.0.1", port, allow_private=True, resolve=LOOPBACK, deadlines=deadlines)
        with closing(connection):
            accepted, _ = server.accept()
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            accepted.close()
            with pytest.raises(TransportError, match="reset"):
                connection.receive()
            assert connection.peer == "127.0.0.1"
