"""A URLFrontier service in simulated time: a model of the service, with the faults of its calls.

The channels of gRPC are replaced, and the code of the library above them is the real one. Messages are serialized, as
on the wire. A call takes time before and after its effect, in which other processes go on.
"""

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace, TracebackType
from typing import Any, Final, Literal, NamedTuple, Self
from unittest.mock import patch

from canfetch.client.frontier import urlfrontier_leases
from canfetch.client.frontier.urlfrontier_schema import message_classes
from simulation import threads
from simulation.frontier_service import FrontierService
from simulation.machine import Machine, Replaced
from simulation.plans import Shared
from simulation.processes import PROCESS, Killed, Kind, Process
from simulation.queue_leases import QueueLeases
from simulation.rules import BrokenRule
from simulation.virtual_time import virtual_now

_POLL_SECONDS: Final = 5.0
# The timeout of a call that is repeated until it has an answer.
_CALL_SECONDS: Final = 10.0
# What does not begin a turn, but comes after the call that does.
_LATER_METHODS: Final = ("PutURLs", "SetDelay")
Fault = Literal["refused", "broken", "lost", "slow", "cut", "not accepted"]
# Before the effect, after it, without it until the deadline, after it until the deadline, within a stream; and a URL
# with the status FAIL.
_FAULTS: Final[tuple[Fault, ...]] = ("refused", "broken", "lost", "slow", "cut", "not accepted")


