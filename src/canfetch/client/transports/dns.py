"""Name resolution with a timeout.

The system's resolver cannot be interrupted, so it runs in daemon threads. The interpreter does not wait for them at
exit.

A lookup that has no answer, in time or at all, says nothing about whose fault that is: the name servers of the site can
be down, or those of this machine. So another name is looked up as well, that of a root server, which every name server
knows. If that has no answer either, the failure is one of this machine.
"""

import os
import socket
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from threading import Lock, Thread
from time import monotonic
from typing import Final, NamedTuple, Self

from canfetch.access.responses import FailureKind
from canfetch.client.transports.addresses import is_ip_literal
from canfetch.client.transports.daemon_threads import wait_at_most
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.local_errors import NoThread, is_local_error

# Returns the IP addresses of a name, best first, or raises OSError, ValueError or TypeError. It may block.
Resolve = Callable[[str], Sequence[str]]

# Hanging lookups hold their threads until the system gives up. Further lookups wait, up to their own deadlines.
_MAX_THREADS: Final = 256
_PROBE_NAME: Final = "a.root-servers.net"


def system_resolve(host: str) -> Sequence[str]:
    """Return the addresses of `host` from the system's resolver: the hosts file, DNS, and whatever else it uses.

    Raises: OSError: The name has no address, or the lookup failed.
    """
    # Passed as bytes, because getaddrinfo would encode a str by IDNA, which rejects some names that exist.
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def resolve_host(host: str, resolve: Resolve, deadlines: Deadlines) -> Sequence[str]:
    """Return the addresses of `host`, which is a name or an IP address.

    Raises: TransportError: DNS, TIMEOUT or LOCAL.
    """
    if is_ip_literal(host):
        return [host]
    with _Lookup(host, resolve, deadlines) as lookup:
        wait([lookup.future], lookup.seconds / 2)
        if lookup.needs_probe:
            wait([lookup.start_probe()], lookup.seconds_left)
            wait([lookup.future], lookup.seconds_left)
        return lookup.result()


async def resolve_host_async(host: str, resolve: Resolve, deadlines: Deadlines) -> Sequence[str]:
    """Return the addresses of `host` without blocking the event loop.

    Raises: TransportError: DNS, TIMEOUT or LOCAL.
    """
    if is_ip_literal(host):
        return [host]
    with _Lookup(host, resolve, deadlines) as lookup:
        await wait_at_most(lookup.future, lookup.seconds / 2)
        if lookup.needs_probe:
            await wait_at_most(lookup.start_probe(), lookup.seconds_left)
            await wait_at_most(lookup.future, lookup.seconds_left)
        return lookup.result()


class _Lookup:
    """A lookup of a name. If it is not finished at the end, it is abandoned.

    Attributes:
        future: The addresses.
        seconds: The seconds for the lookup.
    """

    def __init__(self, host: str, resolve: Resolve, deadlines: Deadlines) -> None:
        self._host = host
        self._resolve = resolve
        self._deadlines = deadlines
        self.seconds = deadlines.connect_timeout()
        self._deadline = monotonic() + self.seconds
        self.future = _THREADS.submit(resolve, host)
        self._probe: Future[Sequence[str]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _THREADS.abandon(self.future)
        if self._probe is not None:
            _THREADS.abandon(self._probe)

    @property
    def seconds_left(self) -> float:
        """The seconds that are left, at least 0."""
        return max(0.0, self._deadline - monotonic())

    @property
    def needs_probe(self) -> bool:
        """Whether another lookup has to show if names can be resolved at all."""
        return not _has_answer(self.future)

    def start_probe(self) -> Future[Sequence[str]]:
        """Look up another name."""
        self._probe = _THREADS.submit(self._resolve, _PROBE_NAME)
        return self._probe

    def result(self) -> Sequence[str]:
        """Return the addresses.

        Raises: TransportError.
        """
        is_local = self._probe is not None and not _has_answer(self._probe) and not _has_answer(self.future)
        if not self.future.done():
            if is_local:
                raise TransportError(
                    FailureKind.LOCAL, f"no answer from name servers within {round(self.seconds, 1):g} s"
                )
            raise self._deadlines.connect_timed_out()
        # Not raised and caught here: a signal handler of the caller can raise the same kinds.
        error = self.future.exception()
        if not isinstance(error, (OSError, ValueError, TypeError)):
            return self.future.result()
        detail = f"{self._host}: {getattr(error, 'strerror', None) or error}"
        is_local = is_local or is_local_error(error)
        raise TransportError(FailureKind.LOCAL if is_local else FailureKind.DNS, detail) from error


def _has_answer(future: Future[Sequence[str]]) -> bool:
    """Return whether a lookup is finished, and some name server answered it, if only that there is no such name."""
    if not future.done() or future.cancelled():
        return False
    error = future.exception()
    return not (isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN)


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
                lookup.future.set_exception(NoThread(f"no thread for name resolution: {error}"))

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
