"""Data on standard input of commands that read robots.txt in the current directory without an argument."""

import os
import sys
from pathlib import Path
from subprocess import DEVNULL

import pytest
from tests.cli.conftest import RunProcess, Stream

UGLY = b"user-agent:*\ndisallow:/a\n"


@pytest.fixture
def robots(folder: Path) -> Path:
    file = folder / "robots.txt"
    file.write_bytes(UGLY)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("command", ["fmt", "lint", "lint --fix"])
@pytest.mark.parametrize("kind", ["pipe", "file"])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not report the data in a pipe")
def test_piped_data_is_not_ignored(robots: Path, process: RunProcess, command: str, kind: str) -> None:
    if kind == "file":
        with robots.open("rb") as stdin:
            ran = process(*command.split(), stdin=stdin)
    else:
        reader, writer = os.pipe()
        os.write(writer, b"User-agent: *\n")
        os.close(writer)
        ran = process(*command.split(), stdin=reader)
        os.close(reader)
    if command == "lint":
        note = "canfetch: note: standard input is read only with -: the input of 'canfetch lint' is robots.txt\n"
        assert (ran.code, ran.err) == (0, note)
    else:
        name = command.split(maxsplit=1)[0]
        message = f"use 'canfetch {name} -' for it, or 'canfetch {name} robots.txt' for the file\n"
        assert (ran.code, ran.err) == (2, f"canfetch: standard input is read only with -: {message}")
    assert robots.read_bytes() == UGLY


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["device", "closed pipe", "open pipe", "empty file"])
def test_standard_input_without_data_is_ignored(robots: Path, process: RunProcess, kind: str) -> None:
    reader, writer = os.pipe()
    if kind == "closed pipe":
        os.close(writer)
    empty = robots.with_name("empty")
    empty.write_bytes(b"")
    with empty.open("rb") as stdin:
        inputs: dict[str, Stream] = {"device": DEVNULL, "empty file": stdin}
        ran = process("fmt", stdin=inputs.get(kind, reader))
    os.close(reader)
    if kind != "closed pipe":
        os.close(writer)
    assert (ran.code, ran.err) == (0, "")
    assert robots.read_bytes() != UGLY
