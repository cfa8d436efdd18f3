"""`canfetch minimize`."""

from pathlib import Path
from typing import Any

import pytest

import canfetch
from canfetch.errors import Undecided

Run = Any
CONTENT = b"User-agent: *\nDisallow: /a\nDisallow: /a/b\n"
SMALLER = b"User-agent: *\nDisallow: /a\n"
REPORT = (
    "left out: line 3, Disallow: /a/b\n"
    "1 rule and 15 bytes (36 %) left out. Every agent has the same verdict for every URL (rfc9309).\n"
)


@pytest.fixture(autouse=True)
def file(folder: Path) -> Path:
    path = folder / "robots.txt"
    path.write_bytes(CONTENT)
    return path


def test_the_smaller_file_is_written_to_standard_output(run: Run, file: Path) -> None:
    assert run("minimize", "robots.txt") == (0, SMALLER.decode(), REPORT)
    assert run("minimize", "-", "--quiet", stdin=CONTENT) == (0, SMALLER.decode(), "")
    assert file.read_bytes() == CONTENT


def test_in_place_replaces_the_file_once(run: Run, file: Path) -> None:
    assert run("minimize", "robots.txt", "--in-place") == (0, "", REPORT)
    assert file.read_bytes() == SMALLER
    assert run("minimize", "robots.txt", "--check", "--quiet").code == 0


def test_check_writes_nothing(run: Run, file: Path) -> None:
    assert run("minimize", "robots.txt", "--check", "--quiet") == (1, "", "")
    assert file.read_bytes() == CONTENT


def test_the_verdicts_of_further_profiles_are_kept(run: Run, file: Path) -> None:
    file.write_bytes(b"User-agent: *\nDisallow: /a\nAllow: /a*\nDisallow: /a/b\n")
    assert run("minimize", "robots.txt", "--quiet").out == "User-agent: *\nDisallow: /a/b\n"
    assert run("minimize", "robots.txt", "--quiet", "--for", "draft1996").out.encode() == file.read_bytes()
    assert run("minimize", "robots.txt", "--quiet", "--for", "all").out.encode() == file.read_bytes()


def test_options_that_exclude_each_other(run: Run) -> None:
    assert run("minimize", "-", "--in-place", stdin=CONTENT).code == 2
    assert run("minimize", "robots.txt", "--in-place", "--check").err == (
        "canfetch: --in-place and --check exclude each other\n"
    )


def test_blank_lines_remain_if_no_rule_is_left_out(run: Run) -> None:
    content = b"User-agent: *\nDisallow: /a\n\n\n\nUser-agent: b\nDisallow: /x\n"
    ran = run("minimize", "-", "--check", stdin=content)
    assert (ran.code, ran.out) == (0, "")
    assert run("minimize", "-", stdin=content).out.encode() == content


def test_a_file_may_take_ten_times_the_default_limit_of_the_library(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("User-agent: *\n" + "".join(f"Disallow: /*{number}*a\n" for number in range(40)))
    monkeypatch.setattr("canfetch.compare.budget.NATIVE_STEPS", 20_000)
    monkeypatch.setattr("canfetch.compare.budget.PYTHON_STEPS", 500)
    with pytest.raises(Undecided):
        canfetch.compare.minimize(canfetch.parse(file.read_bytes()))
    assert run("minimize", "robots.txt", "--check", "--quiet").code == 1


@pytest.mark.parametrize("options", [(), ("--in-place",), ("--check",)], ids=["output", "in-place", "check"])
def test_another_encoding_is_refused(run: Run, folder: Path, options: tuple[str, ...]) -> None:
    content = "User-agent: *\nDisallow: /a\nDisallow: /a/b\n".encode("utf-16")
    (folder / "wide.txt").write_bytes(content)
    ran = run("minimize", "wide.txt", *options)
    assert ran.refusal.startswith("canfetch: cannot minimize wide.txt: encoding is utf-16")
    assert ran.err.endswith(": convert the file to UTF-8 first\n")
    assert (folder / "wide.txt").read_bytes() == content
