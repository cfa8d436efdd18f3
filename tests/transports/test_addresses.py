"""Classification of addresses as public or private, and the choice of addresses to connect to."""

from ipaddress import ip_address

import pytest

from canfetch.access.responses import FailureKind
from canfetch.client.transports.addresses import filter_addresses, is_ip_literal, is_public
from canfetch.client.transports.failures import TransportError

PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "212.96.82.21",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001:82a::200e",
    "::ffff:8.8.8.8",
    "2002:0808:0808::1",
    "64:ff9b::808:808",
]

NOT_PUBLIC = [
    "0.0.0.0",  # noqa: S104 - only classified, never bound
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:0:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:2::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_address_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_special_purpose_address_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "fe80::1%eth0"])
def test_ip_literal_is_recognised(host: str) -> None:
    assert is_ip_literal(host)


@pytest.mark.parametrize("host", ["example.com", "127.1", "0x7f000001", "2130706433", "127.0.0.01", ""])
def test_other_forms_are_not_ip_literals(host: str) -> None:
    assert not is_ip_literal(host)


def test_private_addresses_and_duplicates_are_removed() -> None:
    found = ["10.0.0.1", "8.8.8.8", "::1", "8.8.8.8"]
    assert filter_addresses("mixed.test", found, allow_private=False) == ["8.8.8.8"]
    assert filter_addresses("mixed.test", found, allow_private=True) == ["10.0.0.1", "::1", "8.8.8.8"]


@pytest.mark.parametrize(
    "found, kind",
    [([], FailureKind.DNS), (["example.com"], FailureKind.DNS), (["::1"], FailureKind.FORBIDDEN_ADDRESS)],
)
def test_name_without_allowed_address_raises(found: list[str], kind: FailureKind) -> None:
    with pytest.raises(TransportError) as caught:
        filter_addresses("a.test", found, allow_private=False)
    assert caught.value.kind is kind


# Metadata, credentials, name servers and services of the host.
CLOUD_ADDRESSES = {
    "AWS": ["169.254.169.254", "169.254.170.2", "169.254.169.253", "169.254.169.123", "fd00:ec2::254", "fd00:ec2::253"],
    "Azure": ["169.254.169.254", "168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::a83f:8110", "2002:a83f:8110::1"],
    "Google Cloud": ["169.254.169.254", "fd20:ce::254"],
    "Oracle Cloud": ["169.254.169.254", "192.0.0.192", "fd00:c1::a9fe:a9fe"],
    "Alibaba Cloud": ["100.100.100.200"],
    "IBM Cloud": ["169.254.169.254", "161.26.0.10", "166.8.0.1", "166.11.255.255", "::ffff:161.26.0.10"],
    "Akamai": ["169.254.169.254", "fe80::a9fe:a9fe"],
    "DigitalOcean": ["169.254.169.254"],
    "Scaleway": ["169.254.42.42", "fd00:42::42"],
}


@pytest.mark.parametrize("cloud", CLOUD_ADDRESSES)
def test_special_addresses_of_clouds_are_not_public(cloud: str) -> None:
    assert not [address for address in CLOUD_ADDRESSES[cloud] if is_public(ip_address(address))]


def test_neighbours_of_special_addresses_are_public() -> None:
    for address in ("168.63.129.15", "161.25.255.255", "161.27.0.0", "166.7.255.255", "166.12.0.0"):
        assert is_public(ip_address(address)), address
