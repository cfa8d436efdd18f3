"""Rules for what a transport may connect to: host names, ports and networks that are allowed or refused."""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, Final

from canfetch.access.responses import FailureKind
from canfetch.agents.identity import unmapped_network
from canfetch.client.transports.addresses import reached_by
from canfetch.client.transports.failures import TransportError
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_MAX_PORT: Final = 65_535


class FetchRules:
    """What a transport may connect to. Refusing wins, and without `allow` everything else is allowed.

    A target is one of these:

    - a host name, such as `example.com`
    - a domain with all names below it, such as `.example.com` or `*.example.com`
    - a port, such as `:8080`
    - an address or a network, such as `10.0.0.0/8`

    If a port is allowed, other ports are refused, also those that FTP servers choose for the data. If a name or network
    is allowed, a host needs an allowed name or an allowed address. The addresses are those that a connection is made
    to, after name resolution. Unspecified addresses, such as `0.0.0.0` and `::`, count as loopback addresses, too.

    Args:
        allow: The targets that may be connected to. Private addresses require `allow_private` as well.
        refuse: The targets that are never connected to.
    Raises: InvalidOption.
    """

    def __init__(self, *, allow: Iterable[str] = (), refuse: Iterable[str] = ()) -> None:
        self._allow = _Targets("allow", allow)
        self._refuse = _Targets("refuse", refuse)

    def __bool__(self) -> bool:
        return bool(self._allow.texts or self._refuse.texts)

    def __repr__(self) -> str:
        return f"FetchRules(allow={self._allow.texts!r}, refuse={self._refuse.texts!r})"

    def check_host(self, host: str, port: int) -> None:
        """Check a host name and a port, before the name is resolved.

        Raises: TransportError: FORBIDDEN_ADDRESS.
        """
        if port in self._refuse.ports or (self._allow.ports and port not in self._allow.ports):
            raise TransportError(FailureKind.FORBIDDEN_ADDRESS, f"port {port} may not be fetched from")
        if self._refuse.has_name(host):
            raise TransportError(FailureKind.FORBIDDEN_ADDRESS, f"{host} may not be fetched from")

    def filter_addresses(self, host: str, addresses: Sequence[str]) -> Sequence[str]:
        """Return the addresses of a host that may be connected to.

        Raises: TransportError: FORBIDDEN_ADDRESS if there are none.
        """
        allows_all = not (self._allow.names or self._allow.networks) or self._allow.has_name(host)
        allowed = [
            address
            for address in addresses
            if not self._refuse.has_address(address) and (allows_all or self._allow.has_address(address))
        ]
        if not allowed:
            raise TransportError(
                FailureKind.FORBIDDEN_ADDRESS, f"address {addresses[0]} of {host} may not be fetched from"
            )
        return allowed


class _Targets:
    """The targets of an argument."""

    def __init__(self, argument: str, texts: Any) -> None:
        if isinstance(texts, str):
            raise InvalidOption(f"invalid {argument} {quoted(texts)}: expected a list, such as [{quoted(texts)}]")
        if isinstance(texts, bytes) or not isinstance(texts, Iterable):
            raise InvalidOption(f"invalid {argument} {quoted(texts)}: expected a list, such as ['10.0.0.0/8']")
        self.texts = tuple(texts)
        self.names: set[str] = set()
        self.ports: set[int] = set()
        self.networks: list[IPv4Network | IPv6Network] = []
        for text in self.texts:
            self._add(argument, text)

    def _add(self, argument: str, text: object) -> None:
        if not isinstance(text, str):
            raise _invalid_target(argument, text)
        port = text.removeprefix(":")
        if text.startswith(":") and port.isascii() and port.isdigit() and 1 <= int(port[:6]) <= _MAX_PORT:
            self.ports.add(int(port))
            return
        try:
            network = ip_network(text.strip("[]"))
        except ValueError:
            self.names.add(_ascii_name(argument, text))
            return
        self.networks.append(unmapped_network(network))

    def has_name(self, host: str) -> bool:
        """Return whether a host has one of the names."""
        name = host.lower().rstrip(".")
        if name in self.names:
            return True
        labels = name.split(".")
        return any(f".{'.'.join(labels[start:])}" in self.names for start in range(len(labels)))

    def has_address(self, text: str) -> bool:
        """Return whether an address, or one that a connection to it reaches, is in one of the networks."""
        reached = reached_by(ip_address(text.partition("%")[0]))
        return any(one in network for one in reached for network in self.networks)


def _ascii_name(argument: str, text: str) -> str:
    """Return the name that requests are sent to, with a dot at its start for a domain with all names below it."""
    name = (text[1:] if text.startswith("*.") else text).lower().rstrip(".")
    is_domain = name.startswith(".")
    try:
        encoded = name.removeprefix(".").encode("idna").decode("ascii")
    except UnicodeError:
        encoded = ""
    if not encoded or any(character in encoded for character in "*/:[] @%"):
        raise _invalid_target(argument, text)
    return f".{encoded}" if is_domain else encoded


def _invalid_target(argument: str, target: object) -> InvalidOption:
    return InvalidOption(
        f"invalid {argument} {quoted(target)}: expected a host name, a domain such as '.example.com', a port such as "
        "':8080', or a network such as '10.0.0.0/8'"
    )


NO_RULES: Final = FetchRules()
