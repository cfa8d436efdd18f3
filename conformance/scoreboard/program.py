"""Ask an adapter questions, with a limit on time and memory for each."""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from conformance.cases import Answer, Question
from conformance.origin import Origin
from conformance.protocol import parse_answer, to_json
from conformance.scoreboard.catalogue import ACCESS, PAGES, ROBOTS

# Processor time for one question. Wall-clock time would depend on what else the machine does.
SECONDS = 1.0
# Clients also start a connection pool, an event loop, or a whole crawler for a question.
CLIENT_SECONDS = 20.0
# Resident memory while answering one question.
MEGABYTES = 1024
# A program that waits instead of computing is stopped after this many seconds of wall-clock time.
WALL_SECONDS = 120.0

CRASHED, SLOW, LARGE = "crashed", "too slow", "too much memory"

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
# A question of each kind that every implementation answers at once. A program that answers it has started.
_START = Question("start", "rfc9309", ("ExampleBot",), None, True, b"", None, None, b"https://example.com/", Answer())
_FIRST = {
    ROBOTS: _START,
    ACCESS: _START._replace(url=b"/open", event={"body": ""}),
    PAGES: _START._replace(
        profile="google", page={"headers": [], "html": None, "now": "2026-01-01", "decision": "may_index"}
    ),
}


class LimitExceeded(Exception):
    """Raised when a program exceeds a limit, or exits, while it answers. The message is one of the outcomes."""


class AdapterProgram:
    """A running adapter. It is restarted after it crashed or was stopped.

    Args:
        command: The command that starts the adapter.
        environment: The environment of its process.
        asks: What the adapter is asked about, which determines its first question and its limit of time.
    """

    def __init__(self, command: list[str], environment: dict[str, str], asks: str = ROBOTS) -> None:
        self._command = command
        self._environment = environment
        self._asks = asks
        self._process: subprocess.Popen[bytes] | None = None
        self._answered = 0
        self._clients = 0
        self._unread = b""

    def __enter__(self) -> Self:
        """Return the program, which is started by its first question."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop the program."""
        self._stop()

    def ask(self, question: Question) -> "Answer | str":
        """Return the answer of the program, or why it skips the question. A crash or an exceeded limit is an error."""
        try:
            try:
                return self._ask(question)
            except LimitExceeded as outcome:
                # Earlier questions may have caused it, unless it is only slow. A new process shows whether they did.
                if self._answered == 0 or str(outcome) == SLOW:
                    raise
                self._stop()
                return self._ask(question)
        except LimitExceeded as outcome:
            self._stop()
            return Answer(error=str(outcome))

    def _ask(self, question: Question) -> "Answer | str":
        if self._process is None:
            self._start()
        answer = parse_answer(self._exchange(question, CLIENT_SECONDS if self._asks == ACCESS else SECONDS).decode())
        self._answered += 1
        return answer

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment
        )
        self._unread, self._answered = b"", 0
        try:
            self._exchange(_FIRST[self._asks], WALL_SECONDS)
        except LimitExceeded as error:
            self._stop()
            raise ValueError(f"{self._command[0]} does not answer: {error}") from None

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _exchange(self, question: Question, seconds: float) -> bytes:
        if question.steps:
            return self._exchange_steps(question, seconds)
        if question.event is None:
            return self._exchange_line(to_json(question), seconds)
        with Origin(question.event) as origin:
            return self._exchange_page(origin, question, seconds)

    def _exchange_steps(self, question: Question, seconds: float) -> bytes:
        """Ask a client that is new about a page in each step. Return the answer to the last one."""
        self._clients += 1
        line = b""
        with ExitStack() as stack:
            origins = {
                name: stack.enter_context(Origin({"body": ""})) for name in {step["origin"] for step in question.steps}
            }
            for step in question.steps:
                origin = origins[step["origin"]]
                origin.event = step["event"] or origin.event
                asked = question._replace(agents=(step["agent"],))
                line = self._exchange_page(origin, asked, seconds, client=self._clients, hours=step["hours"])
        return line

    def _exchange_page(self, origin: Origin, question: Question, seconds: float, **fields: float) -> bytes:
        asked = question._replace(url=origin.url.encode() + question.url)
        line = self._exchange_line({**to_json(asked), **fields}, seconds)
        # Ports differ from run to run, and libraries put them into messages.
        return line.replace(f":{origin.port}".encode(), b":PORT")

    def _exchange_line(self, fields: dict[str, Any], seconds: float) -> bytes:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        started, deadline = _processor_seconds(process.pid), time.monotonic() + WALL_SECONDS
        try:
            process.stdin.write(json.dumps(fields).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise LimitExceeded(_exit_outcome(process)) from None
        for chunk in _chunks(process):
            if chunk is not None:
                self._unread += chunk
            if b"\n" in self._unread:
                break
            if _processor_seconds(process.pid) - started > seconds or time.monotonic() > deadline:
                raise LimitExceeded(SLOW)
            if _peak_megabytes(process.pid) > MEGABYTES:
                raise LimitExceeded(LARGE)
        else:
            raise LimitExceeded(_exit_outcome(process))
        if _processor_seconds(process.pid) - started > seconds:
            raise LimitExceeded(SLOW)
        if _peak_megabytes(process.pid) > MEGABYTES:
            raise LimitExceeded(LARGE)
        line, _, self._unread = self._unread.partition(b"\n")
        return line


def _chunks(process: subprocess.Popen[bytes]) -> Iterator[bytes | None]:
    """Yield what the process writes, and None whenever it has written nothing for a while, until it exits."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(0.1):
                yield None
            elif chunk := os.read(process.stdout.fileno(), 65536):
                yield chunk
            else:
                return


def _exit_outcome(process: subprocess.Popen[bytes]) -> str:
    return f"{CRASHED}, exit code {process.wait()}"


def _processor_seconds(pid: int) -> float:
    """Return the processor time of a process so far, or on systems without /proc, the time of a clock."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _peak_megabytes(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return 0.0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0
