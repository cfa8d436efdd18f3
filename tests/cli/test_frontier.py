"""`canfetch frontier show`: the file of a crawl, while another process crawls and afterwards."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.stores.read_only import read_only

from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.sqlite_files import CORRUPTION_ADVICE
from canfetch.errors import StoreError

Run = Any
FILE = "crawl.sqlite3"
# Crawls until every origin waits, prints a line, and goes on when it reads one.
CRAWL = r"""
import asyncio, sys
import canfetch
from canfetch.access.responses import Failure, FailureKind, Response

class Sites:
    async def send(self, request):
        if "dead" in request.url:
            return Failure(request.url, FailureKind.CONNECT, "refused \x1b[31m")
        return Response(request.url, 200, (), b"User-agent: *\nDisallow: /private/\nCrawl-delay: 50")

    async def close(self):
        pass

URLS = ["https://a.example/1", "https://a.example/2", "https://a.example/private/", "https://dead.example/",
        "https://busy.example/1", "https://busy.example/2", "https://again.example/", "https://open.example/",
        "mailto:fish@example.com"]

async def main():
    async with (
        canfetch.AsyncClient(user_agent="ExampleBot/1.0", transport=Sites()) as client,
        canfetch.Frontier(client, path=sys.argv[1], max_attempts=int(sys.argv[2]), retry_delay=1000.0) as frontier,
    ):
        frontier.add_many(URLS)
        for _ in range(4):
            turn = await anext(frontier)
            if "busy" in turn.url:
                turn.done(retry_after=5000)
            elif "again" in turn.url:
                turn.retry(error="status 500 %1B[31m")
            elif "open" in turn.url:
                held = turn
            else:
                turn.done()
        waiting = asyncio.ensure_future(anext(frontier))
        await asyncio.sleep(0.5)
        print("waiting", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        waiting.cancel()

asyncio.run(main())
"""


@pytest.fixture(params=[2, 1], ids=["tried again", "failed"])
def crawling(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Return a process that crawls. Its parameter is the number of attempts."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", CRAWL, FILE, str(request.param)],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    yield process
    if process.poll() is None:
        process.communicate("\n", timeout=20)
    assert process.stdin is not None
    process.stdin.close()
    process.stdout.close()


@pytest.mark.parametrize("crawling", [2], indirect=True)
@pytest.mark.usefixtures("crawling")
def test_text_of_a_crawl_that_runs(run: Run) -> None:
    ran = run("frontier", "show", FILE)

    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[:3] == [
        "crawl.sqlite3: a crawl uses it",
        "queued 5  in flight 1  done 2  failed 0  skipped 0  refused 1",
        "",
    ]
    assert ran.lines[3] == "origins with URLs: 5"
    assert ran.lines[4] == "      now  https://open.example  0 URLs: a turn has not ended"
    waits = {line.split()[3]: line.split("  ", 3)[-1].strip() for line in ran.lines[5:9]}
    assert waits["https://a.example"].endswith("2 URLs: the delay between two requests")
    assert waits["https://dead.example"].endswith(
        r"1 URL: its robots.txt could not be fetched: connect: refused %1B[31m"
    )
    assert waits["https://again.example"].endswith("1 URL: its URLs wait for their next attempt or visit")
    assert ran.lines[8].split()[:3] == ["in", "1", "h"]
    assert ran.lines[8].endswith("https://busy.example  1 URL: Retry-After")
    assert ran.lines[9:11] == ["", "URLs to be tried again: 1"]
    assert ran.lines[11].endswith(r"min  https://again.example/  attempt 2: status 500 %1B[31m")
    assert len(ran.lines) == 12


@pytest.mark.parametrize("crawling", [1], indirect=True)
def test_json_of_a_crawl_that_runs_ended_and_was_killed(
    run: Run, crawling: subprocess.Popen[str], tmp_path: Path
) -> None:
    def show(file: str = FILE, *options: str) -> dict[str, Any]:
        ran = run("frontier", "show", file, "--format", "json", *options)
        assert (ran.code, ran.err) == (0, "")
        report: dict[str, Any] = json.loads(ran.out)
        return report

    running = show()
    assert running["is_in_use"] is True
    assert running["counts"] == {"queued": 4, "in_flight": 1, "done": 2, "failed": 1, "skipped": 0, "refused": 1}
    assert running["origins"] == 4
    assert running["next_delayed"] == []
    (failed,) = running["last_failed"]
    assert (failed["url"], failed["attempts"]) == ("https://again.example/", 1)
    assert failed["failed_at"].endswith("Z")
    assert show(FILE, "--limit", "2")["origins"] == 4
    assert len(show(FILE, "--limit", "2")["next_origins"]) == 2
    assert show(FILE, "--limit", "0")["next_origins"] == []

    # Each table has the write-ahead log of a process that was killed.
    killed = "killed.sqlite3"
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"{FILE}{suffix}", tmp_path / f"{killed}{suffix}")
    first, *others = running["next_origins"]
    assert first["reason"] == "a turn has not ended"
    first = {**first, "reason": "its process ended during a turn"}
    assert show(killed) == {**running, "is_in_use": False, "next_origins": [first, *others]}

    crawling.communicate("\n", timeout=20)
    ended = show()
    assert ended["is_in_use"] is False
    assert ended["counts"] == {**running["counts"], "queued": 5, "in_flight": 0}


@pytest.mark.usefixtures("crawling")
def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob(f"{FILE}*")}
    assert modes == dict.fromkeys((FILE, f"{FILE}-lock", f"{FILE}-wal", f"{FILE}-shm"), 0o600)


def write_database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_files_that_cannot_be_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but more than a hundred bytes of text " * 20)
    (tmp_path / "folder").mkdir()
    write_database(tmp_path / "other", "CREATE TABLE fish (name TEXT)")
    application = f"PRAGMA application_id = {0x63616E66}"
    write_database(tmp_path / "old", "CREATE TABLE urls (id)", application, "PRAGMA user_version = 1")
    write_database(tmp_path / "new", "CREATE TABLE urls (id)", application, "PRAGMA user_version = 99")
    write_database(tmp_path / "view", "CREATE VIEW urls AS SELECT 1", application, "PRAGMA user_version = 5")
    before = sorted(tmp_path.iterdir())

    expected = {
        "missing": "missing: does not exist: expected the file of a canfetch.Frontier",
        "text": f"text: file is not a database; {CORRUPTION_ADVICE}",
        "folder": "folder: is a directory: expected the file of a canfetch.Frontier",
        "other": "other: not a frontier: expected the file of a canfetch.Frontier",
        "old": "old: frontier version 1, expected 6: resume the crawl once to convert it",
        "new": "new: frontier version 99, expected 6: use a newer canfetch",
        "view": "view: not a frontier: expected the file of a canfetch.Frontier",
    }
    for name, message in expected.items():
        ran = run("frontier", "show", name)
        assert (ran.code, ran.out, ran.err) == (2, "", f"canfetch: {message}\n")
    # Nothing was created.
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.service
def test_file_in_a_read_only_folder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "crawls"
    FrontierDatabase(folder / FILE).close()
    with read_only(folder) as mounted:
        ran = run("frontier", "show", str(mounted / FILE))
        assert (ran.code, ran.err) == (0, "")
        assert "no crawl uses it" in ran.out
        with pytest.raises(StoreError, match=": the file and its folder must be writable"):
            FrontierDatabase(mounted / FILE)


@pytest.fixture
def stopped(crawling: subprocess.Popen[str], tmp_path: Path) -> Path:
    """Return the file of a crawl that was killed."""
    crawling.kill()
    crawling.wait(20)
    return tmp_path / FILE


@pytest.mark.parametrize("crawling", [1], indirect=True)
def test_a_killed_crawl_moves(run: Run, stopped: Path, tmp_path: Path) -> None:
    exported = run("frontier", "export", FILE)
    assert (exported.code, exported.err) == (0, "")
    assert run("frontier", "export", FILE, "-o", "crawl.jsonl") == (0, "", "")
    assert (tmp_path / "crawl.jsonl").read_text() == exported.out
    if os.name == "posix":
        assert (tmp_path / "crawl.jsonl").stat().st_mode & 0o777 == 0o600
        (tmp_path / "crawl.jsonl").chmod(0o644)
        assert run("frontier", "export", FILE, "-o", "crawl.jsonl", "--force").code == 0
        assert (tmp_path / "crawl.jsonl").stat().st_mode & 0o777 == 0o600

    text = run("frontier", "import", "crawl.jsonl", "moved.sqlite3")
    counts = "queued 4  in flight 1  done 2  failed 1  skipped 0  refused 1"
    assert text == (0, f"moved.sqlite3: imported\n{counts}\n", "")
    as_json = run("frontier", "import", "-", "piped.sqlite3", "--format", "json", stdin=exported.out.encode())
    assert (as_json.code, as_json.err) == (0, "")
    assert json.loads(as_json.out) == {
        "queued": 4,
        "in_flight": 1,
        "done": 2,
        "failed": 1,
        "skipped": 0,
        "refused": 1,
    }
    for name in ("moved.sqlite3", "piped.sqlite3"):
        assert run("frontier", "export", name).out == exported.out
        assert run("frontier", "show", name).lines[1] == counts
    assert stopped.exists()


@pytest.mark.parametrize("crawling", [1], indirect=True)
@pytest.mark.usefixtures("crawling")
def test_a_crawl_that_runs_is_not_exported(run: Run, tmp_path: Path) -> None:
    message = "another process or another frontier uses the file: several can share a PostgresQueue, but no file"
    for options in ((), ("--output", "crawl.jsonl")):
        assert run("frontier", "export", FILE, *options) == (2, "", f"canfetch: {FILE}: {message}\n")
    assert not (tmp_path / "crawl.jsonl").exists()


def test_what_cannot_be_exported_or_imported(run: Run, tmp_path: Path) -> None:
    FrontierDatabase(tmp_path / FILE).close()
    (tmp_path / "cut.jsonl").write_text(run("frontier", "export", FILE).lines[0] + "\n")
    (tmp_path / "text").write_text("fish")
    database = ("postgresql://127.0.0.1:9/x?connect_timeout=2",)
    for arguments, message in [
        (("export", "missing"), "missing: does not exist: expected the file of a canfetch.Frontier"),
        (("export", "a.example:7071"), "invalid file 'a.example:7071': the crawls of a URLFrontier service cannot be"),
        (("show", "urlfrontier://a:7071,b:7071", "--crawl", "x"), "invalid file 'urlfrontier://a:7071,b:7071': the"),
        (("export", FILE, "--crawl", "x"), "invalid --crawl: a file has one crawl"),
        (("export", *database), "invalid --crawl: a database can have many crawls: name one with --crawl"),
        (("export", *database, "--crawl", ""), "invalid crawl '': expected a name of 1 to 200 characters"),
        (
            ("import", "cut.jsonl", "host=127.0.0.1 dbname=x password=secret"),
            "invalid database: expected a URL such as postgresql://user@host:5432/database, not a connection string; ",
        ),
        (("show", "dbname = x", "--crawl", "y"), "invalid database: expected a URL such as postgresql://"),
        (("export", "POSTGRESQL://127.0.0.1:9/x"), "invalid --crawl: a database can have many crawls"),
        (("show", "PostgreS://u:se@cret@127.0.0.1:9/x", "--crawl", "y"), "invalid conninfo: expected a URL such as"),
        (("import", "missing", "new"), "cannot read 'missing': no such file"),
        (
            ("import", "cut.jsonl", "new"),
            "cut.jsonl: line 2: the export is cut off: expected a line with the key 'end'",
        ),
        (("import", "text", "new"), "text: line 1: invalid JSON"),
        (("import", "-", "new"), "standard input: line 1: expected the format 'canfetch frontier 3', which "),
        (("import", "cut.jsonl", "text"), f"text: file is not a database; {CORRUPTION_ADVICE}"),
    ]:
        refusal = run("frontier", *arguments).refusal
        assert refusal.startswith(f"canfetch: {message}")
        assert "cret" not in refusal
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "text").read_text() == "fish"


@pytest.mark.parametrize("crawling", [1], indirect=True)
@pytest.mark.usefixtures("crawling")
def test_urls_of_a_crawl_that_runs(run: Run) -> None:
    def listed(*options: str) -> list[str]:
        ran = run("frontier", "show", FILE, "--urls", *options)
        assert (ran.code, ran.err) == (0, "")
        lines: list[str] = ran.lines
        return lines

    assert len(listed()) == 6
    assert listed("--state", "failed") == ["https://again.example/"]
    assert listed("--state", "in_flight", "--origin", "https://OPEN.example:443/x") == ["https://open.example/"]
    assert listed("--state", "queued", "--origin", "https://open.example") == []
    assert len(listed("--limit", "2")) == 2
    (failed,) = json.loads("\n".join(listed("--state", "failed", "--format", "json")))
    assert failed.pop("at").endswith("Z")
    assert failed == {
        "url": "https://again.example/",
        "state": "failed",
        "attempts": 1,
        "priority": 0.0,
        "error": "status 500 %1B[31m",
    }
    assert json.loads("\n".join(listed("--state", "delayed", "--format", "json"))) == []
    assert "pass --urls as well" in run("frontier", "show", FILE, "--state", "failed").refusal
    # The file belongs to the crawl, which can do this itself.
    assert "another process or another frontier uses the file" in run("frontier", "retry", FILE).refusal


@pytest.mark.parametrize("crawling", [1], indirect=True)
@pytest.mark.usefixtures("stopped")
def test_failed_urls_are_queued_again(run: Run) -> None:
    assert run("frontier", "retry", FILE, "--origin", "https://a.example") == (1, "queued 0 failed URLs again\n", "")
    other = "https://a.example/1"
    named = f"not a failed URL: {other}\n"
    assert run("frontier", "retry", FILE, other) == (1, f"queued 0 failed URLs again\n{named}", "")
    assert run("frontier", "retry", FILE, "x", "--origin", "https://a.example").code == 2
    assert run("frontier", "retry", FILE, "--origin", "fish").code == 2
    again = "https://again.example/"
    assert run("frontier", "retry", FILE, again, other) == (0, f"queued 1 failed URL again\n{named}", "")
    assert run("frontier", "retry", FILE) == (1, "queued 0 failed URLs again\n", "")
    assert again in run("frontier", "show", FILE, "--urls", "--state", "queued").lines
    report = json.loads(run("frontier", "show", FILE, "--format", "json").out)
    assert report["counts"] == {"queued": 5, "in_flight": 1, "done": 2, "failed": 0, "skipped": 0, "refused": 1}
    assert again.rstrip("/") in {origin["origin"] for origin in report["next_origins"]}
