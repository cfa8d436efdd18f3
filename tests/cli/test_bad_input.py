"""Invalid input: one line with the value and what is expected, exit code 2, and no output."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from tests.cli.commands import commands
from tests.cli.conftest import RunProcess

from canfetch.cli.shared.single_value_option import Option

Run = Any

ASK = ("check", "/x", "--agent", "GPTBot")
WHOLE = (*ASK, "--robots", "robots.txt")
HEADER = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"


@pytest.mark.parametrize(
    "arguments, subject, expected",
    [
        ((*ASK, "--store", "none"), "cannot fetch robots.txt for '/x'", "expected an absolute URL"),
        (
            (*ASK, "--store", "none", "--robots", "https://"),
            "--robots: invalid robots.txt URL 'https://'",
            "absolute URL",
        ),
        ((*ASK, "--robots", "https://example.com/x.txt"), "invalid robots.txt URL", "'https://example.com/robots.txt'"),
        ((*ASK, "--store", "none", "--robots-url", "https://example.com/robots.txt"), "--robots-url", "--robots FILE"),
        ((*ASK, "--store", "."), "--store", "is a directory, expected a file: use another path"),
        ((*ASK, "--store", os.devnull), "--store", "is a device, expected a file: use another path"),
        ((*ASK, "--store", "~/robots.sqlite3"), "--store", "'~' is not expanded: use the path of the home directory"),
        ((*ASK, "--store", "redis:localhost"), "'redis:localhost'", "expected redis:// before the server"),
        (("frontier", "show", "~/crawl.sqlite3"), "'~/crawl.sqlite3'", "'~' is not expanded"),
        ((*WHOLE, "--evidence", "~/evidence"), "'~/evidence'", "'~' is not expanded"),
        (("watch", "https://a.example", "--history", os.devnull), f"--history {os.devnull}", "is a device"),
        ((*ASK, "--robots-dir", "nowhere"), "cannot read --robots-dir 'nowhere'", "no such directory"),
        ((*ASK, "--robots-dir", "robots.txt"), "--robots-dir 'robots.txt'", "is a file, expected a directory"),
        ((*ASK, "--robots-dir", "https://a.example/"), "--robots-dir", "expected a directory, not a URL"),
        (("test", "."), "cannot read '.'", "is a directory, expected a file"),
        (("test", "https://a.example/x.toml"), "cannot read 'https://a.example/x.toml'", "expected a file, not a URL"),
        (("lint", "--config", "https://a.example/x.toml"), "--config 'https://a.example/x.toml'", "not a URL"),
        (("evidence", "verify", "https://a.example/x"), "https://a.example/x: not a folder", "EvidenceRecorder"),
        (("evidence", "head", "https://a.example/x"), "https://a.example/x: not a folder", "EvidenceRecorder"),
        ((*ASK, "--store", "redis://localhost:port"), "--store 'redis://localhost:port'", "invalid Redis URL"),
        ((*WHOLE, "--refresh", "--offline"), "--refresh and --offline", "cannot be used together"),
        ((*WHOLE, "--timeout", "0"), "0.0 is not between 0.001 and 3600", "--help"),
        ((*WHOLE, "--timeout", "nan"), "invalid --timeout nan", "expected 0.001 to 3600 seconds"),
        ((*WHOLE, "--user-agent", ""), "invalid --user-agent ''", "expected printable ASCII"),
        ((*WHOLE, "--user-agent", "fish\u9b5a"), "invalid --user-agent", "expected printable ASCII"),
        ((*WHOLE, "--policy", "bing"), "'--policy': unknown access policy 'bing'", "'google2019'"),
        (
            (*WHOLE, "--policy", "rfc9309+unauthorized=deny"),
            "'--policy': unknown value 'deny' of unauthorized",
            "'full-disallow'",
        ),
        (("fetch",), "no origin", "such as https://example.com"),
        (("fetch", "--store", "none", "http://"), "invalid URL 'http://'", "expected an absolute URL"),
        (("fetch", "--store", "none", ""), "invalid origin ''", "expected one such as https://example.com"),
        (("fetch", "--store", "none", "/x"), "invalid origin '/x'", "expected one such as https://example.com"),
        (("sitemaps", "--store", "none", "/x"), "invalid origin '/x'", "expected one such as https://example.com"),
        (("cache", "clear", ""), "invalid origin ''", "expected one such as https://example.com"),
        (("agents", "find", "--headers-file", os.devnull), "is empty", "expected one header per line"),
        (
            ("agents", "find", "--headers-file", os.devnull, "--format", "json"),
            "is empty",
            "expected one header per line",
        ),
        (("cache", "clear"), "expected either origins", "--all"),
        (
            ("cache", "clear", "--store", "store.sqlite3"),
            "--store 'store.sqlite3' does not exist",
            "expected an SQLite file",
        ),
        (("cache", "list", "--store", "none"), "--store none has no entries", "expected an SQLite file"),
        (("evidence", "verify", "nowhere"), "nowhere: not a folder", "EvidenceRecorder"),
        ((*ASK, "--robots", "missing.txt"), "cannot read --robots 'missing.txt'", "no such file"),
        ((*ASK, "--robots", "."), "cannot read --robots '.'", "is a directory, expected a file"),
        ((*WHOLE, "--urls-file", "missing.txt"), "cannot read --urls-file 'missing.txt'", "no such file"),
        ((*WHOLE, "--urls-file", "."), "cannot read --urls-file '.'", "is a directory, expected a file"),
        ((*WHOLE, "--agents-file", "missing.txt"), "cannot read --agents-file 'missing.txt'", "no such file"),
        ((*WHOLE, "--profile", "altavista"), "'altavista' is not one of", "'rfc9309'"),
        ((*WHOLE, "--format", "xml"), "'xml' is not one of", "'ndjson'"),
        ((*WHOLE, "--engine", "steam"), "'steam' is not one of", "'python'"),
        ((*WHOLE, "--max-bytes", "5"), "invalid --max-bytes 5", "expected at least 512000"),
        ((*WHOLE, "--max-bytes", "-5"), "invalid --max-bytes -5", "expected at least 512000"),
        ((*WHOLE, "--max-bytes", "536870913"), "invalid --max-bytes 536870913", "expected at most 536870912"),
        ((*WHOLE, "--max-bytes", "99999999999999"), "invalid --max-bytes 99999999999999", "expected at most 536870912"),
        ((*WHOLE, "--max-bytes", "many"), "'many' is not a whole number", "--help"),
        ((*WHOLE, "--timeout", "5s"), "invalid value for '--timeout': '5s' is not a number", "--help"),
        ((*WHOLE, "--parallel", "all"), "invalid value for '--parallel': 'all' is not a whole number", "--help"),
        (
            (*WHOLE, "--robots-url", "https://example.com/x.txt"),
            "--robots-url: invalid robots.txt URL 'https://example.com/x.txt'",
            "/robots",
        ),
        ((*WHOLE, "--robots-url", "/robots.txt"), "--robots-url: invalid robots.txt URL '/robots.txt'", "absolute URL"),
        ((*WHOLE, "--agent", "Example Bot"), "invalid agent 'Example Bot'", "expected a product token without spaces"),
        (
            (*WHOLE, "--agent", "Example\tBot"),
            "invalid agent 'Example\\tBot'",
            "expected a product token without spaces",
        ),
        ((*WHOLE, "--agent", "ExampleBot/1.0"), "invalid agent 'ExampleBot/1.0'", "'ExampleBot'"),
        (
            (*WHOLE, "--agent", HEADER),
            "invalid agent",
            "expected only the product token of that User-Agent header, 'GPTBot'",
        ),
        ((*WHOLE, "--agent", "Mozilla/5.0"), "invalid agent 'Mozilla/5.0'", "expected a product token without"),
        ((*WHOLE, "--agent", ""), "invalid agent ''", "expected a product token"),
        (
            (*WHOLE, "--agent", "Example Bot", "--exact"),
            "invalid agent 'Example Bot'",
            "expected a product token without",
        ),
        (("check", "/x", "--robots", "robots.txt"), "no agent", "pass --agent TOKEN"),
        (("check", "--agent", "GPTBot", "--robots", "robots.txt"), "no URL", "--urls-file FILE"),
        (("check", "", "--agent", "GPTBot", "--robots", "robots.txt"), "invalid URL ''", "expected an absolute URL"),
        (("check", "x.html", "--agent", "GPTBot", "--robots", "robots.txt"), "URL 'x.html'", "starting with '/'"),
        ((*ASK, "--robots"), "'--robots' requires an argument", "--help'"),
        (
            ("lint", "robots.txt", "--page", "fish", "robots.txt"),
            "--page: invalid URL 'fish'",
            "expected an absolute URL",
        ),
        (
            ("lint", "robots.txt", "--config", "missing.toml"),
            "cannot read configuration file 'missing.toml'",
            "no such file",
        ),
        (("completion", "tcsh"), "'tcsh' is not one of", "'bash'"),
        (("completion",), "missing argument", ": choose from bash, zsh, fish (see 'canfetch completion --help')"),
        (
            ("matrix", "/x", "--agent", "GPTBot", "--robots", "nowhere"),
            "cannot read --robots 'nowhere'",
            "no such file",
        ),
        (("explain", "/x", "--agent", "GPTBot", "--store", "none"), "cannot fetch robots.txt for '/x'", "--robots"),
    ],
)
def test_bad_input_is_one_line(run: Run, arguments: tuple[str, ...], subject: str, expected: str) -> None:
    line = run(*arguments).refusal
    assert subject in line
    assert expected in line


@pytest.mark.parametrize("command", ["check", "explain", "matrix"])
@pytest.mark.parametrize("form", ["text", "csv"])
def test_invalid_url_is_reported_by_every_command(run: Run, command: str, form: str) -> None:
    ran = run(command, "fish", "--agent", "GPTBot", "--robots", "robots.txt", "--format", form)
    assert ran.code == 2
    assert ran.err.startswith("canfetch: invalid URL 'fish': ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--robots", "-", "--urls-file", "-"),
        ("--robots", "-", "--agents-file", "-"),
        ("--robots", "robots.txt", "--urls-file", "-", "--agents-file", "-"),
    ],
)
def test_standard_input_for_two_options_is_refused(run: Run, options: tuple[str, ...]) -> None:
    line = run("check", "/x", "--agent", "GPTBot", *options, stdin=b"/x\n").refusal
    assert "standard input can be read only once, but is used by -" in line


@pytest.mark.parametrize("form", ["text", "json", "ndjson", "csv"])
@pytest.mark.parametrize("content", [b"", b"\n  \n\r\n"])
def test_empty_list_of_urls_is_refused(ask: Run, form: str, content: bytes) -> None:
    line = ask("check", "--urls-file", "-", "--format", form, stdin=content).refusal
    assert "--urls-file '-' is empty: expected one URL per line" in line


@pytest.mark.parametrize(
    "arguments, option, values",
    [
        ((*WHOLE, "--robots", "-"), "--robots", "'robots.txt' and '-'"),
        ((*WHOLE, "--robots=robots.txt"), "--robots", "'robots.txt' and 'robots.txt'"),
        ((*WHOLE, "--profile", "google", "--profile", "bing"), "--profile", "'google' and 'bing'"),
        ((*WHOLE, "--format", "json", "--format", "csv"), "--format", "'json' and 'csv'"),
        ((*WHOLE, "--timeout", "1", "--timeout", "2", "--timeout", "3"), "--timeout", "'1', '2' and '3'"),
        (
            ("cache", "list", "--store", "redis://u:secret@a/0", "--store", "none"),
            "--store",
            "'redis://...' and 'none'",
        ),
        (("lint", "robots.txt", "--robots-url", "x", "--robots-url", "y"), "--robots-url", "'x' and 'y'"),
        (("lint", "robots.txt", "--output", "x", "--output", "y"), "--output", "'x' and 'y'"),
        (("init", "--recipe", "block-all", "--crawler", "x", "--crawler", "y"), "--crawler", "'x' and 'y'"),
    ],
)
def test_option_with_one_value_cannot_be_repeated(
    run: Run, arguments: tuple[str, ...], option: str, values: str
) -> None:
    assert f"canfetch: {option} can be passed only once, but got {values} (see 'canfetch " in run(*arguments).refusal


def test_every_option_with_one_value_refuses_a_second_one() -> None:
    options = [option for _, command in commands() for option in command.params if isinstance(option, click.Option)]
    single = [option for option in options if not option.is_flag and not option.multiple]
    assert {"--robots", "--store", "--output", "--language"} <= {option.opts[0] for option in single}
    assert [option.opts for option in single if not isinstance(option, Option)] == []


@pytest.mark.parametrize(
    "content, kind",
    [
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\xb0\xff", "binary data"),
        (b"<!DOCTYPE html><html></html>", "HTML or XML"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x0b\x2d", "gzip data"),
        ("User-agent: *\nDisallow: /".encode("utf-16-le"), "UTF-16 without a byte order mark"),
    ],
)
@pytest.mark.parametrize(
    "arguments, code",
    [
        (ASK, 0),
        (("sitemaps",), 1),
        (("page", "https://example.com/x", "--agent", "GPTBot", "--response-header", "X-Robots-Tag: all"), 0),
    ],
)
def test_file_that_is_not_text_is_a_warning(
    run: Run, arguments: tuple[str, ...], code: int, content: bytes, kind: str
) -> None:
    ran = run(*arguments, "--robots", "-", stdin=content)
    assert ran.code == code
    assert f"canfetch: warning: --robots - is {kind}, not a robots.txt\n" in ran.err


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<!-- robots -->\nUser-agent: *",
        b"\xef\xbb\xbfUser-agent: *",
        b"Disallow: /\xff\n",
    ],
)
def test_text_is_not_a_warning(run: Run, content: bytes) -> None:
    assert run(*ASK, "--robots", "-", stdin=content).err == ""


def test_verdicts_of_a_file_that_is_not_text_say_so(run: Run) -> None:
    page, note = b"<html>Just a moment...</html>", "the content is HTML or XML without any record"
    assert f"no group applies to GPTBot: {note}\n" in run(*ASK, "--robots", "-", stdin=page).out
    explained = run("explain", "/x", "--agent", "GPTBot", "--exact", "--robots", "-", stdin=page)
    assert f"  note      {note}\n" in explained.out
    as_json = run(*ASK, "--robots", "-", "--format", "ndjson", stdin=page)
    assert json.loads(as_json.out)["notes"] == [note]


def test_empty_list_of_agents_is_refused(run: Run, folder: Path) -> None:
    (folder / "agents.txt").write_text("# empty\n\n", encoding="utf-8")
    line = run("check", "/x", "--agents-file", "agents.txt", "--robots", "robots.txt").refusal
    assert "--agents-file 'agents.txt' is empty: expected one product token per line" in line


def test_invalid_agent_in_a_file_is_reported_with_its_line(run: Run, folder: Path) -> None:
    (folder / "agents.txt").write_text("GPTBot\nExample Bot\n", encoding="utf-8")
    line = run("check", "/x", "--agents-file", "agents.txt", "--robots", "robots.txt").refusal
    assert "agents.txt:2: invalid agent 'Example Bot'" in line


def test_list_in_utf16_is_refused(ask: Run, folder: Path) -> None:
    (folder / "urls.txt").write_text("/x\n", encoding="utf-16")
    assert "urls.txt is UTF-16: expected UTF-8" in ask("check", "--urls-file", "urls.txt").refusal


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_file_without_permission_is_reported(run: Run, folder: Path) -> None:
    (folder / "robots.txt").chmod(0)
    assert "cannot read --robots 'robots.txt': Permission denied" in run(*WHOLE).refusal


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file here that opens and cannot be read")
def test_read_error_is_reported(run: Run, ask: Run) -> None:
    assert "cannot read --robots '/proc/self/mem': " in run(*ASK, "--robots", "/proc/self/mem").refusal
    assert "cannot read /proc/self/mem: " in ask("check", "--urls-file", "/proc/self/mem").refusal


def test_file_name_that_is_too_long_is_reported(run: Run) -> None:
    assert "cannot read --robots 'xxx" in run(*ASK, "--robots", "x" * 5_000).refusal


@pytest.mark.slow
def test_unknown_engine_in_the_environment_is_reported(process: Run) -> None:
    assert "CANFETCH_ENGINE: unknown engine 'steam'" in process(*WHOLE, env={"CANFETCH_ENGINE": "steam"}).refusal
    assert "CANFETCH_ENGINE: unknown engine 'steam'" in process("--version", env={"CANFETCH_ENGINE": "steam"}).refusal


def test_no_arguments_print_the_help(run: Run) -> None:
    ran = run()
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: canfetch")


def test_url_over_1_mib_is_refused(ask: Run, folder: Path) -> None:
    (folder / "urls.txt").write_bytes(b"/shop/\n/" + b"a" * 3_000_000 + b"\n/shop/x\n")
    ran = ask("check", "--urls-file", "urls.txt")
    assert ran.code == 2
    assert len(ran.lines) == 2
    assert ran.err == f"canfetch: urls.txt:2: invalid URL {'/' + 'a' * 39!r}...: expected at most 1 MiB\n"
    assert ask("check", "--urls-file", "urls.txt", "-q") == (2, "", ran.err)


def test_message_about_a_long_url_is_shortened(ask: Run) -> None:
    ran = ask("check", "a" * 5_000)
    assert ran.code == 2
    assert len(ran.err) < 700
    assert ran.err.startswith("canfetch: invalid URL 'aaa")
    assert ran.err.endswith("starting with '/'\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (*WHOLE, "--agent", f"{'a' * 5_000} b"),
        (*WHOLE, "--agent", f"{'a' * 5_000}/1.0"),
        (*ASK, "--robots", "x" * 5_000),
        (*ASK, "--store", "none", "--robots", f"https://example.com/{'x' * 5_000}"),
        ("fetch", "--store", "none", f"/{'x' * 5_000}"),
        ("fetch", "--store", "none", f"nonsense://{'x' * 5_000}"),
        ("page", f"/{'x' * 5_000}", "--agent", "GPTBot", "--store", "none"),
        ("page", "--html", "x" * 5_000, "--agent", "GPTBot"),
        ("cache", "list", "--store", "x" * 5_000),
        ("cache", "list", "x" * 5_000),
        ("sitemaps", f"{'x' * 5_000}.invalid", "--offline"),
        ("fetch", f"nonsense://{'x' * 5_000}", "--offline"),
        ("check", "/x", "--agents-file", "x" * 5_000, "--robots", "robots.txt"),
    ],
)
def test_message_about_a_long_argument_is_shortened(run: Run, arguments: tuple[str, ...]) -> None:
    assert len(run(*arguments).refusal) < 700


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is full")
def test_full_output_device_is_reported(process: RunProcess) -> None:
    with Path("/dev/full").open("wb") as full:
        assert "canfetch: cannot write the output: " in process(*WHOLE, stdout=full).refusal


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams")
@pytest.mark.parametrize(
    "arguments, code",
    [
        ((*WHOLE, "--format", "text"), 2),
        ((*WHOLE, "--format", "json"), 2),
        (("explain", *WHOLE[1:]), 2),
        (("agents", "list"), 2),
        (("--version",), 2),
        (("--help",), 2),
        # Quiet runs write nothing, so the closed output does not matter.
        ((*WHOLE, "--quiet"), 1),
    ],
)
def test_closed_standard_output_is_reported(process: RunProcess, arguments: tuple[str, ...], code: int) -> None:
    line = "canfetch: cannot write the output: standard output is closed\n"
    assert process(*arguments, redirection=">&-") == (code, "", line if code == 2 else "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams")
def test_closed_standard_error_does_not_stop_the_run(folder: Path, process: RunProcess) -> None:
    (folder / "urls.txt").write_text("/x\nfish\n", encoding="utf-8")
    ran = process(*WHOLE, "--urls-file", "urls.txt", redirection="2>&-")
    assert (ran.code, len(ran.lines)) == (2, 2)


UTF_16 = "User-agent: *\nDisallow: /\nSitemap: https://example.com/s.xml\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("profile", ["rfc9309", "googlebot"])
@pytest.mark.parametrize("command", ["check", "explain", "matrix", "diff", "test", "sitemaps", "page"])
def test_utf_16_with_a_byte_order_mark_is_a_warning(
    run: Run, folder: Path, command: str, profile: str, encoding: str
) -> None:
    (folder / "u.txt").write_bytes(f"\ufeff{UTF_16}".encode(encoding))
    (folder / "robots.expect.toml").write_text(
        f'profile = "{profile}"\n[[expect]]\nagent = "GPTBot"\nurl = "/"\nallowed = false\n'
    )
    robots = ["--robots", "u.txt"]
    ask = ["/", "--agent", "GPTBot", "--profile", profile, *robots]
    page = ["https://example.com/x", "--agent", "GPTBot", "--response-header", "X-Robots-Tag: all", *robots]
    arguments = {"diff": ["u.txt", "u.txt", "--profile", profile], "test": robots, "sitemaps": robots, "page": page}
    ran = run(command, *arguments.get(command, ask))
    name = "'u.txt'" if command == "diff" else "--robots 'u.txt'"
    message = f"canfetch: warning: {name} is UTF-16, which most crawlers do not read: save it as UTF-8\n"
    assert ran.err.count(message) == (2 if command == "diff" else 1)
