"""Columns of floating-point numbers: those of pandas without a value, and IDs with nulls."""

from functools import partial
from typing import Any

import pytest

from canfetch.bulk import Files, allows, decide, sitemaps
from canfetch.errors import InvalidColumn

pa = pytest.importorskip("pyarrow")

CONTENT = "user-agent: *\ndisallow: /"
NAN = float("nan")


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("values", [[NAN, NAN], [None, NAN], [None, None]], ids=str)
def test_a_column_without_a_value_is_null(engine: str, kind: Any, values: list[Any]) -> None:
    column = pa.array(values, kind)
    files = Files({1: CONTENT}, engine=engine)
    for array in (column, pa.chunked_array([column[:1], column[1:]]), column.dictionary_encode(), column[1:]):
        nulls = [None] * len(array)
        assert allows(array, "a", "/", engine=engine).to_pylist() == nulls
        assert allows(CONTENT, array, "/", engine=engine).to_pylist() == nulls
        assert [row["reason"] for row in decide(CONTENT, "a", array, engine=engine)] == nulls
        assert sitemaps(array, engine=engine).to_pylist() == nulls
        assert files.allows_at(array, "a", "/").to_pylist() == nulls


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_whole_ids(engine: str, kind: Any) -> None:
    ids = pa.array([1.0, NAN, None, -7.0, 0.0, -0.0, 2.0**23], kind)
    files = Files(pa.table({"id": pa.array([1, -7, 0, 2**23]), "content": [CONTENT] * 4}), engine=engine)
    expected = [False, None, None, False, False, False, False]
    for column in (ids, ids.dictionary_encode(), pa.chunked_array([ids[:3], ids[3:]]), pa.table({"id": ids})):
        assert files.allows_at(column, "a", "/").to_pylist() == expected
    assert files.allows_at(ids[3:5], "a", "/").to_pylist() == [False, False]
    table = pa.table({"id": pa.array([5.0], kind), "content": [CONTENT]})
    assert Files(table, engine=engine).allows_at([5], "a", "/").to_pylist() == [False]


@pytest.mark.parametrize("number", [0.5, 2.0**53, -(2.0**60), float("inf"), float("-inf")])
def test_an_id_that_is_not_exact_raises(engine: str, number: float) -> None:
    message = r"an ID \S+ in a column of type double: expected integers below 2\^53; use a type of integers that can be"
    files = Files({1: CONTENT}, engine=engine)
    with pytest.raises(InvalidColumn, match=message):
        files.allows_at(pa.array([1.0, number]), "a", "/").to_pylist()
    with pytest.raises(InvalidColumn, match=message):
        Files(pa.table({"id": pa.array([number]), "content": [CONTENT]}), engine=engine)


def test_whole_ids_in_lists(engine: str) -> None:
    """pandas returns them for integers with gaps, as its columns have them."""
    np = pytest.importorskip("numpy")
    ids = [1.0, NAN, None, -7.0, 0.0, -0.0, 2.0**52]
    files = Files({1.0: CONTENT, np.float64(-7): CONTENT, np.int64(0): CONTENT, 2**52: CONTENT}, engine=engine)
    expected = [False, None, None, False, False, False, False]
    for column in (ids, tuple(ids), np.array(ids, dtype=float), [np.float64(1), *ids[1:]], [1, *ids[1:]]):
        assert files.allows_at(column, "a", "/").to_pylist() == expected
    assert [row["reason"] for row in files.decide_at([2.0, 1.0], "a", "/")] == ["no-robots", "disallow-rule"]
    assert files.matrix_at([1.0], ["a"], "/").to_pylist() == [{"a": False}]
    # A single value.
    for number, allowed in ((1.0, False), (np.float64(-7), False), (NAN, None)):
        assert files.allows_at(number, "a", ["/", "/"]).to_pylist() == [allowed] * 2


