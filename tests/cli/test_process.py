"""`python -m canfetch` in a separate process gives the same results as in-process runs."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import RunProcess

from canfetch.cli.main import native_hint
from canfetch.repository import PUBLISHED

Run = Any


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "/shop/", "--agent", "GPTBot", "--robots", "robots.txt"),
        ("check", "/x", "--agent", "Googlebot-Image", "--agent", "GPTBot", "--robots", "robots.txt"),
        ("check", "/x", "fish", "--agent", "GPTBot", "--robots", "robots.txt", "--format", "json"),
        ("check", "/\u9b5a", "/\udcff", "--agent", "GPTBot", "--robots", "robots.txt", "--format", "csv"),
        ("explain", "/shop/cart/1?x", "--agent", "GPTBot", "--robots", "robots.txt"),
        ("matrix", "/x", "/shop/", "--agent", "GPTBot", "--agent", "CCBot", "--robots", "robots.txt"),
        ("check", "/x", "--agent", "GPTBot", "--robots", "missing.txt"),
        ("check", "/x", "--agent", "GPTBot", "--robots", "."),
        ("check", "/x", "--agent", "GPTBot", "--robots", "robots.txt", "--profile", "altavista"),
        ("--version",),
        ("--help",),
        ("completion", "zsh"),
        (),
    ],
)
def test_process_and_in_process_runs_are_identical(process: Run, run: Run, arguments: tuple[str, ...]) -> None:
    assert process(*arguments) == run(*arguments)


@pytest.mark.slow
def test_standard_input_of_a_process(process: Run) -> None:
    robots = b"User-agent: *\nDisallow: /x"
    ran = process("check", "/x", "--agent", "ExampleBot", "--robots", "-", stdin=robots)
    assert ran == (1, "disallowed  /x  ExampleBot  line 2, Disallow: /x\n", "")


@pytest.mark.slow
def test_entry_point_is_the_same_command(process: RunProcess) -> None:
    # The console script that installers create runs this code.
    code = "import sys; from canfetch.cli.main import main; sys.exit(main())"
    assert process("--version", program=("-c", code)) == process("--version")


@pytest.mark.slow
def test_collections_at_exit_skip_the_modules_of_a_command(process: RunProcess) -> None:
    code = (
        "import atexit, gc\n"
        "from canfetch.cli.main import main\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > len(gc.get_objects())))\n"
        "main()"
    )
    ran = process("check", "--help", program=("-c", code))
    assert (ran.code, ran.lines[-1]) == (0, "True")


def test_unexpected_exception_is_exit_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("fish\nfowl")

    monkeypatch.setattr("canfetch.cli.decisions.run.read_urls", fails)
    ran = run("check", "/x", "--agent", "GPTBot", "--robots", "robots.txt")
    assert (ran.code, ran.out) == (2, "")
    first, second, *_ = ran.err.splitlines()
    assert first == "canfetch: internal error: ZeroDivisionError: fish fowl"
    assert second == "Traceback (most recent call last):"


def test_unexpected_exception_of_a_thread_is_exit_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("canfetch.client.sync_client.Client.origin_state", fails)
    ran = run("check", "http://127.0.0.1/x", "--agent", "GPTBot", "--store", "none")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "canfetch: internal error: MemoryError")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is full")
@pytest.mark.parametrize("arguments", [("check",), ("chekc",), ("check", "fish", "--agent", "a", "--robots", "-")])
def test_error_that_cannot_be_written_is_exit_2(process: RunProcess, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        assert process(*arguments, stderr=full) == (2, "", "")


@pytest.mark.slow
def test_version_names_the_command_that_builds_the_native_engine(process: RunProcess) -> None:
    code = "import sys; sys.modules['canfetch._native'] = None; from canfetch.cli.main import main; main()"
    ran = process("--version", program=("-c", code))
    assert ran.code == 0
    assert "engine python" in ran.out
    if sys.implementation.name == "cpython":
        assert ran.err == native_hint(published=PUBLISHED) + "\n"
    # The Python engine was requested, so there is nothing to install.
    ran = process("--version", program=("-c", code), env={"CANFETCH_ENGINE": "python"})
    assert (ran.code, ran.err) == (0, "")
