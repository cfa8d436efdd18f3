"""The output of `parse` as an archive: each file comes back as it was, in each format."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.bulk.warc_files import compressed, http_response, record, redirect, response

from canfetch.agents import agent
from canfetch.bulk.archives.archive_job import collect, store_path, write_table
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.row_files import MAX_LINE_BYTES
from canfetch.bulk.reading.sources import find_source, read_captures
from canfetch.bulk.writing.work_folder import WorkFolder

FORMATS = ["csv", "ndjson", "parquet"]
DECISIONS = TableOptions("decisions", (NamedAgent("GPTBot", agent("GPTBot")),), ("/", "/x"))
RULES = "User-agent: *\nDisallow: /\n"
CONTENTS = {
    "utf-16": RULES.encode("utf-16"),
    "utf-8-mark": RULES.encode("utf-8-sig"),
    "latin-1": f"# caf\xe9\n{RULES}".encode("latin-1"),
    "carriage-returns": RULES.replace("\n", "\r").encode(),
    "line-ends": RULES.replace("\n", "\r\n").encode(),
    "separators": f'# "a",\tb\u2028\x85\n{RULES}'.encode(),
    "null-byte": f"# \0\n{RULES}".encode(),
    "empty": b"",
}


def make_table(source: Path, output: Path, options: TableOptions) -> list[dict[str, Any]]:
    """Write a table, and return its rows if it is NDJSON. No record may be set aside."""
    if output.suffix == ".parquet":
        pytest.importorskip("pyarrow")
    faults: list[Fault] = []
    with WorkFolder(output, output.suffix[1:], {}, restart=True) as work:
        collect([find_source(str(source))], store_path(work), advance=lambda _: None, on_fault=faults.append)
        write_table(work, options, policy="rfc9309", processes=1, advance=lambda _: None)
    assert not faults
    if output.suffix != ".ndjson":
        return []
    return [json.loads(line) for line in output.read_text(encoding="utf-8").split("\n")[:-1]]


def check_round_trip(source: Path, folder: Path, form: str) -> list[dict[str, Any]]:
    """Check that decisions by the output of `parse` are those by its input, and return them."""
    table = folder / f"files.{form}"
    make_table(source, table, TableOptions("files"))
    expected = make_table(source, folder / "expected.ndjson", DECISIONS)
    assert make_table(table, folder / "found.ndjson", DECISIONS) == expected
    first, second = (make_table(path, folder / "f.ndjson", TableOptions("files")) for path in (source, table))
    compared = ("origin", "url", "time", "status", "location", "content_type", "effect", "bytes", "sha256")
    assert [[row[key] for key in compared] for row in second] == [[row[key] for key in compared] for row in first]
    return expected


@pytest.mark.parametrize("form", FORMATS)
def test_responses(tmp_path: Path, form: str) -> None:
    archive = tmp_path / "robots.warc.gz"
    records = [response(f"{name}.example", content) for name, content in CONTENTS.items()]
    records += [
        response("gone.example", b"", status=404),
        redirect("moved.example", "https://empty.example/robots.txt"),
    ]
    archive.write_bytes(compressed(records))
    expected = check_round_trip(archive, tmp_path, form)
    assert [row["allowed"] for row in expected[:2]] == [False, False]


@pytest.mark.parametrize("form", FORMATS)
def test_files_without_a_response(tmp_path: Path, form: str) -> None:
    folder = tmp_path / "robots"
    folder.mkdir()
    for name, content in CONTENTS.items():
        (folder / f"{name}.example.txt").write_bytes(content)
    check_round_trip(folder, tmp_path, form)


def moved_archive() -> list[bytes]:
    """Return captures with redirects of all kinds: chains, loops, to other paths and hosts, and to nowhere."""
    random = Random(9309)  # noqa: S311 - captures of a test
    records = []
    places = [f"https://h{number}.example/{path}" for number in range(20) for path in ("a", "b", "robots.txt")]
    bodies = [*CONTENTS.values(), b"User-agent: *\nDisallow: /private/\xff\n", b"<!doctype html><title>x</title>"]
    for _ in range(300):
        target = random.choice(
            [*places, "https://never.example/robots", "/moved", "//h1.example/b", "ftp://h1.example/a"]
        )
        status = random.choice([200, 404, 503, 301, 302, 307])
        time = f"2026-0{random.randrange(1, 10)}-01T00:00:{random.randrange(60):02}Z"
        headers = [("Location", target)] if 300 <= status < 400 else []
        body = random.choice(bodies) if status == 200 else b""
        records.append(record(random.choice(places), http_response(body, status=status, headers=headers), time=time))
    # A chain of 8, which is over the limit, and its end of 4, which is not.
    for number in range(8):
        location = [("Location", f"https://chain.example/{number + 1}")]
        url = f"https://chain.example/{number or 'robots.txt'}"
        records.append(record(url, http_response(b"", status=301, headers=location)))
    records.append(redirect("short.example", "https://chain.example/4"))
    records.append(record("https://chain.example/8", http_response(b"User-agent: *\nDisallow: /\n")))
    # A loop, and a file without a time limit.
    records.append(redirect("loop.example", "https://loop.example/x"))
    records.append(
        record("https://loop.example/x", http_response(b"", status=302, headers=[("Location", "/robots.txt")]))
    )
    return records


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_redirects(tmp_path: Path, form: str) -> None:
    archive = tmp_path / "robots.warc.gz"
    archive.write_bytes(compressed(moved_archive()))
    check_round_trip(archive, tmp_path, form)
    matrix = TableOptions("matrix", DECISIONS.agents)
    first: list[dict[str, Any]] = []
    for options in (TableOptions("records"), TableOptions("metrics"), matrix, TableOptions("files")):
        first, second = (
            make_table(path, tmp_path / "f.ndjson", options) for path in (archive, tmp_path / f"files.{form}")
        )
        for row in (*first, *second):
            row.pop("source", None)
            row.pop("position", None)
        assert second == first
    text = " ".join(row["detail"] for row in first)
    for detail in ("more than 5 redirects", "redirect loop to https://loop.example/robots.txt", "was not captured"):
        assert detail in text
    resolved = [row for row in first if row["redirect_targets"] and row["effect"] == "conditional-allow"]
    assert len(resolved) > 10


@pytest.mark.parametrize("cell", ["{", "[1]", 5, "[[]]", '{"url": "https://a.example/x"}'])
def test_invalid_targets_of_redirects(tmp_path: Path, cell: Any) -> None:
    path = tmp_path / "files.ndjson"
    row = {"url": "https://a.example/robots.txt", "content": "", "redirect_targets": cell}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    capture, fault = read_captures(str(path))
    assert isinstance(capture, Capture)
    assert fault == Fault(str(path), 1, "invalid redirect_targets: expected a JSON array of objects")


LARGE = {
    "controls": b"\x01" * 1_000_000,
    "quotes": b'"' * 700_000,
    "blank-lines": b"\n" * 1_000_000,
    "words": b"#a\n" * 300_000,
}


@pytest.mark.parametrize("form", FORMATS)
def test_large_responses_of_redirects_are_not_too_long(tmp_path: Path, form: str) -> None:
    """No content but that of the first response, of the last one and of the last good one is needed."""
    records = []
    for name, content in LARGE.items():
        body = b"User-agent: *\nDisallow: /x\n#" + content
        for number in range(1, 5):
            headers = [("Location", f"/{number + 1}"), ("Link", "x" * 9_000), ("Content-Type", "\x01" * 9_000)]
            url = f"https://{name}.example/{number if number > 1 else 'robots.txt'}"
            records.append(record(url, http_response(body, status=301, headers=headers), time="2026-01-09T00:00:00Z"))
        for day in range(1, 9):
            last = http_response(body, status=200 if day < 3 else 503, headers=[("Location", "\x01" * 9_000)])
            records.append(record(f"https://{name}.example/5", last, time=f"2026-01-0{day}T00:00:00Z"))
    archive = tmp_path / "robots.warc.gz"
    archive.write_bytes(compressed(records))
    expected = check_round_trip(archive, tmp_path, form)
    assert [row["allowed"] for row in expected if row["path"] == "/x"] == [False] * len(LARGE)
    if form != "parquet":
        assert max(map(len, (tmp_path / f"files.{form}").read_bytes().split(b"\n"))) < MAX_LINE_BYTES


@pytest.mark.parametrize("length", [8192, 8193, 20_000])
def test_long_targets_of_redirects(tmp_path: Path, length: int) -> None:
    target = "https://b.example/".ljust(length, "x")
    archive = tmp_path / "robots.warc.gz"
    archive.write_bytes(compressed([redirect("a.example", target), record(target[:8192], http_response(b""))]))
    for form in ("csv", "ndjson"):
        (row, _) = check_round_trip(archive, tmp_path, form)
        # A client does not follow a redirect to a URL that is longer.
        assert row["allowed"] is (length <= 8192)
