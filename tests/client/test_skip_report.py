"""Skip reports: the form of Browsertrix, writers that share a file or are killed, and readers of damaged files."""

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.json_lines import read_json_lines

import canfetch
from canfetch.client.skip_report import DamagedLine, SkippedPage, SkipReport, read_skip_report
from canfetch.client.skip_report.reader import MAX_LINE_BYTES
from canfetch.client.skip_report.skipped_page import MAX_URL_CHARACTERS
from canfetch.errors import InvalidOption, SkipReportError

VERDICT = canfetch.parse("User-agent: *\nDisallow: /private/").decide("/private/a", agent="ExampleBot")
# Written by Browsertrix, except for the last line, which a later release may write.
BROWSERTRIX = b"""\
{"format":"json-pages-1.0","id":"pages","title":"Skipped Pages","hasText":"false"}
{"url":"https://example.com/private/a","seedUrl":"https://example.com/","depth":1,"seed":false,"reason":"robotsTxt","ts":"2026-07-15T12:00:00.250Z"}
{"url":"https://example.org/","seedUrl":"https://example.com/","depth":0,"seed":true,"reason":"outOfScope","ts":"2026-07-15T12:00:01.000Z"}
{"url":"https://example.com/b","reason":"somethingNew","ts":"not a time","depth":-1,"more":{"a":[1]}}
"""


def read(content: bytes) -> list[SkippedPage | DamagedLine]:
    return list(read_skip_report(io.BytesIO(content)))


def problems(content: bytes) -> list[tuple[int, str]]:
    return [(one.line, one.problem) for one in read(content) if isinstance(one, DamagedLine)]


