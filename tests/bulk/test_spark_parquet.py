"""Parquet files as a task of Spark reads and decides them, without Spark."""

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from canfetch import bulk
from canfetch.errors import InvalidColumn, InvalidOption

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from canfetch.bulk.spark import parquet_rows  # noqa: E402
from canfetch.bulk.spark.parquet_rows import DecidedColumns, ParquetTask, decide_rows, split_files  # noqa: E402
from canfetch.bulk.spark.parquet_schema import kept_columns  # noqa: E402

# Only `make test-services` installs pyspark.
pytestmark = pytest.mark.service

FILES = {"a": "user-agent: *\ndisallow: /a", "b": "user-agent: x\ndisallow: /", "c": None}
IDS = ["a", "b", "c", "d", None, "a"] * 50
AGENTS = ["x", "x", "y", None, "y", "two words"] * 50
URLS = ["/a", "/b", "/a", "/b", "/a", "a"] * 50
NUMBERS = list(range(len(IDS)))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "_BLOCK_ROWS", 90)
    monkeypatch.setattr(parquet_rows, "_BATCH_ROWS", 40)


def table() -> Any:
    return pa.table({"n": NUMBERS, "id": IDS, "agent": AGENTS, "url": URLS, "many": [[1, None]] * len(IDS)})


def decide_all(path: Path, kept: Any, *, engine: str | None = None, row_groups: range | None = None) -> list[Any]:
    """Return the batches of a file, decided by `canfetch.bulk`."""
    files = bulk.Files(FILES, engine=engine)

    def decide(ids: Any, agents: Any, urls: Any) -> Any:
        return pa.record_batch(files.decide_at(ids, agents, urls))

    columns = DecidedColumns("id", "agent", "url", pa.schema(kept))
    return list(decide_rows(ParquetTask(str(path), row_groups), columns, decide))


def blocks(path: Path) -> Iterator[tuple[Any, ...]]:
    """Return the columns with which the function of a file is called."""
    called = []

    def decide(*columns: Any) -> Any:
        called.append(columns)
        return pa.record_batch([pa.repeat(pa.scalar(value=True), len(columns[0]))], ["allowed"])

    columns = DecidedColumns("id", "agent", "url", pa.schema([]))
    assert all(batch.schema.names == ["allowed"] for batch in decide_rows(ParquetTask(str(path)), columns, decide))
    return iter(called)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("engine", [None, "python"])
@pytest.mark.parametrize("dictionary", [True, False, ["id"]])
@pytest.mark.parametrize("size", [1, 7, 40, 100, 1000])
def test_row_groups_of_all_sizes(tmp_path: Path, size: int, dictionary: Any, engine: str | None) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table(), path, row_group_size=size, use_dictionary=dictionary)
    kept = [("n", pa.int64()), ("id", pa.string()), ("many", pa.list_(pa.int64()))]
    rows = pa.Table.from_batches(decide_all(path, kept, engine=engine)).to_pylist()
    expected = bulk.Files(FILES).decide_at(IDS, AGENTS, URLS).to_pylist()
    numbered = zip(NUMBERS, IDS, expected, strict=True)
    assert rows == [{"n": n, "id": id_, "many": [1, None], **row} for n, id_, row in numbered]


@pytest.mark.usefixtures("small_blocks")
def test_few_texts_are_read_as_dictionaries(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"

    def is_dictionary() -> list[bool]:
        return [pa.types.is_dictionary(column.type) for column in next(blocks(path))]

    pq.write_table(table(), path)
    assert is_dictionary() == [True, True, False]
    pq.write_table(table(), path, use_dictionary=False)
    assert is_dictionary() == [False, False, False]
    # Each batch would have less than a row group.
    pq.write_table(table(), path, row_group_size=10)
    assert is_dictionary() == [False, False, False]


@pytest.mark.usefixtures("small_blocks")
def test_blocks_end_at_a_number_of_rows_or_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table(), path, row_group_size=10)
    assert [len(ids) for ids, _, _ in blocks(path)] == [120, 120, 60]
    monkeypatch.setattr(parquet_rows, "_BLOCK_BYTES", 1)
    assert [len(ids) for ids, _, _ in blocks(path)] == [1] * len(IDS)


@pytest.mark.parametrize("long", ["id", "agent", "url", "n"])
def test_a_long_value_in_many_rows_makes_batches_smaller(tmp_path: Path, long: str) -> None:
    path = tmp_path / "a.parquet"
    rows = 70_000 if long == "agent" else 500
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["/" * (1 << 18 if name == long else 1)])
        for name in ("id", "agent", "url", "n")
    }
    pq.write_table(pa.table(columns), path, store_schema=False, dictionary_pagesize_limit=1 << 30, compression="zstd")
    assert path.stat().st_size < 10_000

    def decide(ids: Any, *_: Any) -> Any:
        return pa.record_batch([pa.repeat(pa.scalar(value=True), len(ids))], ["allowed"])

    kept = pa.schema([("agent" if long == "agent" else "n", pa.string())])
    decided = decide_rows(ParquetTask(str(path)), DecidedColumns("id", "agent", "url", kept), decide)
    sizes = [(batch.num_rows, batch.nbytes) for batch in islice(decided, 3)]
    assert [count for count, _ in sizes] == ([256] * 3 if long == "agent" else [256, 244])
    assert max(size for _, size in sizes) < 80 << 20


