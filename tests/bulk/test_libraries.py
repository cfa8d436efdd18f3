"""Columns of other libraries, in every layout, and results that other libraries read."""

from typing import Any

import pytest

from canfetch.bulk import Column, Files, allows, decide, rules
from canfetch.errors import InvalidColumn

pa = pytest.importorskip("pyarrow")
CONTENTS: list[str | None] = [
    "user-agent: *\ndisallow: /a",
    None,
    "user-agent: bot\ndisallow: /a-rather-long-path/é",
    "",
]
AGENTS: list[str | None] = ["bot", "bot", "BOT", None]
URLS: list[str | None] = ["/a/b/c/d/e/f/g/h", "/", "/a-rather-long-path/%C3%A9", "/a"]
EXPECTED = [False, None, False, None]
TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
KEY_TYPES = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]


def plain(values: list[str | None], type_: Any) -> Any:
    """Return an array of a type of text or bytes."""
    if pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_):
        return pa.array(values, type_)
    return pa.array([None if value is None else value.encode() for value in values], type_)


def dictionary(values: list[str | None], keys: Any, type_: Any) -> Any:
    """Return a dictionary with repeated, unused and null values."""
    distinct = ["unused", None, *dict.fromkeys(value for value in values if value is not None)]
    codes = [None if value is None else distinct.index(value) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(codes, keys), plain(distinct, type_))


def with_neighbours(build: Any, values: list[str | None]) -> Any:
    """Return a slice of a longer array."""
    return build(["/x", *values, "/y", None]).slice(1, len(values))


@pytest.mark.parametrize("type_", TEXT_TYPES, ids=str)
def test_each_type_of_text(type_: Any, engine: str) -> None:
    columns = [with_neighbours(lambda values: plain(values, type_), values) for values in (CONTENTS, AGENTS, URLS)]
    assert allows(*columns, engine=engine).to_pylist() == EXPECTED
    chunked = [pa.chunked_array([column.slice(0, 1), column.slice(1, 0), column.slice(1)]) for column in columns]
    assert allows(*chunked, engine=engine).to_pylist() == EXPECTED


@pytest.mark.parametrize("keys", KEY_TYPES, ids=str)
@pytest.mark.parametrize("type_", TEXT_TYPES, ids=str)
def test_each_type_of_dictionary(keys: Any, type_: Any, engine: str) -> None:
    columns = [
        with_neighbours(lambda values: dictionary(values, keys, type_), values) for values in (CONTENTS, AGENTS, URLS)
    ]
    assert allows(*columns, engine=engine).to_pylist() == EXPECTED


@pytest.mark.parametrize("keys", KEY_TYPES, ids=str)
def test_each_type_of_id(keys: Any, engine: str) -> None:
    files = pa.table({"n": pa.array([1, 2], keys), "c": ["user-agent: *\ndisallow: /a", ""]})
    table = Files(files, id="n", content="c", engine=engine)
    assert table.allows_at(pa.array([9, 1, 2, None, 3], keys).slice(1), "bot", "/a").to_pylist() == [
        False,
        True,
        None,
        None,
    ]


def test_chunks_with_different_dictionaries(engine: str) -> None:
    chunks = [dictionary(CONTENTS[:2], pa.int8(), pa.string()), dictionary(CONTENTS[2:], pa.int8(), pa.string())]
    column = pa.chunked_array(chunks)
    assert allows(column, AGENTS, URLS, engine=engine).to_pylist() == EXPECTED


def test_scalars_and_tables(engine: str) -> None:
    urls = pa.table({"url": URLS})
    batch = pa.record_batch({"url": URLS})
    for column in (urls, batch, urls.to_reader(), urls["url"]):
        assert allows(pa.scalar(CONTENTS[0]), pa.scalar("bot"), column, engine=engine).to_pylist() == [
            False,
            True,
            False,
            False,
        ]
    with pytest.raises(InvalidColumn):
        allows("", "bot", pa.table({"a": URLS, "b": URLS}), engine=engine)


def test_a_column_of_nulls_only(engine: str) -> None:
    assert allows(pa.nulls(2), "bot", "/", engine=engine).to_pylist() == [None, None]


def test_run_end_encoding_and_lists_are_refused(engine: str) -> None:
    for column in (pa.array([["/"]]), pa.array([1.5]), pa.RunEndEncodedArray.from_arrays([1], ["/"])):
        with pytest.raises(InvalidColumn):
            allows("", "bot", column, engine=engine)


def test_text_that_is_not_utf_8(engine: str) -> None:
    column = pa.array([b"/\xff"]).view(pa.string())
    assert allows("user-agent: *\ndisallow: /%FF", "bot", column, engine=engine).to_pylist() == [False]


