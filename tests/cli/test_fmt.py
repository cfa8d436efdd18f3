"""`canfetch fmt`: files, standard input, --check and --diff."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import RunCommand

UGLY = b"user-agent:*\r\nDISALLOW:/a/\r\n\r\n\r\n"
NEAT = b"User-agent: *\nDisallow: /a/\n"


@pytest.fixture
def ugly(folder: Path) -> Path:
    file = folder / "robots.txt"
    file.write_bytes(UGLY)
    return file


def test_file_is_reformatted(run: RunCommand, ugly: Path) -> None:
    ran = run("fmt")
    assert (ran.code, ran.out, ran.err) == (0, "robots.txt: reformatted\n", "")
    assert ugly.read_bytes() == NEAT
    assert run("fmt") == (0, "", "")


def test_check_writes_nothing(run: RunCommand, ugly: Path) -> None:
    assert run("fmt", "--check") == (1, "robots.txt: would be reformatted\n", "")
    assert ugly.read_bytes() == UGLY
    ran = run("fmt", "--check", "--format", "json")
    assert json.loads(ran.out) == [{"name": "robots.txt", "changed": True, "refusal": None, "skipped": []}]
    ran = run("fmt", "--check", "--format", "ndjson")
    assert json.loads(ran.out)["changed"] is True


def test_diff_shows_what_would_change(run: RunCommand, ugly: Path) -> None:
    ran = run("fmt", "--diff")
    assert ran.code == 1
    assert "+User-agent: *" in ran.lines
    assert ugly.read_bytes() == UGLY


@pytest.mark.slow
def test_standard_input_goes_to_standard_output(process: RunCommand) -> None:
    assert process("fmt", "-", stdin=UGLY) == (0, NEAT.decode(), "")


@pytest.mark.slow
def test_file_that_cannot_be_formatted_is_unchanged_and_reported(process: RunCommand, folder: Path) -> None:
    content = "User-agent: *\n".encode("utf-16")
    (folder / "robots.txt").write_bytes(content)
    ran = process("fmt", "robots.txt")
    assert ran.refusal.startswith("canfetch: cannot format robots.txt: encoding is utf-16")
    assert (folder / "robots.txt").read_bytes() == content
    ran = process("fmt", "--check", "--format", "json")
    assert ran.code == 2
    assert json.loads(ran.out)[0]["refusal"].startswith("encoding is utf-16")


@pytest.mark.parametrize("command", [("fmt",), ("lint", "--fix"), ("lint", "--unsafe-fixes"), ("lint", "--diff")])
def test_other_files_are_not_rewritten(run: RunCommand, ugly: Path, folder: Path, command: tuple[str, ...]) -> None:
    others = {
        "image.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01:\0\xff",
        "pack.gz": b"\x1f\x8b\x08\0 key:value\r\n",
        "index.html": b"<html>\r\n<p>fish:chips</p>\r\n Disallow : fish\r\n</html>",
        "program.py": b"import os\r\n\r\nif os: \n    x = {1:2}\nelse:\n  pass\n" * 4,
        "notes.txt": "\ufeffFirst note:\tbuy fish\nAgent : nobody".encode(),
    }
    for name, content in others.items():
        (folder / name).write_bytes(content)
    ran = run(*command, *others, "robots.txt")
    assert ran.code == 2
    for name, content in others.items():
        assert (folder / name).read_bytes() == content
        # The linter fixes nothing in content with many NUL bytes anyway.
        is_fixable = command != ("fmt",) and name.endswith((".py", ".txt"))
        assert (f"cannot fix {name}: not a robots.txt: 0 of " in ran.err) == is_fixable
        assert (f"cannot format {name}: " in ran.err) == (command == ("fmt",))
    if command == ("fmt",):
        assert ugly.read_bytes() == NEAT


def test_parts_that_stay_unchanged_are_reported(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(b"user-agent: a\nDissalow: /x\nUser-agent: b\nDisallow: /y\n")
    ran = run("fmt")
    assert ran.code == 0
    assert "unchanged, to preserve verdicts: blank lines between groups" in ran.out


def test_unreadable_file_does_not_stop_the_run(run: RunCommand, ugly: Path) -> None:
    ran = run("fmt", "nowhere.txt", ugly.name)
    assert ran.code == 2
    assert "nowhere.txt" in ran.err
    assert ugly.read_bytes() == NEAT


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("https://example.com",), "fetched files cannot be formatted"),
        (("-", "-"), "standard input can be read only once"),
        (("--format", "json"), "requires --check"),
    ],
)
def test_invalid_arguments_are_reported_in_one_line(run: RunCommand, arguments: tuple[str, ...], message: str) -> None:
    assert message in run("fmt", *arguments).refusal
