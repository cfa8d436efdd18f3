"""Fixtures that run the command in a separate process or in this one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

import pytest
from click.testing import CliRunner
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.fixtures import site
from tests.servers.web import Behaviour, Site
from tests.stores.conftest import redis_url

from canfetch.cli.main import run as main_run

__all__ = ["redis_url", "site"]

MakeEnvironment: TypeAlias = Callable[[dict[str, str] | None], dict[str, str]]
Stream: TypeAlias = int | IO[bytes]
CANFETCH = ("-m", "canfetch")
# Each test sets these variables itself.
TEST_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "CANFETCH_ENGINE", "CANFETCH_ENVIRONMENT")
ROBOTS = """\
User-agent: *
Disallow: /private/

User-agent: GPTBot
User-agent: CCBot
Allow: /shop/
Disallow: /shop/cart   # no carts
Disallow: /

User-agent: Googlebot
Allow: /shop/c*
Disallow: /shop/cart
"""


class Ran(NamedTuple):
    """The exit code and the output of a run."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def refusal(self) -> str:
        """The message of a run that ended with exit code 2, one line on standard error, and no output."""
        assert (self.code, self.out) == (2, "")
        assert self.err.startswith("canfetch: ")
        assert self.err.count("\n") == 1
        return self.err

    def rows(self, form: str = "ndjson") -> list[Any]:
        """Return the values of an output in the format `json` or `ndjson`."""
        rows: list[Any] = json.loads(self.out) if form == "json" else [json.loads(line) for line in self.lines]
        return rows


class RunCommand(Protocol):
    """Runs `canfetch` in the test's folder."""

    def __call__(self, *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran: ...


class RunProcess(Protocol):
    """Runs `canfetch`, or another program of Python, in a process of its own in the test's folder.

    Its streams are pipes, unless others are given as `subprocess` expects them. `redirection` is one of the shell.
    """

    def __call__(
        self,
        *arguments: str,
        stdin: bytes | Stream = b"",
        redirection: str = "",
        env: dict[str, str] | None = None,
        program: tuple[str, ...] = CANFETCH,
        **streams: Stream,
    ) -> Ran: ...


class StartProcess(Protocol):
    """Starts `canfetch` in the test's folder, with options of `Popen`. Streams are pipes, unless others are given."""

    def __call__(self, *arguments: str, env: dict[str, str] | None = None, **options: Any) -> Popen[bytes]: ...


@pytest.fixture
def environment(tmp_path: Path) -> MakeEnvironment:
    """Return a function that makes the environment of a run, without settings of this machine."""

    def made(more: dict[str, str] | None = None) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if name not in TEST_VARIABLES}
        return {**inherited, **own_cache(tmp_path), "PYTHONUTF8": "1", "PYTHONWARNINGS": "error", **(more or {})}

    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a robots.txt."""
    (tmp_path / "robots.txt").write_text(ROBOTS, encoding="utf-8")
    return tmp_path


def own_cache(folder: Path) -> dict[str, str]:
    """Return the variables that move the user's cache directory into `folder` on every platform."""
    return dict.fromkeys(("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"), str(folder / "cache"))


def serving(behaviour: Behaviour) -> Site:
    """Return a server, not started yet, that serves robots.txt with a behaviour."""
    site = Site()
    site.serve("/robots.txt", behaviour)
    return site


@contextmanager
def sites(*names: str) -> Iterator[list[Site]]:
    """Run a server for each named behaviour."""
    with ExitStack() as running:
        yield [running.enter_context(serving(BEHAVIOURS[name])) for name in names]


@pytest.fixture
def process(folder: Path, environment: MakeEnvironment) -> RunProcess:
    """Return a function that runs the command in a separate process."""

    def ran(
        *arguments: str,
        stdin: bytes | Stream = b"",
        redirection: str = "",
        env: dict[str, str] | None = None,
        program: tuple[str, ...] = CANFETCH,
        **streams: Stream,
    ) -> Ran:
        command = [sys.executable, *program, *arguments]
        if redirection:
            command = ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *command]
        given: dict[str, Any] = {
            "input" if isinstance(stdin, bytes) else "stdin": stdin,
            "stdout": PIPE,
            "stderr": PIPE,
            **streams,
        }
        done = subprocess.run(command, **given, cwd=folder, env=environment(env), check=False)
        return Ran(done.returncode, *((written or b"").decode() for written in (done.stdout, done.stderr)))

    return ran


@pytest.fixture
def start(folder: Path, environment: MakeEnvironment) -> StartProcess:
    """Return a function that starts the command in a separate process."""

    def started(*arguments: str, env: dict[str, str] | None = None, **options: Any) -> Popen[bytes]:
        chosen = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE, **options}
        return Popen([sys.executable, *CANFETCH, *arguments], **chosen, cwd=folder, env=environment(env))

    return started


def pipes(process: Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    """Return the standard input, output and error of a process that was started with pipes."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> RunCommand:
    """Return a function that runs the command in this process, which is faster."""
    monkeypatch.chdir(folder)

    def ran(*arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
        with CliRunner().isolation(
            input=stdin, env={**dict.fromkeys(TEST_VARIABLES), **own_cache(folder), **(env or {})}
        ) as (
            out,
            err,
            _,
        ):
            code = main_run(arguments)
            return Ran(code, out.getvalue().decode(), err.getvalue().decode())

    return ran


@pytest.fixture
def ask(run: RunCommand) -> RunCommand:
    """Return a function that runs a command with the folder's robots.txt for GPTBot."""

    def asked(*arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
        return run(*arguments, "--agent", "GPTBot", "--robots", "robots.txt", stdin=stdin, env=env)

    return asked
