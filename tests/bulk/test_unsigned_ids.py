"""IDs of files may be unsigned integers of 64 bits, which hashes are."""

from typing import Any

import pytest

from canfetch.bulk import Files
from canfetch.errors import InvalidColumn

CLOSED = "user-agent: *\ndisallow: /"
OPEN = "user-agent: *\ndisallow:"
IDS = [2**63, 2**64 - 1, 2**63 - 1, 5, 0]
CONTENTS = [CLOSED, OPEN, OPEN, CLOSED, OPEN]
VERDICTS = [False, True, True, False, True]


def test_lists(engine: str) -> None:
    files = Files({**dict(zip(IDS, CONTENTS, strict=True)), -1: CLOSED, 1 - 2**63: CLOSED}, engine=engine)
    assert files.allows_at(IDS, "a", "/x").to_pylist() == VERDICTS
    # Numbers that have the same bits as an ID, or no bits of their own.
    ids = [-1, -(2**63), 1 - 2**63, 2**63 + 1, 2**64, -(2**64), None]
    assert files.allows_at(ids, "a", "/x").to_pylist() == [False, None, False, None, None, None, None]
    assert files.decide_at(2**63, "a", "/x").to_pylist()[0]["line"] == 2


def test_an_id_over_64_bits_raises(engine: str) -> None:
    for key in (2**64, -(2**63)):
        with pytest.raises(InvalidColumn, match="an ID that does not fit into 64 bits"):
            Files({key: CLOSED}, engine=engine)
    with pytest.raises(InvalidColumn, match=f"two files with the ID {2**63}: keep one row for each ID"):
        Files(table([2**63, 2**63], [OPEN, OPEN]), engine=engine)


def table(ids: list[int], contents: list[str]) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.table({"id": pa.array(ids, pa.uint64()), "content": contents})


def test_columns(engine: str) -> None:
    pa = pytest.importorskip("pyarrow")
    files = Files(table(IDS, CONTENTS), engine=engine)
    ids = pa.array([*IDS, None, 2**63 + 1], pa.uint64())
    for column in (ids, ids.dictionary_encode(), pa.chunked_array([ids[:1], ids[1:]])):
        assert files.allows_at(column, "a", "/x").to_pylist() == [*VERDICTS, None, None]
    # Small numbers are the same in all types.
    assert files.allows_at(pa.array([5, 0], pa.int8()), "a", "/x").to_pylist() == [False, True]
    assert files.allows_at(pa.array([-(2**63)], pa.int64()), "a", "/x").to_pylist() == [None]


def test_hashes_of_polars(engine: str) -> None:
    pl = pytest.importorskip("polars")
    origins = pl.Series([f"https://{number}.example" for number in range(40)])
    hashes = origins.hash(seed=1)
    assert hashes.max() >= 2**63
    contents = [CLOSED if number % 3 else OPEN for number in range(40)]
    files = Files(pl.DataFrame({"id": hashes, "content": contents}), engine=engine)
    assert files.allows_at(hashes, "a", "/x").to_pylist() == [not number % 3 for number in range(40)]


def test_hashes_of_duckdb(engine: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    from canfetch.bulk.duckdb import register

    with duckdb.connect() as connection:
        names = "(select range as n, hash(range) as id from range(40))"
        content = f"case when n % 3 = 0 then '{OPEN}' else '{CLOSED}' end"
        files = connection.sql(f"select id, {content} as content from {names}").to_arrow_table()  # noqa: S608
        register(connection, files=Files(files, engine=engine), id_type="UBIGINT")
        rows = connection.sql(f"select allows_at(id, 'a', '/x') from {names} order by n").fetchall()  # noqa: S608
    assert [row[0] for row in rows] == [not number % 3 for number in range(40)]
