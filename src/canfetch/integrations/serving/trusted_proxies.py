"""The address of the client and its scheme: those of the connection, or those that trusted proxies report."""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from canfetch.agents.identity import parse_address
from canfetch.agents.proxies import ProxyNetworks
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_UNIX: Final = "unix"
_SCHEMES: Final = ("http", "https")


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
        self._networks = ProxyNetworks(_network(name) for name in names if name != _UNIX)

    def __bool__(self) -> bool:
        return self._trusts_unix or bool(self._networks)

    def client_address(self, peer: str | None, forwarded_for: str | None) -> str | None:
        """Return the address of the client, or None if it is unknown.

        Args:
            peer: The address at the other end of the connection, or None or empty for a Unix socket.
            forwarded_for: The value of `X-Forwarded-For`.
        Cost: As for `ProxyNetworks.find_client`.
        """
        if not forwarded_for or not self._trusts_peer(peer):
            return peer or None
        address = self._networks.find_client(forwarded_for)
        return None if address is None else str(address)

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
        return self._networks.contains(parse_address(peer)) if peer else self._trusts_unix


def _network(name: object) -> IPv4Network | IPv6Network:
    try:
        if isinstance(name, str):
            return ip_network(name)
    except ValueError:
        pass
    raise InvalidOption(
        f"invalid trusted proxy {quoted(name)}: expected an address, a network such as '10.0.0.0/8', or 'unix'"
    )
