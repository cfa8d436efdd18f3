"""Ports on loopback that do not respond: refusing, unresponsive, or with a full queue."""

import contextlib
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def refusing_port(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """Yield a port that refuses connections. It is bound, so that no other process can listen on it."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as taken:
        taken.bind((host, port))
        yield taken.getsockname()[1]


@contextlib.contextmanager
def unresponsive_port() -> Iterator[int]:
    """Yield a port of 127.0.0.1 where connections are made but never read from."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@contextlib.contextmanager
def full_queue_port(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """Yield a port whose queue is full, so that no further connection is made."""
    with contextlib.ExitStack() as held, socket.create_server((host, port), backlog=0) as listening:
        port = listening.getsockname()[1]
        for _ in range(4):
            filling = held.enter_context(socket.socket())
            filling.setblocking(False)
            filling.connect_ex((host, port))
        yield port
