"""Advice in the errors about arguments that are not URLs."""

from pathlib import Path

import pytest
from tests.cli.conftest import RunCommand

from canfetch.cli.shared.url_advice import host_advice

AGENT = ("--agent", "GPTBot")
LOCAL = (*AGENT, "--robots", "robots.txt")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /a\n")
    (folder / "hosts").write_text("example.com\nfish\n")


@pytest.mark.parametrize(
    "arguments, advice",
    [
        (("check", "robots.txt", *AGENT), "; pass a file with --robots or --urls-file"),
        (("check", "hosts", *AGENT), "; pass a file with --robots or --urls-file"),
        (("check", "missing.txt", *LOCAL), "; pass a file with --urls-file"),
        (("check", "example.com/a", *AGENT), "; did you mean 'https://example.com/a'?"),
        (("check", "example.com/a", *AGENT, "--quiet"), "; did you mean 'https://example.com/a'?"),
        (("explain", "www.example.co.uk:8080/?q", *LOCAL), "; did you mean 'https://www.example.co.uk:8080/?q'?"),
        (("matrix", "example.com", *LOCAL), "; did you mean 'https://example.com'?"),
        (("check", "fish.html", *LOCAL), "or a path starting with '/'"),
        (("page", "hosts", *AGENT), "; pass a file with --html"),
        (("page", "example.com", *AGENT), "; did you mean 'https://example.com'?"),
        (("lint", "www.example.com"), "no such file; did you mean 'https://www.example.com'?"),
        (("lint", "robots.txt2"), "'robots.txt2': no such file"),
    ],
    ids=" ".join,
)
def test_error_ends_with_advice(run: RunCommand, arguments: tuple[str, ...], advice: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.err.endswith(f"{advice}\n")


def test_lines_of_a_list_may_be_hosts_but_not_files(run: RunCommand) -> None:
    first, second = run("check", "--urls-file", "hosts", *LOCAL).err.splitlines()
    assert first.startswith("canfetch: hosts:1: invalid URL 'example.com': ")
    assert first.endswith("; did you mean 'https://example.com'?")
    assert second.endswith("or a path starting with '/'")


def test_advice_is_no_part_of_the_error_in_json(run: RunCommand) -> None:
    assert "did you mean" not in run("check", "example.com", *LOCAL, "--format", "json").out


@pytest.mark.parametrize("text", ["fish", "a b.example", "/example.com", "robots.tx", "page.html", "a." * 200 + "com"])
def test_other_texts_have_no_advice(text: str) -> None:
    assert host_advice(text) == ""
