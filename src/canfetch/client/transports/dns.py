"""Name resolution with a timeout.

The system's resolver cannot be interrupted, so it runs in daemon threads. The interpreter does not wait for them at
exit.
"""

import asyncio
import os
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Lock, Thread
from typing import Final, NamedTuple

from canfetch.access.responses import FailureKind
from canfetch.client.transports.addresses import is_ip_literal
from canfetch.client.transports.daemon_threads import wait_in_loop
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failures import TransportError

# Returns the IP addresses of a name, best first, or raises OSError. It may block.
Resolve = Callable[[str], Sequence[str]]

# Hanging lookups hold their threads until the system gives up. Further lookups wait, up to their own deadlines.
_MAX_THREADS: Final = 256


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
    seconds = deadlines.connect_timeout()
    with _lookup(host, resolve, deadlines) as future:
        return future.result(seconds)


async def resolve_host_async(host: str, resolve: Resolve, deadlines: Deadlines) -> Sequence[str]:
    """Return the addresses of `host` without blocking the event loop.

    Raises: TransportError: DNS or TIMEOUT.
    """
    if is_ip_literal(host):
        return [host]
    seconds = deadlines.connect_timeout()
    with _lookup(host, resolve, deadlines) as future:
        async with asyncio.timeout(seconds):
            return await wait_in_loop(future)


@contextmanager
def _lookup(host: str, resolve: Resolve, deadlines: Deadlines) -> Iterator[Future[Sequence[str]]]:
    """Start a lookup, translate its errors to TransportError, and abandon it if it is not finished at the end."""
    future = _THREADS.submit(resolve, host)
    try:
        yield future
    except TimeoutError:
        raise deadlines.connect_timed_out() from None
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or str(error)
        raise TransportError(FailureKind.DNS, f"{host}: {detail}") from error
    finally:
        _THREADS.abandon(future)


class _WaitingLookup(NamedTuple):
    """A lookup that waits for a thread."""

    future: Future[Sequence[str]]
    resolve: Resolve
    host: str


class _ResolverThreads:
    """A bounded pool of daemon threads. A thread ends when no lookup is waiting.

    A lookup that nothing waits for any more is abandoned: its thread no longer counts, so that names that hang do not
    delay the others. The number of abandoned threads has the same bound.
    """

    def __init__(self, max_threads: int) -> None:
        self._max_threads = max_threads
        self.reset()

    def reset(self) -> None:
        """Start without threads. A forked child calls this too, because the parent's threads do not exist there."""
        self._running = 0
        self._abandoned: set[Future[Sequence[str]]] = set()
        self._lock = Lock()
        self._waiting: deque[_WaitingLookup] = deque()

    def submit(self, resolve: Resolve, host: str) -> Future[Sequence[str]]:
        future: Future[Sequence[str]] = Future()
        with self._lock:
            self._waiting.append(_WaitingLookup(future, resolve, host))
        self._start_thread()
        return future

    def abandon(self, future: Future[Sequence[str]]) -> None:
        """Cancel a lookup, or let another thread take the place of its thread."""
        if future.cancel():
            return
        with self._lock:
            # A finished future is marked under the lock, see `_work`.
            if future.done() or len(self._abandoned) >= self._max_threads:
                return
            self._abandoned.add(future)
            self._running -= 1
        self._start_thread()

    def _start_thread(self) -> None:
        with self._lock:
            if self._running == self._max_threads or not self._waiting:
                return
            self._running += 1
        try:
            Thread(target=self._work, name="canfetch-dns", daemon=True).start()
        except RuntimeError as error:
            self._give_up(error)

    def _give_up(self, error: RuntimeError) -> None:
        """Fail the waiting lookups if no thread can be started and none is running."""
        with self._lock:
            self._running -= 1
            failed = [] if self._running else list(self._waiting)
            if failed:
                self._waiting.clear()
        for lookup in failed:
            if lookup.future.set_running_or_notify_cancel():
                lookup.future.set_exception(OSError(f"no thread for name resolution: {error}"))

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                future, resolve, host = self._waiting.popleft()
                is_wanted = future.set_running_or_notify_cancel()
            if not is_wanted:
                continue
            found: Sequence[str] = ()
            failure: BaseException | None = None
            try:
                found = resolve(host)
            except BaseException as error:  # noqa: BLE001 - raised in the thread or task that waits for the future
                failure = error
            with self._lock:
                is_abandoned = future in self._abandoned
                self._abandoned.discard(future)
                if failure is None:
                    future.set_result(found)
                else:
                    future.set_exception(failure)
            if is_abandoned:
                return


_THREADS: Final = _ResolverThreads(_MAX_THREADS)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_THREADS.reset)
