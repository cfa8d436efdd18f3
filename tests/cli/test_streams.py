"""Long lists, closed pipes, signals and shell completion."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import click
import pytest
from tests.cli.conftest import RunProcess, StartProcess, pipes

from canfetch.cli.main import cli

Run = Any
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes as POSIX has them")
CHECK = ("check", "--agent", "GPTBot", "--robots", "robots.txt", "--urls-file")
MEBIBYTE = 1 << 20
# Answers of a local file are buffered otherwise.
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}


def peak_memory_bytes(start: StartProcess, folder: Path, *arguments: str) -> int:
    """Run to the end, and return the peak memory."""
    with (folder / "out").open("wb") as out:
        process = start(*arguments, stdin=DEVNULL, stdout=out, stderr=DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 1
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("form", ["text", "json", "ndjson", "csv"])
def test_memory_does_not_grow_with_the_list(folder: Path, start: StartProcess, form: str) -> None:
    (folder / "one.txt").write_text("/x\n", encoding="utf-8")
    with (folder / "many.txt").open("w", encoding="utf-8") as many:
        many.writelines(f"https://example.com/shop/{n}?{'q' * 1_100}\n" for n in range(19_999))
        many.write("/x\n")
    small = peak_memory_bytes(start, folder, *CHECK, "one.txt", "--format", form)
    large = peak_memory_bytes(start, folder, *CHECK, "many.txt", "--format", form)
    assert (folder / "many.txt").stat().st_size > 20 * MEBIBYTE
    assert large - small < 8 * MEBIBYTE
    assert (folder / "out").read_bytes().count(b"\n") >= 20_000


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("more", [("--quiet",), ()])
def test_memory_of_a_matrix_and_of_quiet_is_bounded_too(
    folder: Path, start: StartProcess, more: tuple[str, ...]
) -> None:
    (folder / "many.txt").write_text("/x\n" * 100_000, encoding="utf-8")
    (folder / "one.txt").write_text("/x\n", encoding="utf-8")
    matrix = ("matrix", *CHECK[1:])
    small = peak_memory_bytes(start, folder, *matrix, "one.txt", *more)
    assert peak_memory_bytes(start, folder, *matrix, "many.txt", *more) - small < 8 * MEBIBYTE


def test_answers_come_before_the_list_ends(start: StartProcess) -> None:
    with start(*CHECK, "-", env=UNBUFFERED) as process:
        urls, answers, _ = pipes(process)
        urls.write(b"/shop/fish\n")
        urls.flush()
        assert answers.readline().split()[:2] == [b"allowed", b"/shop/fish"]
        urls.write(b"/x\n")
        urls.close()
        assert answers.readline().split()[:2] == [b"disallowed", b"/x"]
        assert process.wait() == 1


@pytest.mark.slow
@POSIX
def test_closed_reader_ends_the_run_quietly(folder: Path, start: StartProcess) -> None:
    (folder / "many.txt").write_text("/shop/\n" * 50_000, encoding="utf-8")
    with start(*CHECK, "many.txt") as process:
        _, answers, errors = pipes(process)
        answers.readline()
        answers.close()
        assert errors.read() == b""
        assert process.wait() == 141


@pytest.mark.slow
@POSIX
def test_reader_that_is_closed_from_the_start(process: RunProcess) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    ran = process("check", "/x", "--agent", "GPTBot", "--robots", "robots.txt", stdout=write_end)
    os.close(write_end)
    assert (ran.code, ran.err) == (141, "")


@pytest.mark.slow
@POSIX
def test_interrupt_is_exit_130_without_a_traceback(start: StartProcess) -> None:
    with start(*CHECK, "-", env=UNBUFFERED) as process:
        urls, answers, errors = pipes(process)
        urls.write(b"/shop/\n")
        urls.flush()
        answers.readline()  # it runs, and waits for the next URL
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert errors.read() == b""


@pytest.mark.slow
@POSIX
def test_sigterm_leaves_no_unfinished_file_of_faults(folder: Path, start: StartProcess) -> None:
    command = ("bulk", "parse", "-", "--input-format", "ndjson", "--output", "files.csv", "--faults", "faults.ndjson")
    with start(*command) as process:
        while not list(folder.glob(".canfetch-*")):
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.2)  # it waits for the first row
        process.send_signal(signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM
        assert not list(folder.glob(".canfetch-*"))


@pytest.mark.slow
@POSIX
def test_closed_standard_input_is_reported(process: RunProcess) -> None:
    ran = process("check", "/x", "--agent", "GPTBot", "--robots", "-", redirection="<&-")
    assert ran == (2, "", "canfetch: cannot read --robots -: standard input is closed\n")


def test_unencodable_url_is_escaped(folder: Path, process: RunProcess) -> None:
    (folder / "urls.txt").write_text("/shop/魚\n", encoding="utf-8")
    ran = process(*CHECK, "urls.txt", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("allowed     /shop/\\u9b5a")


@pytest.mark.parametrize(
    "shell, sign", [("bash", "complete -o nosort -F"), ("zsh", "#compdef canfetch"), ("fish", "complete --no-files")]
)
def test_completion_scripts(run: Run, folder: Path, shell: str, sign: str) -> None:
    ran = run("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert sign in ran.out
    assert "_CANFETCH_COMPLETE=" in ran.out
    if program := shutil.which(shell):
        (folder / "script").write_text(ran.out, encoding="utf-8")
        assert subprocess.run([program, "-n", "script"], cwd=folder, check=False).returncode == 0


@pytest.mark.parametrize(
    "words, place, expected",
    [
        ("canfetch ", 1, set(cli.list_commands(click.Context(cli)))),
        ("canfetch check --agent Googlebot-I", 3, {"Googlebot-Image"}),
        ("canfetch check --agent gptb", 3, {"GPTBot"}),
        ("canfetch check --profile goo", 3, {"google2019", "google", "googlebot"}),
        ("canfetch check --format nd", 3, {"ndjson"}),
    ],
)
def test_completion_answers(run: Run, words: str, place: int, expected: set[str]) -> None:
    asked = {"_CANFETCH_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(place)}
    assert {line.partition(",")[2] for line in run(env=asked).lines} == expected
