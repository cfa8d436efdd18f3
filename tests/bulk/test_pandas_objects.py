"""Columns of Python objects in pandas and lists: missing values, lone surrogates, and values of other types."""

import json
from typing import Any

import pytest

from canfetch.bulk import Files, allows, decide, sitemaps
from canfetch.errors import InvalidColumn, InvalidProductToken

pd = pytest.importorskip("pandas")
np = pytest.importorskip("numpy")
pytest.importorskip("pyarrow")

import canfetch.bulk.pandas  # noqa: E402, F401 - registers the accessor

CONTENT = "user-agent: *\ndisallow: /x"
BROKEN = json.loads('"/x\\ud83d"')
MISSING = [None, pd.NA, pd.NaT, float("nan"), np.float64("nan"), np.float32("nan"), np.datetime64("NaT")]


def plain(verdicts: Any) -> list[bool | None]:
    return [None if pd.isna(verdict) else bool(verdict) for verdict in verdicts]


@pytest.mark.parametrize("missing", MISSING, ids=lambda value: f"{type(value).__name__}")
def test_missing_values_are_null(engine: str, missing: Any) -> None:
    values = ["/x", missing, "/"]
    array = np.array(values, dtype=object)
    for urls in (values, tuple(values), iter(values), array, pd.Index(values, dtype=object), pd.Series(array)):
        assert allows(CONTENT, "a", urls, engine=engine).to_pylist() == [False, None, True]
    assert allows([CONTENT, missing], "a", "/x", engine=engine).to_pylist() == [False, None]
    assert allows(CONTENT, ["a", missing], "/x", engine=engine).to_pylist() == [False, None]
    assert sitemaps([missing], engine=engine).to_pylist() == [None]
    files = Files({1: CONTENT}, engine=engine)
    assert files.allows_at([1, missing], "a", "/x").to_pylist() == [False, None]


def test_scalars_of_numpy(engine: str) -> None:
    files = Files({1: CONTENT, 2**63: CONTENT}, engine=engine)
    ids = [np.int64(1), np.uint64(2**63), np.int8(2)]
    assert files.allows_at(ids, "a", [np.str_("/x"), np.bytes_(b"/x"), "/"]).to_pylist() == [False, False, None]
    assert files.allows_at(pd.Series(ids, dtype=object), "a", "/x").to_pylist() == [False, False, None]


def test_a_lone_surrogate_in_a_series(engine: str) -> None:
    urls = pd.Series([BROKEN, "/", None], dtype=object, index=[7, 8, 9])
    contents = pd.Series([CONTENT] * 3, dtype=object, index=[7, 8, 9])
    expected = allows(CONTENT, "a", list(urls), engine=engine).to_pylist()
    assert expected == [False, True, None]
    verdicts = contents.canfetch.allows("a", urls, engine=engine)
    assert plain(verdicts) == expected
    assert list(verdicts.index) == [7, 8, 9]
    assert list(contents.canfetch.decide("a", urls, engine=engine)["line"])[:2] == [2, pd.NA]
    assert decide(pd.Series([BROKEN], dtype=object), "a", "/", engine=engine).to_pylist()[0]["allowed"] is True


def test_data_that_pandas_cannot_export_is_an_invalid_column(engine: str) -> None:
    """A category and a frame export Arrow data, in which texts are UTF-8 and columns have one type."""
    category = pd.Series(pd.Categorical.from_codes([0], pd.Index([BROKEN], dtype=object)))
    with pytest.raises(InvalidColumn, match="surrogates not allowed"):
        allows(CONTENT, "a", category, engine=engine)
    for content in (BROKEN, CONTENT):
        frame = pd.DataFrame({"id": pd.Series([1, 2]), "content": pd.Series([content, 5], dtype=object)})
        with pytest.raises(InvalidColumn, match=r"invalid Arrow data: .*(surrogates not allowed|object)"):
            Files(frame, engine=engine)


@pytest.mark.parametrize("values", [["/", 5], ["/", 0.5], ["/", ["/"]], ["/", {"a": 1}], [1, "/"]], ids=str)
def test_series_of_several_types_raise_as_lists_do(engine: str, values: list[Any]) -> None:
    for urls in (values, pd.Series(values, dtype=object)):
        with pytest.raises(
            TypeError, match=r"invalid value of type \w+ in a column: expected str or bytes, or only int"
        ):
            allows(CONTENT, "a", urls, engine=engine)


def test_a_single_invalid_agent_raises(engine: str) -> None:
    for agent in ("a b", b"a b", bytearray(b"a b"), b""):
        with pytest.raises(InvalidProductToken):
            allows(CONTENT, agent, "/", engine=engine)
        with pytest.raises(InvalidProductToken):
            Files({1: CONTENT}, engine=engine).allows_at([1], agent, "/")
    assert allows(CONTENT, b"a", "/x", engine=engine).to_pylist() == [False]
    assert allows(CONTENT, [b"a b"], "/x", engine=engine).to_pylist() == [None]
