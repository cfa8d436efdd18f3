"""Several workers: how they are checked, replaced and stopped."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from tests.web.test_serve import serving
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import SIGNALS

from canfetch.web.server import supervisor
from canfetch.web.server.clients import ClientAddresses
from canfetch.web.server.protocol import BoundedConfig
from canfetch.web.server.supervisor import Supervisor

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are of another kind there")


class ControlledWorker:
    """A worker that does what a test sets."""

    def __init__(self, crowd: "Crowd") -> None:
        self._crowd = crowd
        self.pid = next(crowd.pids)
        self.exitcode: int | None = None
        self.serves = False
        self.is_silent = False
        self.is_asked_to_stop = False

    @property
    def has_ended(self) -> bool:
        return self.exitcode is not None

    def start(self) -> None:
        self._crowd.started.append(self)

    def ask(self) -> None:
        self.serves = self._crowd.start_serving

    def stop(self) -> None:
        self.is_asked_to_stop = True
        if self._crowd.end_when_asked:
            self.exitcode = 0

    def end_late(self) -> None:
        """Do nothing: no time passes."""

    def kill(self) -> None:
        self.exitcode = -signal.SIGKILL


class Crowd:
    """Runs a supervisor with controlled workers.

    Attributes:
        started: All workers, in the order of their start.
        start_serving: Whether workers serve.
        end_when_asked: Whether workers end after SIGTERM.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pids = count(1)
        self.started: list[ControlledWorker] = []
        self.start_serving = True
        self.end_when_asked = True
        self._steps: Iterator[Callable[[], object]] = iter(())
        monkeypatch.setattr(supervisor, "Worker", lambda _config, _sockets: ControlledWorker(self))
        monkeypatch.setattr(time, "sleep", lambda _: next(self._steps)())

    def run(self, number: int, *steps: Callable[[], object]) -> Supervisor:
        """Run a number of workers, and one step before each check of the supervisor, which has to end with the last."""
        self._steps = iter(steps)
        config = BoundedConfig(
            "app", header_timeout=1, reading_timeout=1, max_connections=4, addresses=ClientAddresses(()), workers=number
        )
        running = Supervisor(config, [])
        running.run()
        assert next(self._steps, None) is None
        return running

    def set_all(self, name: str, *, value: bool) -> Callable[[], None]:
        return lambda: setattr(self, name, value)

    @property
    def running(self) -> list[int]:
        return [worker.pid for worker in self.started if not worker.has_ended]


def send(name: str, times: int = 1) -> Callable[[], None]:
    def send_all() -> None:
        for _ in range(times):
            signal.raise_signal(signal.Signals[name])

    return send_all


def wait() -> None:
    """Let the supervisor check its workers once more."""


@pytest.fixture
def crowd(monkeypatch: pytest.MonkeyPatch) -> Iterator[Crowd]:
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    yield Crowd(monkeypatch)
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_signal_stops_workers_in_the_middle_of_a_replacement(crowd: Crowd, name: str) -> None:
    crowd.start_serving = False
    running = crowd.run(2, send("SIGHUP", 100), wait, wait, send(name))
    # The third is a new one, which does not serve yet.
    assert [worker.is_asked_to_stop for worker in crowd.started] == [True] * 3
    assert running.is_interrupted == (name == "SIGINT")


def test_signal_stops_all_workers_while_a_replaced_one_completes_its_requests(crowd: Crowd) -> None:
    crowd.end_when_asked = False

    def end_all() -> None:
        assert [worker.is_asked_to_stop for worker in crowd.started] == [True] * 3
        for worker in crowd.started:
            worker.exitcode = 0

    crowd.run(2, wait, send("SIGHUP"), wait, wait, send("SIGTERM"), end_all)


def test_signals_during_a_replacement_cause_one_more(crowd: Crowd) -> None:
    crowd.run(2, send("SIGHUP"), send("SIGHUP", 50), *[wait] * 20, send("SIGTERM"))
    assert len(crowd.started) == 2 + 2 + 2


def test_old_workers_end_after_new_ones_serve(crowd: Crowd) -> None:
    seen: list[list[int]] = []

    def note() -> None:
        seen.append(crowd.running)

    crowd.start_serving = False
    crowd.run(
        2, send("SIGHUP"), note, crowd.set_all("start_serving", value=True), note, note, note, note, send("SIGTERM")
    )
    assert seen[0] == [1, 2, 3]
    assert seen[-1] == [3, 4]


def test_old_workers_stay_if_a_new_one_fails(crowd: Crowd, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        crowd.started[-1].exitcode = 1

    def check() -> None:
        assert crowd.running == [1, 2]

    crowd.start_serving = False
    crowd.run(2, send("SIGHUP"), fail, wait, check, send("SIGTERM"))
    assert "new worker 3 ended with the code 1: keeping the old ones" in caplog.text


@pytest.mark.parametrize("reason", ["ended with the code -11", "does not answer"])
def test_workers_that_end_or_do_not_answer_are_replaced(
    crowd: Crowd, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        crowd.started[0].is_silent = reason == "does not answer"
        crowd.started[0].exitcode = None if crowd.started[0].is_silent else -11

    def check() -> None:
        assert crowd.running == [2, 3]

    crowd.run(2, fail, check, send("SIGTERM"))
    assert f"replacing worker 1, which {reason}" in caplog.text


def test_server_ends_if_a_worker_fails_to_start(crowd: Crowd) -> None:
    def fail() -> None:
        crowd.started[0].exitcode = STARTUP_FAILURE

    crowd.run(2, fail)
    assert len(crowd.started) == 2


def test_signals_change_the_number_of_workers(crowd: Crowd) -> None:
    seen: list[list[int]] = []
    note = [lambda: seen.append(crowd.running)]
    crowd.run(1, send("SIGTTIN"), *note, send("SIGTTOU", 3), *note, send("SIGTERM"))
    assert seen == [[1, 2], [1]]


@pytest.mark.service
def test_sigterm_does_not_wait_for_queued_replacements() -> None:
    with serving("--workers", "2") as (process, _):
        # The system merges signals that arrive at the same time.
        for _ in range(60):
            process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        # One after another, the replacements would take minutes.
        assert process.wait(60) == 0