class CallError(Exception):
    """What `grpc.RpcError` is."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self._status = status

    def code(self) -> Any:
        """Return the status."""
        return SimpleNamespace(name=self._status)

    def details(self) -> str:
        """Return the description of the status."""
        return "simulated"


class _Call(NamedTuple):
    """A call of a process.

    Attributes:
        process: The process.
        is_first_thread: Whether the thread is the one that runs its tasks.
        node: The number of the node.
        method: The method.
        requests: The requests.
        deadline: Seconds after which the call fails.
        started: When it began.
        first_started: When it began for the first time, if it is repeated.
    """

    process: Process
    is_first_thread: bool
    node: int
    method: str
    requests: list[Any]
    deadline: float
    started: float
    first_started: float


class _Block(NamedTuple):
    """A block that a process knows to be set."""

    end: int
    at: float


class _Channel:
    """A channel of a process to a node."""

    def __init__(self, server: "ServiceServer", process: Process, node: int) -> None:
        self._server = server
        self._process = process
        self._node = node
        # The last request of each thread.
        self._last: dict[object, tuple[Any, float]] = {}

    def unary_unary(self, path: str, **serializers: Any) -> Callable[..., Any]:
        """Return a function for a method with one answer."""

        def call(request: Any, *, timeout: float, metadata: object) -> Any:  # noqa: ARG001 - of gRPC
            return next(self._exchange(path, [request], timeout, serializers))

        return call

    def unary_stream(self, path: str, **serializers: Any) -> Callable[..., Iterator[Any]]:
        """Return a function for a method with a stream of answers."""

        def call(request: Any, *, timeout: float, metadata: object) -> Iterator[Any]:  # noqa: ARG001 - of gRPC
            return self._exchange(path, [request], timeout, serializers)

        return call

    def stream_stream(self, path: str, **serializers: Any) -> Callable[..., Iterator[Any]]:
        """Return a function for a method with streams of requests and answers."""

        def call(requests: Iterable[Any], *, timeout: float, metadata: object) -> Iterator[Any]:  # noqa: ARG001
            return self._exchange(path, list(requests), timeout, serializers)

        return call

    def close(self) -> None:
        """Close the channel."""

    def _exchange(
        self, path: str, requests: list[Any], timeout: float, serializers: Mapping[str, Callable[[Any], Any]]
    ) -> Iterator[Any]:
        # What a dead process leaves is closed at any time, also outside its threads.
        if not self._process.is_alive:
            raise Killed
        thread, now = threads.current_thread(), virtual_now()
        if not requests:
            return
        last, first_started = self._last.get(thread, (None, now))
        if last is not requests[0]:
            first_started = now
        self._last[thread] = requests[0], first_started
        sent = [type(request).FromString(serializers["request_serializer"](request)) for request in requests]
        is_first_thread = thread is self._process.threads[0]
        method = path.rpartition("/")[2]
        call = _Call(self._process, is_first_thread, self._node, method, sent, timeout, now, first_started)
        for answer in self._server.exchange(call):
            yield serializers["response_deserializer"](answer.SerializeToString())


class ServiceServer:
    """The service of a plan, for the block.

    Args:
        machine: The machine of the processes, whose clock is that of the service.
        shared: What happens.
        crawl: The ID of the crawl.
        chance: What its faults are derived from.
        leases: Who has which queue.
    """

    def __init__(
        self, machine: Machine, shared: Shared, crawl: str, chance: random.Random, leases: QueueLeases
    ) -> None:
        assert shared.service is not None
        self._machine = machine
        self._shared = shared
        self._plan = shared.service
        self._crawl = crawl
        self._chance = chance
        self._leases = leases
        self._service = FrontierService(message_classes(), machine.wall, self._plan.nodes)
        # What each process knows to be blocked, when it has noticed a fault, and when the service has forgotten all.
        self._blocks: dict[tuple[Process, str], _Block] = {}
        self._noticed: dict[Process, float] = {}
        self._forgotten_at = 0.0
        # When each queue was blocked last.
        self._blocked_at: dict[str, float] = {}
        self._broken: BrokenRule | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for at, _ in self._shared.outages:
            loop.call_at(at, self._begin_outage)
        # Blocks end earlier if the clock is set forward, and can be sent again later if it is set back.
        for at, _ in self._shared.steps:
            loop.call_at(at, self._leases.forget)
        frontier = "canfetch.client.frontier"
        clock = Replaced(
            time,
            monotonic=virtual_now,
            sleep=threads.sleep,
            clock_gettime=lambda _: virtual_now(),
            time=self._machine.wall,
        )
        for user in ("urlfrontier_connection", "urlfrontier_leases", "urlfrontier_service", "claimed_origins"):
            self._stack.enter_context(patch(f"{frontier}.{user}.time", clock))
        replaced = Replaced(threading, Thread=threads.Thread, Event=threads.Event, Lock=threads.Lock)
        for user in ("urlfrontier_leases", "urlfrontier_service", "claimed_origins"):
            self._stack.enter_context(patch(f"{frontier}.{user}.threading", replaced))
        # The default of its field is the function that was the monotonic clock when the module was imported.
        claim: Any = urlfrontier_leases.Claim
        self._stack.enter_context(
            patch(f"{frontier}.urlfrontier_queue.Claim", lambda *parts: claim(*parts, since=virtual_now()))
        )
        grpc = SimpleNamespace(insecure_channel=self._connect, RpcError=CallError)
        self._stack.enter_context(patch(f"{frontier}.urlfrontier_connection._import_grpc", lambda: grpc))
        # Hours of simulated time have too many half seconds.
        self._stack.enter_context(patch(f"{frontier}.urlfrontier_queue._POLL_SECONDS", _POLL_SECONDS))
        self._stack.enter_context(patch(f"{frontier}.urlfrontier_leases._IDLE_SECONDS", self._shared.lease / 8))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def check(self) -> None:
        """Raise the rule that a thread of a process has broken.

        Raises: BrokenRule.
        """
        if self._broken is not None:
            raise self._broken

    def exchange(self, call: _Call) -> Iterator[Any]:
        """Answer a call.

        Raises: CallError; Killed.
        """
        self.check()
        process = call.process
        if call.is_first_thread and call.method not in _LATER_METHODS:
            process.heard_at = call.first_started
        if call.method == "BlockQueueUntil":
            (request,) = call.requests
            known = self._blocks.get((process, request.key))
            # A call that ends a block earlier is not repeated if it fails, and neither is the block.
            if known is not None and request.time < known.end:
                del self._blocks[process, request.key]
        try:
            if call.method == "GetURLs":
                self._check_blocks(process)
            answers, cut = self._answer(call)
        except CallError:
            self._noticed[process] = virtual_now()
            self._leases.note_failure(process)
            raise
        except BrokenRule as broken:
            self._broken = self._broken or broken
            raise
        self._acknowledge(call, answers)
        yield from answers
        if cut:
            self._noticed[process] = virtual_now()
            self._leases.note_failure(process)
            raise CallError("UNAVAILABLE")

    def _connect(self, address: str, **_: object) -> _Channel:
        process = PROCESS.get()
        assert process is not None
        return _Channel(self, process, int(address.rpartition(":")[2]) - 1)

    def _begin_outage(self) -> None:
        if self._plan.forgets:
            self._service.forget()
            self._leases.forget()
            self._forgotten_at = virtual_now()

    def _answer(self, call: _Call) -> tuple[list[Any], bool]:
        """Return the answers of a call, and whether the stream breaks after them.

        Raises: CallError; Killed.
        """
        fault = self._chance.choice(_FAULTS) if self._chance.random() < self._plan.faults else None
        deadline = self._send(call, fault)
        number = len(call.requests)
        if fault == "cut":
            number = self._chance.randint(0, number)
        answers = self._apply(call, number, fails=fault == "not accepted")
        self._receive(call, fault, deadline)
        if fault == "cut":
            received = answers[: self._chance.randint(0, len(answers))]
            if not received:
                raise CallError("UNAVAILABLE")
            return received, True
        return answers, False

    def _send(self, call: _Call, fault: Fault | None) -> float:
        """Let happen what happens before the effect of a call. Return its deadline.

        Raises: CallError; Killed.
        """
        is_broken = self._reach("statement", call)
        deadline = virtual_now() + call.deadline
        if is_broken or fault == "refused":
            raise CallError("UNAVAILABLE")
        try:
            self._pass(call, deadline)
            call.process.must_happen("statement")
        except Killed:
            # A stream of URLs may have been sent in part.
            if call.method == "PutURLs" and not self._is_away(call.started):
                self._apply(call, self._chance.randint(0, len(call.requests)), fails=False)
            raise
        if self._is_away(call.started):
            raise CallError("UNAVAILABLE")
        if fault == "lost":
            self._sleep(call, deadline - virtual_now())
            raise CallError("DEADLINE_EXCEEDED")
        return deadline

    def _receive(self, call: _Call, fault: Fault | None, deadline: float) -> None:
        """Let happen what happens between the effect of a call and its answer.

        Raises: CallError; Killed.
        """
        effect_at = virtual_now()
        is_broken = self._reach("answer", call)
        self._pass(call, deadline)
        if fault == "slow":
            self._sleep(call, deadline - virtual_now())
        call.process.must_happen("answer")
        if is_broken or fault == "broken" or self._is_away(effect_at):
            raise CallError("UNAVAILABLE")
        # The answer may have arrived before the process was suspended.
        if fault == "slow" or (virtual_now() > deadline and self._chance.random() < 0.5):
            raise CallError("DEADLINE_EXCEEDED")

    def _reach(self, kind: Kind, call: _Call) -> bool:
        """Let happen what happens to a process before a call or its answer. Return whether the connection breaks."""
        interruption = call.process.due_interruption(kind)
        if interruption is None:
            return False
        if not interruption.seconds:
            return True
        call.process.suspend(interruption.seconds)
        self._sleep(call, interruption.seconds)
        return False

    def _pass(self, call: _Call, deadline: float) -> None:
        """Let the time pass that a message takes, until the deadline.

        Raises: CallError.
        """
        seconds = self._chance.choice(self._shared.latencies)
        left = deadline - virtual_now()
        if seconds > left > 0:
            self._sleep(call, left)
            call.process.must_happen("step")
            raise CallError("DEADLINE_EXCEEDED")
        self._sleep(call, seconds)

    def _sleep(self, call: _Call, seconds: float) -> None:
        """Let a call take some time."""
        self._leases.disturb(call.process, seconds)
        threads.sleep(seconds)

    def _is_away(self, since: float) -> bool:
        """Return whether the service is away, or was at some time after another one."""
        now = virtual_now()
        return any(at <= now < at + seconds or since < at <= now for at, seconds in self._shared.outages)

    def _apply(self, call: _Call, number: int, *, fails: bool) -> list[Any]:
        """Let some of the requests of a call have their effects, and return the answers."""
        process, requests = call.process, call.requests
        note = partial(self._machine.trace.note, virtual_now(), process.name, call.method)
        if call.method == "PutURLs":
            answers = []
            for item in requests[:number]:
                known = item.known.info
                if item.HasField("known") and known.crawlID == self._crawl and not fails:
                    self._leases.change(process, known.key, call.started, known.url)
                answers.append(self._service.put(item, fails=fails))
                note(known.url or item.discovered.info.url, item.known.refetchable_from_date, answers[-1].status)
            return answers
        (request,) = requests
        if call.method == "BlockQueueUntil":
            block_end = virtual_now() + request.time - self._machine.wall()
            self._leases.change(process, request.key, call.started, block_end=block_end)
            self._blocked_at[request.key] = virtual_now()
            note(request.key, request.time)
        answers = self._service.answer(call.node, call.method, request)
        if call.method == "GetURLs":
            for info in answers:
                self._leases.give(process, info.key, info.url)
                note(info.url)
        return answers

    def _acknowledge(self, call: _Call, answers: list[Any]) -> None:
        """Note what a process knows after a call."""
        process = call.process
        if call.method == "GetURLs":
            for info in answers:
                self._leases.renew(process, info.key, call.started)
        elif call.method == "BlockQueueUntil":
            request = call.requests[0]
            # The others are sent again after a fault, or end a block.
            if not call.is_first_thread or call.deadline == _CALL_SECONDS:
                self._leases.renew(process, request.key, call.first_started)
            self._blocks[process, request.key] = _Block(request.time, virtual_now())

    def _check_blocks(self, process: Process) -> None:
        """Check that a process that asks for URLs has sent its blocks again after a restart that it has noticed.

        Raises: BrokenRule.
        """
        forgotten_at = self._forgotten_at
        if self._noticed.get(process, -1.0) < forgotten_at:
            return
        for (blocker, key), block in self._blocks.items():
            is_stale = block.at < forgotten_at and self._blocked_at[key] < forgotten_at
            if blocker is process and is_stale and block.end > self._machine.wall():
                now = virtual_now()
                raise BrokenRule(f"at {now:.3f} s: {process.name} asks for URLs, and does not block {key} again")
