"""The address of the client and its scheme: those of the connection, or those that trusted proxies report.

Anyone can send `X-Forwarded-For`. Each proxy appends the address that it was connected from, so the field is read from
its end, and only as far as the addresses are those of trusted proxies.
"""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from canfetch.agents.identity import parse_address, without_port
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_UNIX: Final = "unix"
_SCHEMES: Final = ("http", "https")
# No chain of proxies is longer, and each address takes time to parse.
_MAX_HOPS: Final = 16


class TrustedProxies:
    """The proxies whose `X-Forwarded-For` is used.

    Args:
        proxies: Addresses and networks, such as `10.0.0.0/8`, and `unix` for a server that listens on a Unix socket.
    Raises: InvalidOption: A proxy is neither an address, a network nor `unix`.
    """

    def __init__(self, proxies: Iterable[str]) -> None:
        if isinstance(proxies, str | bytes):
            raise InvalidOption(
                f"invalid trusted_proxies {quoted(proxies)}: expected a list, such as [{quoted(proxies)}]"
            )
        names = list(proxies)
        self._trusts_unix = _UNIX in names
        self._networks = [_network(name) for name in names if name != _UNIX]

    def __bool__(self) -> bool:
        return self._trusts_unix or bool(self._networks)

    def client_address(self, peer: str | None, forwarded_for: str | None) -> str | None:
        """Return the address of the client, or None if it is unknown.

        Args:
            peer: The address at the other end of the connection, or None or empty for a Unix socket.
            forwarded_for: The value of `X-Forwarded-For`.
        Cost: O(characters), and at most 16 addresses are parsed.
        """
        if not forwarded_for or not self._trusts_peer(peer):
            return peer or None
        hop = next((hop for hop in _last_hops(forwarded_for) if not self._trusts(hop)), "")
        return None if parse_address(hop) is None else hop

    def client_scheme(self, peer: str | None, scheme: str, forwarded_proto: str | None) -> str:
        """Return the scheme of the URL that the client requested.

        Args:
            peer: The address at the other end of the connection, or None or empty for a Unix socket.
            scheme: The scheme of the connection.
            forwarded_proto: The value of `X-Forwarded-Proto`, of which the last part is that of the nearest proxy.
        """
        forwarded = (forwarded_proto or "").rpartition(",")[2].strip().lower()
        return forwarded if forwarded in _SCHEMES and self._trusts_peer(peer) else scheme

    def _trusts_peer(self, peer: str | None) -> bool:
        return self._trusts(peer) if peer else self._trusts_unix

    def _trusts(self, text: str) -> bool:
        if not self._networks:
            return False
        address = parse_address(text)
        return address is not None and any(
            address in network for network in self._networks if network.version == address.version
        )


def _last_hops(field: str) -> Iterable[str]:
    hops = field.rsplit(",", _MAX_HOPS)[-_MAX_HOPS:]
    return [without_port(hop.strip()) for hop in reversed(hops)]


def _network(name: object) -> IPv4Network | IPv6Network:
    try:
        if isinstance(name, str):
            return ip_network(name)
    except ValueError:
        pass
    raise InvalidOption(
        f"invalid trusted proxy {quoted(name)}: expected an address, a network such as '10.0.0.0/8', or 'unix'"
    )