def test_empty_files(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table().slice(0, 0), path)
    assert decide_all(path, []) == []
    with pq.ParquetWriter(path, table().schema):
        pass
    assert decide_all(path, []) == []
    assert split_files([str(path)], 2) == [ParquetTask(str(path), range(0))]


def test_columns_that_a_later_file_lacks(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table().drop_columns(["url", "many"]), path)
    with pytest.raises(InvalidColumn, match=r"a.parquet' has no column 'url'; its columns are 'n', 'id', 'agent'$"):
        decide_all(path, [])
    pq.write_table(table().append_column("n", pa.array(NUMBERS)), path)
    with pytest.raises(InvalidColumn, match=r"a.parquet' has 2 columns 'n'; its columns are"):
        decide_all(path, [("n", pa.int64())])


def test_types_of_a_later_file(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table(), path)
    assert decide_all(path, [("n", pa.int32())])[0].schema.types[0] == pa.int32()
    with pytest.raises(InvalidColumn, match=r"^column 'many' of '.*' has the type list.* instead of int64: "):
        decide_all(path, [("many", pa.int64())])


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100)])
def test_files_that_are_not_parquet(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "cut.parquet").write_bytes(content)
    path = str(tmp_path / "cut.parquet")
    calls: list[Callable[[], Any]] = [
        lambda: kept_columns(path, None, ["url"], []),
        lambda: split_files([path], 2),
        lambda: decide_all(tmp_path / "cut.parquet", []),
    ]
    for call in calls:
        with pytest.raises(InvalidOption, match=r"cut\.parquet' is not a valid Parquet file: "):
            call()


def test_damaged_pages(tmp_path: Path) -> None:
    path = tmp_path / "flip.parquet"
    pq.write_table(table(), path, compression="none", use_dictionary=False, write_page_checksum=True)
    path.write_bytes(path.read_bytes().replace(b"two words", b"two werds"))
    with pytest.raises(InvalidOption, match=r"flip\.parquet' is not a valid Parquet file: .*CRC checksum"):
        decide_all(path, [])


def test_few_files_are_split_at_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = str(tmp_path / "small.parquet"), str(tmp_path / "large.parquet")
    pq.write_table(table().slice(0, 60), small, row_group_size=10)
    pq.write_table(table(), large, row_group_size=50)
    monkeypatch.setattr(parquet_rows, "_BLOCK_ROWS", 100)
    assert split_files([small, large], 3) == [ParquetTask(small, range(6)), *_parts(large, 0, 3, 6)]
    assert split_files([small, large], 100)[1:] == _parts(large, 0, 2, 4, 6)
    assert split_files([small, large], 1) == [ParquetTask(small), ParquetTask(large)]
    monkeypatch.setattr(parquet_rows, "_BLOCK_ROWS", 1)
    assert split_files([large], 100) == _parts(large, *range(7))
    parts = [
        decide_all(Path(large), [("n", pa.int64())], row_groups=task.row_groups) for task in split_files([large], 4)
    ]
    assert [n for part in parts for batch in part for n in batch["n"].to_pylist()] == NUMBERS


def _parts(path: str, *bounds: int) -> list[ParquetTask]:
    return [ParquetTask(path, range(start, end)) for start, end in pairwise(bounds)]


def test_kept_columns(tmp_path: Path) -> None:
    path = str(tmp_path / "a.parquet")
    read = ["id", "url"]
    pq.write_table(
        pa.table({"id": ["a"], "url": ["/"], "line": pa.array([1], pa.uint32()), "half": pa.nulls(1, pa.float16())}),
        path,
    )
    assert kept_columns(path, [], read, ["allowed"]) == pa.schema([])
    assert kept_columns(path, "url", read, ["allowed"]) == pa.schema([("url", pa.string())])
    assert kept_columns(path, iter(["line"]), read, ["allowed"]) == pa.schema([("line", pa.int64())])
    messages = {
        ("x",): r"no column 'x'; its columns are 'id', 'url', 'line', 'half'$",
        ("id", "id"): r"^two columns 'id': pass columns= with the columns of .* to keep$",
        (
            "half",
        ): r"^column 'half' of .* has the type halffloat, which Spark does not support: pass columns= without it$",
        None: "halffloat",
    }
    for names, message in messages.items():
        with pytest.raises(InvalidColumn, match=message):
            kept_columns(path, names, read, ["allowed"])
    with pytest.raises(InvalidColumn, match="two columns 'line'"):
        kept_columns(path, None, read, ["allowed", "line"])
    with pytest.raises(InvalidColumn, match="no column 'agent'"):
        kept_columns(path, [], [*read, "agent"], ["allowed"])
