"""`--at` and `--history`: decisions and answers about uses as of a date."""

import json
import sqlite3
import zlib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.json_lines import read_json_lines

from canfetch.client.sqlite_files import CORRUPTION_ADVICE
from canfetch.client.watch import Observation, WatchHistory
from canfetch.client.watch.watcher import BehaviourChange, change_json
from canfetch.core.verdict import Effect

Run = Any
URL = "https://example.com/fish"
AGENT = ("--agent", "GPTBot")
REMOVED = "observation of 2026-04-01T00:00:00Z; no later one is known"
TRAINING = (*AGENT, "--purpose", "training")
PUBLISHED = "copy of 2026-02-01T00:00:00Z; the next one is of 2026-03-01T00:00:00Z"
WITHDRAWN = "copy of 2026-03-01T00:00:00Z; the next one is of 2026-04-01T00:00:00Z"


@pytest.fixture(autouse=True)
def history(folder: Path) -> Path:
    """Return the default history: allowed in February, disallowed in March, and without a file since April."""
    path = folder / "robots-history.sqlite3"
    files: list[tuple[int, int, bytes | None]] = [
        (2, 200, b"User-agent: *\nContent-Signal: ai-train=yes\nCrawl-delay: 5\n"),
        (3, 200, b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /\n"),
        (4, 404, None),
    ]
    with WatchHistory(path) as opened:
        for month, status, content in files:
            effect = Effect.FULL_ALLOW if content is None else Effect.CONDITIONAL_ALLOW
            at = datetime(2026, month, 1, tzinfo=UTC).timestamp()
            seen = Observation("https://example.com", at, effect, status, f"status {status}", content)
            previous = opened.last_version("https://example.com")
            assert opened.record(seen, previous=previous, change=None, sends=False)
    return path


@pytest.mark.parametrize(
    "at, code, line",
    [
        ("2026-02-01", 0, f"allowed     {URL}  GPTBot  no rule for * matches (status 200 ({PUBLISHED}))"),
        ("2026-03-15T12:00:00+02:00", 1, f"disallowed  {URL}  GPTBot  line 3, Disallow: / (status 200 ({WITHDRAWN}))"),
        (
            "2026-04-01",
            0,
            f"allowed     {URL}  GPTBot  robots.txt is unavailable: status 404 ({REMOVED})",
        ),
    ],
)
def test_check_decides_by_the_copy_of_the_time(run: Run, at: str, code: int, line: str) -> None:
    ran = run("check", URL, *AGENT, "--at", at)
    assert (ran.lines[-1], ran.code, ran.err) == (line, code, "")
    assert run("check", URL, *AGENT, "--at", at, "--quiet") == (code, "", "")


@pytest.mark.parametrize("command", [("check", URL, *AGENT), ("use", URL, *TRAINING)])
def test_a_time_in_the_future_is_a_warning(run: Run, command: tuple[str, ...]) -> None:
    warning = "canfetch: warning: --at '2999-01-01' is in the future: the last known copy decides\n"
    assert run(*command, "--at", "2999-01-01").err == warning
    assert run(*command, "--at", "2999-01-01", "--quiet").err == ""


def test_before_the_first_copy_the_answer_is_an_error(run: Run) -> None:
    words = "not known at 2026-01-31T23:59:59Z: the first known copy is of 2026-02-01T00:00:00Z"
    at = ("--at", "2026-01-31T23:59:59Z")
    assert run("check", URL, *AGENT, *at) == (2, "", f"canfetch: robots.txt of https://example.com: {words}\n")
    assert run("check", URL, *AGENT, *at, "--quiet").code == 2
    error = f"robots.txt of https://example.com: {words}"
    assert run("use", URL, *TRAINING, *at) == (2, "", f"canfetch: {error}\n")
    (row,) = json.loads(run("use", URL, *TRAINING, *at, "--format", "json").out)
    assert (row["allowed"], row["error"]) == (None, error)
    other = run("use", "https://other.example/", *TRAINING, *at)
    assert other.code == 2
    assert other.err.startswith("canfetch: robots.txt of https://other.example: ")


def test_each_printed_time_selects_its_version(run: Run, history: Path) -> None:
    origin = "https://fractions.example"
    with WatchHistory(history) as opened:
        for fraction, rules in ((0.1234567, b"Disallow: /"), (0.7654321, b"Allow: /")):
            content = b"User-agent: *\n" + rules
            seen = Observation(origin, 1_790_000_000 + fraction, Effect.CONDITIONAL_ALLOW, 200, "status 200", content)
            previous = opened.last_version(origin)
            report = None if previous is None else change_json(previous.observation, seen, BehaviourChange(()))
            assert opened.record(seen, previous=previous, change=report, sends=False)
    rows = json.loads(run("history", origin, "--format", "json").out)
    text = [line.split()[1] for line in run("history", origin).lines]
    reported = [rows[1]["change"]["before"]["at"], rows[1]["change"]["after"]["at"]]
    assert [row["at"] for row in rows] == text == reported
    for at, code in zip(text, (1, 0), strict=True):
        ran = run("check", f"{origin}/", *AGENT, "--at", at, "--format", "json")
        assert ran.code == code
        (row,) = json.loads(ran.out)
        assert row["access"]["fetched_at"] == at
        assert at in run("explain", f"{origin}/", *AGENT, "--at", at).out
        (used,) = json.loads(run("use", f"{origin}/", *TRAINING, "--at", at, "--format", "json").out)
        assert used["sources"][0]["detail"].startswith(f"copy of {at}; ")


def test_a_content_with_another_hash_is_an_error(run: Run, history: Path) -> None:
    with closing(sqlite3.connect(history)) as connection, connection:
        connection.execute("UPDATE contents SET data = ?", (zlib.compress(b"User-agent: *\nAllow: /\n"),))
    for command in (("check", URL, *AGENT, "--at", "2026-03-15"), ("history", "--content", "2"), ("history",)):
        ran = run(*command)
        assert "robots-history.sqlite3: damaged: the SHA-256 of the content of version " in ran.refusal
        assert ran.err.endswith(f"; {CORRUPTION_ADVICE}\n")


def test_use_answers_by_the_copy_of_the_time(run: Run) -> None:
    header = ("--response-header", "Content-Type: text/html")
    for at, allowed, times in (("2026-02-15", True, PUBLISHED), ("2026-03-15", False, WITHDRAWN)):
        ran = run("use", URL, *TRAINING, "--at", at, *header)
        assert f"  robots.txt   {times}" in ran.lines
        (row,) = json.loads(run("use", URL, *TRAINING, "--at", at, *header, "--format", "json").out)
        assert row["allowed"] is allowed
        first = [(one["name"], one["state"], one["detail"]) for one in row["sources"][:2]]
        assert first == [("robots.txt", "read", times), ("headers", "read", "")]
        assert row["expires_at"] == times[-20:]


def test_explain_and_matrix_show_the_file_of_the_time(run: Run) -> None:
    explained = run("explain", URL, *AGENT, "--at", "2026-03-15")
    assert "line 3 decides" in explained.out
    assert f"  copy      status 200 ({WITHDRAWN})" in explained.lines
    assert run("matrix", URL, *AGENT, "--at", "2026-02-15").code == 0
    assert run("matrix", URL, *AGENT, "--at", "2026-03-15").code == 1


def test_each_profile_reads_the_file_of_the_time(run: Run) -> None:
    rows = json.loads(run("explain", URL, *AGENT, "--at", "2026-03-15", "--all-profiles", "--format", "json").out)
    assert {row["allowed"] for row in rows} == {False}
    assert len(rows) > 3


def test_decisions_as_of_a_date_are_recorded(run: Run, folder: Path) -> None:
    assert run("check", URL, *AGENT, "--at", "2026-03-15", "--evidence", "evidence").code == 1
    assert run("check", URL, *AGENT, "--at", "2026-04-15", "--evidence", "evidence").code == 0
    lines = [line for path in sorted((folder / "evidence").glob("*.ndjson")) for line in read_json_lines(path)]
    assert sorted(line["at"] for line in lines if "verdict" in line) == ["2026-03-15T00:00:00Z", "2026-04-15T00:00:00Z"]
    verified = run("evidence", "verify", "evidence")
    assert verified.code == 0
    assert "          1 decision is as of 2026-03-15T00:00:00Z" in verified.lines
    assert [path.read_bytes()[-2:] for path in (folder / "evidence" / "content").iterdir()] == [b"/\n"]


def test_many_urls_of_a_list(run: Run, folder: Path) -> None:
    (folder / "urls.txt").write_text(f"{URL}\nhttps://other.example/\n/path\n{URL}?2\n")
    ran = run("check", "--urls-file", "urls.txt", *AGENT, "--at", "2026-03-15", "--format", "ndjson")
    rows = [json.loads(line) for line in ran.lines]
    assert [row["allowed"] for row in rows] == [False, None, None, False]
    assert "no copy is known" in rows[1]["error"]
    assert "/path" in rows[2]["error"]


@pytest.mark.parametrize("command", [("check", URL, *AGENT), ("use", URL, *TRAINING)])
@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--at", "yesterday"), "invalid --at 'yesterday': expected a time such as 2026-03-01"),
        (("--at", "2026-03-01", "--history", "missing"), "--history 'missing' does not exist"),
        (("--at", "2026-03-01", "--history", "robots.txt"), "--history robots.txt: "),
        (("--history", "robots-history.sqlite3"), "--history requires --at TIME"),
        (("--at", "2026-03-01", "--robots", "robots.txt"), "--at and --robots cannot be used together"),
        (("--at", "2026-03-01", "--timeout", "3"), "--timeout and --at cannot be used together: nothing is fetched"),
    ],
)
def test_wrong_arguments(run: Run, command: tuple[str, ...], arguments: tuple[str, ...], message: str) -> None:
    assert message in run(*command, *arguments).refusal


@pytest.mark.parametrize(
    "arguments", [("--no-page",), ("--tdm-file", "robots.txt"), ("--license", "robots.txt"), ("--evidence", "evidence")]
)
def test_sources_that_a_history_does_not_have(run: Run, folder: Path, arguments: tuple[str, ...]) -> None:
    ran = run("use", URL, *TRAINING, "--at", "2026-03-15", *arguments)
    assert f"--at and {arguments[0]} cannot be used together" in ran.err
    assert ran.code == 2
    assert not (folder / "evidence").exists()
