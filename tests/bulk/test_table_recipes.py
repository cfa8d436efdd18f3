"""The recipes for Delta and Iceberg tables: verdicts, killed and repeated runs, bounded memory."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.missing import skip_unless_ci

from canfetch import bulk

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "examples" / "recipes"
DAY = date(2026, 11, 27)
CAPTURES = pa.table(
    {
        "origin": ["https://a.example", "https://b.example", "https://c.example"],
        "status": [200, 301, 503],
        "location": [None, "https://a.example/robots.txt", None],
        "content": ["User-agent: *\nDisallow: /private/\n", "", ""],
    }
)
VERDICTS = {
    "https://a.example/": (True, "no-match", None, None),
    "https://a.example/private/x": (False, "disallow-rule", 2, "Disallow: /private/"),
    "https://b.example/private/": (False, "disallow-rule", 2, "Disallow: /private/"),
    "https://c.example/": (False, "unreachable", None, None),
    "https://d.example/": (None, "no-robots", None, None),
    "no URL": (None, None, None, None),
}
URLS = pa.table({"url": list(VERDICTS), "day": [DAY] * len(VERDICTS)})
KILLED = """
import os
import pyarrow as pa
from {module} import *

def verdicts():
    columns = [pa.array(["killed"] * 100_000), *(pa.nulls(100_000, field.type) for field in list(SCHEMA)[1:])]
    for _ in range(20):
        yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
    os._exit(9)

{call}
"""

pytestmark = [
    pytest.mark.service,
    pytest.mark.skipif(sys.platform == "win32", reason="the paths of the tables are those of POSIX"),
]


@pytest.fixture(autouse=True)
def recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import the programs of the recipes."""
    monkeypatch.syspath_prepend(str(RECIPES))


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run Python in a folder. Return its standard error."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(RECIPES)])}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stderr


def verdicts_of(url: str) -> Iterator[pa.RecordBatch]:
    """Yield one row of verdicts."""
    schema = import_module("table_verdicts").SCHEMA
    yield pa.RecordBatch.from_pylist([{"url": url}], schema=schema)


def decided(table: Any) -> list[tuple[Any, ...]]:
    """Return the verdicts of a table in the order of their URLs."""
    names = ("url", "allowed", "reason", "line", "rule")
    return sorted(tuple(row[name] for name in names) for row in table.to_pylist())


EXPECTED = sorted((url, *verdict) for url, verdict in VERDICTS.items())


