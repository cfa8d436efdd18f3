"""Colours, tables and progress bars, on terminals only."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import RunProcess, sites

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal as POSIX has it")

Run = Any
Screen = Callable[..., str]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CHECK = ("check", "/x", "/shop/", "--agent", "GPTBot", "--robots", "robots.txt")
MATRIX = ("matrix", "/shop/cart", "fish", "--agent", "GPTBot", "--agent", "Googlebot", "--robots", "robots.txt")
PLAIN = "import sys; sys.modules['rich'] = None; from canfetch.cli.main import main; main()"


@pytest.fixture
def screen(folder: Path, environment: Any) -> Screen:
    """Return a function that runs the command on a terminal of 80 columns and returns its output."""

    def shown(
        *arguments: str,
        env: dict[str, str] | None = None,
        rich: bool = True,
        only_errors: bool = False,
        width: int = 80,
        stdin: bytes = b"",
    ) -> str:
        import fcntl
        import pty
        import struct
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        start = ["-m", "canfetch"] if rich else ["-c", PLAIN]
        with subprocess.Popen(
            [sys.executable, *start, *arguments],
            cwd=folder,
            env=environment({"TERM": "xterm-256color", **(env or {})}),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL if only_errors else theirs,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            assert process.stdin is not None
            process.stdin.write(stdin)
            process.stdin.close()
            written = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:
                    break  # on Linux, the end of the output is an error
                if not part:
                    break
                written += part
            os.close(ours)
            assert process.wait() in (0, 1, 2)
        return written.decode().replace("\r\n", "\n")

    return shown


@pytest.mark.slow
def test_colour_on_a_terminal(screen: Screen) -> None:
    out = screen(*CHECK)
    assert "\x1b[31mdisallowed\x1b[0m  /x" in out
    assert "\x1b[32mallowed   \x1b[0m  /shop/" in out


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "explain", "matrix"])
@pytest.mark.parametrize("rich", [True, False])
def test_no_color_disables_colours(screen: Screen, command: str, *, rich: bool) -> None:
    for more, env in ((("--no-color",), {}), ((), {"NO_COLOR": "1"}), (("--no-color",), {"FORCE_COLOR": "1"})):
        out = screen(command, *CHECK[1:], *more, env=env, rich=rich)
        assert "\x1b[3" not in out
        assert "GPTBot" in out


@pytest.mark.parametrize("command", ["check", "explain", "matrix"])
def test_no_colour_in_a_pipe(run: Run, command: str) -> None:
    assert "\x1b" not in run(command, *CHECK[1:]).out


@pytest.mark.parametrize("command", ["check", "explain", "matrix"])
def test_no_color_overrides_force_color(run: Run, command: str) -> None:
    assert "\x1b[31m" in run(command, *CHECK[1:], env={"FORCE_COLOR": "1"}).out
    assert "\x1b" not in run(command, *CHECK[1:], env={"FORCE_COLOR": "0"}).out
    assert "\x1b" not in run(command, *CHECK[1:], env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out
    assert "\x1b" not in run(command, *CHECK[1:], "--no-color", env={"FORCE_COLOR": "1"}).out


@pytest.mark.slow
def test_dumb_terminal_gets_no_colour(screen: Screen) -> None:
    assert "\x1b" not in screen(*CHECK, env={"TERM": "dumb"})


@pytest.mark.slow
def test_json_and_csv_have_no_colour_on_a_terminal(screen: Screen) -> None:
    for form in ("json", "ndjson", "csv"):
        assert "\x1b" not in screen(*CHECK, "--format", form, env={"FORCE_COLOR": "1"})


@pytest.mark.slow
@pytest.mark.parametrize("rich", [True, False])
def test_matrix_has_the_same_content_with_and_without_rich(screen: Screen, *, rich: bool) -> None:
    if rich:
        pytest.importorskip("rich")
    out = screen(*MATRIX, rich=rich)
    words = [ESCAPES.sub("", line).split() for line in out.splitlines()]
    assert ["URL", "GPTBot", "Googlebot"] in words
    assert ["/shop/cart", "no", "7", "no", "12"] in words
    assert ["fish", "error", "error"] in words
    assert ("─" in out) is rich
    assert "yes, no: whether the agent may fetch the URL" in out


@pytest.mark.slow
@pytest.mark.parametrize("rich", [True, False])
def test_many_agents_become_rows(screen: Screen, folder: Path, *, rich: bool) -> None:
    if rich:
        pytest.importorskip("rich")
    (folder / "agents.txt").write_text("".join(f"ExampleBot{n}\n" for n in range(30)), encoding="utf-8")
    urls = [f"/private/{n}" for n in range(12)]
    out = ESCAPES.sub("", screen("matrix", *urls, "--agents-file", "agents.txt", "--robots", "robots.txt", rich=rich))
    assert max(map(len, out.splitlines())) <= 80
    assert " 1  /private/0" in out or "1  /private/0" in out
    # Seven URLs fit beside the names, so twelve URLs need two tables.
    assert out.count("ExampleBot29 ") == 2
    assert out.count("no 2") == 12 * 30


@pytest.mark.slow
@pytest.mark.parametrize("rich", [True, False])
def test_long_url_keeps_to_the_width(screen: Screen, *, rich: bool) -> None:
    if rich:
        pytest.importorskip("rich")
    url = "/shop/" + "x" * 150
    out = ESCAPES.sub("", screen("matrix", url, "/a", "--agent", "GPTBot", "--robots", "robots.txt", rich=rich))
    assert "".join(out.split()).count("x" * 20) >= 1
    assert re.search(r"^/a {50,}no 8\s*$", out, re.MULTILINE)
    assert re.search(r"yes 6\s*$", out, re.MULTILINE)


@pytest.mark.slow
def test_check_keeps_columns_on_a_narrow_terminal(screen: Screen) -> None:
    out = ESCAPES.sub("", screen("check", "/shop/" + "x" * 60, "/a", *CHECK[3:], width=60))
    assert re.search(r"^disallowed  /a {2,}GPTBot  line 8", out, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("rich", [True, False])
def test_long_list_has_a_progress_bar(screen: Screen, folder: Path, *, rich: bool) -> None:
    if rich:
        pytest.importorskip("rich")
    (folder / "urls.txt").write_text("/shop/fish\n" * 60_000 + "fish\n", encoding="utf-8")
    listed = ("check", "--urls-file", "urls.txt", *CHECK[3:])
    for out in (screen(*listed, only_errors=True, rich=rich), screen(*listed, "--quiet", rich=rich)):
        assert ("━" if rich else "[###") in out
        assert "allowed" not in ESCAPES.sub("", out)
        assert "canfetch: urls.txt:60001: invalid URL 'fish'" in ESCAPES.sub("", out)
    through = screen(*listed, rich=rich)
    assert "━" not in through
    assert "[###" not in through


@pytest.mark.slow
def test_no_progress_bar_without_a_terminal(run: Run, folder: Path) -> None:
    (folder / "urls.txt").write_text("/shop/fish\n" * 60_000, encoding="utf-8")
    assert run("check", "-q", "--urls-file", "urls.txt", *CHECK[3:]) == (0, "", "")


@pytest.mark.slow
def test_rich_is_not_imported_unless_a_table_is_drawn(process: RunProcess) -> None:
    code = (
        "import sys; from canfetch.cli.main import run; code = run(sys.argv[1:]); "
        "sys.exit(9 if 'rich' in sys.modules else code)"
    )
    for arguments in (CHECK, ("explain", *CHECK[1:]), ("matrix", *CHECK[1:])):
        assert process(*arguments, program=("-c", code)).code == 1


@pytest.mark.slow
def test_check_does_not_import_slow_modules(process: RunProcess) -> None:
    code = "import sys; from canfetch.cli.main import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    slow = {"rich", "csv", "pathlib", "urllib.parse", "dataclasses", "idna", "asyncio", "tomllib", "logging"}
    assert not slow & set(process(*CHECK, program=("-c", code)).err.split())


@pytest.mark.slow
@pytest.mark.parametrize("rich", [True, False])
def test_fetches_have_a_progress_bar(screen: Screen, folder: Path, *, rich: bool) -> None:
    if rich:
        pytest.importorskip("rich")
    with sites("rules", "disallow-all", "busy") as running:
        origins = [site.origin for site in running]
        urls = [f"{origin}/{'x' * 200}\n" for origin in origins for _ in range(1_000)]
        (folder / "urls.txt").write_text("".join([*urls, "nowhere\n"]), encoding="utf-8")
        unkept = ("--store", "none")
        for arguments in (
            ("check", "--urls-file", "urls.txt", "--agent", "GPTBot", *unkept),
            ("fetch", *origins, "nowhere\\n:x", *unkept),
        ):
            out = screen(*arguments, only_errors=True, rich=rich)
            assert ("━" if rich else "[###") in out
            assert "canfetch: " in ESCAPES.sub("", out)
            assert "http://127" not in ESCAPES.sub("", out)
        through = screen("fetch", *origins, *unkept, rich=rich)
        assert "━" not in through
        assert "\x1b[31mfull-disallow" in through
