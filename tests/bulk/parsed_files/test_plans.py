"""The plan of a table, which the engines load: the source of each file, as the number of a row or of an outcome."""

from typing import Any

import pytest
from tests.bulk.parsed_files.tables import pa

from canfetch.bulk import Files
from canfetch.bulk.parsed_files import OUTCOMES, FileTable, Plan, plan_sources
from canfetch.errors import EngineError, InvalidColumn


@pytest.fixture
def native() -> Any:
    return pytest.importorskip("canfetch._native")


def load(files: Files, table: Any, sources: list[int]) -> None:
    kernel = files._kernel
    kernel.load_table(kernel.open_table(table), "id", "content", Plan(sources, []))


def table_of_ids() -> Any:
    return pa.table({"id": range(len(OUTCOMES)), "content": [""] * len(OUTCOMES)})


@pytest.mark.usefixtures("native")
def test_both_engines_have_the_same_outcomes() -> None:
    files, table = Files({}, engine="native"), table_of_ids()
    load(files, table, [-1 - number for number in range(len(OUTCOMES))])
    found = files.decide_at(table["id"], "GPTBot", "/").to_pylist()
    assert [(each["allowed"], each["reason"]) for each in found] == list(OUTCOMES)


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("sources", [[-1 - len(OUTCOMES)] * 7, [7] * 7, [0]], ids=["outcome", "row", "length"])
def test_native_engine_rejects_sources_that_do_not_exist(sources: list[int]) -> None:
    with pytest.raises(InvalidColumn):
        load(Files({}, engine="native"), table_of_ids(), sources)


def test_outdated_native_module_is_an_error(native: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(native, "Table")
    with pytest.raises(EngineError, match="outdated native engine: it has no Table; reinstall canfetch"):
        Files({1: ""}, engine="native")


class _Table:
    """A table of values, as engines open them."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns

    @property
    def names(self) -> list[str]:
        return list(self._columns)

    def values(self, name: str, /) -> list[Any]:
        return self._columns[name]


def test_invalid_urls_and_targets_are_unresolved() -> None:
    columns: dict[str, list[Any]] = {
        "effect": [b"conditional-allow"] * 3,
        "redirects": [1] * 3,
        "url": [b"https://a.example/robots.txt", None, b"\xff"],
        "final_url": [b"no URL", None, b"https://b.example/x"],
        "redirect_targets": [b"[", b"[]", b'[{"url": "https://b.example/x", "content": "x", "status": 200}]'],
    }
    table: FileTable = _Table(columns)
    assert plan_sources(table, "id") == Plan([-1, -1, 3], [b"x"])
