"""Computations in worker processes, shared fairly among clients. Their number and their time are bounded.

A client with computations that run starts another one only while more processes are free than it uses. So one client
never uses all processes, and the first computation of another client does not wait for it. Clients of one network count
as one here, because they may be one holder of many addresses. Large computations never use all processes, so that a
small one does not wait for those of several networks either. Computations that wait are started in turns: one of each
network, and in a network one of each client. A computation whose request ends is ended with its process.

A computation is large if its input is. A small input can need much work, so all computations of a network count as
large for a minute after one that took long or was ended.
"""

import asyncio
import logging
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from canfetch.errors import CanfetchError, WorkerKilled
from canfetch.web.server.clients import current_client, network_of
from canfetch.web.server.shares import Shares
from canfetch.web.server.worker_process import ComputationFailed

LOGGER: Final = logging.getLogger("canfetch.web")

ResultT = TypeVar("ResultT")
SMALL_BYTES: Final = 32 << 10
"""The size of the largest input of a computation that counts as small."""
_LONG_SECONDS: Final = 0.5
# The time for which the computations of a network count as large, and the number of networks for which this is known.
_LARGE_SECONDS: Final = 60.0
_MAX_NETWORKS: Final = 4096


class QueueFull(CanfetchError, RuntimeError):
    """Raised when too many computations are waiting, in all or of one client."""


class _Turn(NamedTuple):
    """A computation that waits for a worker."""

    worker: "asyncio.Future[Worker]"
    is_small: bool


class Worker(Protocol):
    """What runs one computation at a time, as `WorkerProcess` does. Its calls block."""

    def prepare(self) -> None:
        """Start what runs the computations, unless it runs. After `kill`, it is always started again."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function."""

    def kill(self) -> None:
        """End the call that is blocked, or else the next call unless `prepare` is called before."""


