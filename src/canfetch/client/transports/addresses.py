"""Classification of IP addresses as public or not.

Source: the IANA special-purpose address registries (RFC 6890 and its updates). RFC 4291 for IPv4-mapped IPv6
addresses, RFC 3056 for 6to4, RFC 6052 for NAT64. Microsoft's page "What is IP address 168.63.129.16?", and IBM's page
"Endpoints available for IBM Cloud VPC".
"""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from itertools import zip_longest
from typing import Final

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failures import TransportError

NETWORK_BITS: Final = {4: 24, 6: 48}
"""The sizes of networks that one holder usually has at least, by the version of the addresses."""

# Bounds the connection attempts for a name with very many addresses.
MAX_ADDRESSES: Final = 8

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_THIS_NETWORK: Final = IPv4Network("0.0.0.0/8")
_NAT64: Final = IPv6Network("64:ff9b::/96")
# Reserved for documentation since 2024, which Python 3.11 does not know.
_DOCUMENTATION: Final = IPv6Network("3fff::/20")
# IETF protocol assignments and the deprecated 6to4 relays. `is_global` covers them only in part.
_ASSIGNED: Final = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))
# Public by their numbers. Each machine in Azure reaches services of its own host at the first one, and the others are
# private endpoints of the services of IBM Cloud. The addresses of the other large clouds are link-local
# (169.254.169.254), local (fd00:ec2::254), shared (100.100.100.200) or assigned (192.0.0.192) ones.
_CLOUD_NETWORKS: Final = (
    IPv4Network("168.63.129.16/32"),
    IPv4Network("161.26.0.0/16"),
    IPv4Network("166.8.0.0/14"),
)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether `address` is a unicast address of the public internet.

    An IPv6 address with an embedded IPv4 address is classified by the IPv4 address, because a gateway can translate
    it. Address ranges that no registry has assigned are not public.
    """
    if isinstance(address, IPv6Address):
        embedded = embedded_ipv4(address)
        if embedded is not None:
            return is_public(embedded)
        return address in _GLOBAL_UNICAST and address.is_global and address not in _DOCUMENTATION
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_loopback
        and not any(address in network for network in (*_ASSIGNED, *_CLOUD_NETWORKS))
    )


def is_ip_literal(host: str) -> bool:
    """Return whether `host` is an IP address in a form of RFC 3986.

    Other forms, such as `127.1` and `0x7f000001`, are names here. The system resolves them, and the result is checked
    like any other address.
    """
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def filter_addresses(host: str, addresses: Iterable[str], *, allow_private: bool) -> Sequence[str]:
    """Return the addresses of `host` that may be connected to, best first and without duplicates.

    IPv6 and IPv4 addresses alternate (RFC 8305 section 4), so that a broken family does not hide the other one.

    Raises: TransportError: FORBIDDEN_ADDRESS if all addresses are forbidden. DNS if `addresses` is empty, or one is
        not an IP address.
    """
    try:
        unique = _alternate_families(dict.fromkeys(addresses))[:MAX_ADDRESSES]
        allowed = [address for address in unique if is_public(ip_address(address)) or allow_private]
    except (TypeError, ValueError):
        if _are_addresses(addresses):
            raise  # A signal handler of the caller has raised it.
        raise TransportError(FailureKind.DNS, f"{host} resolved to an invalid IP address: {addresses}") from None
    if not unique:
        raise TransportError(FailureKind.DNS, f"{host} has no address")
    if not allowed:
        raise TransportError(FailureKind.FORBIDDEN_ADDRESS, f"address {unique[0]} of {host} is not public")
    return allowed


def _are_addresses(values: object) -> bool:
    """Return whether `values`, which a resolver of the caller has returned, are texts of IP addresses."""
    return isinstance(values, Sequence) and all(isinstance(value, str) and is_ip_literal(value) for value in values)


def _alternate_families(addresses: Iterable[str]) -> list[str]:
    families: dict[bool, list[str]] = {}
    for address in addresses:
        families.setdefault(":" in address, []).append(address)
    rounds = zip_longest(*families.values())
    return [address for addresses_of_round in rounds for address in addresses_of_round if address is not None]


def reached_by(address: IPv4Address | IPv6Address) -> frozenset[IPv4Address | IPv6Address]:
    """Return the addresses that a connection to `address` can reach: itself, and what systems and gateways make of it.

    Systems connect to the loopback address if the address is unspecified (`0.0.0.0`, `::`) or of "this network".
    """
    reached = {address}
    if isinstance(address, IPv6Address):
        embedded = embedded_ipv4(address)
        if embedded is not None:
            reached |= reached_by(embedded)
        elif address.is_unspecified:
            reached |= {IPv6Address("::1"), IPv4Address("127.0.0.1")}
    elif address in _THIS_NETWORK:
        reached.add(IPv4Address("127.0.0.1"))
    return frozenset(reached)


def embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that a gateway or the system translates an address to, or None."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
