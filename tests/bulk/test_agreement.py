"""A list, pyarrow, DuckDB, Polars and pandas have the verdicts of `parse`, for all agents of the registry.

`test_spark.py` compares Spark with a list.
"""

from importlib import import_module
from typing import Any

import pytest
from tests.bulk.generated_rows import GeneratedRows, generated_rows

from canfetch import agent as crawler
from canfetch import bulk, parse
from canfetch.errors import InvalidProductToken, InvalidURL

pa = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def rows() -> GeneratedRows:
    return generated_rows()


@pytest.fixture(scope="module")
def expected(rows: GeneratedRows) -> list[bool | None]:
    """Return the verdicts of `parse`, in the Python engine."""
    files = {
        number: content if content is None else parse(content, engine="python")
        for number, content in rows.files.items()
    }
    verdicts = []
    for number, name, url in zip(rows.ids, rows.agents, rows.urls, strict=True):
        robots = files.get(number)
        try:
            verdicts.append(None if robots is None else robots.allows(url, agent=crawler(name)))
        except (InvalidProductToken, InvalidURL):
            verdicts.append(None)
    assert set(verdicts) == {True, False, None}
    return verdicts


@pytest.fixture(scope="module")
def files(rows: GeneratedRows) -> bulk.Files:
    return bulk.Files(rows.files, use_registry=True)


@pytest.mark.slow
def test_a_list(rows: GeneratedRows, files: bulk.Files, expected: list[bool | None]) -> None:
    assert bulk.allows(rows.contents, rows.agents, rows.urls, use_registry=True).to_pylist() == expected
    assert files.allows_at(rows.ids, rows.agents, rows.urls).to_pylist() == expected


def test_pyarrow(rows: GeneratedRows, files: bulk.Files, expected: list[bool | None]) -> None:
    content, agent, url = (pa.array(column) for column in (rows.contents, rows.agents, rows.urls))
    for columns in (
        (content, agent, url),
        (content.dictionary_encode(), agent.dictionary_encode(), url.cast(pa.string_view())),
    ):
        assert bulk.allows(*columns, use_registry=True).to_pylist() == expected
    assert files.allows_at(pa.array(rows.ids), agent, url).to_pylist() == expected


def test_duckdb(rows: GeneratedRows, files: bulk.Files, expected: list[bool | None]) -> None:
    duckdb = pytest.importorskip("duckdb")
    table = pa.table({"n": range(len(rows.ids)), "id": rows.ids, "agent": rows.agents, "url": rows.urls})
    contents = pa.table({"id": list(rows.files), "content": pa.array(rows.files.values(), pa.binary())})
    with duckdb.connect() as connection:
        connection.register("rows", table)
        connection.register("contents", contents)
        import_module("canfetch.bulk.duckdb").register(connection, files=files, content_type="BLOB", use_registry=True)
        by_id = connection.sql("select allows_at(id, agent, url) from rows order by n").fetchall()
        joined = "select allows(content, agent, url) from rows left join contents using (id) order by n"
        by_content = connection.sql(joined).fetchall()
    assert [row[0] for row in by_id] == [row[0] for row in by_content] == expected


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_polars(rows: GeneratedRows, files: bulk.Files, expected: list[bool | None], engine: Any) -> None:
    pl = pytest.importorskip("polars")
    import_module("canfetch.bulk.polars")
    frame = pl.DataFrame({"id": rows.ids, "content": rows.contents, "agent": rows.agents, "url": rows.urls})
    found = (
        frame.lazy()
        .select(
            pl.col("id").canfetch.allows_at(files, pl.col("agent"), pl.col("url")),
            pl.col("content").canfetch.allows(pl.col("agent"), pl.col("url"), use_registry=True),
        )
        .collect(engine=engine)
    )
    assert found["allows_at"].to_list() == found["allows"].to_list() == expected


@pytest.mark.slow
def test_pandas(rows: GeneratedRows, files: bulk.Files, expected: list[bool | None]) -> None:
    pd = pytest.importorskip("pandas")
    import_module("canfetch.bulk.pandas")
    frame = pd.DataFrame({"id": rows.ids, "content": rows.contents, "agent": rows.agents, "url": rows.urls})
    by_id = frame["id"].canfetch.allows_at(files, frame["agent"], frame["url"])
    by_content = frame["content"].canfetch.allows(frame["agent"], frame["url"], use_registry=True)
    for found in (by_id, by_content):
        assert [None if pd.isna(value) else value for value in found] == expected
