"""Lists of URLs with the decision about each."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.captured_items import unexpected
from tests.bulk.warc_files import RULES, compressed, http_response, record, redirect, response
from tests.json_lines import read_json_lines

from canfetch.access.policies import get_policy
from canfetch.agents import agent
from canfetch.bulk.archives import filter_lists
from canfetch.bulk.archives.archive_job import collect
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.filter_job import filter_urls
from canfetch.bulk.archives.filter_lists import FilterOptions, open_list
from canfetch.bulk.archives.filter_parts import Counts
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.reading.times import parse_time
from canfetch.bulk.reading.url_lists import read_url_rows
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.errors import InvalidOption

ROBOTS = "https://a.example/robots.txt"
DAY = 86400.0


def make_store(folder: Path, records: list[bytes]) -> Path:
    archive = folder / "robots.warc.gz"
    archive.write_bytes(compressed(records))
    path = folder / "store.sqlite"
    collect([find_source(str(archive))], path, advance=lambda _: None, on_fault=unexpected)
    return path


def version(rules: str, time: str, *, status: int = 200) -> bytes:
    return record(ROBOTS, http_response(f"User-agent: *\n{rules}\n".encode(), status=status), time=time)


def decide(store: Path, url: str, time: str | None = None, **options: Any) -> tuple[bool | None, str]:
    with CaptureStore(store, read_only=True) as captures:
        settings = {"policy": get_policy("rfc9309"), "profile": "rfc9309", "missing": None, **options}
        decision = URLDecisions(captures, **settings).decide(url, agent("GPTBot"), parse_time(time))
        return decision.allowed, decision.reason


def test_the_file_in_force_at_the_time_decides(tmp_path: Path) -> None:
    store = make_store(
        tmp_path, [version("Disallow: /", "2026-03-01T00:00:00Z"), version("Allow: /", "2026-01-01T00:00:00Z")]
    )
    url = "https://a.example/page"
    assert decide(store, url, "2025-12-31T23:59:59Z") == (None, "no-robots")
    assert decide(store, url, "2026-01-01T00:00:00Z") == (True, "allow-rule")
    assert decide(store, url, "2026-02-28T00:00:00Z") == (True, "allow-rule")
    assert decide(store, url, "2026-03-01T00:00:00Z") == (False, "disallow-rule")
    assert decide(store, url) == (False, "disallow-rule")


@pytest.mark.parametrize("suffix", ["csv", "ndjson", "parquet"])
def test_a_request_without_a_response_is_unreachable(tmp_path: Path, suffix: str) -> None:
    """A good copy counts for 30 days after it."""
    rows: list[dict[str, Any]] = [
        {"origin": "https://a.example", "time": "2026-01-01", "status": 0, "content": ""},
        {"origin": "https://b.example", "time": "2026-01-01", "status": 200, "content": "User-agent: *\nAllow: /\n"},
        {"origin": "https://b.example", "time": "2026-02-01", "status": 0, "content": ""},
    ]
    path = tmp_path / f"files.{suffix}"
    if suffix == "parquet":
        pa = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(rows), path)
    elif suffix == "csv":
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    store = tmp_path / "store.sqlite"
    collect([find_source(str(path))], store, advance=lambda _: None, on_fault=unexpected)
    assert decide(store, "https://a.example/x", missing=True) == (False, "unreachable")
    assert decide(store, "https://b.example/x", "2026-02-20T00:00:00Z") == (True, "allow-rule")
    assert decide(store, "https://b.example/x", "2026-06-01T00:00:00Z") == (False, "unreachable")


def test_a_value_that_is_not_a_time_decides_nothing(tmp_path: Path) -> None:
    """Neither the newest file nor `--missing` is the answer then. A missing time means the last capture."""
    robots = tmp_path / "robots.warc"
    robots.write_bytes(version("Disallow: /", "2026-01-01") + version("Allow: /", "2026-03-01"))
    times = ["1769904000", "2026-02-01", "", "never", "01/02/2026", "2026-02-30", "1769904000000"]
    content = "url,at\n" + "".join(f"https://a.example/,{time}\n" for time in times) + "x,never\n"
    path, counts, _ = run_filter(
        tmp_path, "urls.csv", content.encode(), "out.ndjson", robots=robots, time_column="at", missing=True
    )
    assert [(row["allowed"], row["reason"]) for row in map(json.loads, path.read_text("utf-8").splitlines())] == [
        (False, "disallow-rule"),
        (False, "disallow-rule"),
        (True, "allow-rule"),
        *[(None, "invalid-time")] * 4,
        (None, "invalid-url"),
    ]
    assert counts == Counts(8, 1, 5, invalid_url=1, invalid_time=4, without_time=1)
    numbers = "".join(json.dumps({"url": "https://a.example/", "at": at}) + "\n" for at in (1769904000, 1769904000000))
    path, _, _ = run_filter(
        tmp_path, "urls.ndjson", numbers.encode(), "out.ndjson", robots=robots, time_column="at", missing=True
    )
    assert [json.loads(line)["reason"] for line in path.read_text("utf-8").splitlines()] == [
        "disallow-rule",
        "invalid-time",
    ]


def test_failures_keep_the_last_good_copy(tmp_path: Path) -> None:
    store = make_store(
        tmp_path,
        [
            version("Disallow: /a", "2026-01-01T00:00:00Z"),
            version("", "2026-01-02T00:00:00Z", status=503),
            version("", "2026-01-03T00:00:00Z", status=503),
        ],
    )
    assert decide(store, "https://a.example/a", "2026-01-03T12:00:00Z") == (False, "disallow-rule")
    assert decide(store, "https://a.example/b", "2026-01-03T12:00:00Z") == (True, "no-match")
    assert decide(store, "https://a.example/b") == (True, "no-match")
    assert decide(store, "https://a.example/b", "2026-06-03T12:00:00Z")[1] == "unreachable"


def test_a_redirect_leads_to_the_next_capture_of_its_target(tmp_path: Path) -> None:
    block = http_response(b"", status=301, headers=[("Location", ROBOTS)])
    moved = [record("https://r.example/robots.txt", block, time=f"2026-0{month}-01T00:00:00Z") for month in (1, 3, 5)]
    others = [version("Disallow: /", "2020-01-01T00:00:00Z"), version("Allow: /", "2026-04-01T00:00:00Z")]
    store = make_store(tmp_path, [*moved, *others])
    assert decide(store, "https://r.example/", "2026-01-02T00:00:00Z") == (True, "allow-rule")
    # Without a next one, the last one before it is in force.
    assert decide(store, "https://r.example/", "2026-05-02T00:00:00Z") == (True, "allow-rule")
    folder = tmp_path / "old"
    folder.mkdir()
    store = make_store(folder, [moved[1], others[0]])
    assert decide(store, "https://r.example/", "2026-03-02T00:00:00Z") == (False, "disallow-rule")


def test_unknown_files_are_never_allowed_silently(tmp_path: Path) -> None:
    store = make_store(tmp_path, [redirect("c.example", "https://gone.example/robots.txt"), response("a.example")])
    assert decide(store, "https://b.example/") == (None, "no-robots")
    assert decide(store, "http://a.example/") == (None, "no-robots")
    assert decide(store, "https://c.example/") == (None, "redirect-unresolved")
    assert decide(store, "https://b.example/", missing=True) == (True, "no-robots")
    assert decide(store, "https://c.example/", missing=False) == (False, "redirect-unresolved")
    assert decide(store, "no url") == (None, "invalid-url")
    assert decide(store, "/path", missing=True) == (None, "invalid-url")


def test_a_host_stands_for_both_schemes(tmp_path: Path) -> None:
    folder = tmp_path / "robots"
    folder.mkdir()
    (folder / "a.example.txt").write_bytes(b"User-agent: *\nDisallow: /a\n")
    (folder / "b.example_8080.txt").write_bytes(b"User-agent: *\nDisallow: /b\n")
    (folder / "https%3A%2F%2Fa.example.txt").write_bytes(b"User-agent: *\nDisallow: /s\n")
    store = tmp_path / "store.sqlite"
    collect([find_source(str(folder))], store, advance=lambda _: None, on_fault=unexpected)
    assert decide(store, "http://a.example/a")[0] is False
    assert decide(store, "https://a.example/a")[0] is True
    assert decide(store, "https://a.example/s")[0] is False
    assert decide(store, "http://b.example:8080/b")[0] is False
    assert decide(store, "http://b.example/b") == (None, "no-robots")
    assert decide(store, "ftp://a.example/a") == (None, "no-robots")


def run_filter(
    folder: Path,
    name: str,
    content: bytes,
    output: str,
    agents: tuple[str, ...] = ("GPTBot",),
    *,
    robots: Path | None = None,
    **more: Any,
) -> tuple[Path, Counts, list[Fault]]:
    settings = {"url_column": "url", "time_column": None, "missing": None, "only_allowed": False, **more}
    named = tuple(NamedAgent(token, agent(token)) for token in agents)
    options = FilterOptions(named, policy="rfc9309", profile="rfc9309", **settings)
    path = folder / name
    path.write_bytes(content)
    if robots is None:
        store = make_store(folder, [response("a.example", RULES + b"\nUser-agent: CCBot\nDisallow: /\n")])
    else:
        store = folder / "given.sqlite"
        collect([find_source(str(robots))], store, advance=lambda _: None, on_fault=unexpected)
    urls = [open_list(str(path), None, options)]
    faults: list[Fault] = []
    out = folder / output
    with WorkFolder(out, out.suffix[1:], {}, restart=True) as work:
        counts = filter_urls(work, store, urls, options, processes=1, advance=lambda _: None, on_fault=faults.append)
    return out, counts, faults


URLS = ["https://a.example/private/x", "https://a.example/x", "https://b.example/"]


def test_text(tmp_path: Path) -> None:
    content = "\n".join(["", *URLS]).encode()
    path, counts, faults = run_filter(tmp_path, "urls.txt", content, "out.csv")
    assert counts == Counts(3, 1, 1, no_robots=1)
    assert not faults
    assert path.read_text(encoding="utf-8").splitlines() == [
        "url,allowed,reason,line,rule",
        "https://a.example/private/x,false,disallow-rule,2,Disallow: /private/",
        "https://a.example/x,true,no-match,,",
        "https://b.example/,,no-robots,,",
    ]


@pytest.mark.parametrize("only_allowed", [False, True])
def test_several_agents_have_a_row_each(tmp_path: Path, *, only_allowed: bool) -> None:
    rows = [
        (URLS[0], "GPTBot", False),
        (URLS[0], "CCBot", False),
        (URLS[1], "GPTBot", True),
        (URLS[1], "CCBot", False),
        (URLS[2], "GPTBot", None),
        (URLS[2], "CCBot", None),
        ("x", "GPTBot", None),
        ("x", "CCBot", None),
    ]
    expected = [row for row in rows if row[2] or not only_allowed]
    content = "\n".join([*URLS, "x"]).encode()
    agents = ("GPTBot", "CCBot")
    path, counts, _ = run_filter(tmp_path, "urls.txt", content, "out.ndjson", agents, only_allowed=only_allowed)
    assert counts == Counts(8, 1, 4, no_robots=2, invalid_url=2)
    found = read_json_lines(path)
    assert [(row["url"], row["agent"], row["allowed"]) for row in found] == expected
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"url": [*URLS, "x"]}), tmp_path / "source.parquet")
    content = (tmp_path / "source.parquet").read_bytes()
    path, counts, _ = run_filter(tmp_path, "urls.parquet", content, "out.parquet", agents, only_allowed=only_allowed)
    assert counts == Counts(8, 1, 4, no_robots=2, invalid_url=2)
    table = parquet.read_table(path).select(["url", "agent", "allowed"]).to_pylist()
    assert [tuple(row.values()) for row in table] == expected
    with pytest.raises(InvalidOption, match="already has a column 'agent': rename it"):
        run_filter(tmp_path, "urls.csv", b"url,agent\nx,y\n", "out.csv", agents)


def test_csv_keeps_its_columns(tmp_path: Path) -> None:
    content = "Id,Page\n" + "".join(f'{n},"{url}"\n' for n, url in enumerate(URLS))
    path, _, faults = run_filter(
        tmp_path, "urls.csv", content.encode(), "out.ndjson", url_column="Page", only_allowed=True
    )
    assert not faults
    assert read_json_lines(path) == [
        {"Id": "1", "Page": URLS[1], "allowed": True, "reason": "no-match", "line": None, "rule": None}
    ]


@pytest.mark.parametrize("name", ["urls.parquet", "urls.csv"])
def test_parquet_has_the_schema_of_the_table(tmp_path: Path, name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"url": URLS}).replace_schema_metadata({"canfetch.schema": "canfetch.files/1", "own": "x"})
    parquet.write_table(table, tmp_path / "source.parquet", row_group_size=2)
    content = (tmp_path / "source.parquet").read_bytes() if name == "urls.parquet" else b"url\nx\n"
    output, _, _ = run_filter(tmp_path, name, content, "out.parquet")
    metadata = parquet.read_schema(output).metadata
    assert metadata[b"canfetch.schema"] == b"canfetch.filter/1"
    assert metadata.get(b"own") == (b"x" if name == "urls.parquet" else None)


def test_ndjson_keeps_its_values(tmp_path: Path) -> None:
    content = [{"url": URLS[0], "tags": ["x"], "n": 1}, {"url": None}, {"url": 5}, {"url": URLS[1], "other": 1}]
    text = "".join(json.dumps(row) + "\n" for row in content)
    path, counts, faults = run_filter(tmp_path, "urls.jsonl.gz", gzip.compress(text.encode()), "out.ndjson")
    assert counts == Counts(3, 0, 2, invalid_url=2)
    assert [fault.reason for fault in faults] == ["a row has the column 'other', which the first row does not have"]
    first, second, third = read_json_lines(path)
    assert first["tags"] == ["x"]
    assert (second["reason"], third["reason"]) == ("invalid-url", "invalid-url")


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source = pyarrow.table({"n": pyarrow.array([1, 2, 3], pyarrow.int8()), "url": URLS, "tags": [["x"], None, []]})
    path = tmp_path / "source.parquet"
    parquet.write_table(source, path, row_group_size=2)
    output, counts, _ = run_filter(tmp_path, "urls.parquet", path.read_bytes(), "out.parquet")
    found = parquet.read_table(output)
    assert counts == Counts(3, 1, 1, no_robots=1)
    assert found.select(["n", "url", "tags"]).equals(source)
    assert found["allowed"].to_pylist() == [False, True, None]
    output, _, _ = run_filter(tmp_path, "urls.parquet", path.read_bytes(), "out.csv")
    assert output.read_text(encoding="utf-8").splitlines()[1] == (
        '1,https://a.example/private/x,"[""x""]",false,disallow-rule,2,Disallow: /private/'
    )


@pytest.mark.parametrize("kind", ["string_view", "binary_view"])
def test_rows_of_views_are_repeated_and_left_out(tmp_path: Path, kind: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    urls = pyarrow.array(URLS).cast(kind.removesuffix("_view")).cast(kind)
    parquet.write_table(pyarrow.table({"url": urls}), tmp_path / "source.parquet")
    content = (tmp_path / "source.parquet").read_bytes()
    agents = ("GPTBot", "CCBot")
    output, counts, _ = run_filter(tmp_path, "urls.parquet", content, "out.parquet", agents, only_allowed=True)
    assert (counts.rows, counts.allowed) == (6, 1)
    found = parquet.read_table(output)
    assert str(found.schema.field("url").type) == kind
    assert found["url"].cast(kind.removesuffix("_view")).cast("string").to_pylist() == [URLS[1]]


SITEMAP = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><image:image><image:loc>https://a.example/image</image:loc></image:image>
<loc> https://a.example/x?a=1&amp;b=2 </loc><lastmod>2026-05-01</lastmod></url>
<url><loc>https://a.example/private/</loc></url>
<url><lastmod>2026-05-01</lastmod></url>
</urlset>
"""


