"""From captures to tables: redirects, status codes, and the rows of each table."""

import csv
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import RULES, compressed, http_response, record, redirect, response
from tests.json_lines import read_json_lines

from canfetch.agents import agent
from canfetch.bulk import Files
from canfetch.bulk.archives.archive_job import collect, store_path, write_table
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.http_archive_metrics import robots_metrics
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, Fault
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.core.limits import DEFAULT_MAX_BYTES

AGENTS = (NamedAgent("GPTBot", agent("GPTBot")), NamedAgent("Googlebot-Image", agent("Googlebot-Image")))


def make_table(
    folder: Path,
    archives: Sequence[bytes],
    options: TableOptions,
    *,
    form: str = "ndjson",
    policy: str = "rfc9309",
    processes: int = 1,
    engine: str = "local",
) -> Path:
    """Write the table of some WARC files."""
    names = []
    for number, content in enumerate(archives):
        path = folder / f"{number}.warc.gz"
        path.write_bytes(content)
        names.append(str(path))
    faults: list[Fault] = []
    output = folder / f"out.{form}"
    with WorkFolder(output, form, {}, restart=True) as work:
        collect([find_source(name) for name in names], store_path(work), advance=lambda _: None, on_fault=faults.append)
        write_table(work, options, policy=policy, processes=processes, advance=lambda _: None, engine=engine)
    assert not faults
    return output


def rows(folder: Path, records: Sequence[bytes], options: TableOptions, **more: Any) -> list[dict[str, Any]]:
    path = make_table(folder, [compressed(records)], options, **more)
    return read_json_lines(path)


def test_files(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, [response("a.example")], TableOptions("files"))
    assert row == {
        "origin": "https://a.example",
        "url": "https://a.example/robots.txt",
        "time": "2026-05-01T12:00:00Z",
        "status": 200,
        "location": None,
        "content_type": "text/plain",
        "final_url": "https://a.example/robots.txt",
        "redirects": 0,
        "access": "successful",
        "effect": "conditional-allow",
        "detail": "status 200",
        "bytes": len(RULES),
        "sha256": hashlib.sha256(RULES).hexdigest(),
        "groups": 1,
        "rules": 1,
        "content": RULES.decode(),
        "content_base64": None,
        "source": str(tmp_path / "0.warc.gz"),
        "position": 0,
        "redirect_targets": None,
        "truncated": False,
        "final_sha256": None,
    }


@pytest.mark.parametrize(
    "policy, status, allowed, reason",
    [
        ("rfc9309", 404, True, "unavailable"),
        ("rfc9309", 403, True, "unavailable"),
        ("rfc9309", 503, False, "unreachable"),
        ("rfc9309+unauthorized=full-disallow", 403, False, "unavailable"),
        ("google2019+misconfigured_origins=https://a.example", 503, True, "unavailable"),
        ("google2019+misconfigured_origins=https://b.example", 503, False, "unreachable"),
        ("rfc9309", 200, False, "disallow-rule"),
    ],
)
def test_status_goes_through_the_policy(
    tmp_path: Path, *, policy: str, status: int, allowed: bool, reason: str
) -> None:
    options = TableOptions("decisions", AGENTS[:1], ("/private/x", "/robots.txt"))
    first, second = rows(tmp_path, [response("a.example", status=status)], options, policy=policy)
    assert (first["allowed"], first["reason"]) == (allowed, reason)
    assert second["allowed"] is True


def test_html_is_not_a_robots_txt(tmp_path: Path) -> None:
    options = TableOptions("decisions", AGENTS[:1])
    page = [response("a.example", b"<!doctype html><html><body>Not found")]
    (row,) = rows(tmp_path, page, options)
    assert (row["allowed"], row["reason"]) == (True, "no-group")
    (row,) = rows(tmp_path, page, options, policy="rfc9309+not_robots=full-disallow")
    assert (row["allowed"], row["reason"]) == (False, "unavailable")


def test_redirects_are_followed_within_the_archive(tmp_path: Path) -> None:
    records = [
        redirect("a.example", "https://www.a.example/robots.txt"),
        redirect("b.example", "//B.example:443/files/robots"),
        record("https://b.example/files/robots", http_response(RULES)),
        redirect("c.example", "https://gone.example/robots.txt"),
        redirect("d.example", "/robots.txt"),
        response("www.a.example"),
        record("https://www.a.example/page", http_response(b"a page")),
    ]
    options = TableOptions("decisions", AGENTS[:1], ("/private/",))
    found = {row["origin"]: (row["allowed"], row["reason"]) for row in rows(tmp_path, records, options)}
    assert found == {
        "https://a.example": (False, "disallow-rule"),
        "https://b.example": (False, "disallow-rule"),
        "https://c.example": (None, "redirect-unresolved"),
        "https://d.example": (True, "unavailable"),
        "https://www.a.example": (False, "disallow-rule"),
    }


