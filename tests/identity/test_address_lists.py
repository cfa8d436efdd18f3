"""Published addresses: parsing, and which of them a file contains."""

import json
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.agents.address_lists import (
    MAX_PREFIXES,
    AddressList,
    AddressLists,
    AddressRanges,
    parse_address_list,
    parse_address_lists,
)
from canfetch.errors import InvalidAddressList

GOOGLE = b"""{"creationTime": "2026-11-20T15:00:14.000000",
 "prefixes": [{"ipv6Prefix": "2001:4860:4801:10::/64"}, {"ipv4Prefix": "66.249.64.0/27"},
              {"ipv4Prefix": "66.249.64.32/27"}, {"ipv4Prefix": "192.178.5.1"}]}"""
ONE, TWO = "https://example.com/one.json", "https://example.com/two.json"


@pytest.mark.parametrize(
    "address, expected",
    [
        ("66.249.63.255", False),
        ("66.249.64.0", True),
        ("66.249.64.63", True),
        ("66.249.64.64", False),
        ("192.178.5.1", True),
        ("192.178.5.2", False),
        ("2001:4860:4801:10::1", True),
        ("2001:4860:4801:11::1", False),
        ("::42f9:4000", False),
    ],
)
def test_address_is_in_the_list_of_google(address: str, *, expected: bool) -> None:
    assert (ip_address(address) in parse_address_list(GOOGLE)) is expected


def test_neighbouring_prefixes_are_merged() -> None:
    assert parse_address_list(GOOGLE).prefixes == ("66.249.64.0/26", "192.178.5.1/32", "2001:4860:4801:10::/64")


def test_ipv4_networks_in_ipv6_form_contain_ipv4_addresses() -> None:
    ranges = AddressRanges(["::ffff:8.8.8.0/120", "::ffff:9.9.9.9"])
    assert ranges.prefixes == ("8.8.8.0/24", "9.9.9.9/32")
    assert ip_address("8.8.8.8") in ranges


@given(st.lists(st.ip_addresses(v=4), min_size=1, max_size=8), st.ip_addresses(v=4), st.integers(24, 32))
def test_law_ranges_contain_what_the_networks_contain(starts: list[Any], address: Any, length: int) -> None:
    from ipaddress import ip_network

    networks = [ip_network(f"{start}/{length}", strict=False) for start in starts]
    ranges = AddressRanges(map(str, networks))
    for one in (address, *starts):
        assert (one in ranges) == any(one in network for network in networks)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"<!doctype html>", "invalid JSON"),
        (b"\xff\xfe\xfd", "invalid JSON"),
        (b"[" * 100_000, "invalid JSON"),
        (b"[]", "expected a JSON object"),
        (b"{}", "expected an array"),
        (b'{"prefixes": []}', "no prefix"),
        (b'{"prefixes": ["66.249.64.0/27"]}', "expected an object with ipv4Prefix or ipv6Prefix"),
        (b'{"prefixes": [{"ipv4Prefix": 7}]}', "expected an object with"),
        (b'{"prefixes": [{"ipv4Prefix": "66.249.64.0/33"}]}', "expected one such as"),
        (b'{"prefixes": [{"ipv6Prefix": "fe80::1%eth0/64"}]}', "expected one such as"),
        (b'{"prefixes": [{"ipv4Prefix": "0.0.0.0/0"}]}', "at least /8"),
        (b'{"prefixes": [{"ipv6Prefix": "::ffff:0:0/96"}]}', "at least /8"),
        (b'{"prefixes": [{"ipv6Prefix": "::/0"}]}', "at least /16"),
    ],
)
def test_invalid_list(content: bytes, message: str) -> None:
    with pytest.raises(InvalidAddressList, match=message):
        parse_address_list(content)


@pytest.mark.slow
def test_number_of_prefixes_is_limited() -> None:
    content = json.dumps({"prefixes": [{"ipv4Prefix": "66.249.64.0/27"}] * (MAX_PREFIXES + 1)}).encode()
    with pytest.raises(InvalidAddressList, match="too many prefixes: 100001"):
        parse_address_list(content)


def lists(**fetched_at: float) -> AddressLists:
    return AddressLists(
        {
            {"one": ONE, "two": TWO}[name]: AddressList(AddressRanges([f"66.249.64.{index}"]), seconds)
            for index, (name, seconds) in enumerate(fetched_at.items(), 1)
        }
    )


@pytest.mark.parametrize(
    "found, urls, address, expected",
    [
        (lists(one=100, two=100), [ONE, TWO], "66.249.64.2", True),
        (lists(one=100, two=100), [ONE], "66.249.64.2", False),
        (lists(one=100, two=100), [ONE, TWO], "66.249.64.3", False),
        (lists(one=100), [ONE, TWO], "66.249.64.1", True),
        (lists(one=100), [ONE, TWO], "66.249.64.3", None),
        (lists(one=1), [ONE], "66.249.64.3", None),
        (lists(one=1), [ONE], "66.249.64.1", True),
        (lists(one=100), [], "66.249.64.1", None),
    ],
    ids=str,
)
def test_only_complete_and_recent_lists_exclude_an_address(
    found: AddressLists, urls: list[str], address: str, *, expected: bool | None
) -> None:
    assert found.contain(urls, ip_address(address), fetched_since=50) is expected


def test_file_round_trip() -> None:
    original = lists(one=100.5, two=1_790_000_000)
    parsed = parse_address_lists(json.dumps(original.to_json()).encode())
    assert parsed.to_json() == original.to_json()
    assert parsed.lists[ONE].fetched_at == 100.5
    assert repr(parsed) == "<AddressLists of 2 URLs>"
    assert repr(parsed.lists[ONE].ranges) == "<AddressRanges of 1 prefixes>"


@pytest.mark.parametrize(
    "change, message",
    [
        ({"schema": "canfetch.address-lists/9"}, "invalid schema 'canfetch.address-lists/9'"),
        ({"lists": [[]]}, "expected an object with 'url'"),
        ({"lists": [{"url": ONE}]}, "invalid fetched_at"),
        ({"lists": [{"url": ONE, "fetched_at": "today"}]}, "invalid fetched_at"),
        ({"lists": [{"url": ONE, "fetched_at": "2026-11-20", "prefixes": []}]}, f"{ONE}: the list has no prefix"),
        ({"lists": [{"url": ONE, "fetched_at": "2026-11-20", "prefixes": [1]}]}, "expected a str"),
    ],
    ids=str,
)
def test_invalid_file(change: dict[str, Any], message: str) -> None:
    content = json.dumps({"schema": "canfetch.address-lists/1", "lists": [], **change}).encode()
    with pytest.raises(InvalidAddressList, match=message):
        parse_address_lists(content)