@pytest.mark.parametrize("output", ["out.ndjson", "out.csv"])
def test_maps_are_objects(tmp_path: Path, output: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    numbers = pyarrow.map_(pyarrow.int8(), pyarrow.string())
    source = pyarrow.table(
        {
            "url": URLS,
            "map": pyarrow.array([[("a", 1), ("a", 2)], [], None], pyarrow.map_(pyarrow.string(), pyarrow.int8())),
            "nested": pyarrow.array([[[(1, "x")]], [[]], None], pyarrow.list_(numbers)),
            "number": [1.5, float("nan"), float("inf")],
        }
    )
    parquet.write_table(source, tmp_path / "source.parquet")
    path, _, _ = run_filter(tmp_path, "urls.parquet", (tmp_path / "source.parquet").read_bytes(), output)
    lines = path.read_text(encoding="utf-8").splitlines()
    if output == "out.csv":
        assert lines[1].startswith('https://a.example/private/x,"{""a"": 2}","[{""1"": ""x""}]",1.5,')
        assert lines[2].startswith("https://a.example/x,{},[{}],,")
        return

    def invalid(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    rows = [json.loads(line, parse_constant=invalid) for line in lines]
    assert [row["map"] for row in rows] == [{"a": 2}, {}, None]
    assert [row["nested"] for row in rows] == [[{"1": "x"}], [{}], None]
    assert [row["number"] for row in rows] == [1.5, None, None]


def test_sitemap(tmp_path: Path) -> None:
    path, counts, faults = run_filter(tmp_path, "sitemap.xml", SITEMAP, "out.csv")
    assert counts == Counts(2, 1, 0)
    assert [fault.reason for fault in faults] == ["an entry has no URL"]
    assert path.read_text(encoding="utf-8").splitlines()[1:] == [
        "https://a.example/x?a=1&b=2,2026-05-01,true,no-match,,",
        "https://a.example/private/,,false,disallow-rule,2,Disallow: /private/",
    ]


def test_truncated_sitemap(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    urls = {"https://a.example/x?a=1&b=2", "https://a.example/private/"}
    for end in range(len(SITEMAP) - 1):
        path.write_bytes(SITEMAP[:end])
        with path.open("rb") as stream:
            items = list(read_url_rows(stream, "x", "sitemap", lambda _: None, lambda _: None))
        faults = [item for item in items if isinstance(item, Fault)]
        assert {item["url"] for item in items if not isinstance(item, Fault)} <= urls
        assert any(fault.is_end for fault in faults) or end == len(SITEMAP) - 1, end


@pytest.mark.parametrize(
    "content, message",
    [
        ("<!DOCTYPE html>\n<html><body><p>Log in<br></body></html>", "is not a sitemap: it is a web page"),
        ("<html><body/></html>", "is not a sitemap: the root element is html"),
        ("Log in", "is not a sitemap: it is not XML, and no line has a URL"),
        ("<url><loc>https://a.example/</loc></url>", "is not a sitemap: the root element is url"),
        ("<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>", "is a sitemap index"),
    ],
)
def test_documents_that_are_not_sitemaps(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InvalidOption, match=rf"sitemap\.xml' {message}"):
        run_filter(tmp_path, "sitemap.xml", content.encode(), "out.csv")


def test_feeds_are_sitemaps(tmp_path: Path) -> None:
    rss = b"<rss><channel><item><link>https://a.example/x</link><pubDate>Mon, 4 May</pubDate></item></channel></rss>"
    path, counts, _ = run_filter(tmp_path, "sitemap.xml", rss, "out.csv")
    assert counts == Counts(1, 1, 0)
    assert path.read_text(encoding="utf-8").splitlines()[1].startswith('https://a.example/x,"Mon, 4 May",true,')


def test_the_limits_of_sitemaps_end_a_list(tmp_path: Path) -> None:
    long = b"<urlset><url><loc>https://a.example/%s</loc></url><url><loc>https://a.example/x</loc></url></urlset>"
    _, counts, faults = run_filter(tmp_path, "sitemap.xml", long % (b"x" * 10_000), "out.csv")
    assert counts == Counts(1, 1, 0)
    assert [(fault.reason, fault.is_end) for fault in faults] == [("a URL has more than 8,192 characters", False)]
    items = list(
        read_url_rows(io.BytesIO(b"https://a.example/\n" * 50_001), "x", "sitemap", lambda _: None, lambda _: None)
    )
    assert len(items) == 50_001
    assert items[-1] == Fault("x", 50_000, "more than 50,000 URLs", is_end=True, lost=None)


def test_json_lists(tmp_path: Path) -> None:
    row = b'{"url": "https://a.example/private/"}'
    _, counts, _ = run_filter(tmp_path, "urls.json", row + b"\n", "out.csv")
    assert counts == Counts(1, 0, 0)
    with pytest.raises(InvalidOption, match=r"urls\.json' is a JSON array: expected one JSON object per line"):
        run_filter(tmp_path, "urls.json", b"[" + row + b"]\n", "out.csv")


def test_invalid_lists(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=r"has no column 'PAGE': did you mean --url-column page\?"):
        run_filter(tmp_path, "urls.csv", b"page\nx\n", "out.csv", url_column="PAGE")
    with pytest.raises(InvalidOption, match="has no column 'url': expected one of page"):
        run_filter(tmp_path, "urls.csv", b"page\nx\n", "out.csv")
    with pytest.raises(InvalidOption, match="already has a column 'allowed': rename it"):
        run_filter(tmp_path, "urls.csv", b"url,allowed\nx,y\n", "out.csv")
    with pytest.raises(InvalidOption, match="has no column 'when'"):
        run_filter(tmp_path, "urls.txt", b"https://a.example/\n", "out.csv", time_column="when")
    path, counts, _ = run_filter(tmp_path, "urls.txt", b"\n", "out.csv")
    assert counts == Counts()
    assert path.read_text(encoding="utf-8") == "url,allowed,reason,line,rule\n"


def test_a_file_is_read_once_for_all_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a list in random order has each origin in many parts. Other captures at the same path are read again."""
    monkeypatch.setattr(filter_lists, "_ROWS_PER_PART", 2)
    read: list[int] = []
    file = CaptureStore.file

    def counted(store: CaptureStore, number: int) -> Any:
        read.append(number)
        return file(store, number)

    monkeypatch.setattr(CaptureStore, "file", counted)
    content = "".join(f"https://a.example/{path}\n" for path in ("x", "private/1", "y", "private/2", "z"))
    for rules, allowed in ((RULES, 3), (b"User-agent: *\nDisallow: /\n", 0)):
        robots = tmp_path / "robots.warc"
        robots.write_bytes(response("a.example", rules))
        (tmp_path / "given.sqlite").unlink(missing_ok=True)
        read.clear()
        _, counts, _ = run_filter(tmp_path, "urls.txt", content.encode(), "out.csv", robots=robots)
        assert (counts.rows, counts.allowed, len(read)) == (5, allowed, 1)
