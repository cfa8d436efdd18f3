"""The columns of a table decide: each effect, in tables of each library, with fewer columns, or with invalid values."""

from base64 import b64encode
from pathlib import Path

import pytest
from tests.bulk.parsed_files.tables import (
    CASES,
    DECISIONS,
    FILE,
    ORIGINS,
    ROWS,
    SERVER_ERROR,
    Decision,
    Row,
    decide_rows,
    home_page_decisions,
    pa,
    parse_archive,
    row,
)

from canfetch.bulk import Files
from canfetch.bulk.parsed_files import needed_columns
from canfetch.core.profiles import Profile
from canfetch.errors import InvalidColumn


def test_each_effect(engine: str) -> None:
    assert decide_rows(ROWS, engine) == DECISIONS


def test_tables_of_each_library(engine: str) -> None:
    table = pa.Table.from_pylist(ROWS)
    sources = [
        table.to_reader(),
        pa.concat_tables([table.slice(0, 1), table.slice(1)]),
        pytest.importorskip("pandas").DataFrame(ROWS).astype({"redirects": "Int64"}),
        pytest.importorskip("polars").DataFrame(ROWS),
    ]
    for source in sources:
        assert home_page_decisions(source, ORIGINS, engine) == DECISIONS


def test_table_is_one_column(engine: str) -> None:
    table = pa.Table.from_pylist(ROWS)
    for source in (table.to_reader(), pa.concat_tables([table.slice(0, 1), table.slice(1)])):
        assert len(Files(source, id="origin", engine=engine)) == 1


def test_cells_that_csv_has_as_text(engine: str) -> None:
    texts = [{name: None if cell is None else str(cell) for name, cell in each.items()} for each in ROWS]
    assert decide_rows(texts, engine) == DECISIONS


def test_redirect_is_unresolved_without_the_columns_of_urls(engine: str) -> None:
    unresolved: Decision = (None, "redirect-unresolved")
    expected = [unresolved if name == "redirect to the file" else case.decision for name, case in CASES.items()]
    assert decide_rows(ROWS, engine, "origin", "effect", "redirects", "content") == expected


def test_effect_requires_the_number_of_redirects(engine: str) -> None:
    with pytest.raises(InvalidColumn, match="'effect' of canfetch bulk parse, but not its column 'redirects'"):
        decide_rows(ROWS, engine, "origin", "effect", "content")


def test_content_is_a_file_without_the_column_effect(engine: str) -> None:
    assert decide_rows([SERVER_ERROR], engine, "origin", "content") == [(True, "no-group")]


@pytest.mark.parametrize("access", ["successful", "unavailable", "unreachable"])
@pytest.mark.parametrize("effect, allowed", [("full-allow", True), ("full-disallow", False)])
def test_access_is_the_reason_of_an_effect_for_all_urls(
    access: str, effect: str, *, allowed: bool, engine: str
) -> None:
    assert decide_rows([row("https://a.example", effect, access=access, content="x")], engine) == [(allowed, access)]


@pytest.mark.parametrize(
    "cells, message",
    [
        ({"effect": "strong"}, "row 0 has the effect 'strong': expected a value that canfetch bulk parse writes"),
        ({"effect": "full-allow", "access": "x"}, "row 0 has the effect 'full-allow' and the access 'x'"),
        ({"redirects": "many"}, "row 0 has the number of redirects 'many'"),
        ({"redirects": 1.5}, "a column of type"),
        (
            {"content": None, "content_base64": "a"},
            "row 0 has the content_base64 'a': expected a value that canfetch bulk",
        ),
    ],
)
def test_invalid_cells_are_errors(cells: Row, message: str, engine: str) -> None:
    with pytest.raises(InvalidColumn, match=message):
        decide_rows([FILE | cells], engine)


class TestContentOfTextFormats:
    """NDJSON and CSV have content that is not UTF-8 in another column, and libraries read an empty cell as null."""

    EXPECTED = ((False, "disallow-rule"), (False, "disallow-rule"), (True, "no-group"))

    @pytest.fixture
    def rows(self, tmp_path: Path) -> list[Row]:
        latin_1 = b64encode(b"User-agent: *\nDisallow: / # caf\xe9").decode()
        captures = [
            {"origin": "https://a.example", "status": 200, "content_base64": latin_1},
            {"origin": "https://b.example", "status": 301, "location": "https://a.example/robots.txt"},
            {"origin": "https://c.example", "status": 200, "content": "", "bytes": 0},
        ]
        return parse_archive(tmp_path, captures)

    def test_content_in_base64(self, rows: list[Row], engine: str) -> None:
        assert [each.get("content") for each in rows] == [None, "", ""]
        assert decide_rows(rows, engine) == list(self.EXPECTED)

    def test_empty_content_that_is_null(self, rows: list[Row], engine: str) -> None:
        rows[2]["content"] = None
        assert decide_rows(rows, engine) == list(self.EXPECTED)

    def test_left_join_of_pandas_has_floating_point_numbers_and_rows_of_nulls(
        self, rows: list[Row], engine: str
    ) -> None:
        pd = pytest.importorskip("pandas")
        origins = [each["origin"] for each in rows]
        rows[2]["content"] = None
        joined = pd.DataFrame({"origin": ["https://d.example", *origins]}).merge(pd.DataFrame(rows), how="left")
        assert joined["redirects"].dtype == joined["bytes"].dtype == float
        expected = [(None, "redirect-unresolved"), *self.EXPECTED]
        assert home_page_decisions(joined, ["https://d.example", *origins], engine) == expected


def test_unreachable_origin_allows_its_robots_txt_in_the_profiles_in_which_rules_do(
    profile: Profile, engine: str
) -> None:
    files = Files(pa.Table.from_pylist([SERVER_ERROR]), id="origin", profile=profile.name, engine=engine)
    allowed = files.allows_at(SERVER_ERROR["origin"], "GPTBot", ["/robots.txt", "/x"]).to_pylist()
    assert allowed == [profile.robots_txt_allowed, False]


def test_columns_that_workers_need() -> None:
    columns = ["origin", "url", "time", "status", "final_url", "redirects", "access", "effect", "bytes", "sha256"]
    needed = ["origin", "content", "effect", "access", "redirects", "url", "final_url", "bytes", "sha256"]
    assert needed_columns([*columns, "content"], "origin", "content") == needed
    assert needed_columns(["id", "content", "url"], "id", "content") == ["id", "content"]
