"""The supervisor of a server with several workers: it starts, checks, replaces and stops them.

It waits for no worker, so that a signal takes effect at once, whatever a worker does.
"""

import logging
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from uvicorn.config import STARTUP_FAILURE
from uvicorn.server import Server
from uvicorn.supervisors.multiprocess import SIGNALS, Process

from canfetch.web.server.accepting import AcceptingServer
from canfetch.web.server.protocol import BoundedConfig

_TICK_SECONDS: Final = 0.1
# Beyond the time for the last requests, for the end of the application on a loaded machine.
_END_SECONDS: Final = 10.0
_STOPPING_SIGNALS: Final = frozenset({"INT", "TERM", "BREAK"})
LOGGER: Final = logging.getLogger("canfetch.web")


class Worker(Process):
    """A worker process, which is asked whether it serves without a wait for its answer.

    Attributes: serves: Whether it serves, by its last answer.
    """

    def __init__(self, config: BoundedConfig, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._limits = config
        self.serves = False
        self._is_asked = False
        self._is_stopping = False
        # When it was started, asked, or told to stop.
        self._since = 0.0

    @property
    def server(self) -> Server:
        """The server, in the process."""
        if self._server is None:
            self._server = AcceptingServer(self._limits)
        return self._server

    def start(self) -> None:
        """Start the process."""
        super().start()
        # Only the worker keeps its end of the pipe, so that the pipe ends with it.
        self.child_conn.close()
        self._since = time.monotonic()

    def ask(self) -> None:
        """Read the answer to the last question if it has arrived, and then ask again."""
        # OSError, EOFError: the process has ended.
        with suppress(OSError, EOFError):
            if self._is_asked:
                if not self.parent_conn.poll():
                    return
                self.serves = bool(self.parent_conn.recv())
            self.parent_conn.send(b"ping")
            self._is_asked = True
            self._since = time.monotonic()

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self.exitcode is not None

    @property
    def is_silent(self) -> bool:
        """Whether the process does not answer for longer than the configuration allows."""
        return time.monotonic() - self._since > self.config.timeout_worker_healthcheck

    def stop(self) -> None:
        """Let the process end after its requests. `end_late` bounds the time for that."""
        if not self._is_stopping:
            self._is_stopping = True
            self._since = time.monotonic()
            self.terminate()

    def end_late(self) -> None:
        """End the process at once if the time for its last requests is over."""
        seconds = (self.config.timeout_graceful_shutdown or 0) + _END_SECONDS
        if not self.has_ended and time.monotonic() - self._since > seconds:
            self.kill()


class Supervisor:
    """Runs workers until SIGTERM or Ctrl-C. Signals are queued from the start, and do not raise.

    SIGHUP replaces the workers one after another. Any number of them during a replacement cause one more.

    Attributes: is_interrupted: Whether Ctrl-C has stopped the workers.

    Args:
        config: The configuration, with the number of workers.
        sockets: The sockets on which they listen.
    """

    def __init__(self, config: BoundedConfig, sockets: list[socket.socket]) -> None:
        self.is_interrupted = False
        self._config = config
        self._sockets = sockets
        self._workers: list[Worker] = []
        # They are being started by a replacement, or complete their last requests.
        self._new: list[Worker] = []
        self._leaving: list[Worker] = []
        self._replacement: Iterator[None] | None = None
        self._has_to_replace = False
        self._is_stopping = False
        self._signals: list[int] = []
        for number in SIGNALS:
            signal.signal(number, lambda received, _: self._signals.append(received))

    def run(self) -> None:
        """Run the workers, and return after all have ended."""
        self._workers = [self._start() for _ in range(self._config.workers)]
        while not self._is_stopping:
            time.sleep(_TICK_SECONDS)
            self._handle_signals()
            self._check_workers()
            self._continue_replacement()
        for worker in (*self._workers, *self._new):
            self._stop(worker)
        self._forget_ended()
        while self._leaving:
            time.sleep(_TICK_SECONDS)
            self._forget_ended()

    def _start(self) -> Worker:
        worker = Worker(self._config, self._sockets)
        worker.start()
        return worker

    def _stop(self, worker: Worker) -> None:
        worker.stop()
        self._leaving.append(worker)

    def _forget_ended(self) -> None:
        for worker in self._leaving:
            worker.end_late()
        self._leaving = [worker for worker in self._leaving if not worker.has_ended]

    def _handle_signals(self) -> None:
        while self._signals:
            name = SIGNALS[signal.Signals(self._signals.pop(0))]
            if name in _STOPPING_SIGNALS:
                self._is_stopping = True
                self.is_interrupted |= name == "INT"
            elif name == "HUP":
                self._has_to_replace = True
            elif name == "TTIN":
                self._workers.append(self._start())
            elif name == "TTOU" and len(self._workers) > 1:
                self._stop(self._workers.pop())

    def _check_workers(self) -> None:
        """Replace workers that have ended, or do not answer."""
        self._forget_ended()
        for index, worker in enumerate(self._workers):
            worker.ask()
            if worker.exitcode == STARTUP_FAILURE:
                # The next one would fail as well.
                LOGGER.error("worker %d failed to start: stopping the server", worker.pid)
                self._is_stopping = True
            elif worker.has_ended or worker.is_silent:
                LOGGER.warning("replacing worker %d, which %s", worker.pid, _end_of(worker))
                worker.kill()
                self._leaving.append(worker)
                self._workers[index] = self._start()

    def _continue_replacement(self) -> None:
        if self._replacement is None:
            if not self._has_to_replace:
                return
            self._has_to_replace = False
            self._replacement = self._replace_all()
        if next(self._replacement, True):
            self._replacement = None

    def _replace_all(self) -> Iterator[None]:
        """Replace each worker: the new one serves before the old one ends. Each step that has to wait yields."""
        index = 0
        while index < len(self._workers):
            new = self._start()
            self._new = [new]
            started = time.monotonic()
            while not new.serves:
                if new.has_ended or time.monotonic() - started > self._config.timeout_worker_healthcheck:
                    LOGGER.error("new worker %d %s: keeping the old ones", new.pid, _end_of(new))
                    new.kill()
                    self._leaving.append(new)
                    self._new = []
                    return
                yield
                new.ask()
            old, self._workers[index] = self._workers[index], new
            self._new = []
            self._stop(old)
            while not old.has_ended:
                yield
            index += 1


def _end_of(worker: Worker) -> str:
    return "does not answer" if worker.exitcode is None else f"ended with the code {worker.exitcode}"
