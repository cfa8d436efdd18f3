"""The client of a request that trusted proxies passed on.

Anyone can send `X-Forwarded-For`. Each proxy appends the address that it was connected from, so the field is read from
its end, and only as far as the addresses are those of trusted proxies.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

from canfetch.agents.identity import parse_address, unmapped_network, without_port

# No chain of proxies is longer, and each address takes time to parse.
_MAX_HOPS: Final = 16


class ProxyNetworks:
    """The networks of proxies whose `X-Forwarded-For` is believed."""

    def __init__(self, networks: Iterable[IPv4Network | IPv6Network]) -> None:
        self._networks = tuple(map(unmapped_network, networks))

    def __bool__(self) -> bool:
        return bool(self._networks)

    def contains(self, address: IPv4Address | IPv6Address | None) -> bool:
        """Return whether an address is that of a proxy."""
        return address is not None and any(
            address in network for network in self._networks if network.version == address.version
        )

    def find_client(self, forwarded_for: str) -> IPv4Address | IPv6Address | None:
        """Return the last address of `X-Forwarded-For` that is not a proxy's.

        Returns: The address, or None if the client is unknown: the last 16 entries are addresses of proxies, or one of
            them is not an address.
        Cost: O(characters), and at most 16 addresses are parsed.
        """
        for hop in reversed(forwarded_for.rsplit(",", _MAX_HOPS)[-_MAX_HOPS:]):
            address = parse_address(without_port(hop.strip()))
            if not self.contains(address):
                return address
        return None
