"""Names become addresses, in time: the system's resolver cannot be interrupted, so it works in threads of its own.

The threads are daemons: an interpreter that ends does not wait for a resolver that hangs.
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
from canfetch.client.transports.addresses import literal_address
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failing import Failed

# Gives the addresses of a name, best first, as texts; OSError where it has none. It may block.
Resolve = Callable[[str], Sequence[str]]

# A resolver that hangs holds a thread until the system gives up; the others wait, within their own deadlines.
_MOST_THREADS: Final = 64


def system_addresses(host: str) -> Sequence[str]:
    """Ask the system: hosts file, DNS, whatever it is set up to use.

    Raises: OSError: the name has no address, or nobody could say.
    """
    # As octets, since the text form would pass an encoding that refuses some real names.
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


def addresses_of(host: str, resolve: Resolve, deadlines: Deadlines) -> Sequence[str]:
    """Give the addresses of a host, in time.

    Raises: Failed: NAME or TIMEOUT.
    """
    literal = literal_address(host)
    if literal is not None:
        return [literal]
    looked_up = _THREADS.look_up(resolve, host)
    try:
        return looked_up.result(deadlines.connect_timeout())
    except TimeoutError:
        looked_up.cancel()
        raise deadlines.too_late_to_connect() from None
    except (OSError, ValueError) as error:
        raise _no_name(host, error) from error


async def addresses_of_async(host: str, resolve: Resolve, deadlines: Deadlines) -> Sequence[str]:
    """Give the addresses of a host, in time, while others work.

    Raises: Failed: NAME or TIMEOUT.
    """
    literal = literal_address(host)
    if literal is not None:
        return [literal]
    try:
        async with asyncio.timeout(deadlines.connect_timeout()):
            return await asyncio.wrap_future(_THREADS.look_up(resolve, host))
    except TimeoutError:
        raise deadlines.too_late_to_connect() from None
    except (OSError, ValueError) as error:
        raise _no_name(host, error) from error


def _no_name(host: str, error: Exception) -> Failed:
    said = getattr(error, "strerror", None) or str(error)
    return Failed(FailureKind.DNS, f"{host}: {said}")


class _Threads:
    """At most so many look-ups at once; a thread ends when nothing waits."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.begin()

    def begin(self) -> None:
        """Begin without threads; so does the child of a fork, which has none of its parent's."""
        self._running = 0
        self._lock = Lock()
        self._waiting: deque[tuple[Future[Sequence[str]], Resolve, str]] = deque()

    def look_up(self, resolve: Resolve, host: str) -> Future[Sequence[str]]:
        future: Future[Sequence[str]] = Future()
        with self._lock:
            self._waiting.append((future, resolve, host))
            if self._running == self._most:
                return future
            self._running += 1
        Thread(target=self._work, name="canfetch-names", daemon=True).start()
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
            except Exception as error:  # noqa: BLE001 - it is for whoever waits, not for this thread
                future.set_exception(error)
            else:
                future.set_result(found)


_THREADS: Final = _Threads(_MOST_THREADS)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_THREADS.begin)
