"""Network runs with pipes and signals: streaming, Ctrl-C, closed readers, memory."""

import os
import re
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from subprocess import Popen

import pytest
from tests.cli.conftest import CANFETCH, RunProcess, StartProcess, pipes, sites
from tests.cli.test_streams import MEBIBYTE, POSIX, peak_memory_bytes
from tests.servers.web import Site

# A run that waited for a silent origin would wait for an hour.
PATIENT = ("--timeout", "3600", "--store", "robots.sqlite3")
AS_GPTBOT = ("--agent", "GPTBot")


def wait_for_request(site: Site) -> None:
    """Wait until the server has received a request."""
    deadline = time.monotonic() + 300
    while not site.requests:
        assert time.monotonic() < deadline
        os.sched_yield()


def leases(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "robots.sqlite3")) as connection:
        return [row[0] for row in connection.execute("SELECT key FROM leases")]


def interrupted(process: Popen[bytes]) -> tuple[int, bytes, bytes]:
    """Send SIGINT, and return the exit code, the output and the errors."""
    process.send_signal(signal.SIGINT)
    _, answers, errors = pipes(process)
    return process.wait(), answers.read(), errors.read()


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("command", ["check", "explain", "matrix", "fetch"])
def test_interrupt_does_not_wait_and_releases_leases(folder: Path, start: StartProcess, command: str) -> None:
    agent = () if command == "fetch" else AS_GPTBOT
    with (
        sites("silent", "silent-body") as running,
        start(command, *(site.origin for site in running), *agent, *PATIENT) as process,
    ):
        for site in running:
            wait_for_request(site)
        assert leases(folder) == sorted(site.origin for site in running)
        assert interrupted(process) == (130, b"", b"")
    assert leases(folder) == []


@pytest.mark.slow
@POSIX
def test_interrupt_between_two_urls_of_a_pipe(start: StartProcess) -> None:
    with sites("rules") as [site], start("check", "--urls-file", "-", *AS_GPTBOT, *PATIENT) as process:
        urls, answers, _ = pipes(process)
        urls.write(f"{site.origin}/fish\n".encode())
        urls.flush()
        assert answers.readline().startswith(b"allowed ")  # the list has not ended, and the answer is here
        assert interrupted(process) == (130, b"", b"")


@pytest.mark.slow
def test_live_answers_come_before_the_list_ends(start: StartProcess) -> None:
    with (
        sites("rules", "disallow-all") as [one, two],
        # Without PYTHONUNBUFFERED, answers are flushed before each wait.
        start("check", "--urls-file", "-", *AS_GPTBOT, "--store", "none", env={"PYTHONUNBUFFERED": ""}) as process,
    ):
        urls, answers, _ = pipes(process)
        for site, word in ((one, b"allowed"), (two, b"disallowed"), (one, b"allowed")):
            urls.write(f"{site.origin}/fish\n".encode())
            urls.flush()
            assert answers.readline().split()[0] == word
        urls.close()
        assert process.wait() == 1


@pytest.mark.slow
@POSIX
def test_closed_reader_ends_the_run_while_an_origin_is_silent(folder: Path, start: StartProcess) -> None:
    with sites("rules", "silent") as [quick, silent]:
        urls = [f"{quick.origin}/{number}\n" for number in range(50_000)]
        (folder / "urls.txt").write_text("".join([*urls, f"{silent.origin}/x\n"]), encoding="utf-8")
        with start("check", "--urls-file", "urls.txt", *AS_GPTBOT, *PATIENT) as process:
            _, answers, errors = pipes(process)
            answers.readline()
            answers.close()
            assert errors.read() == b""
            assert process.wait() == 141


@pytest.mark.slow
@POSIX
def test_memory_does_not_grow_with_a_live_list(folder: Path, start: StartProcess) -> None:
    with sites("disallow-all") as [site]:
        (folder / "one.txt").write_text(f"{site.origin}/x\n", encoding="utf-8")
        with (folder / "many.txt").open("w", encoding="utf-8") as many:
            many.writelines(f"{site.origin}/{number}?{'q' * 1_000}\n" for number in range(20_000))
        live = ("check", *AS_GPTBOT, "--store", "none", "--urls-file")
        small = peak_memory_bytes(start, folder, *live, "one.txt")
        assert peak_memory_bytes(start, folder, *live, "many.txt") - small < 10 * MEBIBYTE
        assert peak_memory_bytes(start, folder, *live, "many.txt", "--quiet") - small < 10 * MEBIBYTE
        assert site.count("/robots.txt") == 3


@pytest.mark.slow
@POSIX
def test_finished_process_leaves_no_files_open(folder: Path, process: RunProcess) -> None:
    """In development mode, a file that is not closed is a warning, and warnings are errors."""
    with sites("rules") as [site]:
        (folder / "urls.txt").write_text(f"{site.origin}/fish\n", encoding="utf-8")
        arguments = ("check", "--urls-file", "urls.txt", *AS_GPTBOT, "--evidence", "evidence")
        ran = process(*arguments, program=("-X", "dev", "-W", "error", *CANFETCH))
    assert ran.code == 0
    assert re.fullmatch(r"canfetch: evidence head: evidence-\S+:3:[0-9a-f]{64}\n", ran.err)
