"""Several workers: how they are checked, replaced and stopped."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPException
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.web.test_serve import ROOT, get, serving
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import SIGNALS

from canfetch.web.server import supervisor
from canfetch.web.server.clients import ClientAddresses
from canfetch.web.server.protocol import BoundedConfig
from canfetch.web.server.supervisor import Supervisor, Worker

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are of another kind there")


def new_config(workers: int = 1) -> BoundedConfig:
    return BoundedConfig(
        "app", header_timeout=1, reading_timeout=1, max_connections=4, addresses=ClientAddresses(()), workers=workers
    )


class ControlledWorker:
    """A worker that does what a test sets."""

    def __init__(self, crowd: "Crowd") -> None:
        self._crowd = crowd
        self.pid = next(crowd.pids)
        self.exitcode: int | None = None
        self.serves = False
        self.is_silent = False
        self.is_asked_to_stop = False
        self.is_broken = False

    @property
    def has_ended(self) -> bool:
        return self.exitcode is not None

    def start(self) -> None:
        if self._crowd.start_error is not None:
            raise self._crowd.start_error
        self._crowd.started.append(self)

    def ask(self) -> None:
        if self.is_broken:
            raise ValueError("broken")
        self.serves |= self._crowd.start_serving

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
        start_error: What prevents the start of a worker, if anything.
        seconds: The time of the supervisor.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pids = count(1)
        self.started: list[ControlledWorker] = []
        self.start_serving = True
        self.end_when_asked = True
        self.start_error: OSError | None = None
        self.seconds = 0.0
        self._steps: Iterator[Callable[[], object]] = iter(())
        monkeypatch.setattr(supervisor, "Worker", lambda _config, _sockets: ControlledWorker(self))
        # Not in `time` itself: servers of other tests may be running in threads of this process.
        clock = SimpleNamespace(sleep=lambda _: next(self._steps)(), monotonic=lambda: self.seconds)
        monkeypatch.setattr(supervisor, "time", clock)

    def run(self, number: int, *steps: Callable[[], object]) -> Supervisor:
        """Run a number of workers, and one step before each check of the supervisor, which has to end with the last."""
        self._steps = iter(steps)
        running = Supervisor(new_config(number), [])
        running.run()
        assert next(self._steps, None) is None
        return running

    def set_all(self, name: str, *, value: object) -> Callable[[], None]:
        return lambda: setattr(self, name, value)

    def pass_second(self) -> None:
        self.seconds += 1

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


def test_server_ends_if_no_worker_can_start(crowd: Crowd, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        crowd.started[-1].exitcode = STARTUP_FAILURE

    crowd.start_serving = False
    running = crowd.run(2, fail, crowd.pass_second, fail)
    assert running.has_failed
    assert [worker.is_asked_to_stop for worker in crowd.started] == [True, False, False]
    assert caplog.messages == [
        "worker 2 failed to start, and ended with the code 3: trying again in 1 s",
        "worker 3 failed to start, and ended with the code 3: stopping the server, because no worker can start",
    ]


def test_server_ends_if_the_system_starts_no_worker(crowd: Crowd, caplog: pytest.LogCaptureFixture) -> None:
    crowd.start_error = OSError("too many")
    assert crowd.run(2, wait, crowd.pass_second).has_failed
    assert caplog.messages[0] == "cannot start a worker: too many: trying again in 1 s"


def test_failed_successors_are_tried_again_while_a_worker_serves(
    crowd: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        crowd.started[-1].exitcode = STARTUP_FAILURE

    def check() -> None:
        assert crowd.running == [1, 3 + 4]

    failures = [step for _ in range(4) for step in (fail, crowd.pass_second)]
    running = crowd.run(2, wait, crowd.set_all("start_serving", value=False), fail, *failures, check, send("SIGTERM"))
    assert not running.has_failed
    assert caplog.messages[0] == "replacing worker 2, which ended with the code 3"
    assert caplog.messages[4] == "worker 6 failed to start, and ended with the code 3: trying again in 1 s"


@pytest.mark.parametrize("reason", ["SIGHUP", "ended"])
def test_start_that_the_system_refuses_is_tried_again(
    crowd: Crowd, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse() -> None:
        crowd.start_error = OSError("too many")
        if reason == "SIGHUP":
            signal.raise_signal(signal.SIGHUP)
        else:
            crowd.started[0].exitcode = -9

    def check() -> None:
        assert crowd.running == ([3, 4] if reason == "SIGHUP" else [2, 3])

    steps = (crowd.set_all("start_error", value=None), crowd.pass_second, wait, wait, wait, check)
    monitored = iter(range(3, 99))
    crowd.run(2, wait, refuse, wait, wait, lambda: setattr(crowd, "pids", monitored), *steps, send("SIGTERM"))
    assert caplog.messages[-1] == "cannot start a worker: too many: trying again in 1 s"


def test_number_falls_while_the_last_worker_is_replaced(crowd: Crowd) -> None:
    def check() -> None:
        assert crowd.running == [3]

    crowd.run(
        2,
        send("SIGHUP"),
        wait,
        crowd.set_all("start_serving", value=False),
        send("SIGTTOU"),
        crowd.set_all("start_serving", value=True),
        wait,
        check,
        send("SIGTERM"),
    )
    assert len(crowd.started) == 4


def test_unexpected_error_does_not_end_the_supervision(crowd: Crowd, caplog: pytest.LogCaptureFixture) -> None:
    def set_broken(*, value: bool) -> Callable[[], None]:
        return lambda: setattr(crowd.started[0], "is_broken", value)

    # After the error is a pause.
    crowd.run(2, set_broken(value=True), wait, set_broken(value=False), wait, send("SIGTERM"))
    assert "unexpected error of the supervisor" in caplog.text
    assert [worker.is_asked_to_stop for worker in crowd.started] == [True, True]


def test_unexpected_error_ends_only_the_replacement(crowd: Crowd) -> None:
    def break_new() -> None:
        crowd.started[-1].is_broken = True

    def check() -> None:
        assert crowd.running == [1, 2]

    crowd.start_serving = False
    # After the error is a pause.
    crowd.run(2, send("SIGHUP"), break_new, wait, check, send("SIGTERM"))
    assert [worker.is_asked_to_stop for worker in crowd.started] == [True] * 3


def test_workers_end_whatever_ends_the_supervision(crowd: Crowd) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crowd.run(2, wait, interrupt)
    assert [worker.is_asked_to_stop for worker in crowd.started] == [True, True]


def test_signals_change_the_number_of_workers(crowd: Crowd) -> None:
    seen: list[list[int]] = []
    note = [lambda: seen.append(crowd.running)]
    crowd.run(1, send("SIGTTIN"), *note, send("SIGTTOU", 3), *note, send("SIGTERM"))
    assert seen == [[1, 2], [1]]


class DeafWorker(Worker):
    """A worker that ignores SIGTERM."""

    def target(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002 - it serves nothing
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.child_conn.send(True)
        time.sleep(60)


@pytest.mark.slow
def test_worker_that_does_not_end_in_time_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(supervisor, "time", SimpleNamespace(monotonic=lambda: now))
    worker = DeafWorker(new_config(), [])
    worker.start()
    try:
        assert worker.parent_conn.recv()
        worker.stop()
        now += 9
        worker.end_late()
        # The signal takes a moment, and so would its effect.
        worker.process.join(0.3)
        assert not worker.has_ended
        now += 2
        worker.end_late()
        worker.process.join(20)
        assert worker.exitcode == -signal.SIGKILL
    finally:
        worker.kill()
        worker.join()


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


# New workers fail to start while this file exists.
FAILING = """
import os, sys
if "spawn_main" in open("/proc/self/cmdline").read() and os.path.exists({flag!r}):
    os._exit(3)