class WorkQueue:
    """Runs computations of one event loop in workers.

    Args:
        workers: The workers. The caller closes them.
        max_waiting: The number of computations that may wait for a worker.
        client_waiting: The number of those of one client. By default a quarter.
        clock: Returns the time in seconds.
    """

    def __init__(
        self,
        workers: Sequence[Worker],
        *,
        max_waiting: int,
        client_waiting: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workers = workers
        self._clock = clock
        self._free = list(workers)
        self._threads = ThreadPoolExecutor(len(workers), thread_name_prefix="canfetch-work")
        # By network.
        self._running: Counter[str] = Counter()
        self._large: set[Worker] = set()
        self._most_large = max(1, len(workers) - 1)
        # By network, the time until which its computations count as large.
        self._large_until: OrderedDict[str, float] = OrderedDict()
        self._places = Shares(max_waiting, client_waiting, client_waiting)
        # The networks, and their clients, in the order of their turns. Each client has computations that wait.
        self._waiting: OrderedDict[str, OrderedDict[str, deque[_Turn]]] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self.stopped = 0

    @property
    def count(self) -> int:
        """The number of computations that run or wait."""
        return self._places.taken + self._running.total()

    def start(self) -> None:
        """Start all workers in the background. Computations wait for them."""
        workers, self._free = self._free, []
        for worker in workers:
            self._in_background(self._prepare(worker))

    async def run(self, function: Callable[..., ResultT], *arguments: Any, size: int) -> ResultT:
        """Return the result of a function of a module, called in a worker for the current client.

        If the task is cancelled, for example at the end of the time of a request, the computation is ended.

        Args:
            function: The function.
            arguments: Its arguments.
            size: The bytes of its input.
        Raises: QueueFull; WorkerKilled; ComputationFailed: An unexpected error; and each CanfetchError of the function.
        """
        client = current_client.get()
        network = network_of(client)
        worker = await self._take_worker(client, network, is_small=size <= SMALL_BYTES)
        long_at = self._clock() + _LONG_SECONDS
        call = self._in_thread(worker.call, function, *arguments)
        try:
            result: ResultT = await asyncio.shield(call)
        except (asyncio.CancelledError, WorkerKilled) as error:
            self._expect_large(network)
            self.stopped += isinstance(error, asyncio.CancelledError)
            worker.kill()
            self._in_background(self._replace(network, worker, call))
            raise
        except BaseException:
            self._give_back(network, worker)
            raise
        if self._clock() > long_at:
            self._expect_large(network)
        self._give_back(network, worker)
        return result

    def close(self) -> None:
        """End all computations."""
        self._is_closed = True
        for worker in self._workers:
            if worker not in self._free:
                worker.kill()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _expect_large(self, network: str) -> None:
        self._large_until[network] = self._clock() + _LARGE_SECONDS
        self._large_until.move_to_end(network)
        if len(self._large_until) > _MAX_NETWORKS:
            self._large_until.popitem(last=False)

    def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> "asyncio.Future[Any]":
        return asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def _take_worker(self, client: str, network: str, *, is_small: bool) -> Worker:
        # If the network has computations of this size that wait, this one may not start either.
        if self._may_start(network, is_small=is_small):
            return self._start(network, is_small=is_small)
        if not self._places.take(client):
            raise QueueFull("too many computations are waiting: try again in a second")
        turn = _Turn(asyncio.get_running_loop().create_future(), is_small)
        self._waiting.setdefault(network, OrderedDict()).setdefault(client, deque()).append(turn)
        try:
            return await turn.worker
        except asyncio.CancelledError:
            if turn.worker.done() and not turn.worker.cancelled():
                self._give_back(network, turn.worker.result())
            else:
                self._forget(client, network, turn)
            raise

    def _forget(self, client: str, network: str, turn: _Turn) -> None:
        clients = self._waiting.get(network)
        if clients is not None and turn in clients.get(client, ()):
            self._remove(client, network, turn)

    def _remove(self, client: str, network: str, turn: _Turn) -> None:
        self._places.give_back(client)
        clients = self._waiting[network]
        clients[client].remove(turn)
        if not clients[client]:
            del clients[client]
        if not clients:
            del self._waiting[network]

    def _may_start(self, network: str, *, is_small: bool) -> bool:
        return len(self._free) > self._running[network] and (
            len(self._large) < self._most_large or not self._is_large(network, is_small=is_small)
        )

    def _is_large(self, network: str, *, is_small: bool) -> bool:
        return not is_small or self._clock() < self._large_until.get(network, -inf)

    def _start(self, network: str, *, is_small: bool) -> Worker:
        self._running[network] += 1
        worker = self._free.pop()
        if self._is_large(network, is_small=is_small):
            self._large.add(worker)
        return worker

    def _give_back(self, network: str, worker: Worker) -> None:
        self._end(network, worker)
        self._free.append(worker)
        self._start_waiting()

    def _end(self, network: str, worker: Worker) -> None:
        self._large.discard(worker)
        self._running[network] -= 1
        if not self._running[network]:
            del self._running[network]

    def _start_waiting(self) -> None:
        """Start computations of the clients whose turn it is, while workers are free for them."""
        while (found := self._next()) is not None:
            network, client, turn = found
            self._waiting[network].move_to_end(client)
            self._waiting.move_to_end(network)
            self._remove(client, network, turn)
            if not turn.worker.done():
                turn.worker.set_result(self._start(network, is_small=turn.is_small))

    def _next(self) -> tuple[str, str, _Turn] | None:
        for network, clients in self._waiting.items():
            for client, turns in clients.items():
                for turn in turns:
                    if self._may_start(network, is_small=turn.is_small):
                        return network, client, turn
        return None

    async def _replace(self, network: str, worker: Worker, call: "asyncio.Future[Any]") -> None:
        """Start a worker again. Until then, its network is charged for it."""
        await asyncio.gather(call, return_exceptions=True)
        await self._prepare(worker)
        self._end(network, worker)
        self._start_waiting()

    async def _prepare(self, worker: Worker) -> None:
        """Start a worker, and add it to those that are free."""
        if self._has_ended():
            return
        try:
            await self._in_thread(worker.prepare)
        except (WorkerKilled, ComputationFailed, OSError) as error:
            # The end of the server ends its processes, too.
            LOGGER.log(
                logging.DEBUG if self._has_ended() else logging.ERROR, "a worker process does not start: %s", error
            )
        self._free.append(worker)
        self._start_waiting()

    def _has_ended(self) -> bool:
        return self._is_closed

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