def test_missing_contents_of_a_mapping(engine: str) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"id": [1, 2, 3], "content": [CONTENT, None, NAN]})
    files = Files(dict(zip(frame["id"], frame["content"], strict=True)), engine=engine)
    assert files.allows_at([1, 2, 3], "a", "/").to_pylist() == [False, None, None]
    with pytest.raises(InvalidColumn, match="a file without an ID"):
        Files({NAN: CONTENT}, engine=engine)


@pytest.mark.parametrize("number", [0.5, 2.0**53, -(2.0**60), float("inf"), float("-inf")])
def test_a_listed_id_that_is_not_exact_raises(engine: str, number: float) -> None:
    message = r"an ID \S+ in a list: expected integers below 2\^53"
    files = Files({1: CONTENT}, engine=engine)
    for ids in ([1.0, number], number):
        with pytest.raises(InvalidColumn, match=message):
            files.allows_at(ids, "a", "/")
    with pytest.raises(InvalidColumn, match=message):
        Files({number: CONTENT}, engine=engine)
    # Texts are not numbers, also in lists.
    with pytest.raises(TypeError, match="expected str or bytes"):
        allows([1.0], "a", "/", engine=engine)
    with pytest.raises(TypeError, match="expected str or bytes, or only int"):
        files.allows_at([1.0, "1"], "a", "/")


def test_texts_are_not_numbers(engine: str) -> None:
    for column in (pa.array([NAN, 1.0]), pa.array([NAN, 1.0]).dictionary_encode()):
        with pytest.raises(InvalidColumn, match="a column of type double: expected text or bytes, or a dictionary of"):
            allows(column, "a", "/", engine=engine)
        with pytest.raises(InvalidColumn, match="a column of type double: expected text or bytes, or a dictionary of"):
            allows(CONTENT, "a", column, engine=engine)


def test_pandas(engine: str) -> None:
    pd = pytest.importorskip("pandas")
    import canfetch.bulk.pandas  # noqa: F401 - registers the accessor

    files = pd.DataFrame({"host": ["a", "b"], "id": [1, 2]})
    urls = pd.DataFrame({"host": ["a", "c", "b"], "url": ["/x", "/x", "/x"]}).merge(files, how="left")
    assert urls["id"].dtype == "float64"
    loaded = Files({1: CONTENT, 2: ""}, engine=engine)
    verdicts = urls["id"].canfetch.allows_at(loaded, "GPTBot", urls["url"])
    assert [None if pd.isna(verdict) else verdict for verdict in verdicts] == [False, None, True]
    contents = urls["host"].map({"z": CONTENT}).astype("float64")
    assert contents.canfetch.allows("GPTBot", urls["url"], engine=engine).isna().all()


@pytest.mark.parametrize(
    "kind",
    [
        pa.date32(),
        pa.date64(),
        pa.time32("s"),
        pa.time64("ns"),
        pa.timestamp("us"),
        pa.timestamp("ns", "Europe/Berlin"),
        pa.duration("ms"),
        pa.decimal128(38, 0),
        pa.decimal256(40, 2),
        pa.binary(16),
        pa.float16(),
        pa.bool_(),
        pa.month_day_nano_interval(),
    ],
    ids=str,
)
def test_messages_name_types_as_pyarrow_does(engine: str, kind: Any) -> None:
    files = Files({1: CONTENT}, engine=engine)
    column = pa.nulls(2, kind)
    for decide_column in (
        partial(allows, column, "a", "/", engine=engine),
        partial(files.allows_at, column, "a", "/"),
    ):
        with pytest.raises(InvalidColumn) as caught:
            decide_column()
        assert f"a column of type {kind}: expected " in str(caught.value)


def test_messages_name_nested_types(engine: str) -> None:
    for kind in (pa.list_(pa.int64()), pa.large_list(pa.int64()), pa.map_(pa.string(), pa.string())):
        name = str(kind).partition("<")[0]
        with pytest.raises(InvalidColumn, match=f"a column of type {name}.*: expected text or bytes"):
            allows(pa.nulls(1, kind), "a", "/", engine=engine)