class TestDelta:
    """`delta_verdicts.py`."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        try:
            from deltalake import write_deltalake
        except ImportError:
            skip_unless_ci("deltalake is not installed")
        other = URLS.set_column(1, "day", pa.array([date(2026, 11, 26)] * len(URLS)))
        write_deltalake(tmp_path / "urls", pa.concat_tables([URLS, other]), partition_by="day")
        write_deltalake(tmp_path / "captures", CAPTURES)
        return tmp_path

    def decide(self, folder: Path, day: date = DAY) -> None:
        program = str(RECIPES / "delta_verdicts.py")
        errors = run(folder, program, "urls", "captures", "verdicts", "--agent", "GPTBot", "--day", str(day))
        assert errors == ""

    def rows(self, folder: Path, day: date = DAY) -> list[tuple[Any, ...]]:
        from deltalake import DeltaTable

        rows = DeltaTable(folder / "verdicts").scan(predicate=f"day = '{day}'")
        return decided(pa.RecordBatchReader.from_stream(rows).read_all())

    def test_a_repeated_run_replaces_its_partition(self, folder: Path) -> None:
        for _ in range(2):
            self.decide(folder)
            assert self.rows(folder) == EXPECTED
        self.decide(folder, date(2026, 11, 26))
        assert self.rows(folder) == self.rows(folder, date(2026, 11, 26)) == EXPECTED

    def test_a_killed_run_changes_nothing(self, folder: Path) -> None:
        from deltalake import DeltaTable

        self.decide(folder)
        call = f"write_partition('verdicts', date.fromisoformat('{DAY}'), verdicts())"
        run(folder, "-c", KILLED.format(module="delta_verdicts", call=call), code=9)
        assert DeltaTable(folder / "verdicts").version() == 1
        assert self.rows(folder) == EXPECTED
        self.decide(folder)
        assert self.rows(folder) == EXPECTED

    def test_of_two_first_runs_at_the_same_time_one_fails(self, folder: Path) -> None:
        from deltalake.exceptions import CommitFailedError

        write_partition = import_module("delta_verdicts").write_partition
        table = str(folder / "verdicts")

        def slow_verdicts() -> Iterator[pa.RecordBatch]:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(write_partition, table, DAY, verdicts_of("fast")).result()
            yield from verdicts_of("slow")

        with pytest.raises(CommitFailedError):
            write_partition(table, DAY, slow_verdicts())
        assert self.rows(folder) == [("fast", None, None, None, None)]
        write_partition(table, DAY, verdicts_of("slow"))
        assert self.rows(folder) == [("slow", None, None, None, None)]


class TestIceberg:
    """`iceberg_verdicts.py`."""

    @pytest.fixture
    def catalog(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
        try:
            from pyiceberg.catalog import load_catalog
        except ImportError:
            skip_unless_ci("pyiceberg is not installed")
        for name, value in {
            "TYPE": "sql",
            "URI": f"sqlite:///{tmp_path}/catalog.db",
            "WAREHOUSE": f"file://{tmp_path}/warehouse",
        }.items():
            monkeypatch.setenv(f"PYICEBERG_CATALOG__DEFAULT__{name}", value)
        catalog = load_catalog(
            "default", type="sql", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/warehouse"
        )
        catalog.create_namespace("crawl")
        for name, rows in (("urls", URLS), ("captures", CAPTURES)):
            catalog.create_table(f"crawl.{name}", rows.schema).append(rows)
        yield catalog
        catalog.close()

    def decide(self, folder: Path, agent: str = "GPTBot") -> None:
        program = str(RECIPES / "iceberg_verdicts.py")
        errors = run(folder, program, "crawl.urls", "crawl.captures", "crawl.verdicts", "--agent", agent)
        assert errors == ""

    def test_verdicts_are_appended_once_in_one_snapshot(self, catalog: Any, tmp_path: Path) -> None:
        for _ in range(2):
            self.decide(tmp_path)
            table = catalog.load_table("crawl.verdicts")
            assert len(table.snapshots()) == 1
            assert decided(table.scan().to_arrow()) == EXPECTED
        # Rows of another agent, and of other URLs, have other keys.
        self.decide(tmp_path, "CCBot")
        catalog.load_table("crawl.urls").append(URLS)
        self.decide(tmp_path)
        table = catalog.load_table("crawl.verdicts")
        assert len(table.snapshots()) == 3
        assert table.scan().to_arrow().num_rows == (1 + 1 + 2) * len(EXPECTED)

    def test_a_killed_run_changes_nothing(self, catalog: Any, tmp_path: Path) -> None:
        properties = {"write.target-file-size-bytes": "1000000"}
        catalog.create_table("crawl.verdicts", import_module("table_verdicts").SCHEMA, properties=properties)
        call = "append(load_catalog().load_table('crawl.verdicts'), 'key', verdicts())"
        run(tmp_path, "-c", KILLED.format(module="iceberg_verdicts", call=call), code=9)
        table = catalog.load_table("crawl.verdicts")
        assert list(Path(tmp_path, "warehouse").glob("crawl/verdicts/data/*.parquet"))
        assert not table.snapshots()
        self.decide(tmp_path)
        assert decided(catalog.load_table("crawl.verdicts").scan().to_arrow()) == EXPECTED

    @pytest.mark.parametrize("table", ["new", "old"])
    def test_of_two_runs_at_the_same_time_one_fails(self, catalog: Any, table: str) -> None:
        from pyiceberg.exceptions import CommitFailedException

        program = import_module("iceberg_verdicts")
        if table == "old":
            catalog.create_table("crawl.verdicts", program.SCHEMA)
        first, second = (program.open_verdicts(catalog, "crawl.verdicts") for _ in range(2))
        assert not program.is_written(second, "key")
        program.append(first, "key", verdicts_of("first"))
        with pytest.raises(CommitFailedException):
            program.append(second, "key", verdicts_of("second"))
        again = program.open_verdicts(catalog, "crawl.verdicts")
        assert program.is_written(again, "key")
        assert again.scan().to_arrow()["url"].to_pylist() == ["first"]

    @pytest.mark.usefixtures("catalog")
    def test_a_repeated_run_reads_no_rows(self, tmp_path: Path) -> None:
        self.decide(tmp_path)
        for path in Path(tmp_path, "warehouse").glob("crawl/captures/data/*.parquet"):
            path.unlink()
        self.decide(tmp_path)

    def test_files_are_read_one_after_the_other(self, catalog: Any) -> None:
        read = import_module("iceberg_verdicts").read
        table = catalog.load_table("crawl.urls")
        table.append(URLS)
        first, second = table.scan().plan_files()
        Path(second.file.file_path.removeprefix("file://")).unlink()
        batches = read(table, "url")
        assert next(batches).num_rows == first.file.record_count
        with pytest.raises(FileNotFoundError):
            next(batches)


def test_urls_are_decided_as_they_are_read() -> None:
    table_verdicts = import_module("table_verdicts")
    read = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal read
        for _ in range(5):
            read += 1
            yield pa.RecordBatch.from_pydict({"url": pa.array(["https://a.example/b"] * 100_000, pa.string_view())})

    files = bulk.Files({"https://a.example": "User-agent: *\nDisallow: /b"})
    verdicts = table_verdicts.decide(batches(), files, "GPTBot")
    first = next(verdicts)
    assert (read, first.num_rows, first.schema) == (3, 300_000, table_verdicts.SCHEMA)
    assert first.column("rule").unique().to_pylist() == ["Disallow: /b"]
    assert sum(batch.num_rows for batch in verdicts) == 200_000


def test_files_of_a_table_can_have_texts_of_different_types(capfd: pytest.CaptureFixture[str]) -> None:
    table_verdicts = import_module("table_verdicts")

    def read(table: pa.Table, text: pa.DataType) -> list[pa.RecordBatch]:
        types = [text if field.type == pa.string() else field.type for field in table.schema]
        schema = pa.schema(list(zip(table.column_names, types, strict=True)))
        return list(table.cast(schema).to_batches())

    files = table_verdicts.load_files(
        [*read(CAPTURES[:1], pa.string()), *read(CAPTURES[1:2], pa.large_string()), *read(CAPTURES[2:], pa.string())]
    )
    urls = [*read(URLS[:3], pa.large_string()), *read(URLS[3:], pa.string())]
    (verdicts,) = table_verdicts.decide(urls, files, "GPTBot")
    assert decided(verdicts) == EXPECTED
    assert capfd.readouterr() == ("", "")


def test_warnings_and_errors_about_captures_are_printed(capfd: pytest.CaptureFixture[str]) -> None:
    load_files = import_module("table_verdicts").load_files
    other = {"origin": "no origin", "status": 200, "location": None, "content": ""}
    load_files(pa.concat_tables([CAPTURES, pa.Table.from_pylist([other], schema=CAPTURES.schema)]).to_batches())
    assert "set aside" in capfd.readouterr().err
    with pytest.raises(subprocess.CalledProcessError):
        load_files(CAPTURES.drop_columns(["origin"]).to_batches())
    assert "canfetch: " in capfd.readouterr().err
