"""The socket of a server, and the names under which it is reached."""

import os
import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final

from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_HOST: Final = re.compile(r"(?:\[([^]]*)\]|([^:\[]*))(?::\d*)?")
# Clients do not send a default port. A dot at the end of a name does not change it.
_UNSENT: Final = re.compile(r"\.?(?::(?:80|443)|(:[0-9]+))?\Z")
_NAMED: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?)(?::[0-9]+)?")
_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def without_port(host: str) -> str:
    """Return the name or address in a Host header, or nothing if the rest is not a port."""
    found = _HOST.fullmatch(host)
    return "" if found is None else found[1] or found[2] or ""


def sent_host(host: str) -> str:
    """Return a host, with or without a port, in lower case, without a dot at the end of the name and a default port."""
    return _UNSENT.sub(lambda found: found[1] or "", host.lower(), count=1)


def check_host_names(names: Iterable[str]) -> None:
    """Check the names under which a server is reached.

    Raises: InvalidOption: One is neither a name nor an address, with or without a port, in the form that requests have.
    """
    for name in names:
        origin = find_origin(f"host://{name}/")
        if origin is None or not _NAMED.fullmatch(name):
            is_foreign = origin is not None and not name.isascii() and _NAMED.fullmatch(origin.host)
            expected = origin.host if origin is not None and is_foreign else "canfetch.example.com"
            raise InvalidOption(f"invalid host name {quoted(name)}: expected a name such as {quoted(expected)}")


def check_host(host: str) -> socket.AddressFamily:
    """Return the family of the address of a host that a server listens on.

    Raises: InvalidOption: It has no address.
    """
    if host.startswith("["):
        raise InvalidOption(f"invalid host {quoted(host)}: write an IPv6 address without brackets")
    if not host:
        raise InvalidOption("invalid host '': expected an address, such as 127.0.0.1, or 0.0.0.0 for all of IPv4")
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
    except UnicodeError:
        raise InvalidOption(f"invalid host {quoted(host)}: it has an empty or a long label") from None
    except OSError as error:
        raise InvalidOption(f"invalid host {quoted(host)}: {error.strerror}") from None


def bind(host: str, port: int, *, is_fixed: bool) -> socket.socket:
    """Return a socket that is bound to an address.

    Args: is_fixed: Whether another port must not be used if this one is taken.
    Raises: InvalidOption: The address cannot be used.
    """
    family = check_host(host)
    reason: str | None = None
    for candidate in (port,) if is_fixed else (port, 0):
        # asyncio sets TCP_NODELAY only for sockets that name the protocol. Without it, responses wait 40 ms for an
        # acknowledgement.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, candidate))
        except OSError as error:
            bound.close()
            reason = error.strerror
            continue
        bound.setblocking(False)
        bound.set_inheritable(True)
        return bound
    raise InvalidOption(f"cannot listen on {host}, port {port}: {reason}")


def address_of(bound: socket.socket) -> str:
    """Return the address of a socket as a URL."""
    host, port = bound.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def local_names(port: int) -> tuple[str, ...]:
    """Return the values of the Host header that a server on a loopback address answers for."""
    return tuple(f"{name}:{port}" for name in _LOOPBACK_NAMES)
