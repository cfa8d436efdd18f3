"""What a transport may connect to: names, ports and networks, checked at each connection."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.servers.ftp import ScriptedFtp
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.fetch_rules import FetchRules
from canfetch.client.transports.http_transport import AsyncHTTPTransport, HTTPTransport
from canfetch.errors import InvalidOption

PUBLIC = "93.184.216.34"
ANY = "0.0.0.0"  # noqa: S104 - nothing is bound to it


def allows(rules: FetchRules, host: str, address: str = PUBLIC, port: int = 443) -> bool:
    try:
        rules.check_host(host, port)
        return list(rules.filter_addresses(host, [address])) == [address]
    except TransportError:
        return False


@pytest.mark.parametrize(
    "rules, allowed, refused",
    [
        ({}, [("a.example",)], []),
        ({"allow": ["a.example"]}, [("a.example",), ("A.Example.",)], [("b.a.example",), ("xa.example",)]),
        ({"allow": [".a.example"]}, [("a.example",), ("b.a.example",), ("c.b.a.example.",)], [("xa.example",)]),
        ({"allow": ["*.A.example."]}, [("b.a.example",)], [("example",)]),
        ({"allow": ["bücher.example"]}, [("xn--bcher-kva.example",)], [("bucher.example",)]),
        ({"allow": [":443", ":8443"]}, [("a.example", PUBLIC, 8443)], [("a.example", PUBLIC, 80)]),
        ({"allow": ["192.0.2.0/24"]}, [("a.example", "192.0.2.9")], [("a.example",)]),
        ({"allow": ["192.0.2.0/24", "a.example"]}, [("a.example",), ("b.example", "192.0.2.9")], [("b.example",)]),
        ({"allow": [":443", "a.example"]}, [("a.example",)], [("a.example", PUBLIC, 80), ("b.example",)]),
        ({"allow": ["[2001:db8::]"]}, [("a.example", "2001:db8::")], [("a.example", "2001:db8::1")]),
        ({"refuse": [".a.example"]}, [("example",)], [("a.example",), ("b.a.example",)]),
        ({"refuse": [":25"]}, [("a.example",)], [("a.example", PUBLIC, 25)]),
        ({"refuse": ["10.0.0.0/8"]}, [("a.example",)], [("x", "10.1.2.3"), ("x", "::ffff:10.1.2.3")]),
        ({"refuse": ["::ffff:10.0.0.0/104"]}, [("x", "11.0.0.1")], [("x", "10.1.2.3"), ("x", "::ffff:10.1.2.3")]),
        ({"refuse": ["10.0.0.0/8"]}, [("x", "2002:b00::")], [("x", "64:ff9b::a01:203"), ("x", "2002:a01:203::1")]),
        (
            {"refuse": ["127.0.0.0/8"]},
            [("x", "1.0.0.0")],
            [("x", ANY), ("x", "0.1.2.3"), ("x", "::"), ("x", "::ffff:0.0.0.0"), ("x", "64:ff9b::")],
        ),
        ({"refuse": ["::1"]}, [("x", ANY)], [("x", "::"), ("x", "::1")]),
        ({"allow": [".a.example"], "refuse": ["b.a.example"]}, [("a.example",)], [("b.a.example",)]),
        ({"allow": ["a.example"], "refuse": [f"{PUBLIC}/32"]}, [("a.example", "192.0.2.9")], [("a.example",)]),
        ({"allow": ["192.0.2.0/24"], "refuse": ["192.0.2.9"]}, [("x", "192.0.2.8")], [("x", "192.0.2.9")]),
    ],
    ids=str,
)
def test_targets(rules: dict[str, Any], allowed: list[Any], refused: list[Any]) -> None:
    compiled = FetchRules(**rules)
    assert bool(compiled) is bool(rules)
    assert [one for one in allowed if not allows(compiled, *one)] == []
    assert [one for one in refused if allows(compiled, *one)] == []


def test_an_address_that_is_refused_is_left_out() -> None:
    rules = FetchRules(refuse=["10.0.0.0/8"])
    assert rules.filter_addresses("a.example", ["10.0.0.1", PUBLIC, "10.0.0.2"]) == [PUBLIC]


@pytest.mark.parametrize(
    "target", ["", ".", "*", "*.", "a/b", "10.0.0.1/8", ":0", ":65536", ":x", "a:80", "a b", "a*.b", "http://a", "a@b"]
)
def test_invalid_targets(target: str) -> None:
    with pytest.raises(InvalidOption, match="expected a host name"):
        FetchRules(refuse=[target])


@pytest.mark.parametrize("targets, invalid", [([5], "5"), ([b"a.example"], "b'a.example'"), (5, "5"), (b"a", "b'a'")])
def test_targets_of_other_types(targets: Any, invalid: str) -> None:
    with pytest.raises(InvalidOption, match=f"invalid refuse {invalid}: expected a"):
        FetchRules(refuse=targets)


def test_invalid_arguments() -> None:
    with pytest.raises(InvalidOption, match=r"expected a list, such as \['a.example'\]"):
        FetchRules(allow="a.example")
    with pytest.raises(InvalidOption, match="cannot be used together"):
        HTTPTransport(rules=FetchRules(refuse=[":25"]), proxy="http://127.0.0.1:1")


def send(url: str, rules: FetchRules, resolve: Callable[[str], list[str]], *, is_async: bool) -> Response | Failure:
    request = TransportRequest(url, (), 500_000, 60, 60, 60, allow_private=True)
    if is_async:
        return asyncio.run(AsyncHTTPTransport(rules=rules, resolve=resolve, trust_env=False).send(request))
    return HTTPTransport(rules=rules, resolve=resolve, trust_env=False).send(request)


@pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "asyncio"])
def test_connections_are_checked(is_async: bool) -> None:  # noqa: FBT001 - a parameter of the test
    resolved = []

    def resolve(host: str) -> list[str]:
        resolved.append(host)
        return ["127.0.0.1"]

    with Site() as site:
        site.serve("/robots.txt", respond(b"User-agent: *"))
        port = site.url("/").rpartition(":")[2].rstrip("/")
        url = f"http://a.example:{port}/robots.txt"
        for rules in ({"allow": ["a.example"]}, {"allow": ["127.0.0.0/8", f":{port}"]}, {"refuse": ["b.example"]}):
            assert isinstance(send(url, FetchRules(**rules), resolve, is_async=is_async), Response), rules
        asked = len(resolved)
        for refused in ({"refuse": ["a.example"]}, {"refuse": [f":{port}"]}, {"allow": [":443"]}):
            answer = send(url, FetchRules(**refused), resolve, is_async=is_async)
            assert isinstance(answer, Failure), refused
            assert answer.kind is FailureKind.FORBIDDEN_ADDRESS
        # The names that are refused are not looked up.
        assert len(resolved) == asked
        answer = send(url, FetchRules(refuse=["127.0.0.0/8"]), resolve, is_async=is_async)
        assert isinstance(answer, Failure)
        assert answer.detail == "address 127.0.0.1 of a.example may not be fetched from"
        literal = send(site.url("/robots.txt"), FetchRules(refuse=["127.0.0.1"]), resolve, is_async=is_async)
        assert isinstance(literal, Failure)


@pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "asyncio"])
def test_the_data_port_of_an_ftp_server_is_checked(is_async: bool) -> None:  # noqa: FBT001 - a parameter of the test
    with Site() as victim, ScriptedFtp(pasv=("127.0.0.1", victim.port)) as ftp:
        control = int(ftp.netloc.rpartition(":")[2])
        for refused in ({"refuse": [f":{victim.port}"]}, {"allow": [f":{control}"]}):
            answer = send(ftp.url(), FetchRules(**refused), lambda _: ["127.0.0.1"], is_async=is_async)
            assert isinstance(answer, Failure)
            assert answer.kind is FailureKind.FORBIDDEN_ADDRESS
            assert answer.detail == f"port {victim.port} may not be fetched from"
        assert victim.requests == []
    with ScriptedFtp() as ftp:
        answer = send(ftp.url(), FetchRules(allow=["127.0.0.1"]), lambda _: ["127.0.0.1"], is_async=is_async)
        assert isinstance(answer, Response)


def test_failures_of_clients_with_other_rules_are_not_shared() -> None:
    rules = FetchRules(refuse=["a.example"])
    assert HTTPTransport(rules=rules).route != HTTPTransport().route
    assert HTTPTransport(rules=rules).route == HTTPTransport(rules=FetchRules(refuse=["a.example"])).route