def test_lines_have_the_form_of_browsertrix(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "skippedPages.jsonl"
    with SkipReport(path, clock=lambda: 1_784_116_800.25) as report:
        header = path.read_bytes()
        report.record("https://example.com/private/a", VERDICT, seed_url="https://example.com/", depth=1)
        report.record("mailto:fish@example.com", error="no host")
    assert header == BROWSERTRIX.splitlines(keepends=True)[0]
    _, page, invalid = read_json_lines(path)
    expected = json.loads(BROWSERTRIX.splitlines()[1])
    assert list(page)[:6] == list(expected)
    assert page == {**expected, "agent": "ExampleBot", "explanation": "line 2, Disallow: /private/"}
    assert (invalid["reason"], invalid["seedUrl"], invalid["depth"], invalid["seed"]) == ("outOfScope", "", None, False)
    assert (invalid["agent"], invalid["explanation"]) == (None, "no host")


def test_reports_of_browsertrix_are_read() -> None:
    first, second, third = read(BROWSERTRIX)
    assert first == SkippedPage(
        "https://example.com/private/a", "robotsTxt", 1_784_116_800.25, "https://example.com/", 1, is_seed=False
    )
    assert isinstance(second, SkippedPage)
    assert (second.is_seed, second.depth) == (True, 0)
    assert third == SkippedPage("https://example.com/b", "somethingNew", None)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with SkipReport(tmp_path / "a", clock=lambda: 5.5) as report:
        report.record(b"https://example.com/private/\xe9\n", VERDICT, depth=0)
    assert list(read_skip_report(report.path)) == [
        SkippedPage(
            url="https://example.com/private/%E9%0A",
            reason="robotsTxt",
            at=5.5,
            depth=0,
            is_seed=True,
            agent="ExampleBot",
            explanation="line 2, Disallow: /private/",
        )
    ]


def test_errors_of_a_frontier_have_no_credentials(tmp_path: Path) -> None:
    links = ["//me:secret@a.example/", "http://me:top secret@a.example:99999/", "http:/me:secret@a.example/"]
    links += [
        "http:\\\\me:secret@a.example",
        "whatsapp://me:secret@a.example/",
        f"http://me:{'secret' * 99}@a.example:99999/",
    ]

    async def crawl(report: SkipReport) -> None:
        async with (
            canfetch.AsyncClient(user_agent="ExampleBot/1.0") as client,
            canfetch.Frontier(client, on_skip=report.on_skip) as frontier,
        ):
            frontier.add_many(links)

    path = tmp_path / "report"
    with SkipReport(path) as report:
        asyncio.run(crawl(report))
    written = path.read_text()
    assert written.count("invalid URL") == len(links)
    assert "secret" not in written


def test_fields_are_bounded_and_have_no_credentials(tmp_path: Path) -> None:
    with SkipReport(tmp_path / "a") as report:
        report.record(
            f"https://me:secret@example.com/{'x' * 100_000}", VERDICT, seed_url="https://me:secret@a.example/"
        )
        report.record("https://me:secret@[", error="invalid https://me:secret@[ " + "y" * 100_000)
    content = report.path.read_bytes()
    assert b"secret" not in content
    assert len(content) < 2 * MAX_URL_CHARACTERS
    first, second = read(content)
    assert isinstance(first, SkippedPage)
    assert (first.is_cut, len(first.url)) == (True, MAX_URL_CHARACTERS)
    assert isinstance(second, SkippedPage)
    assert second.is_cut is False


@pytest.mark.parametrize(
    "content, expected",
    [
        (b"", []),
        (b"\n \r\n", []),
        (b'\xef\xbb\xbf{"format":"json-pages-1.0"}\r\n', []),
        (b'{"format":"csv"}\n', [(1, "a header of another format")]),
        (b'\n{"url":"https://exam', [(2, "not JSON: the last line is cut")]),
        (b'{"pages":[]}', [(1, "no url")]),
        (b"<!doctype html><title>Not found</title>", [(1, "not JSON")]),
        (b'{"url":"\xff"}\n', [(1, "not UTF-8")]),
        (b"[1]\n{}\n", [(1, "not a JSON object"), (2, "no url")]),
        (b'{"url":"https://example.com/","title":"Fish"}\n', [(1, "no reason")]),
        (b'{"url":5,"reason":"robotsTxt"}\n', [(1, "no url")]),
        (b"[" * 100_000 + b"\n", [(1, "nested too deeply")]),
        (b"x" * (3 * MAX_LINE_BYTES) + b"\n{}\n", [(1, f"longer than {MAX_LINE_BYTES} bytes"), (2, "no url")]),
        (b"1" * 10_000 + b"\n", [(1, "not JSON")]),
    ],
)
def test_damaged_lines_are_values(content: bytes, expected: list[tuple[int, str]]) -> None:
    assert problems(content) == expected


def test_text_of_a_damaged_line_is_short_and_printable() -> None:
    (damaged,) = read(b"\x1b[31m" + b"x" * 1_000)
    assert isinstance(damaged, DamagedLine)
    assert damaged.text.startswith("%1B[31mx")
    assert len(damaged.text) < 200


@pytest.mark.parametrize(
    "content",
    [
        b"",
        BROWSERTRIX,
        BROWSERTRIX.removesuffix(b"\n"),
        BROWSERTRIX + b'{"url":"https://example.com/cut',
        BROWSERTRIX.splitlines()[0][:30],
    ],
)
def test_a_cut_line_is_removed_by_the_next_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    whole = [page for page in read(content) if isinstance(page, SkippedPage)]
    with SkipReport(path) as report:
        report.record("https://example.com/new", VERDICT)
        # Another process is killed while this one has the file open.
        with path.open("ab") as other:
            other.write(b'{"url":"https://example.com/cu')
        report.record("https://example.com/last", VERDICT)
    pages = list(read_skip_report(path))
    assert pages[:-2] == whole
    assert [page.url for page in pages[-2:] if isinstance(page, SkippedPage)] == [
        "https://example.com/new",
        "https://example.com/last",
    ]
    assert path.read_bytes().count(b'"format"') == 1


@pytest.mark.parametrize("content", [b"my notes\n", b"my notes", b'{"a": 1}\n', b"x" * (2 * MAX_LINE_BYTES)])
def test_other_files_are_not_changed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(SkipReportError, match="it is not a skip report, choose another name"):
        SkipReport(path)
    assert path.read_bytes() == content


def test_directory_in_place_of_a_report(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="not a regular file"):
        list(read_skip_report(tmp_path))


def test_what_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SkipReportError, match="cannot write the skip report"):
        SkipReport(tmp_path)
    report = SkipReport(tmp_path / "a")
    report.close()
    with pytest.raises(SkipReportError, match="skip report is closed"):
        report.record("/private/a", VERDICT)
    with pytest.raises(InvalidOption, match="invalid path ''"):
        SkipReport("")
    if Path("/dev/full").exists():
        with pytest.raises(SkipReportError, match="not a regular file"):
            SkipReport("/dev/full")


