"""Name resolution with a timeout.

The system's resolver cannot be interrupted, so it runs in daemon threads. The interpreter does not wait for them at
exit.
"""

import asyncio
import os
import socket
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Final

from canfetch.access.responses import FailureKind
from canfetch.client.transports.addresses import is_ip_literal
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failures import TransportError

# Returns the IP addresses of a name, best first, or raises OSError. It may block.
Resolve = Callable[[str], Sequence[str]]

# Hanging lookups hold their threads until the system gives up. Further lookups wait, up to their own deadlines.
_MAX_THREADS: Final = 64


def system_resolve(host: str) -> Sequence[str]:
    """Return the addresses of `host` from the system's resolver: the hosts file, DNS, and whatever else it uses.

    Raises: OSError: The name has no address, or the lookup failed.
    """
    # Passed as bytes, because getaddrinfo would encode a str by IDNA, which rejects some names that exist.
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def resolve_host(host: str, resolve: Resolve, deadlines: Deadlines) -> Sequence[str]:
    """Return the addresses of `host`, which is a name or an IP address.

    Raises: TransportError: DNS or TIMEOUT.
    """
    if is_ip_literal(host):
        return [host]
    future = _THREADS.submit(resolve, host)
    try:
        return future.result(deadlines.connect_timeout())
    except TimeoutError:
        future.cancel()
        raise deadlines.connect_timed_out() from None
    except (OSError, ValueError) as error:
        raise _name_error(host, error) from error


async def resolve_host_async(host: str, resolve: Resolve, deadlines: Deadlines) -> Sequence[str]:
    """Return the addresses of `host` without blocking the event loop.

    Raises: TransportError: DNS or TIMEOUT.
    """
    if is_ip_literal(host):
        return [host]
    try:
        async with asyncio.timeout(deadlines.connect_timeout()):
            return await asyncio.wrap_future(_THREADS.submit(resolve, host))
    except TimeoutError:
        raise deadlines.connect_timed_out() from None
    except (OSError, ValueError) as error:
        raise _name_error(host, error) from error


def _name_error(host: str, error: Exception) -> TransportError:
    detail = getattr(error, "strerror", None) or str(error)
    return TransportError(FailureKind.DNS, f"{host}: {detail}")


class _ResolverThreads:
    """A bounded pool of daemon threads. A thread ends when no lookup is waiting."""

    def __init__(self, max_threads: int) -> None:
        self._max_threads = max_threads
        self.reset()

    def reset(self) -> None:
        """Start without threads. A forked child calls this too, because the parent's threads do not exist there."""
        self._running = 0
        self._lock = Lock()
        self._waiting: deque[tuple[Future[Sequence[str]], Resolve, str]] = deque()

    def submit(self, resolve: Resolve, host: str) -> Future[Sequence[str]]:
        future: Future[Sequence[str]] = Future()
        with self._lock:
            self._waiting.append((future, resolve, host))
            if self._running == self._max_threads:
                return future
            self._running += 1
        Thread(target=self._work, name="canfetch-dns", daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                future, resolve, host = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                found = resolve(host)
            except Exception as error:  # noqa: BLE001 - raised in the thread or task that waits for the future
                future.set_exception(error)
            else:
                future.set_result(found)


_THREADS: Final = _ResolverThreads(_MAX_THREADS)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_THREADS.reset)
