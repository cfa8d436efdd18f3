"""`canfetch init`: a robots.txt from a recipe, by options or prompts."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import StartProcess

from canfetch.author.recipes import RECIPES

Run = Any


LISTED = (
    "canfetch: note: search engines may still list a disallowed URL if other pages link to it; to keep a page out of "
    "search results, allow it and serve noindex, or require a password\n"
)
READ = (
    "canfetch: note: everybody can read robots.txt and the paths in it, and crawlers may ignore it; protect private "
    "content with a password\n"
)


def test_a_recipe_is_written_to_standard_output(run: Run) -> None:
    ran = run("init", "--recipe", "block-directories", "--path", "/calendar/", "--path", "/junk/")
    assert (ran.code, ran.err) == (0, LISTED + READ)
    assert ran.out == "User-agent: *\nDisallow: /calendar/\nDisallow: /junk/\n"


def test_a_recipe_with_a_crawler_and_a_sitemap(run: Run) -> None:
    url = "https://www.example.com/sitemap.xml"
    ran = run("init", "--recipe", "block-file-type", "--crawler", "Googlebot", "--file-type", "gif", "--sitemap", url)
    assert ran.out == f"User-agent: Googlebot\nDisallow: /*.gif$\n\nSitemap: {url}\n"


def test_crawler_that_does_not_exist_is_noted(run: Run) -> None:
    ran = run("init", "--recipe", "block-queries", "--crawler", "OpenAI")
    names = "'GPTBot', 'OAI-SearchBot' or 'ChatGPT-User'"
    assert (ran.code, ran.err) == (0, f"canfetch: note: unknown crawler 'OpenAI': did you mean {names}?\n")
    assert ran.out.startswith("User-agent: OpenAI\n")
    for recipe in ("block-ai-training", "block-seo", "only-adsense"):
        assert "unknown crawler" not in run("init", "--recipe", recipe).err


@pytest.mark.parametrize(
    "arguments, notes",
    [
        ("block-all", LISTED),
        ("block-page --path /private_file.html", LISTED + READ),
        ("block-file-type --file-type gif --crawler Googlebot", LISTED),
        ("block-image --path /images/dogs.jpg", LISTED + READ),
        ("block-directories --path /junk/ --crawler GPTBot", READ),
        ("block-queries --crawler ExampleBot", ""),
        ("block-seo", ""),
        ("allow-all", ""),
    ],
)
def test_google_guide_notes_what_a_block_does_not_achieve(run: Run, arguments: str, notes: str) -> None:
    ran = run("init", "--recipe", *arguments.split())
    assert (ran.code, ran.err) == (0, notes)


def test_recipes_are_listed_with_their_options(run: Run) -> None:
    ran = run("init", "--list")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.lines if not line.startswith(" ")] == list(RECIPES)
    assert "[--crawler Googlebot] --file-type gif" in ran.out


def test_existing_file_is_not_replaced(run: Run, folder: Path) -> None:
    ran = run("init", "--recipe", "block-all", "--output", "new.txt")
    assert (ran.code, ran.out, ran.err) == (0, "", LISTED)
    assert (folder / "new.txt").read_bytes().endswith(b"\nUser-agent: *\nDisallow: /\n")
    before = (folder / "robots.txt").read_bytes()
    ran = run("init", "--recipe", "block-all", "--output", "robots.txt")
    assert ran.refusal == "canfetch: --output 'robots.txt' already exists: pass --force to replace it\n"
    assert (folder / "robots.txt").read_bytes() == before
    (folder / "robots.txt").chmod(0o600)
    assert run("init", "--recipe", "allow-all", "--output", "robots.txt", "--force").code == 0
    assert (folder / "robots.txt").read_bytes() == b"User-agent: *\nDisallow:\n"
    if os.name == "posix":
        assert (folder / "robots.txt").stat().st_mode & 0o777 == 0o600
        assert (folder / "new.txt").stat().st_mode & 0o777 == 0o644
    # No temporary file remains.
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "arguments, told",
    [
        ((), "--recipe NAME is required without a terminal (list the recipes with --list)"),
        (("--path", "/a"), "--recipe NAME is required (list the recipes with --list)"),
        (
            ("--recipe", "block-page"),
            "recipe block-page: missing parameter path: expected the path of a page, such as '/private_file.html'",
        ),
        (("--recipe", "block-all", "--path", "/a"), "recipe block-all: unexpected parameter 'path'"),
        (("--recipe", "block-page", "--path", "a"), "invalid path 'a': expected a path that starts with '/'"),
        (
            ("--recipe", "block-page", "--path", "/a/../b"),
            "invalid pattern '/a/../b': it matches nothing",
        ),
        (("--recipe", "block-ends-with", "--ending", ""), "invalid ending '': expected at least one character"),
        (("--recipe", "block-file-type", "--file-type", ""), "invalid file type '': expected letters and digits"),
        (("--recipe", "block-page", "--path", ""), "invalid path '': expected a path that starts with '/'"),
        (("--recipe", "block-queries", "--crawler", ""), "invalid product token ''"),
        (("--crawler", ""), "--recipe NAME is required"),
        (
            ("--recipe", "block-all", "--sitemap", "https://e.com/s", "--sitemap", "https://e.com/s"),
            "duplicate sitemap URL 'https://e.com/s'",
        ),
        (("--recipe", "block-all", "--sitemap", "/s"), "invalid sitemap URL '/s': expected an absolute URL"),
        (("--recipe", "block-all", "--output", "."), "cannot write --output '.': is a directory, expected a file"),
        (("--recipe", "block-all", "--output", "none/r.txt"), "cannot write --output 'none/r.txt': "),
        (("--recipe", "zzz"), "invalid value for '--recipe': 'zzz' is not one of"),
    ],
)
def test_invalid_arguments_are_reported_in_one_line(run: Run, arguments: tuple[str, ...], told: str) -> None:
    assert run("init", *arguments).refusal.startswith(f"canfetch: {told}")


@pytest.mark.slow
def test_terminal_prompts_for_the_recipe(start: StartProcess) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with start("init", stdin=theirs, env={"TERM": "dumb"}) as process:
        os.close(theirs)
        # Invalid answers are prompted for again.
        os.write(
            ours, b"zzz\nblock-directories\n\ncalendar\n\n/calendar/ /junk/\n/s.xml\nhttps://www.example.com/s.xml\n"
        )
        out, err = process.communicate(timeout=300)
        os.close(ours)
    assert process.returncode == 0, err.decode()
    # Prompts are not part of the file.
    assert out.decode() == (
        "User-agent: *\nDisallow: /calendar/\nDisallow: /junk/\n\nSitemap: https://www.example.com/s.xml\n"
    )
    assert "Recipe: " in err.decode()
    assert "block-directories: the path of a directory, with a final slash" in err.decode()
    assert "'calendar'" in err.decode()
    assert "Error: invalid sitemap URL '/s.xml'" in err.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer, prompt",
    [(b"", b"Recipe:"), (b"block-directories\n", b"block-directories: "), (b"block-all\n", b"(optional):")],
)
@pytest.mark.parametrize(
    "code, line",
    [(130, b":"), (2, b"\ncanfetch: the input ended before all questions were answered")],
)
def test_interrupted_prompt_ends_without_a_traceback(
    start: StartProcess, answer: bytes, prompt: bytes, code: int, line: bytes
) -> None:
    interrupted = code == 130
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with start("init", stdin=theirs, env={"TERM": "dumb"}) as process:
        os.close(theirs)
        assert process.stderr is not None
        os.write(ours, answer)
        err = b""
        while prompt not in err:
            part = os.read(process.stderr.fileno(), 65536)
            assert part
            err += part
        if interrupted:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                # Python's `input` ignores a signal that arrives just before it reads.
                process.send_signal(signal.SIGINT)
        else:
            os.write(ours, b"\x04")
        out, rest = process.communicate(timeout=300)
        os.close(ours)
    assert (process.returncode, out) == (code, b"")
    assert (err + rest).rstrip().endswith(line)
    assert b"Traceback" not in err + rest
