"""Route the hosts of the examples to a server on loopback. Python imports this module at startup.

It applies to the processes that run the examples, and only to name resolution and connections. All other hosts do not
exist, so no example leaves the machine. The environment variables are set by `test_pages.py`.
"""

import os
import socket
from typing import Any

# The hosts have a public address, so that `allow_private=False` has its usual effect.
ADDRESS = "93.184.215.14"
PORTS = {80: int(os.environ["EXAMPLES_HTTP_PORT"]), 443: int(os.environ["EXAMPLES_HTTPS_PORT"])}
HOSTS = frozenset(os.environ["EXAMPLES_HOSTS"].split())
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})

_getaddrinfo = socket.getaddrinfo
_gethostbyname = socket.gethostbyname
_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex


def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
    name = host.decode() if isinstance(host, bytes) else host
    if name in HOSTS:
        return _getaddrinfo(ADDRESS, *arguments, **options)
    if name is None or name in {*LOCAL, ADDRESS}:
        return _getaddrinfo(host, *arguments, **options)
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def gethostbyname(host: str) -> str:
    return ADDRESS if host in HOSTS else _gethostbyname(host)


def connect(self: socket.socket, address: Any) -> None:
    _connect(self, on_loopback(self, address))


def connect_ex(self: socket.socket, address: Any) -> int:
    return _connect_ex(self, on_loopback(self, address))


def on_loopback(connecting: socket.socket, address: Any) -> Any:
    """Return the address of the server if `address` is that of the examples."""
    if connecting.family == socket.AF_INET and address[0] == ADDRESS:
        return "127.0.0.1", PORTS[address[1]]
    return address


socket.getaddrinfo = getaddrinfo
socket.gethostbyname = gethostbyname
socket.socket.connect = connect  # type: ignore[assignment, method-assign]
socket.socket.connect_ex = connect_ex  # type: ignore[assignment, method-assign]