def test_redirect_leads_to_the_capture_that_follows_it(tmp_path: Path) -> None:
    target = "https://b.example/robots.txt"
    records = [
        record(target, http_response(b"User-agent: *\nDisallow: /1\n"), time="2026-01-01T00:00:00Z"),
        record(target, http_response(b"User-agent: *\nDisallow: /2\n"), time="2026-02-01T00:00:01Z"),
        record(target, http_response(b"User-agent: *\nDisallow: /3\n"), time="2026-03-01T00:00:00Z"),
        record(
            "https://a.example/robots.txt",
            http_response(b"", status=301, headers=[("Location", target)]),
            time="2026-02-01T00:00:00Z",
        ),
    ]
    options = TableOptions("decisions", AGENTS[:1], ("/1", "/2", "/3"))
    found = [row for row in rows(tmp_path, records, options) if row["origin"] == "https://a.example"]
    assert [row["allowed"] for row in found] == [True, False, True]


def test_matrix(tmp_path: Path) -> None:
    content = b"User-agent: GPTBot\nDisallow: /\n"
    records = [response("a.example", content), response("b.example", status=500)]
    first, second = rows(tmp_path, records, TableOptions("matrix", AGENTS))
    assert (first["effect"], first["GPTBot"], first["Googlebot-Image"]) == ("conditional-allow", False, True)
    assert (second["effect"], second["GPTBot"], second["Googlebot-Image"]) == ("full-disallow", False, False)


def test_records(tmp_path: Path) -> None:
    content = b"Sitemap: https://a.example/s.xml\n\nUser-agent: *\nDISALLOW : /\xff # note\nfoo: bar\nno record\n"
    found = rows(tmp_path, [response("a.example", content)], TableOptions("records"))
    assert [(row["line"], row["group"], row["kind"], row["key"], row["value"]) for row in found] == [
        (1, None, "sitemap", "Sitemap", "https://a.example/s.xml"),
        (3, 0, "user-agent", "User-agent", "*"),
        (4, 0, "disallow", "DISALLOW", "/%FF"),
        (5, 0, "other", "foo", "bar"),
        (6, 0, "other", "no", "record"),
    ]


@pytest.mark.parametrize("table", ["files", "metrics"])
def test_content_over_the_limit_is_truncated(tmp_path: Path, table: str) -> None:
    sizes = (DEFAULT_MAX_BYTES, MAX_CONTENT_BYTES - 1, MAX_CONTENT_BYTES + 1)
    records = [response(f"host{size}.example", b"#" * size) for size in sizes]
    records.append(redirect("moved.example", f"https://host{sizes[-1]}.example/robots.txt"))
    found = rows(tmp_path, records, TableOptions(table))
    # Metrics have no parsing limit.
    assert [row["truncated"] for row in found] == [False, table == "files", True, True]
    size = "bytes" if table == "files" else "size"
    assert [row[size] for row in found[:3]] == [*sizes[:2], MAX_CONTENT_BYTES]


