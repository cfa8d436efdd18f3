"""Addresses of clients behind proxies."""

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest

from canfetch.agents import proxies
from canfetch.agents.identity import parse_address
from canfetch.agents.proxies import ProxyNetworks

CLIENT = "203.0.113.9"
PROXIES = ProxyNetworks([ip_network("10.0.0.0/8"), ip_network("2001:db8::/32")])


@pytest.mark.parametrize(
    "field, client",
    [
        (CLIENT, CLIENT),
        (f"192.0.2.1, {CLIENT},10.0.0.2 , [2001:db8::1]:443", CLIENT),
        (CLIENT + ",10.0.0.2" * 15, CLIENT),
        (CLIENT + ",10.0.0.2" * 16, None),
        ("10.0.0.3, 10.0.0.2", None),
        (f"{CLIENT}, unknown, 10.0.0.2", None),
        ("", None),
    ],
)
def test_client_behind_proxies(field: str, client: str | None) -> None:
    assert PROXIES.find_client(field) == (None if client is None else parse_address(client))


def test_networks_of_ipv4_in_ipv6_form() -> None:
    mapped = ProxyNetworks([ip_network("::ffff:10.0.0.0/104"), ip_network("::ffff:192.0.2.1")])
    contained = [mapped.contains(parse_address(text)) for text in ("10.1.2.3", "::ffff:10.1.2.3", "192.0.2.1")]
    assert contained == [True] * 3
    assert not mapped.contains(parse_address("11.0.0.1"))


def test_a_long_field_costs_as_much_as_sixteen_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: str) -> IPv4Address | IPv6Address | None:
        parsed.append(text)
        return parse_address(text)

    parsed: list[str] = []
    monkeypatch.setattr(proxies, "parse_address", parse)
    assert PROXIES.find_client("10.0.0.2," * 6000 + "10.0.0.2") is None
    assert len(parsed) == 16