def test_a_table_of_files(engine: str) -> None:
    table = pa.table({"url": ["x", "y"], "id": [7, 8], "content": [b"user-agent: *\ndisallow: /", None]})
    for source in (table, table.to_batches()[0], table.to_reader(), table.slice(0, 2)):
        assert Files(source, engine=engine).allows_at([7, 8], "bot", "/").to_pylist() == [False, None]
    assert Files(table, id="url", engine=engine).allows_at(pa.array(["y", "x"]), "bot", "/").to_pylist() == [
        None,
        False,
    ]
    message = r"without the column 'body'; its columns are url, id, content: pass content='\.\.\.'"
    with pytest.raises(InvalidColumn, match=message):
        Files(table, content="body", engine=engine)
    with pytest.raises(InvalidColumn, match="no columns: expected a table with the columns 'id' and 'content', or a"):
        Files(pa.table({}), engine=engine)
    with pytest.raises(
        InvalidColumn, match="no columns: expected a table" if engine == "native" else "non-struct type"
    ):
        Files(pa.array(["user-agent: *"]), engine=engine)
    with pytest.raises(InvalidColumn, match="without the column 'id'; its columns are origin, x: pass id='origin'"):
        Files(pa.table({"origin": ["https://a.example"], "x": [""]}), engine=engine)


def results(engine: str) -> tuple[Column, Column, Column]:
    """Return columns of each shape."""
    return (
        allows(CONTENTS, AGENTS, URLS, engine=engine),
        decide(CONTENTS, AGENTS, URLS, engine=engine),
        rules(CONTENTS, engine=engine),
    )


class _ExportedOnce:
    """A table that exports its data once, as some libraries do."""

    def __init__(self, table: Any) -> None:
        self._reader = table.to_reader()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if self._reader is None:
            raise ValueError("exported before")
        stream = self._reader.__arrow_c_stream__(requested_schema)
        self._reader = None
        return stream


@pytest.mark.slow
def test_the_type_of_ids_without_rows(engine: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    from canfetch.bulk.duckdb import register

    types = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())]
    contents = pa.array([], pa.string())
    texts = [pa.table({"id": pa.array([], type_), "content": contents}) for type_ in types]
    texts += [texts[0].to_reader(), pa.RecordBatch.from_pydict({"id": contents, "content": contents})]
    texts += [pytest.importorskip("polars").from_arrow(texts[0]), texts[0].to_pandas().astype("str")]
    integers = pa.table({"id": pa.array([], pa.int64()), "content": contents})
    connection = duckdb.connect()
    for table in (*texts, integers, _ExportedOnce(texts[0])):
        files = Files(table, engine=engine)
        is_text = any(table is text for text in texts)
        assert (len(files), files.has_text_ids) == (0, is_text)
        register(connection, files=files)
        query = "select decide_at({}, 'a', '/').reason from range(2) as t(id)"
        assert connection.sql(query.format("id::varchar" if is_text else "id")).fetchall() == [("no-robots",)] * 2
    # Rows without content show the type as well.
    assert not Files(pa.table({"id": [1], "content": pa.nulls(1, pa.string())}), engine=engine).has_text_ids
    assert not Files({}, engine=engine).has_text_ids


def test_pyarrow_reads_the_results(engine: str) -> None:
    for column in results(engine):
        for array in (pa.array(column), column.to_pyarrow(), pa.chunked_array(column).combine_chunks()):
            array.validate(full=True)
            assert array.to_pylist() == column.to_pylist()
    table = pa.table(results(engine)[1])
    assert table.column_names == ["allowed", "reason", "line", "rule", "specificity"]
    assert table.to_pylist() == results(engine)[1].to_pylist()


def test_polars(engine: str) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"content": CONTENTS, "agent": AGENTS, "url": URLS})
    for text in (pl.String, pl.Categorical):
        columns = [frame[name].cast(text) for name in ("content", "agent", "url")]
        assert allows(*columns, engine=engine).to_pylist() == EXPECTED
    for column in results(engine):
        assert pl.Series(column).to_list() == column.to_pylist()
    assert pl.DataFrame(results(engine)[1]).columns[0] == "allowed"


def test_pandas(engine: str) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"content": CONTENTS, "agent": AGENTS, "url": URLS})
    for text in ("str", "category", "string[python]", "object"):
        columns = [frame[name].astype(text) for name in ("content", "agent", "url")]
        assert allows(*columns, engine=engine).to_pylist() == EXPECTED
    contents = pd.Series([None if content is None else content.encode() for content in CONTENTS])
    assert allows(contents, frame["agent"].to_numpy(), pd.Index(URLS), engine=engine).to_pylist() == EXPECTED
    assert pd.Series.from_arrow(results(engine)[0]).tolist()[0] is False


def test_duckdb(engine: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        relation = connection.sql("select unnest(['/a', '/b', null]) as url")
        assert allows("user-agent: *\ndisallow: /a", "bot", relation, engine=engine).to_pylist() == [False, True, None]
        column = results(engine)[1]
        assert connection.from_arrow(column).fetchall()[0][0] is False


@pytest.mark.parametrize("library", ["arro3", "nanoarrow"])
def test_small_libraries(library: str, engine: str) -> None:
    if library == "arro3":
        arro3 = pytest.importorskip("arro3.core")
        column = arro3.Array.from_arrow(pa.array(URLS))
        read = arro3.Array.from_arrow
    else:
        nanoarrow = pytest.importorskip("nanoarrow")
        column = nanoarrow.Array(URLS, nanoarrow.string())
        read = nanoarrow.Array
    found = allows("user-agent: *\ndisallow: /a", "bot", column, engine=engine)
    assert found.to_pylist() == [False, True, False, False]
    assert pa.array(read(found)).to_pylist() == found.to_pylist()