@pytest.mark.slow
def test_formats_have_the_same_rows(tmp_path: Path) -> None:
    pyarrow_parquet = pytest.importorskip("pyarrow.parquet")
    records = [response(f"host{n}.example", b"\xff# %d\n" % n + RULES) for n in range(20)]
    options = TableOptions("files")
    expected = rows(tmp_path, records, options)
    assert expected[0]["content"] is None
    assert expected[0]["content_base64"]
    path = make_table(tmp_path, [compressed(records)], options, form="csv")
    with path.open(encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    text = [
        {key: "" if cell is None else "false" if cell is False else str(cell) for key, cell in row.items()}
        for row in expected
    ]
    assert found == text
    table = pyarrow_parquet.read_table(make_table(tmp_path, [compressed(records)], options, form="parquet"))
    assert table.schema.metadata == {b"canfetch.schema": b"canfetch.files/1"}
    assert [row["sha256"] for row in table.to_pylist()] == [row["sha256"] for row in expected]
    assert table.to_pylist()[0]["content"] == b"\xff# 0\n" + RULES


@pytest.mark.service
def test_several_processes_write_the_same_table(tmp_path: Path) -> None:
    records = [response(f"host{n}.example", RULES + b"#%d" % n) for n in range(5_000)]
    options = TableOptions("decisions", AGENTS, ("/private/",))
    one = make_table(tmp_path, [compressed(records)], options, form="csv").read_bytes()
    assert one.count(b"\n") == 10_001
    assert make_table(tmp_path, [compressed(records)], options, form="csv", processes=2).read_bytes() == one


def test_archive_without_a_file(tmp_path: Path) -> None:
    information = record("robots.warc", b"", kind="warcinfo")
    path = make_table(tmp_path, [information], TableOptions("metrics"), form="csv")
    assert path.read_text(encoding="utf-8").startswith("origin,url,time,redirected,")


EXAMPLE = b"""\
# A comment
User-agent: *
User-agent: GPTBot  # another
Disallow: /a
Allow: /b
Crawl-delay: 1
Noindex: /c
   # indented
Foo-Bar: x
not a record

User-agent: gptbot
Disallow: /
Sitemap: https://a.example/s.xml
"""


def test_metrics_of_http_archive() -> None:
    # What the JavaScript of HTTP Archive returns for this file.
    agents = {"allow": 1, "disallow": 1, "crawl_delay": 1, "noindex": 1, "other": 1, "foo_bar": 1}
    assert robots_metrics(EXAMPLE, status=200, redirected=False) == {
        "redirected": False,
        "status": 200,
        "size": len(EXAMPLE),
        "size_kib": len(EXAMPLE) / 1024,
        "over_google_limit": False,
        "comment_count": 3,
        "record_counts": {
            "by_type": {
                "sitemap": 1,
                "user_agent": 3,
                "allow": 1,
                "disallow": 2,
                "crawl_delay": 1,
                "noindex": 1,
                "other": 1,
                "foo_bar": 1,
            },
            "by_useragent": {"*": agents, "gptbot": agents | {"disallow": 2}},
        },
    }


REDIRECTS = [
    redirect("a.example", "https://www.a.example/robots.txt"),
    response("www.a.example"),
    redirect("b.example", "/missing"),
    record("https://b.example/missing", http_response(b"<html>not found", status=404)),
    response("c.example", b"<html>not found", status=404),
    redirect("d.example", "https://d.example/robots.txt"),
    redirect("e.example", "https://gone.example/robots.txt"),
    redirect("f.example", ""),
]


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_metrics_are_those_of_the_last_response(tmp_path: Path, engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    found = rows(tmp_path, REDIRECTS, TableOptions("metrics"), engine=engine)
    values = {row["origin"][8:-8]: (row["redirected"], row["status"], row["size"]) for row in found}
    body = len(b"<html>not found")
    assert values == {
        "a": (True, 200, len(RULES)),
        "www.a": (False, 200, len(RULES)),
        "b": (True, 404, body),
        "c": (False, 404, body),
        # No response follows.
        "d": (True, None, None),
        "e": (True, None, None),
        # A browser returns a redirect without a target as it is.
        "f": (False, 301, 0),
    }
    counts = {row["origin"]: row["record_counts"] for row in found}
    assert counts["https://a.example"] == counts["https://www.a.example"]
    assert counts["https://e.example"] is None


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_cells_of_a_redirect_are_about_its_own_content(tmp_path: Path, engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    found = {row["origin"][8:-8]: row for row in rows(tmp_path, REDIRECTS, TableOptions("files"), engine=engine)}
    names = ("effect", "redirects", "bytes", "groups", "rules", "content")
    assert [found["a"][name] for name in names] == ["conditional-allow", 1, 0, None, None, ""]
    assert [found["www.a"][name] for name in names] == ["conditional-allow", 0, len(RULES), 1, 1, RULES.decode()]
    assert [found["c"][name] for name in names[:-1]] == ["full-allow", 0, len(b"<html>not found"), None, None]
    # The content that decides after redirects, if there is one.
    finals = {name: row["final_sha256"] for name, row in found.items()}
    assert finals == dict.fromkeys(found) | {"a": hashlib.sha256(RULES).hexdigest()}


def test_rows_with_rules_can_be_loaded_as_files(tmp_path: Path) -> None:
    """The filter of docs/columns.md leaves out each row whose content does not decide about its origin."""
    parquet = pytest.importorskip("pyarrow.parquet")
    records = [*REDIRECTS, response("g.example", b"busy", status=503)]
    path = make_table(tmp_path, [compressed(records)], TableOptions("files"), form="parquet")
    table = parquet.read_table(path, filters=[("effect", "=", "conditional-allow"), ("redirects", "=", 0)])
    assert table.column("groups").null_count == 0
    hosts = [f"https://{name}.example" for name in ("www.a", "a", "b", "e", "g")]
    allowed = Files(table, id="origin").allows_at(hosts, "GPTBot", "/private/").to_pylist()
    assert allowed == [False, None, None, None, None]


@pytest.mark.parametrize(
    "text, kinds",
    [
        ("\n\n\ufeffUser-agent: a", {"user_agent": 1}),
        ("\x85User-agent: a", {"other": 1}),
        ("User-agent\ufeff: a", {"user_agent": 1}),
        ("User-agent\x1f: a", {"other": 1}),
        ("Allow: /\ufeff# note", {"allow": 1}),
    ],
)
def test_metrics_trim_white_space_as_javascript_does(text: str, kinds: dict[str, int]) -> None:
    # What the script of HTTP Archive returns for these files.
    counts = robots_metrics(text.encode(), status=200, redirected=False)["record_counts"]
    assert {kind: count for kind, count in counts["by_type"].items() if count} == kinds


@pytest.mark.slow
def test_metrics_are_bounded() -> None:
    content = b"".join(b"User-agent: %d\n" % n for n in range(20_000)) + b"".join(
        b"k%d: x\n" % n for n in range(20_000)
    )
    counts = robots_metrics(content, status=None, redirected=True)["record_counts"]
    assert counts["truncated"] is True
    assert len(counts["by_useragent"]) == 20_000
    assert robots_metrics("#😀".encode(), status=200, redirected=False)["size"] == 3
