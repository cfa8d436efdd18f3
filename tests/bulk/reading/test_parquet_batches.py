"""Batches of Parquet files: their size, whatever dictionaries repeat."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.bulk.archives.test_filter import run_filter
from tests.bulk.traced_memory import with_peak_memory

from canfetch.bulk.reading.captures import Capture
from canfetch.bulk.reading.parquet_batches import bounded_batches
from canfetch.bulk.reading.row_files import open_parquet, parquet_errors
from canfetch.bulk.reading.sources import read_captures
from canfetch.errors import InvalidOption

MEBIBYTE = 1 << 20


@pytest.fixture
def peak_of_arrow() -> Iterator[Callable[[], int]]:
    """Return the most bytes that pyarrow has allocated during the test."""
    previous = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(previous)
    pa.set_memory_pool(pool)
    yield pool.max_memory
    pa.set_memory_pool(previous)


def repeated(value: Any, rows: int) -> pa.Array:
    """Return a column with the same value in all rows, which the file stores once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([value]))


def write(path: Path, **columns: pa.Array) -> Path:
    parquet.write_table(
        pa.table(columns), path, compression="zstd", store_schema=False, dictionary_pagesize_limit=1 << 30
    )
    assert path.stat().st_size < 10_000
    return path


def batch_sizes(path: Path, **options: Any) -> list[int]:
    with open_parquet(str(path)) as file:
        return [batch.num_rows for batch in bounded_batches(file, str(path), 0, max_rows=4096, **options)]


@pytest.mark.slow
def test_a_long_value_in_a_dictionary_makes_batches_smaller(tmp_path: Path, peak_of_arrow: Callable[[], int]) -> None:
    path = write(tmp_path / "x.parquet", url=repeated("x" * MEBIBYTE, 500), y=repeated("y", 500))
    assert set(batch_sizes(path)[:-1]) == {15}
    assert batch_sizes(path, copies=5)[0] == 3
    assert batch_sizes(path, columns=["y"]) == [500]
    assert peak_of_arrow() < 64 * MEBIBYTE


@pytest.mark.parametrize("kind", ["list", "struct", "map"])
def test_nested_dictionaries(tmp_path: Path, kind: str) -> None:
    long = "x" * MEBIBYTE
    values: dict[str, Any] = {"list": [long, "y"], "struct": {"a": long, "b": 1}, "map": [("a", long)]}
    types = {
        "list": pa.list_(pa.string()),
        "struct": pa.struct({"a": pa.string(), "b": pa.int64()}),
        "map": pa.map_(pa.string(), pa.string()),
    }
    path = write(tmp_path / "x.parquet", url=pa.array([values[kind]] * 40, types[kind]))
    assert max(batch_sizes(path)) <= 16


def test_long_values_of_a_fixed_length(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", url=pa.array([bytes(MEBIBYTE)] * 40, pa.binary(MEBIBYTE)))
    assert max(batch_sizes(path)) <= 16


def test_small_row_groups_are_read_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", url=repeated("x" * 100, 4096))
    assert batch_sizes(path) == [4096]
    empty = write(tmp_path / "empty.parquet", url=pa.array([], pa.string()))
    with open_parquet(str(empty)) as file:
        assert file.num_row_groups <= 1


@pytest.mark.slow
def test_an_archive_with_one_content_for_many_rows(tmp_path: Path, peak_of_arrow: Callable[[], int]) -> None:
    content = b"User-agent: *\nDisallow: /\n#" + b"x" * MEBIBYTE
    path = write(tmp_path / "x.parquet", origin=repeated("a.example", 250), content=repeated(content, 250))

    def count() -> int:
        return sum(isinstance(item, Capture) for item in read_captures(str(path)))

    found, peak = with_peak_memory(count)
    assert found == 250
    assert peak < 64 * MEBIBYTE
    assert peak_of_arrow() < 64 * MEBIBYTE


@pytest.mark.slow
@pytest.mark.parametrize("output", ["out.parquet", "out.ndjson"])
def test_a_list_with_a_long_cell_in_many_rows(tmp_path: Path, peak_of_arrow: Callable[[], int], output: str) -> None:
    path = write(tmp_path / "x.parquet", url=repeated("https://a.example/", 200), long=repeated("x" * MEBIBYTE, 200))
    (written, counts, faults), peak = with_peak_memory(
        lambda: run_filter(tmp_path, path.name, path.read_bytes(), output)
    )
    assert (counts.rows, faults) == (200, [])
    assert peak < 96 * MEBIBYTE
    assert peak_of_arrow() < 128 * MEBIBYTE
    if output.endswith(".parquet"):
        with open_parquet(str(written)) as file:
            assert sum(file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)) == 200


def test_a_shortage_of_memory_is_not_called_invalid() -> None:
    with pytest.raises(InvalidOption, match="there is not enough memory to read 'x': malloc"), parquet_errors("x"):
        raise pa.ArrowMemoryError("malloc of size 4096262144 failed")
