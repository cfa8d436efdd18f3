"""Data on standard input of commands that read robots.txt in the current directory without an argument."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import canfetch

UGLY = b"user-agent:*\ndisallow:/a\n"


def run_with(stdin: Any, folder: Path, *command: str) -> tuple[int, str]:
    """Return the exit code and the messages of a command with a standard input."""
    ran = subprocess.run(
        [sys.executable, "-m", "canfetch", *command],
        stdin=stdin,
        capture_output=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(canfetch.__file__).parents[1])},
    )
    return ran.returncode, ran.stderr.decode()


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    file = tmp_path / "robots.txt"
    file.write_bytes(UGLY)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("command", ["fmt", "lint", "lint --fix"])
@pytest.mark.parametrize("kind", ["pipe", "file"])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not report the data in a pipe")
def test_piped_data_is_not_ignored(robots: Path, command: str, kind: str) -> None:
    if kind == "file":
        with robots.open("rb") as stdin:
            ran = run_with(stdin, robots.parent, *command.split())
    else:
        reader, writer = os.pipe()
        os.write(writer, b"User-agent: *\n")
        os.close(writer)
        ran = run_with(reader, robots.parent, *command.split())
        os.close(reader)
    if command == "lint":
        assert ran == (
            0,
            "canfetch: note: standard input is read only with -: the input of 'canfetch lint' is robots.txt\n",
        )
    else:
        name = command.split(maxsplit=1)[0]
        message = f"use 'canfetch {name} -' for it, or 'canfetch {name} robots.txt' for the file\n"
        assert ran == (2, f"canfetch: standard input is read only with -: {message}")
    assert robots.read_bytes() == UGLY


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["device", "closed pipe", "open pipe", "empty file"])
def test_standard_input_without_data_is_ignored(robots: Path, kind: str) -> None:
    reader, writer = os.pipe()
    if kind == "closed pipe":
        os.close(writer)
    empty = robots.with_name("empty")
    empty.write_bytes(b"")
    with empty.open("rb") as stdin:
        inputs = {"device": subprocess.DEVNULL, "empty file": stdin}
        code, err = run_with(inputs.get(kind, reader), robots.parent, "fmt")
    os.close(reader)
    if kind != "closed pipe":
        os.close(writer)
    assert (code, err) == (0, "")
    assert robots.read_bytes() != UGLY
