"""Which addresses are the public internet, and which lead into somebody's own house.

Source: the IANA special-purpose address registries (RFC 6890 and what came after); RFC 4291 for IPv4 inside
of IPv6, RFC 3056 for 6to4, RFC 6052 for NAT64.
"""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failing import Failed

# A name with a thousand addresses is not tried a thousand times.
MOST_ADDRESSES: Final = 8

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")
# Documentation since 2024: older interpreters do not know it.
_DOCUMENTATION: Final = IPv6Network("3fff::/20")
# Protocol assignments, and the retired address of 6to4 relays: interpreters know parts of them, or none.
_ASSIGNED: Final = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Say whether an address is a host of the public internet.

    An address that carries an IPv4 address is judged as that one: the network behind may take it out.
    Whatever no registry gives out is not public.
    """
    if isinstance(address, IPv6Address):
        inside = _embedded(address)
        if inside is not None:
            return is_public(inside)
        return address in _GLOBAL_UNICAST and address.is_global and address not in _DOCUMENTATION
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_loopback
        and not any(address in network for network in _ASSIGNED)
    )


def literal_address(host: str) -> str | None:
    """Give a host that is an address itself, or None for a name.

    Only the forms of RFC 3986 count. `127.1` and `0x7f000001` are names here: what the system makes of them is
    looked up, and then checked.
    """
    try:
        ip_address(host)
    except ValueError:
        return None
    return host


def permitted(host: str, found: Iterable[str], *, allow_private: bool) -> Sequence[str]:
    """Give the addresses of a host that may be connected to, in their order, each once.

    Raises: Failed: FORBIDDEN_ADDRESS where all are forbidden, NAME where there is none.
    """
    every = list(dict.fromkeys(found))[:MOST_ADDRESSES]
    try:
        allowed = [address for address in every if is_public(ip_address(address)) or allow_private]
    except ValueError:
        raise Failed(FailureKind.DNS, f"{host} is at {every}, which is no address") from None
    if not every:
        raise Failed(FailureKind.DNS, f"{host} has no address")
    if not allowed:
        raise Failed(FailureKind.FORBIDDEN_ADDRESS, f"{host} is at {every[0]}, which is not on the public internet")
    return allowed


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
