"""The supervisor of a server with several workers: it starts, checks, replaces and stops them.

It never waits for a worker, so a signal takes effect at once, whatever a worker does.
"""

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Final

from uvicorn.server import Server
from uvicorn.supervisors.multiprocess import SIGNALS, Process

from canfetch.web.server.protocol import BoundedConfig
from canfetch.web.server.running import AcceptingServer

_TICK_SECONDS: Final = 0.1
# Beyond the time for the last requests, for the end of the application on a loaded machine.
_END_SECONDS: Final = 10.0
# After a worker that could not start, and after an unexpected error.
_PAUSE_SECONDS: Final = 1.0
_STOPPING_SIGNALS: Final = frozenset({"INT", "TERM", "BREAK"})
LOGGER: Final = logging.getLogger("canfetch.web")


class Worker(Process):
    """A worker process with a health check that does not block.

    Attributes: serves: Whether it serves, by its last answer.
    """

    def __init__(self, config: BoundedConfig, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._limits = config
        self.serves = False
        self._is_asked = False
        self._is_stopping = False
        # When it was started, last checked, or stopped.
        self._since = 0.0

    @property
    def server(self) -> Server:
        """The server, in the process."""
        if self._server is None:
            self._server = AcceptingServer(self._limits)
        return self._server

    def start(self) -> None:
        """Start the process. It ignores Ctrl-C, which stops the supervisor, which then stops the process."""
        try:
            with _blocked_interrupts():
                super().start()
        except BaseException:
            self.parent_conn.close()
            raise
        finally:
            # Only the worker keeps its end of the pipe, so that the pipe ends with it.
            self.child_conn.close()
        self._since = time.monotonic()

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve, in the process."""
        # Otherwise the pipe does not end with the supervisor.
        self.parent_conn.close()
        super().target(sockets)

    def always_pong(self) -> None:
        """Answer the supervisor, in a thread of the process. Stop as at SIGTERM if the supervisor has been killed."""
        with suppress(OSError, EOFError):
            super().always_pong()
        signal.raise_signal(signal.SIGTERM)
        time.sleep(self._seconds_to_end)
        os._exit(1)

    @property
    def _seconds_to_end(self) -> float:
        return (self.config.timeout_graceful_shutdown or 0) + _END_SECONDS

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
        if not self.has_ended and time.monotonic() - self._since > self._seconds_to_end:
            self.kill()


class Supervisor:
    """Runs workers until SIGTERM or Ctrl-C. Signals are queued from the start, and do not raise.

    SIGHUP replaces the workers one after another. Any number of them during a replacement cause one more.
    A worker that cannot start is tried again after a pause, while another one serves.

    Attributes:
        is_interrupted: Whether Ctrl-C has stopped the workers.
        has_failed: Whether the server has ended because no worker could start.

    Args:
        config: The configuration, with the number of workers.
        sockets: The sockets on which they listen.
    """

    def __init__(self, config: BoundedConfig, sockets: list[socket.socket]) -> None:
        self.is_interrupted = False
        self.has_failed = False
        self._config = config
        self._sockets = sockets
        self._number = config.workers
        self._workers: list[Worker] = []
        # They are being started by a replacement, or complete their last requests.
        self._new: list[Worker] = []
        self._leaving: list[Worker] = []
        self._replacement: Iterator[None] | None = None
        self._has_to_replace = False
        self._is_stopping = False
        # Starts that failed since a worker served, and when the next one may be tried.
        self._failures = 0
        self._next_start = 0.0
        self._signals: list[int] = []
        for number in SIGNALS:
            signal.signal(number, lambda received, _: self._signals.append(received))

    def run(self) -> None:
        """Run the workers, and return after all have ended."""
        try:
            self._step()
            while not self._is_stopping:
                time.sleep(_TICK_SECONDS)
                self._step()
        finally:
            self._end_all()

    def _step(self) -> None:
        try:
            self._handle_signals()
            self._check_workers()
            self._continue_replacement()
        except Exception:
            LOGGER.exception("unexpected error of the supervisor")
            time.sleep(_PAUSE_SECONDS)

    def _end_all(self) -> None:
        ending = (*self._workers, *self._new)
        self._leaving += ending
        try:
            for worker in ending:
                worker.stop()
            self._forget_ended()
            while self._leaving:
                time.sleep(_TICK_SECONDS)
                self._forget_ended()
        finally:
            # None is left, unless an error occurred.
            for worker in self._leaving:
                worker.kill()

    def _start(self) -> Worker | None:
        """Return a started worker, or None if the system has no place for it, or before the end of the pause."""
        if self._is_stopping or time.monotonic() < self._next_start:
            return None
        try:
            worker = Worker(self._config, self._sockets)
            worker.start()
        except Exception as error:  # noqa: BLE001 - whatever prevents it, the other workers go on
            self._report_failure(f"cannot start a worker: {error}")
            return None
        return worker

    def _report_failure(self, message: str) -> None:
        """Log why a worker could not start. Start none for a while, or end the server if none serves."""
        self._failures += 1
        self._next_start = time.monotonic() + _PAUSE_SECONDS
        if self._failures < self._number or self._is_serving:
            LOGGER.error("%s: trying again in %g s", message, _PAUSE_SECONDS)
        elif not self._is_stopping:
            LOGGER.error("%s: stopping the server, because no worker can start", message)
            self.has_failed = self._is_stopping = True

    @property
    def _is_serving(self) -> bool:
        return any(worker.serves and not worker.has_ended for worker in (*self._workers, *self._new))

    def _stop(self, worker: Worker) -> None:
        self._leaving.append(worker)
        worker.stop()

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
                self._number += 1
            elif name == "TTOU":
                self._number = max(self._number - 1, 1)

    def _check_workers(self) -> None:
        """Replace workers that have ended, or do not answer. Start or stop some if their number has changed."""
        self._forget_ended()
        for worker in self._workers:
            worker.ask()
        for worker in [worker for worker in self._workers if worker.has_ended or worker.is_silent]:
            self._workers.remove(worker)
            self._leaving.append(worker)
            end = _end_of(worker)
            worker.kill()
            if worker.serves:
                LOGGER.warning("replacing worker %d, which %s", worker.pid, end)
            else:
                self._report_failure(f"worker {worker.pid} failed to start, and {end}")
        if self._is_serving:
            self._failures = 0
        while len(self._workers) > self._number:
            self._stop(self._workers.pop())
        while len(self._workers) < self._number and (started := self._start()):
            self._workers.append(started)

    def _continue_replacement(self) -> None:
        if self._replacement is None:
            if not self._has_to_replace:
                return
            self._has_to_replace = False
            self._replacement = self._replace_all()
        try:
            is_complete = next(self._replacement, True)
        except Exception:
            self._replacement = None
            for worker in self._new:
                self._stop(worker)
            self._new = []
            raise
        if is_complete:
            self._replacement = None

    def _replace_all(self) -> Iterator[None]:
        """Replace each worker: the new one serves before the old one ends. Each step that has to wait yields."""
        for old in tuple(self._workers):
            new = None
            # A worker that is not there any more has ended, or SIGTTOU has stopped it.
            while old in self._workers and new is None:
                new = self._start()
                if new is None:
                    yield
            if new is None:
                continue
            self._new = [new]
            has_started = yield from self._wait_until_serving(new)
            self._new = []
            if not has_started:
                new.kill()
                self._leaving.append(new)
                return
            if old not in self._workers:
                self._stop(new)
                continue
            self._workers[self._workers.index(old)] = new
            self._stop(old)
            while not old.has_ended:
                yield

    def _wait_until_serving(self, new: Worker) -> Generator[None, None, bool]:
        started = time.monotonic()
        while not new.serves:
            if new.has_ended or time.monotonic() - started > self._config.timeout_worker_healthcheck:
                LOGGER.error("new worker %d %s: keeping the old ones", new.pid, _end_of(new))
                return False
            yield
            new.ask()
        return True


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block SIGINT, also in processes that are started meanwhile. This process receives it afterwards."""
    if sys.platform == "win32":
        yield
        return
    # The start of the tracker would unblock the signal.
    resource_tracker.ensure_running()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _end_of(worker: Worker) -> str:
    return "does not answer" if worker.exitcode is None else f"ended with the code {worker.exitcode}"
