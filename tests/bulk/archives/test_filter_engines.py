"""The engines of `canfetch bulk filter` write the same rows."""

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.bulk.captured_items import unexpected
from tests.bulk.traced_memory import with_peak_memory
from tests.bulk.warc_files import RULES, compressed, http_response, record, redirect, response

from canfetch.access.policies import get_policy
from canfetch.agents import agent
from canfetch.bulk.archives import capture_store, decided_texts, filter_lists, filter_parts
from canfetch.bulk.archives.archive_job import collect
from canfetch.bulk.archives.capture_store import CaptureStore, StoredCapture
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.filter_job import filter_urls
from canfetch.bulk.archives.filter_lists import FilterOptions, decide_by_file, list_tasks, open_list
from canfetch.bulk.archives.filter_parts import Counts, FilterPart, decide_and_write_part
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.errors import InvalidOption, StoreError

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("duckdb")

AGENTS = tuple(NamedAgent(name, agent(name)) for name in ("GPTBot", "CCBot"))
OPTIONS = FilterOptions(AGENTS, "url", None, None, only_allowed=False, policy="rfc9309", profile="rfc9309")
UNUSUAL = [
    "",
    "x",
    "/private/",
    "https://a.example",
    "https://a.example?private/",
    "HTTPS://A.Example/private/",
    "https://user@a.example/private/x",
    "https://a.example:443/private/x",
    "https://a.example:0443/private/x",
    "https://a.example:99999/private/x",
    "https://.a..example/private/x",
    "https://a.example/private/é",
    "https://a.example/%70rivate/",
    "https://a.example/private/ x",
    "https://bücher.example/private/",
    "https://[::1]/private/",
    "https:///private/",
    "ftp://a.example/private/",
]
TIMES = [
    *(None, "2025-12-31", "2026-01-15T00:00:00Z", "2026-02-02", "2026-04-20", "20260601000000"),
    *("1769904000", "", "never", "2026-02-30", "1769904000000"),
]
SITES = [*(f"https://{name}.example" for name in "abcdefx"), "http://a.example"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return captures with versions, failures, redirects and files of one host."""
    folder = tmp_path_factory.mktemp("store")
    rules = RULES + b"\nUser-agent: CCBot\nDisallow: /p*e\xff\nDisallow: /*.pdf$\n"
    captures = [
        response("a.example", rules),
        redirect("b.example", "https://gone.example/robots.txt"),
        redirect("c.example", "https://a.example/robots.txt"),
        record("https://d.example/robots.txt", http_response(b"", status=404)),
        record("https://e.example/robots.txt", http_response(b"", status=503)),
        *(
            record(
                "https://f.example/robots.txt",
                http_response(content, status=status),
                time=f"2026-0{month}-01T00:00:00Z",
            )
            for month, content, status in [(1, rules, 200), (2, b"", 503), (5, b"user-agent: *\ndisallow: /", 200)]
        ),
    ]
    (folder / "robots.warc.gz").write_bytes(compressed(captures))
    path = folder / "store.sqlite"
    collect([find_source(str(folder / "robots.warc.gz"))], path, advance=lambda _: None, on_fault=unexpected)
    return path


def make_rows(count: int) -> list[dict[str, Any]]:
    """Return rows of a table with URLs of all sites in random order."""
    random = Random(9309)  # noqa: S311 - rows of a test
    rows = []
    for number in range(count):
        path = random.choice(["/", "/private/x", "/public", "/robots.txt", "/a.pdf", "/a.pdf?x"])
        url = random.choice(UNUSUAL) if number % 5 == 0 else random.choice(SITES) + path
        time = random.choice(TIMES)
        rows.append({"n": number, "url": url, "at": time, "tags": [number, "é"]})
    return rows


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows in the format of the suffix, with damaged ones where the format permits them."""
    if path.suffix == ".parquet":
        columns = {name: [row[name] for row in rows] for name in ("n", "url", "at")}
        parquet.write_table(pyarrow.table(columns), path, row_group_size=max(1, len(rows) // 3))
        return path
    lines = {
        ".txt": [row["url"] for row in rows],
        ".csv": ["n,url,at", *(f'{row["n"]},"{row["url"]}",{row["at"] or ""}' for row in rows), "1,2"],
        ".gz": [
            *(json.dumps(row) for row in rows),
            '{"url": 5}',
            '{"url": ["x"]}',
            '{"url": "\\udcff"}',
            '{"z": 1}',
            "{",
        ],
    }
    text = "".join(line + "\n" for line in lines[path.suffix])
    path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
    return path


def run(engine: str, store: Path, lists: list[Path], output: Path, options: FilterOptions) -> tuple[Any, ...]:
    """Return what an engine writes and reports, and the number of bytes of its progress."""
    faults: list[Fault] = []
    advanced: list[int] = []
    with WorkFolder(output, output.suffix[1:], {}, restart=True) as folder:
        urls = [open_list(str(path), None, options) for path in lists]
        counts = filter_urls(
            folder, store, urls, options, processes=1, advance=advanced.append, on_fault=faults.append, engine=engine
        )
    assert not folder.path.exists()
    if engine == "duckdb":
        assert sum(advanced) == sum(path.stat().st_size for path in lists)
    if output.suffix == ".parquet":
        table = parquet.read_table(output)
        return table.to_pylist(), table.schema, counts, faults
    return output.read_bytes(), counts, faults


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet"])
@pytest.mark.parametrize("name", ["urls.txt", "urls.csv", "urls.ndjson.gz", "urls.parquet"])
def test_duckdb_writes_the_rows_of_the_local_engine(store: Path, tmp_path: Path, name: str, form: str) -> None:
    lists = [write(tmp_path / name, make_rows(400)), write(tmp_path / f"more-{name}", make_rows(3))]
    found = {}
    for engine in ("local", "duckdb"):
        found[engine] = run(engine, store, lists, tmp_path / f"{engine}.{form}", OPTIONS)
    assert found["duckdb"] == found["local"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["urls.csv", "urls.parquet"])
def test_options(store: Path, tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, make_rows(400))
    for number, options in enumerate(
        [
            OPTIONS._replace(time_column="at"),
            OPTIONS._replace(time_column="at", agents=AGENTS[:1], missing=True, only_allowed=True),
            OPTIONS._replace(missing=False, policy="google", profile="google"),
        ]
    ):
        found = [
            run(engine, store, [path], tmp_path / f"{engine}{number}.ndjson", options) for engine in ("local", "duckdb")
        ]
        assert found[0] == found[1]


@pytest.mark.slow
def test_columns_of_other_types(store: Path, tmp_path: Path) -> None:
    """Names may differ in case only, URLs are text or bytes, and times have their own type."""
    rows = make_rows(40)
    path = tmp_path / "urls[1]*.parquet"
    moments = pyarrow.array([1_767_225_600_000_000 + row["n"] * 10**12 for row in rows], pyarrow.timestamp("us", "UTC"))
    urls = pyarrow.array([row["url"] for row in rows])
    columns = {"URL": urls.dictionary_encode(), "url": range(40), "At": moments, "bytes": urls.cast(pyarrow.binary())}
    parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(
        InvalidOption, match=r"the column 'url' of .* has the type int64: expected URLs as text or bytes"
    ):
        open_list(str(path), None, OPTIONS)
    for number, column in enumerate(("URL", "bytes")):
        options = OPTIONS._replace(url_column=column, time_column="At")
        found = [
            run(engine, store, [path], tmp_path / f"{engine}{number}.parquet", options)
            for engine in ("local", "duckdb")
        ]
        assert found[0] == found[1]
    # Bytes are decided as text is.
    by_text, by_bytes = (parquet.read_table(tmp_path / f"local{number}.parquet") for number in (0, 1))
    assert by_bytes.equals(by_text)
    assert "disallow-rule" in by_bytes["reason"].to_pylist()


@pytest.mark.slow
def test_parts_of_an_earlier_run_are_kept(store: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "urls.parquet", make_rows(400))
    expected = run("local", store, [path], tmp_path / "whole.csv", OPTIONS)
    output = tmp_path / "out.csv"
    urls = [open_list(str(path), None, OPTIONS)]
    with WorkFolder(output, "csv", {}, restart=False) as folder:
        # As after a kill.
        (folder.path / "duckdb" / "spilled").mkdir(parents=True)
        written = FilterPart(store, folder.parts, OPTIONS)
        task = list(list_tasks(urls, OPTIONS, lambda _: None, unexpected))[1]
        decide_and_write_part(written, task)
        counts = filter_urls(
            folder, store, urls, OPTIONS, processes=1, advance=lambda _: None, on_fault=unexpected, engine="duckdb"
        )
    assert (output.read_bytes(), counts, []) == expected


def test_empty_lists(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "urls.txt"
    path.write_bytes(b"")
    content, counts, _ = run("duckdb", store, [path], tmp_path / "out.csv", OPTIONS)
    assert (content, counts) == (b"url,agent,allowed,reason,line,rule\n", Counts())


def test_a_list_that_duckdb_cannot_read(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "urls.parquet"
    parquet.write_table(pyarrow.table({"url": ["x"], "file_row_number": [1]}), path)
    with pytest.raises(StoreError, match=r"DuckDB failed: .*file_row_number.*: fix the cause, or pass --engine local"):
        run("duckdb", store, [path], tmp_path / "out.csv", OPTIONS)
    _, counts, faults = run("local", store, [path], tmp_path / "out.csv", OPTIONS)
    assert (counts.rows, counts.invalid_url, faults) == (2, 2, [])


def test_the_rows_are_the_same_without_pyarrow(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "urls.csv"
    path.write_text("url\n" + "".join(f"{SITES[n % 7]}/private/{n}\n" for n in range(300)), encoding="utf-8")
    assert filter_parts._ruled_pages(OPTIONS) is not None
    expected = run("local", store, [path], tmp_path / "with.csv", OPTIONS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "canfetch.bulk.archives.ruled_pages")
    assert filter_parts._ruled_pages(OPTIONS) is None
    assert run("local", store, [path], tmp_path / "without.csv", OPTIONS) == expected


@pytest.mark.parametrize("time_column", [None, "at"])
def test_each_file_is_loaded_once_for_all_parts(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time_column: str | None
) -> None:
    """URLs of many origins in random order are the usual case."""
    loaded: list[int] = []

    def stored(row: tuple[Any, ...]) -> StoredCapture:
        loaded.append(row[0])
        return read_row(row)

    read_row = capture_store._stored
    monkeypatch.setattr(capture_store, "_stored", stored)
    monkeypatch.setattr(filter_lists, "_ROWS_PER_PART", 300)
    # Other tests load files of the same store.
    filter_parts._kept_files.cache_clear()
    rows = [{"url": f"{SITES[number * 7 % 6]}/{number}", "at": "2026-07-01"} for number in range(3000)]
    path = tmp_path / "urls.csv"
    path.write_text("url,at\n" + "".join(f"{row['url']},{row['at']}\n" for row in rows), encoding="utf-8")
    run("local", store, [path], tmp_path / "out.csv", OPTIONS._replace(time_column=time_column))
    # The last origin has three captures. A capture is loaded twice if a redirect leads to it, or if the last captures
    # are not enough.
    assert len(set(loaded)) == (8 if time_column else 6)
    assert max(Counter(loaded).values()) == 2


@pytest.mark.parametrize("call_bytes", [1, 1 << 25])
@pytest.mark.parametrize("profile", ["rfc9309", "google", "original1994"])
@pytest.mark.parametrize("missing", [None, True, False])
def test_columns_of_urls_are_decided_as_single_urls(
    store: Path, monkeypatch: pytest.MonkeyPatch, *, call_bytes: int, profile: str, missing: bool | None
) -> None:
    # With few bytes, each call of the kernel gets one file.
    monkeypatch.setattr(decided_texts, "CALL_BYTES", call_bytes)
    agents = (*AGENTS, NamedAgent("ads", agent("AdsBot-Google")))
    urls = [*(row["url"] for row in make_rows(600)), None]
    for chosen in (agents, agents[:1]):
        options = OPTIONS._replace(agents=chosen, profile=profile, missing=missing)
        with CaptureStore(store, read_only=True) as captures:
            one, many = (
                URLDecisions(captures, policy=get_policy("rfc9309"), profile=profile, missing=missing) for _ in range(2)
            )
            expected = [
                options.cells(number, cells)
                for url in urls
                for number, cells in enumerate(decide_by_file(one.find(url, None), url, options))
            ]
            columns = decided_texts.decide_texts(pyarrow.array(urls, "string"), many, options)
        assert list(zip(*(column.to_pylist() for column in columns), strict=True)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_a_huge_pattern_is_not_repeated_in_rows(tmp_path: Path, engine: str) -> None:
    """Otherwise, 3,000 rows would have 1.2 GB of text."""
    rules = b"user-agent: *\nallow: /" + b"*" * 400_000 + b"\ndisallow: /"
    robots = tmp_path / "robots.warc.gz"
    robots.write_bytes(compressed([response("a.example", rules)]))
    store = tmp_path / "store.sqlite"
    collect([find_source(str(robots))], store, advance=lambda _: None, on_fault=unexpected)
    urls = tmp_path / "urls.parquet"
    parquet.write_table(pyarrow.table({"url": [f"https://a.example/{row}" for row in range(3000)]}), urls)
    options = OPTIONS._replace(agents=AGENTS[:1])
    (rows, _, counts, _), peak = with_peak_memory(lambda: run(engine, store, [urls], tmp_path / "out.parquet", options))
    assert {row["rule"] for row in rows} == {"Allow: /" + "*" * 245 + "…"}
    assert counts == Counts(3000, 3000, 0)
    assert peak < 64 << 20


def test_parts_of_long_rows_have_few_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filter_lists, "_BYTES_PER_PART", 1000)
    path = tmp_path / "urls.ndjson"
    rows = [{"url": f"https://a.example/{number}", "x": ["x" * 300]} for number in range(10)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = OPTIONS._replace(time_column=None)
    tasks = list(list_tasks([open_list(str(path), None, options)], options, lambda _: None, unexpected))
    assert [len(task.rows) for task in tasks] == [4, 4, 2]
