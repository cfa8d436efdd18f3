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


@pytest.mark.slow
@pytest.mark.usefixtures("hostile")
@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal as POSIX has it")
def test_whole_files_are_escaped_on_a_terminal(screen: Any) -> None:
    for arguments in WHOLE_FILES:
        out = screen(*arguments, stdin=FILE)
        assert_safe(out)
        assert ESCAPED_END in out, arguments


@pytest.mark.slow
@pytest.mark.usefixtures("hostile")
def test_whole_files_keep_their_bytes_in_a_pipe(process: Any) -> None:
    for arguments in WHOLE_FILES:
        assert HOSTILE_END in process(*arguments, stdin=FILE).out, arguments


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal as POSIX has it")
def test_a_byte_order_mark_is_not_shown_on_a_terminal(screen: Any, folder: Path, process: Any) -> None:
    file = "\ufeffUser-agent: *\nDisallow: /a\n".encode()
    (folder / "robots.txt").write_bytes(file)
    for arguments in (("minimize", "robots.txt"), ("fmt", "-")):
        assert screen(*arguments, stdin=file).splitlines()[0] == "User-agent: *", arguments
        assert process(*arguments, stdin=file).out.startswith("\ufeffUser-agent: *"), arguments


@pytest.mark.parametrize(
    "text",
    ["می\u200cرود", "क्\u200dष", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "❤\ufe0f\u200d\U0001f525\tx"],
    ids=["persian", "hindi", "emoji", "variation-selector"],
)
def test_joiners_of_words_and_emoji_stay_as_they_are(text: str) -> None:
    assert printable_lines(f"# {text} \x1b\n") == f"# {text} %1B\n"


@pytest.mark.parametrize(
    "text, shown",
    [
        ("Goo\u200cgle", "Goo%E2%80%8Cgle"),
        ("\u200dمی\u200c", "%E2%80%8Dمی%E2%80%8C"),
        ("می\u200c\u200cخ", "می%E2%80%8C%E2%80%8Cخ"),
        ("می\u202eخ", "می%E2%80%AEخ"),
        ("a\ufeffb", "a%EF%BB%BFb"),
    ],
    ids=["latin", "ends", "two", "override", "inner-bom"],
)
def test_other_invisible_characters_are_escaped(text: str, shown: str) -> None:
    assert printable_lines(text) == shown


def test_line_ends_and_tabs_of_a_file_stay_as_they_are() -> None:
    assert printable_lines("a\tb\r\nc\rd\n\n") == "a\tb\nc%0Dd\n\n"
