"""Columns that are written together have the text of rows that are written one by one."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from canfetch.bulk.writing.cells import as_arrays, is_array
from canfetch.bulk.writing.columns import Column, ColumnType, Schema
from canfetch.bulk.writing.part_writers import open_part

CELLS: dict[ColumnType, list[Any]] = {
    ColumnType.TEXT: ["a", "é", 'x,"y"\r\nz', "\udcff", "", None],
    ColumnType.INTEGER: [1, None, 0, -5, 2**40, 3],
    ColumnType.NUMBER: [0.5, None, 1.0, 2.25, -0.0, 1e300],
    ColumnType.BOOLEAN: [True, False, None, True, False, None],
    ColumnType.TIME: [0.0, None, 1767225600.5, 1.0, 2.0, 3.0],
    ColumnType.ANY: [
        "data:;base64,x",
        "\ud800",
        float("nan"),
        [1, {"a": b"\xff"}],
        True,
        datetime(2026, 1, 1, tzinfo=UTC),
    ],
}


PLAIN: dict[ColumnType, list[Any]] = {
    ColumnType.TEXT: ["a", "é", 'x,"y"\r\nz', "\r", "", None],
    ColumnType.INTEGER: CELLS[ColumnType.INTEGER],
    ColumnType.BOOLEAN: CELLS[ColumnType.BOOLEAN],
    ColumnType.ANY: ["data:;base64,x", " a ", "\0", '"', None, "a,b"],
}


@pytest.mark.parametrize("form", ["csv", "ndjson"])
@pytest.mark.parametrize("values", [CELLS, PLAIN, {ColumnType.TEXT: ["a"], ColumnType.ANY: [None]}])
def test_columns_that_are_written_together(tmp_path: Path, form: str, values: dict[ColumnType, list[Any]]) -> None:
    schema = Schema("test/1", tuple(Column(str(kind), kind) for kind in values))
    rows = list(zip(*values.values(), strict=True))
    columns = list(values.values())
    arrays = as_arrays(columns, copies=1)
    assert all(map(is_array, arrays)) is (values is not CELLS)
    for name in ("rows", "columns", "arrays"):
        with open_part(tmp_path / name, form, schema, header=True) as sink:
            for row in rows if name == "rows" else ():
                sink.write(row)
            if name != "rows":
                sink.write_columns(columns if name == "columns" else arrays)
                sink.write_columns([cells[:0] for cells in (columns if name == "columns" else arrays)])
    assert (tmp_path / "columns").read_bytes() == (tmp_path / "rows").read_bytes()
    assert (tmp_path / "arrays").read_bytes() == (tmp_path / "rows").read_bytes()
    assert (tmp_path / "rows").read_bytes().count(b"\n") >= len(rows)
