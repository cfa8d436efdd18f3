"""The edition of columns: the profile that it sets, in each function and library."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from canfetch.bulk import Files, allows, decide, matrix, rules, sitemaps, usage
from canfetch.errors import InvalidOption, UnknownEdition

# google2019 reads neither of the misspelt keys.
CONTENT = "User-agent: *\nDissallow: /x\nsite-map: https://example.com/s.xml\n"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "allows": lambda **options: allows(CONTENT, "bot", "/x", **options),
    "decide": lambda **options: decide(CONTENT, "bot", "/x", **options),
    "matrix": lambda **options: matrix(CONTENT, ["bot"], "/x", **options),
    "usage": lambda **options: usage(CONTENT, "bot", "/x", purpose="search", **options),
    "rules": lambda **options: rules(CONTENT, **options),
    "sitemaps": lambda **options: sitemaps(CONTENT, **options),
    "files": lambda **options: Files({1: CONTENT}, **options).allows_at(1, "bot", "/x"),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_an_edition_sets_the_profile(function: Callable[..., Any], engine: str) -> None:
    found = function(edition="google2019", engine=engine).to_pylist()
    assert found == function(profile="google2019", engine=engine).to_pylist()
    assert found != function(engine=engine).to_pylist()


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_an_edition_excludes_a_profile(function: Callable[..., Any]) -> None:
    with pytest.raises(InvalidOption, match=r"^edition and profile cannot be used together: "):
        function(edition="google2019", profile="google2019")
    with pytest.raises(UnknownEdition, match="did you mean 'google2019'"):
        function(edition="google2018")


@pytest.mark.slow
def test_an_edition_in_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    from canfetch.bulk.duckdb import register

    query = "select allows($content, 'bot', '/x'), len(sitemaps($content))"
    with duckdb.connect() as connection:
        register(connection, edition="google2019")
        assert connection.execute(query, {"content": CONTENT}).fetchall() == [(True, 0)]
        register(connection)
        assert connection.execute(query, {"content": CONTENT}).fetchall() == [(False, 1)]
        with pytest.raises(InvalidOption, match=r"^edition and profile cannot be used together: "):
            register(connection, edition="google2019", profile="google2019")


@pytest.mark.slow
def test_an_edition_in_polars() -> None:
    pl = pytest.importorskip("polars")
    import_module("canfetch.bulk.polars")
    frame = pl.DataFrame({"content": [CONTENT], "url": ["/x"]})
    content = pl.col("content").canfetch
    assert frame.select(content.allows("bot", pl.col("url"), edition="google2019"))["allows"].to_list() == [True]
    assert frame.select(content.rules(edition="google2019"))["rules"].list.len().to_list() == [1]


@pytest.mark.slow
def test_an_edition_in_pandas() -> None:
    pd = pytest.importorskip("pandas")
    import_module("canfetch.bulk.pandas")
    assert pd.Series([CONTENT]).canfetch.allows("bot", pd.Series(["/x"]), edition="google2019").tolist() == [True]


@pytest.mark.slow
def test_the_edition_of_an_archive_in_spark() -> None:
    pytest.importorskip("pyspark")
    from canfetch.bulk.spark.archives import ArchiveReader

    assert ArchiveReader({"path": "a.warc.gz", "edition": "googlebot"}).policy.name == "google"
    with pytest.raises(InvalidOption, match=r"^edition and policy cannot be used together: "):
        ArchiveReader({"path": "a.warc.gz", "edition": "googlebot", "policy": "google"})
