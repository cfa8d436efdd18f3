"""`canfetch bulk filter` with Parquet lists whose columns have different types."""

from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import compressed, response

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

Run = Any
URL = "https://a.example/"
TEXTS = ["x", "y"]


@pytest.fixture
def filtered(run: Run, folder: Path) -> Any:
    """Return a function that filters lists by an archive with one file."""
    (folder / "robots.warc.gz").write_bytes(compressed([response("a.example")]))

    def run_filter(lists: list[Any], output: str, *more: str) -> Any:
        for number, table in enumerate(lists):
            parquet.write_table(table, folder / f"{number}.parquet")
        names = [f"{number}.parquet" for number in range(len(lists))]
        options = ["--robots", "robots.warc.gz", "--agent", "GPTBot", "-j1", "--restart", "--force"]
        return run("bulk", "filter", *names, *options, "-o", output, *more)

    return run_filter


def with_column(values: Any) -> Any:
    return pa.table({"url": [URL] * len(values), "x": values})


@pytest.mark.parametrize(
    "first, second, expected",
    [
        (pa.array([1], pa.int32()), pa.array([2**40], pa.int64()), pa.int64()),
        (pa.array([2**31], pa.uint32()), pa.array([-1], pa.int8()), pa.int64()),
        (pa.array([1], pa.uint8()), pa.array([2**63], pa.uint64()), pa.uint64()),
        (pa.array([2**31 - 1], pa.int32()), pa.array([0.5], pa.float64()), pa.float64()),
        (pa.nulls(1), pa.array([1.5], pa.float32()), pa.float32()),
        (pa.array(TEXTS).dictionary_encode(), pa.nulls(2), pa.dictionary(pa.int32(), pa.string())),
        (pa.array(TEXTS).dictionary_encode(), pa.array(TEXTS, pa.large_string()), pa.large_string()),
        (pa.array([b"\xff"]), pa.array([b"x"], pa.large_binary()), pa.large_binary()),
        (
            pa.array([[1]], pa.list_(pa.field("element", pa.int8()))),
            pa.array([[2**31]], pa.large_list(pa.int64())),
            pa.large_list(pa.field("element", pa.int64())),
        ),
    ],
    ids=lambda value: str(getattr(value, "type", value)).replace(" ", ""),
)
def test_a_column_has_a_type_with_all_values(
    folder: Path, filtered: Any, first: Any, second: Any, expected: Any
) -> None:
    for one, other in ((first, second), (second, first)):
        done = filtered([with_column(one), with_column(other)], "out.parquet")
        assert (done.code, "wrote out.parquet" in done.err) == (0, True)
        table = parquet.read_table(folder / "out.parquet")
        assert table["x"].to_pylist() == one.to_pylist() + other.to_pylist()
        assert str(table.schema.field("x").type).replace("item", "element") == str(expected)


def test_a_column_is_nullable_if_it_is_in_one_list(folder: Path, filtered: Any) -> None:
    schema = pa.schema([pa.field("url", pa.string()), pa.field("x", pa.int64(), nullable=False)])
    lists = [pa.table([[URL], [1]], schema=schema), with_column(pa.array([None], pa.int64()))]
    assert filtered(lists, "out.parquet").code == 0
    assert parquet.read_table(folder / "out.parquet")["x"].to_pylist() == [1, None]


@pytest.mark.parametrize(
    "first, second",
    [
        (pa.array([2**53 + 1]), pa.array([0.5])),
        (pa.array([-1]), pa.array([2**63], pa.uint64())),
        (pa.array([0], pa.timestamp("us")), pa.array([0], pa.timestamp("ns"))),
        (pa.array(["x"]), pa.array([b"x"])),
        (pa.array([True]), pa.array([1])),
    ],
    ids=lambda value: str(value.type),
)
def test_types_without_a_common_one_are_an_error(folder: Path, filtered: Any, first: Any, second: Any) -> None:
    lists = [with_column(pa.nulls(1)), with_column(first), with_column(second)]
    done = filtered(lists, "out.parquet")
    assert done.code == 2
    assert done.err == (
        f"canfetch: the column 'x' has the type {first.type} in '1.parquet' and {second.type} in '2.parquet': "
        "write it with one type, or write CSV or NDJSON\n"
    )
    assert not list(folder.glob("out*"))
    # Other outputs have no types.
    assert filtered(lists, "out.csv").code == 0


def test_lists_in_other_formats_have_text(run: Run, folder: Path, filtered: Any) -> None:
    (folder / "0.csv").write_text(f"url,x\n{URL},1\n", encoding="utf-8")
    options = ["--robots", "robots.warc.gz", "--agent", "GPTBot", "-j1", "-o", "out.parquet", "0.csv"]
    assert filtered([with_column(pa.array(["é"]).dictionary_encode())], "first.parquet").code == 0
    assert run("bulk", "filter", "0.parquet", *options).code == 0
    assert parquet.read_table(folder / "out.parquet")["x"].to_pylist() == ["é", "1"]
    assert filtered([with_column(pa.array([5]))], "first.parquet").code == 0
    done = run("bulk", "filter", "0.parquet", *options, "--force")
    assert (done.code, done.err.partition(": write")[0]) == (
        2,
        "canfetch: the column 'x' has the type int64 in '0.parquet' and string in '0.csv'",
    )


@pytest.mark.parametrize("engine", ["local", "duckdb"])
@pytest.mark.parametrize(
    "urls",
    [pa.array([1]), pa.array([[URL]]), pa.array([0.5]), pa.array([{"u": URL}])],
    ids=lambda value: str(value.type),
)
def test_a_column_of_other_types_than_urls_is_an_error(folder: Path, filtered: Any, urls: Any, engine: str) -> None:
    done = filtered([pa.table({"url": urls})], "out.csv", "--engine", engine)
    assert done.code == 2
    assert done.err.replace("element", "item") == (
        f"canfetch: the column 'url' of '0.parquet' has the type {urls.type}: expected URLs as text or bytes\n"
    )
    assert not list(folder.glob("out*"))


@pytest.mark.parametrize(
    "urls",
    [
        *(pa.array([URL, None], kind) for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary_view())),
        pa.array([URL, None]).dictionary_encode(),
        pa.array([URL.encode(), None], pa.binary(len(URL))),
        pa.nulls(2),
    ],
    ids=lambda value: str(value.type),
)
def test_all_types_of_text_and_bytes_are_urls(folder: Path, filtered: Any, urls: Any) -> None:
    assert filtered([pa.table({"url": urls})], "out.csv").code == 0
    rows = (folder / "out.csv").read_text("utf-8").splitlines()[1:]
    expected = ["invalid-url", "invalid-url"] if urls.null_count == 2 else ["no-match", "invalid-url"]
    assert [row.split(",")[2] for row in rows] == expected
