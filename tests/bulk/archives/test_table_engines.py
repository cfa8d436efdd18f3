"""The engines of the commands that make tables from archives write the same bytes."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.bulk.captured_items import unexpected
from tests.bulk.warc_files import RULES, compressed, http_response, record, redirect, response

from canfetch.agents import agent
from canfetch.bulk.archives import archive_job, equal_files, output_tables
from canfetch.bulk.archives.archive_job import collect, list_parts, store_path, write_table
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.archives.work_database import WorkDatabase
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.core.document import parse
from canfetch.errors import StoreError

pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

# The columns of a matrix may differ in case only.
AGENTS = tuple(NamedAgent(name, agent(name)) for name in ("GPTBot", "gptbot", "CCBot"))
TABLES = {
    "files": TableOptions("files"),
    "records": TableOptions("records", profile="google"),
    "metrics": TableOptions("metrics"),
    "matrix": TableOptions("matrix", AGENTS, ("/private/",)),
    "decisions": TableOptions("decisions", AGENTS, ("/", "/private/x", "/robots.txt", "/\udcff")),
}
FORMATS = ["csv", "ndjson", "parquet"]
CONTENTS = [
    RULES,
    RULES + b"Sitemap: /\xff\n",
    b"",
    b"User-agent: CCBot\nDisallow: /\n" * 20,
    "User-agent: *\nDisallow: /é\n".encode("utf-16"),
    b"<!doctype html><title>x</title>",
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return captures of hosts at several times, most of which have the content of others."""
    random = Random(9309)  # noqa: S311 - captures of a test
    records = []
    for number in range(300):
        host = f"h{random.randrange(100)}.example"
        status = random.choice([200, 200, 200, 200, 404, 503, 301])
        target = f"https://h{random.randrange(120)}.example/robots.txt"
        if status == 301:
            records.append(redirect(host, target))
            continue
        time = f"2026-0{1 + number % 9}-01T00:00:00Z"
        block = http_response(random.choice(CONTENTS), status=status)
        records.append(record(f"https://{host}/robots.txt", block, time=time))
    records.append(response("last.example", b"# only once\n"))
    path = tmp_path_factory.mktemp("archive") / "robots.warc.gz"
    path.write_bytes(compressed(records))
    return path


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_job, "_CAPTURES_PER_PART", 37)
    monkeypatch.setattr(equal_files, "_BATCH_ROWS", 11)


def write(source: Path, output: Path, options: TableOptions, engine: str) -> tuple[bytes, int]:
    """Write a table, and return its bytes and the number of captures of its progress."""
    advanced: list[int] = []
    with WorkFolder(output, output.suffix[1:], {}, restart=False) as folder:
        collect([find_source(str(source))], store_path(folder), advance=lambda _: None, on_fault=unexpected)
        write_table(folder, options, policy="rfc9309", processes=1, advance=advanced.append, engine=engine)
    assert not folder.path.exists()
    return output.read_bytes(), sum(advanced)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("table", TABLES)
def test_duckdb_writes_the_bytes_of_the_local_engine(source: Path, tmp_path: Path, table: str, form: str) -> None:
    local, joined = (write(source, tmp_path / f"{e}.{form}", TABLES[table], e) for e in ("local", "duckdb"))
    assert joined == local
    assert len(local[0]) > 1000
    assert local[1] == 301


@pytest.mark.slow
def test_equal_files_are_parsed_once(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents: list[bytes] = []

    def counting(content: bytes, **options: Any) -> Any:
        contents.append(content)
        return parse(content, **options)

    monkeypatch.setattr(output_tables, "parse", counting)
    write(source, tmp_path / "local.csv", TABLES["records"], "local")
    assert len(contents) > 100
    contents.clear()
    write(source, tmp_path / "duckdb.csv", TABLES["records"], "duckdb")
    # Those of redirects are parsed again.
    assert len(set(contents)) <= len(contents) <= 2 * len(set(contents))
    assert set(contents) == {*CONTENTS, b"# only once\n"}


@pytest.mark.slow
def test_parts_of_an_earlier_run_are_kept(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = TABLES["decisions"]
    expected, count = write(source, tmp_path / "whole.csv", options, "local")
    output = tmp_path / "out.csv"
    with WorkFolder(output, "csv", {}, restart=False) as folder:
        collect([find_source(str(source))], store_path(folder), advance=lambda _: None, on_fault=unexpected)
        # As after a kill.
        (folder.path / "duckdb" / "spilled").mkdir(parents=True)
        written = archive_job.PartOptions(store_path(folder), folder.parts, options, "rfc9309")
        parts = list_parts(count)
        for number in (1, 2, len(parts) - 1):
            archive_job.write_part(written, parts[number])
        kept = folder.parts.path(2).stat().st_mtime_ns
        seen: list[int] = []

        def finish(_: WorkFolder, part_count: int) -> None:
            assert part_count == len(parts)
            seen.append(folder.parts.path(2).stat().st_mtime_ns)

        with monkeypatch.context() as patch:
            patch.setattr(WorkFolder, "finish", finish)
            write_table(folder, options, policy="rfc9309", processes=1, advance=lambda _: None, engine="duckdb")
        assert seen == [kept]
        folder.finish(len(parts))
    assert output.read_bytes() == expected


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_archive(tmp_path: Path, form: str) -> None:
    path = tmp_path / "robots"
    path.mkdir()
    local, joined = (write(path, tmp_path / f"{e}.{form}", TABLES["matrix"], e) for e in ("local", "duckdb"))
    assert joined == local


@pytest.mark.slow
def test_an_error_of_duckdb(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise duckdb.IOException("no space\nleft")

    monkeypatch.setattr(WorkDatabase, "insert", fail)
    with pytest.raises(StoreError, match=r"^DuckDB failed: no space left: fix the cause, or pass --engine local$"):
        write(source, tmp_path / "out.csv", TABLES["matrix"], "duckdb")
    assert not (tmp_path / "out.csv.partial" / "duckdb").exists()
