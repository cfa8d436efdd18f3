"""A row with a redirect has the file of the row to which it led, if the table shows which of them that is."""

from pathlib import Path

import pytest
from tests.bulk.parsed_files.tables import (
    DISALLOW,
    FILE,
    PRIVATE,
    REDIRECT,
    Row,
    decide_rows,
    hashed,
    pa,
    parse_archive,
    row,
)

from canfetch.bulk import Files
from canfetch.errors import InvalidColumn

FOUND, UNRESOLVED = "disallow-rule", "redirect-unresolved"
# Two captures of the target, and redirects to the content of the first, the second, of neither, and to an unknown one.
FIRST, SECOND = hashed(FILE), hashed(FILE | {"content": ""})
REDIRECTS = [hashed(REDIRECT, DISALLOW), hashed(REDIRECT, ""), hashed(REDIRECT, PRIVATE), hashed(REDIRECT)]


def reasons(*rows: Row, engine: str, without: str | None = None) -> list[str]:
    """Return the reason for each row of a table that lacks a column."""
    table = pa.Table.from_pylist([each | {"id": number} for number, each in enumerate(rows)])
    files = Files(table if without is None else table.drop_columns([without]), engine=engine)
    return [found["reason"] for found in files.decide_at(list(range(len(rows))), "GPTBot", "/").to_pylist()]


@pytest.mark.parametrize(
    "captures, without, of_captures, of_redirects",
    [
        # The hash shows to which capture a redirect led.
        ([FIRST, SECOND], None, [FOUND, "no-group"], [FOUND, "no-group", UNRESOLVED, UNRESOLVED]),
        ([FIRST, SECOND], "final_sha256", [FOUND, "no-group"], [UNRESOLVED] * 4),
        ([FIRST, SECOND], "sha256", [FOUND, "no-group"], [UNRESOLVED] * 4),
        # Captures with the same content agree.
        ([FIRST, FIRST], None, [FOUND] * 2, [FOUND] * 4),
        ([FIRST, FIRST], "final_sha256", [FOUND] * 2, [FOUND] * 4),
        ([FIRST, FIRST], "sha256", [FOUND] * 2, [UNRESOLVED] * 4),
    ],
)
def test_several_captures_of_a_target(
    captures: list[Row], without: str | None, of_captures: list[str], of_redirects: list[str], engine: str
) -> None:
    assert reasons(*captures, *REDIRECTS, without=without, engine=engine) == [*of_captures, *of_redirects]


def test_hashes_that_are_missing_are_not_equal(engine: str) -> None:
    rows = [each | {"sha256": None} for each in (FIRST, FIRST, REDIRECTS[0])]
    assert reasons(*rows, engine=engine) == [FOUND, FOUND, UNRESOLVED]


def test_captures_of_an_origin_need_ids_of_their_own() -> None:
    with pytest.raises(InvalidColumn, match=r"two files with the ID https://a\.example: keep one row for each ID"):
        Files(pa.Table.from_pylist([FIRST, SECOND]), id="origin")


class TestHosts:
    """The file of a host without a scheme is that of both schemes, unless an origin has its own."""

    HOST = row("a.example", "conditional-allow", content=DISALLOW)
    ORIGIN = row("http://a.example", "conditional-allow", content="User-agent: *\nAllow: /")

    @staticmethod
    def redirect_to(scheme: str) -> Row:
        return row("https://b.example", "conditional-allow", 1, f"{scheme}://a.example/robots.txt", content="")

    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_redirect_to_a_host(self, scheme: str, engine: str) -> None:
        assert decide_rows([self.HOST, self.redirect_to(scheme)], engine) == [(False, FOUND)] * 2

    def test_redirect_to_a_host_and_an_origin(self, engine: str) -> None:
        redirect = self.redirect_to("http")
        assert decide_rows([self.HOST, self.ORIGIN, redirect], engine)[2] == (None, UNRESOLVED)
        rows = [hashed(self.HOST), hashed(self.ORIGIN), hashed(redirect, DISALLOW)]
        assert decide_rows(rows, engine)[2] == (False, FOUND)

    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_response_of_a_host_after_a_redirect(self, scheme: str, engine: str, tmp_path: Path) -> None:
        """The rows of the table have the same decisions as the archive, also if the table is read as an archive."""
        target = {"origin": "d.example", "url": "https://d.example/other.txt", "status": 200, "content": DISALLOW}
        redirect = {"origin": "https://a.example", "status": 301, "location": f"{scheme}://d.example/other.txt"}
        first = parse_archive(tmp_path, [redirect, target])
        assert decide_rows(first, engine) == [(False, FOUND)]
        again = tmp_path / "again"
        again.mkdir()
        (second,) = parse_archive(again, first)
        assert {**second, "source": None} == {**first[0], "source": None}


class TestIDs:
    """Origins find the file of a host if the column `origin` of a table of `canfetch bulk parse` has the IDs."""

    TABLE = pa.Table.from_pylist(
        [
            row("a.example", "conditional-allow", content=DISALLOW),
            row("b.example:8443", "full-disallow", content=""),
            row("http://a.example", "full-allow", content=""),
        ]
    )

    @pytest.mark.parametrize(
        "origin, allowed",
        [
            ("a.example", False),
            ("https://a.example", False),
            ("http://a.example", True),
            ("https://b.example:8443", False),
            ("https://b.example", None),
        ],
    )
    def test_origins_of_a_host_are_ids(self, origin: str, allowed: bool | None, engine: str) -> None:  # noqa: FBT001
        files = Files(self.TABLE, id="origin", engine=engine)
        assert files.allows_at([origin], "GPTBot", "/").to_pylist() == [allowed]

    def test_ids_of_other_columns_are_names(self, engine: str) -> None:
        table = self.TABLE.append_column("site", pa.array(["a.example", "b", "c"]))
        files = Files(table, id="site", engine=engine)
        assert files.allows_at(["a.example", "https://a.example"], "GPTBot", "/").to_pylist() == [False, None]

    def test_ids_of_a_table_without_effects_are_names(self, engine: str) -> None:
        files = Files(self.TABLE.select(["origin", "content"]), id="origin", engine=engine)
        assert files.allows_at(["a.example", "https://a.example"], "GPTBot", "/").to_pylist() == [False, None]