"""
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def children(pid: int, *, are_workers: bool = True) -> list[int]:
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                command = Path(f"/proc/{child}/cmdline").read_bytes()
                if (b"spawn_main" in command) == are_workers:
                    found.append(int(child))
    return sorted(found)


def wait_for(is_true: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.1)


def is_serving(port: int) -> bool:
    try:
        return get(port, "/healthz")[0] == 200
    except (OSError, HTTPException):
        return False


def wait_until_ready(process: subprocess.Popen[str], port: int) -> None:
    """Wait until a server with two workers has started all processes."""
    wait_for(lambda: is_serving(port) and len(computations(children(process.pid))) == 4)
    # The supervisor has the answers of the workers after its next question.
    time.sleep(1)


def computations(workers: list[int]) -> list[int]:
    return [child for pid in workers for child in children(pid, are_workers=False)]


def read_message(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline()


@only_linux
@pytest.mark.service
def test_workers_and_their_computations_end_if_the_supervisor_is_killed() -> None:
    with serving("--workers", "2") as (process, port):
        wait_until_ready(process, port)
        workers = children(process.pid)
        pids = [*workers, *computations(workers)]
        process.kill()
        process.wait()
        wait_for(lambda: not any(map(is_running, pids)))
        assert not is_serving(port)


def is_running(pid: int) -> bool:
    """Whether a process exists, and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@only_linux
@pytest.mark.service
@pytest.mark.parametrize("reason", ["SIGHUP", "killed"])
def test_supervisor_without_free_descriptors_tries_again(reason: str) -> None:
    import resource

    with serving("--workers", "2") as (process, port):
        wait_until_ready(process, port)
        workers = children(process.pid)
        number = len(list(Path(f"/proc/{process.pid}/fd").iterdir()))
        soft, hard = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (number, hard))
        if reason == "SIGHUP":
            process.send_signal(signal.SIGHUP)
        else:
            os.kill(workers[0], signal.SIGKILL)
            assert f"replacing worker {workers[0]}, which ended with the code -9" in read_message(process)
        assert "cannot start a worker: [Errno 24] Too many open files: trying again in 1 s" in read_message(process)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (soft, hard))
        replaced = set(workers) if reason == "SIGHUP" else {workers[0]}
        wait_for(lambda: len(children(process.pid)) == 2 and not replaced & set(children(process.pid)))
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


@only_linux
@pytest.mark.service
def test_server_goes_on_with_one_worker_and_ends_without_any(tmp_path: Path) -> None:
    flag = tmp_path / "failing"
    (tmp_path / "sitecustomize.py").write_text(FAILING.format(flag=str(flag)))
    with serving("--workers", "2", PYTHONPATH=f"{ROOT / 'src'}{os.pathsep}{tmp_path}") as (process, port):
        wait_until_ready(process, port)
        first, second = children(process.pid)
        flag.touch()
        os.kill(first, signal.SIGKILL)
        assert f"replacing worker {first}" in read_message(process)
        for _ in range(3):
            assert "ended with the code 3: trying again in 1 s" in read_message(process)
        assert is_serving(port)
        os.kill(second, signal.SIGKILL)
        assert process.wait(60) == 1
        assert process.stderr is not None
        assert process.stderr.read().endswith("stopping the server, because no worker can start\n")


@only_linux
@pytest.mark.service
def test_ctrl_c_in_a_terminal_prints_nothing_while_workers_start() -> None:
    with serving("--workers", "4") as (process, _):
        wait_for(lambda: len(children(process.pid)) == 4)
        time.sleep(0.3)
        # A terminal sends it to all of them.
        for pid in (*children(process.pid), process.pid):
            os.kill(pid, signal.SIGINT)
        process.wait(60)
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