LIMITED = """
import resource, sys
import canfetch
# Python would save the bytecode of a module cut off at the limit, and fail to import it from then on.
sys.dont_write_bytecode = True
report = canfetch.SkipReport(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
verdict = canfetch.parse("User-agent: *\\nDisallow: /").decide("/", agent="ExampleBot")
try:
    for number in range(100):
        report.record(f"https://example.com/{number}", verdict)
except canfetch.errors.SkipReportError as error:
    print(number, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of processes")
def test_a_part_of_a_line_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    ran = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True)
    number, _, message = ran.stdout.partition(" ")
    assert message == (
        f"cannot write the skip report {path}: only a part of the line could be written: "
        "free some space, or use another disk\n"
    )
    # Not even the part of a line is left.
    assert path.read_bytes().endswith(b"}\n")
    assert len(list(read_skip_report(path))) == int(number)


def test_a_deleted_file_is_written_again(tmp_path: Path) -> None:
    with SkipReport(tmp_path / "reports" / "a") as report:
        report.path.unlink()
        report.path.parent.rmdir()
        report.record("/private/a", VERDICT)
        assert len(list(read_skip_report(report.path))) == 1
        report.path.unlink()
        report.path.write_bytes(b"my notes\n")
        with pytest.raises(SkipReportError, match="it is not a skip report"):
            report.record("/private/a", VERDICT)
    assert report.path.read_bytes() == b"my notes\n"


def test_threads_and_reports_share_a_file(tmp_path: Path) -> None:
    with SkipReport(tmp_path / "a") as first, SkipReport(tmp_path / "a") as second, ThreadPoolExecutor(4) as threads:
        for number in range(100):
            for report in (first, second):
                threads.submit(report.record, f"https://example.com/{number}", VERDICT)
    pages = list(read_skip_report(tmp_path / "a"))
    assert sorted(page.url for page in pages if isinstance(page, SkippedPage)) == sorted(
        2 * [f"https://example.com/{number}" for number in range(100)]
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_forked_child_writes_to_the_same_file(tmp_path: Path) -> None:
    with SkipReport(tmp_path / "a") as report:
        child = os.fork()
        if not child:
            report.record("/private/child", VERDICT)
            os._exit(0)
        report.record("/private/parent", VERDICT)
        assert os.waitpid(child, 0)[1] == 0
    urls = {page.url for page in read_skip_report(report.path) if isinstance(page, SkippedPage)}
    assert urls == {"/private/child", "/private/parent"}


WRITER = """
import sys
import canfetch
report = canfetch.SkipReport(sys.argv[1])
verdict = canfetch.parse("User-agent: *\\nDisallow: /").decide("/", agent="ExampleBot")
number = 0
while True:
    report.record(f"https://example.com/{sys.argv[2]}/{number}", verdict)
    print(number, flush=True)
    number += 1
"""


@pytest.mark.slow
def test_killed_processes_lose_no_acknowledged_line(tmp_path: Path) -> None:
    path = tmp_path / "a"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in "xyz"]
    acknowledged = []
    for name, writer in zip("xyz", writers, strict=True):
        with writer:
            assert writer.stdout is not None
            lines = [writer.stdout.readline() for _ in range(50)]
            writer.send_signal(signal.SIGKILL)
            lines += [line for line in writer.stdout if line.endswith("\n")]
            acknowledged += [f"https://example.com/{name}/{line.strip()}" for line in lines]
    with SkipReport(path) as report:
        report.record("https://example.com/end", VERDICT)
    pages: list[Any] = list(read_skip_report(path))
    assert not [page for page in pages if isinstance(page, DamagedLine)]
    assert {page.url for page in pages} >= {*acknowledged, "https://example.com/end"}
