"""Ports that give no answer, each in its own way."""

import contextlib
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def refusing_port(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """Give a port that refuses: taken, so that nobody else listens there, and not listening."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as taken:
        taken.bind((host, port))
        yield taken.getsockname()[1]


@contextlib.contextmanager
def accepting_port() -> Iterator[int]:
    """Give a port at 127.0.0.1 whose connections nobody ever reads: the system takes them, and that is all."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@contextlib.contextmanager
def full_port() -> Iterator[int]:
    """Give a port at 127.0.0.1 whose queue is full, so that a further connection is never made."""
    with contextlib.ExitStack() as held, socket.create_server(("127.0.0.1", 0), backlog=0) as listening:
        port = listening.getsockname()[1]
        for _ in range(4):
            filling = held.enter_context(socket.socket())
            filling.setblocking(False)
            filling.connect_ex(("127.0.0.1", port))
        yield port
