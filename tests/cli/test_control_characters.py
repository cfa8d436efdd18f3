"""Control characters of a file that is written to standard output do not reach a terminal."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_terminal import screen

from canfetch.cli.shared.terminal import printable_lines
from canfetch.client.watch.history import WatchHistory
from canfetch.client.watch.observations import Observation
from canfetch.core.verdict import Effect

__all__ = ["screen"]

HOSTILE = "\x1b]0;title\x07\u202e\x9b31m"
# `lint --fix` removes the control characters of ASCII.
HOSTILE_END = "\u202e\x9b31m\n"
ESCAPED_END = "%E2%80%AE%C2%9B31m\n"
FILE = f"User-agent: *\nDisallow: /a\nDisallow: /a/b{HOSTILE}\n# {HOSTILE}\n".encode()
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def assert_safe(text: str) -> None:
    for line in COLOURS.sub("", text).splitlines():
        assert line.isprintable(), line


# The commands that write a whole file to standard output.
WHOLE_FILES = (("minimize", "robots.txt"), ("fmt", "-"), ("lint", "--fix", "-"), ("history", "--content", "1"))


@pytest.fixture
def hostile(folder: Path) -> None:
    """Write a hostile robots.txt, as a file and in a history."""
    (folder / "robots.txt").write_bytes(FILE)
    with WatchHistory(folder / "robots-history.sqlite3") as history:
        seen = Observation("https://a.example", 1e9, Effect.CONDITIONAL_ALLOW, 200, "fetched", FILE)
        history.record(seen, previous=None, change=None, sends=False)


@pytest.mark.usefixtures("hostile")
@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal as POSIX has it")
def test_whole_files_are_escaped_on_a_terminal(screen: Any) -> None:
    for arguments in WHOLE_FILES:
        out = screen(*arguments, stdin=FILE)
        assert_safe(out)
        assert ESCAPED_END in out, arguments


@pytest.mark.usefixtures("hostile")
def test_whole_files_keep_their_bytes_in_a_pipe(process: Any) -> None:
    for arguments in WHOLE_FILES:
        assert HOSTILE_END in process(*arguments, stdin=FILE).out, arguments


def test_line_ends_and_tabs_of_a_file_stay_as_they_are() -> None:
    assert printable_lines("a\tb\r\nc\rd\n\n") == "a\tb\nc%0Dd\n\n"
