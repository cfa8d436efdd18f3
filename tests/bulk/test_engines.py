"""DuckDB, Polars and pandas return the rows of `canfetch.bulk`."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from tests.bulk.engine_rows import AGENT_LIST, AGENTS, CONTENT, CONTENTS, FILES, IDS, URLS, expected_rows

from canfetch import Agent, bulk
from canfetch.errors import InvalidColumn, InvalidOption, UnknownProfile

pytest.importorskip("pyarrow")
ROWS = range(len(URLS))


@pytest.fixture
def files() -> bulk.Files:
    return bulk.Files(FILES)


# --- DuckDB ----------------------------------------------------------------------------------------------------------

CALLS = {
    "allows": "content, agent, url",
    "decide": "content, agent, url",
    "usage": "content, agent, url, 'training'",
    "may_use": "content, agent, url, 'train-ai'",
    "matrix": "content, url",
    "rules": "content",
    "sitemaps": "content",
    "metrics": "content",
    "origins": "url",
    "allows_at": "id, agent, url",
    "decide_at": "id, agent, url",
    "matrix_at": "id, url",
}


@pytest.fixture
def connection() -> Iterator[Any]:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.execute("create table pages (id bigint, content varchar, agent varchar, url varchar)")
        connection.executemany(
            "insert into pages values (?, ?, ?, ?)", list(zip(IDS, CONTENTS, AGENTS, URLS, strict=True))
        )
        yield connection


def test_sql_functions_of_duckdb(connection: Any, files: bulk.Files) -> None:
    from canfetch.bulk.duckdb import register

    register(connection, files=files, agents=AGENT_LIST)
    for name, rows in expected_rows(files).items():
        found = connection.sql(f"select {name}({CALLS[name]}) from pages order by id").fetchall()  # noqa: S608
        assert [row[0] for row in found] == rows, name
    filtered = connection.sql("select id from pages where allows(content, 'bot', '/b') order by id").fetchall()
    assert filtered == [(1,), (2,), (4,)]


def test_sql_functions_are_replaced_and_have_options(connection: Any) -> None:
    from canfetch.bulk.duckdb import register

    query = "select robots_allows(encode('user-agent: googlebot\ndisallow: /'), 'Googlebot-Image', '/')"
    for use_registry in (False, True):
        register(connection, prefix="robots_", content_type="BLOB", use_registry=use_registry)
        assert connection.cursor().execute(query).fetchall() == [(not use_registry,)]
    by_name = bulk.Files({"https://a.example": "user-agent: *\ndisallow: /"})
    for id_type in (None, "VARCHAR"):
        register(connection, files=by_name, id_type=id_type)
        query = "select allows_at(origins('https://A.example:443/x'), 'bot', '/')"
        assert connection.sql(query).fetchall() == [(False,)]
    with pytest.raises(InvalidOption, match="content_type"):
        register(connection, content_type="TEXT")
    with pytest.raises(UnknownProfile):
        register(connection, profile="x")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"agents": "Bot"}, "agents"),
        ({"agents": ["bot", "Bot"]}, "'bot' and 'Bot' are the same in DuckDB"),
        ({"agents": []}, "the list is empty"),
        ({"id_type": "MISSING"}, "invalid id_type 'MISSING'"),
    ],
)
def test_no_sql_function_is_replaced_if_an_argument_is_invalid(
    connection: Any, files: bulk.Files, options: dict[str, Any], message: str
) -> None:
    from canfetch.bulk.duckdb import register

    register(connection, content_type="BLOB")
    with pytest.raises((InvalidOption, TypeError), match=message):
        register(connection, files=files, **options)
    assert connection.sql("select allows(''::blob, 'bot', '/')").fetchall() == [(True,)]
    names = connection.sql("select function_name from duckdb_functions() where function_name = 'allows_at'")
    assert names.fetchall() == []


def test_many_rows_in_several_threads(connection: Any, files: bulk.Files) -> None:
    from canfetch.bulk.duckdb import register

    register(connection, files=files)
    connection.execute("set threads = 4")
    rows = 200_000
    query = f"select count(*) from range({rows}) as t(n) where allows_at(1 + n % 2, 'bot', case when n % 3 = 0 then '/a' else '/b' end)"  # noqa: E501, S608
    assert connection.sql(query).fetchall() == [(sum(row % 3 != 0 for row in range(rows)),)]


# --- Polars ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["eager", "in-memory", "streaming"])
def test_expressions_of_polars(engine: Any, files: bulk.Files) -> None:
    pl = pytest.importorskip("polars")
    import_module("canfetch.bulk.polars")

    frame = pl.DataFrame({"id": IDS, "content": CONTENTS, "agent": AGENTS, "url": URLS})
    content, ids, agent = pl.col("content").canfetch, pl.col("id").canfetch, pl.col("agent")
    expressions = [
        content.allows(agent, pl.col("url")),
        content.decide(agent, pl.col("url")),
        content.usage(agent, pl.col("url"), purpose="training"),
        content.may_use(agent, pl.col("url"), purpose="training"),
        content.matrix(AGENT_LIST, pl.col("url")),
        content.rules(),
        content.sitemaps(),
        content.metrics(),
        pl.col("url").canfetch.origins(),
        ids.allows_at(files, agent, pl.col("url")),
        ids.decide_at(files, agent, pl.col("url")),
        ids.matrix_at(files, AGENT_LIST, pl.col("url")),
    ]
    if engine == "eager":
        found = frame.select(expressions)
    else:
        query = frame.lazy().select(expressions)
        found = query.collect(engine=engine)
        assert found.schema == query.collect_schema()
    rows = expected_rows(files)
    assert found.columns == list(rows)
    for name in rows:
        assert found[name].to_list() == rows[name], name


def test_literals_and_agents_of_polars(files: bulk.Files) -> None:
    pl = pytest.importorskip("polars")
    import_module("canfetch.bulk.polars")

    frame = pl.DataFrame({"id": IDS, "content": CONTENTS, "url": URLS}).lazy()
    for agent in ("bot", Agent("bot"), pl.lit("bot")):
        found = frame.select(pl.col("content").canfetch.allows(agent, pl.lit("/a"))).collect()
        assert found["allows"].to_list() == [False, False, None, True]
    found = frame.filter(pl.col("id").canfetch.allows_at(files, "bot", pl.col("url"))).collect(engine="streaming")
    assert found["id"].to_list() == [4]
    # A text is never the name of a column: neither an agent nor a URL can be taken for one.
    with pytest.raises(InvalidColumn, match=r"url='url' is a text, not a column: pass pl.col\(\"url\"\)"):
        pl.col("id").canfetch.allows_at(files, "agent", "url")


# --- pandas ----------------------------------------------------------------------------------------------------------


def test_the_accessor_of_pandas(files: bulk.Files) -> None:
    pd = pytest.importorskip("pandas")
    import_module("canfetch.bulk.pandas")

    index = ["w", "x", "y", "z"]
    frame = pd.DataFrame({"id": IDS, "content": CONTENTS, "agent": AGENTS, "url": URLS}, index=index)
    content, ids, agent, url = frame["content"].canfetch, frame["id"].canfetch, frame["agent"], frame["url"]
    found = {
        "allows": content.allows(agent, url),
        "decide": content.decide(agent, url),
        "usage": content.usage(agent, url, purpose="training"),
        "may_use": content.may_use(agent, url, purpose="training"),
        "matrix": content.matrix(AGENT_LIST, url),
        "rules": content.rules(),
        "sitemaps": content.sitemaps(),
        "metrics": content.metrics(),
        "origins": url.canfetch.origins(),
        "allows_at": ids.allows_at(files, agent, url),
        "decide_at": ids.decide_at(files, agent, url),
        "matrix_at": ids.matrix_at(files, AGENT_LIST, url),
    }
    assert str(found["allows"].dtype) == "boolean"
    for name, rows in expected_rows(files).items():
        result = found[name]
        assert list(result.index) == index
        for row, value in zip(ROWS, rows, strict=True):
            if isinstance(result, pd.DataFrame):
                assert list(result.columns) == list(value or result.columns)
                for key, want in (value or {}).items():
                    assert_same(pd, result[key].iloc[row], want)
            else:
                assert_same(pd, result.iloc[row], value)


def assert_same(pd: Any, found: Any, want: Any) -> None:
    """Compare a value of pandas with a plain one."""
    if want is None:
        assert found is None or pd.isna(found)
    else:
        assert found == want


def test_one_row_of_pandas_is_repeated() -> None:
    pd = pytest.importorskip("pandas")
    import_module("canfetch.bulk.pandas")

    found = pd.Series([CONTENT], index=["x"]).canfetch.allows("bot", ["/a", "/b"])
    assert (found.tolist(), list(found.index)) == ([False, True], [0, 1])


def test_types_of_pandas_do_not_depend_on_the_rows(files: bulk.Files) -> None:
    pd = pytest.importorskip("pandas")
    import_module("canfetch.bulk.pandas")

    contents = pd.Series(CONTENTS[:2])
    types = []
    for url in (["/a", "/b"], ["/b", "/b"], [None, None], ["x", "x"]):
        decided = contents.canfetch.decide("bot", url)
        used = contents.canfetch.usage("bot", url, purpose="training")
        types.append([*decided.dtypes, *used.dtypes])
    empty = contents[:0].canfetch
    types.append([*empty.decide("bot", "/").dtypes, *empty.usage("bot", "/", purpose="training").dtypes])
    ids = pd.Series([9, 9]).canfetch
    types.append([*ids.decide_at(files, "bot", "/").dtypes, *types[0][5:]])
    assert types == [types[0]] * len(types)
