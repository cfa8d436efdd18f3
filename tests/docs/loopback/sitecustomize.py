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
_connect = socket.socket.connect


def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
    name = host.decode() if isinstance(host, bytes) else host
    if name in HOSTS:
        return _getaddrinfo(ADDRESS, *arguments, **options)
    if name is None or name in {*LOCAL, ADDRESS}:
        return _getaddrinfo(host, *arguments, **options)
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def connect(self: socket.socket, address: Any) -> None:
    if self.family == socket.AF_INET and address[0] == ADDRESS:
        address = ("127.0.0.1", PORTS[address[1]])
    _connect(self, address)


socket.getaddrinfo = getaddrinfo
socket.socket.connect = connect  # type: ignore[assignment, method-assign]
