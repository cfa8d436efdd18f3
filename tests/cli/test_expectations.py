"""`canfetch test`."""

from pathlib import Path
from typing import Any

import pytest

Run = Any
HOLDS = '[[expect]]\nagent = "GPTBot"\npattern = "/shop/cart"\nallowed = false\n'
FAILS = '\n[[expect]]\nagent = "GPTBot"\npattern = "/shop/"\nallowed = true\nwhy = "sales"\n'


def write(folder: Path, text: str, name: str = "robots.expect.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_all_hold(run: Run, folder: Path) -> None:
    write(folder, HOLDS)
    ran = run("test")
    assert (ran.code, ran.out, ran.err) == (0, "1 expectation checked, all hold.\n", "")
    assert run("test", "--quiet").out == ""
    write(folder, HOLDS + FAILS)
    ran = run("test", "--quiet")
    assert (ran.code, ran.out, ran.err) == (1, "", "")


def test_a_failure_names_the_line_the_reason_and_a_url(run: Run, folder: Path) -> None:
    write(folder, HOLDS + FAILS)
    ran = run("test")
    assert (ran.code, ran.err) == (1, "")
    assert ran.lines[0].startswith(
        "robots.expect.toml:6: expected that GPTBot may fetch all of /shop/ (sales), "
        "but GPTBot may not fetch /shop/cart: "
    )
    assert ran.lines[1:] == ["2 expectations checked, 1 failed."]


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_has_the_counterexample_and_its_verdict(run: Run, folder: Path, form: str) -> None:
    write(folder, HOLDS + FAILS)
    ran = run("test", "--format", form)
    rows = ran.rows(form)
    assert [row["holds"] for row in rows] == [True, False]
    assert rows[1]["counterexample"] == "/shop/cart"
    assert rows[1]["verdict"]["rule"]["line"] == 7
    assert (rows[0]["verdict"], rows[0]["line"], rows[1]["why"]) == (None, 1, "sales")


def test_another_robots_txt_and_several_files(run: Run, folder: Path) -> None:
    write(folder, HOLDS, "a.toml")
    write(folder, FAILS, "b.toml")
    ran = run("test", "a.toml", "b.toml", "--robots", "-", stdin=b"User-agent: *\nDisallow: /shop/cart\n")
    assert (ran.code, ran.lines[-1]) == (1, "2 expectations checked, 1 failed.")
    assert run("test", "a.toml", "--robots", "-", stdin=b"User-agent: *\nDisallow: /shop/cart\n").code == 0
    assert run("test", "a.toml", "b.toml").code == 1


def test_an_expectation_that_cannot_be_checked_is_an_error(run: Run, folder: Path) -> None:
    write(folder, '[[expect]]\nagent = "A"\nurl = "x y"\nallowed = true\n')
    ran = run("test")
    assert ran.code == 2
    assert "cannot be checked: invalid URL 'x y'" in ran.out


@pytest.mark.parametrize(
    "text, message",
    [
        ("robot = 1\n", "canfetch: robots.expect.toml: unknown key 'robot': did you mean 'robots'? "),
        (f'robots = "missing.txt"\n{HOLDS}', "missing.txt"),
        (None, "canfetch: cannot read 'robots.expect.toml': "),
    ],
)
def test_mistakes_are_one_line(run: Run, folder: Path, text: str | None, message: str) -> None:
    if text is not None:
        write(folder, text)
    assert message in run("test").refusal


def test_a_token_like_a_known_one_is_noted_once(run: Run, folder: Path) -> None:
    entry = '[[expect]]\nagent = "GPTBto"\npattern = "/shop/cart"\nallowed = false\n'
    write(folder, entry * 2)
    assert run("test").err == "canfetch: note: unknown crawler 'GPTBto': did you mean 'GPTBot'?\n"
    assert run("test", "--quiet").err == ""
    write(folder, entry.replace("GPTBto", "Claude"))
    names = "'ClaudeBot', 'Claude-SearchBot' or 'Claude-User'"
    assert run("test").err == f"canfetch: note: unknown crawler 'Claude': did you mean {names}?\n"


def test_a_token_that_the_file_names_is_not_noted(run: Run, folder: Path) -> None:
    write(folder, '[[expect]]\nagent = ["DCBot", "GPTBto"]\npattern = "/"\nallowed = true\n')
    (folder / "robots.txt").write_text("User-agent: DCBot\nAllow: /\n")
    ran = run("test")
    assert (ran.code, ran.err) == (0, "canfetch: note: unknown crawler 'GPTBto': did you mean 'GPTBot'?\n")


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((), "cannot read 'robots.expect.toml': no such file: create it with expectations about a robots.txt, or pass"),
        (("x.toml",), "cannot read 'x.toml': no such file\n"),
        (("-",), "cannot read '-': expected a file of expectations, such as robots.expect.toml; --robots - reads"),
        (("robots.txt",), "; pass a robots.txt with --robots robots.txt\n"),
    ],
)
def test_a_missing_or_wrong_file_is_one_clear_error(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in run("test", *arguments).refusal


def test_a_url_is_not_the_path_of_a_robots_txt(run: Run, folder: Path) -> None:
    write(folder, f'robots = "https://example.com/robots.txt"\n{HOLDS}')
    assert "invalid robots 'https://example.com/robots.txt': expected the path of a file; " in run("test").refusal


def test_failures_and_expectations_that_cannot_be_checked_are_counted_apart(run: Run, folder: Path) -> None:
    unchecked = '[[expect]]\nagent = "A"\nurl = "x y"\nallowed = true\n'
    write(folder, HOLDS + FAILS + unchecked)
    assert run("test").lines[-1] == "3 expectations checked, 1 failed, 1 could not be checked."
    write(folder, unchecked)
    assert run("test").lines[-1] == "1 expectation checked, 1 could not be checked."
