"""Rows that are written together have the text of rows that are written one by one."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from canfetch.bulk.writing.columns import Column, ColumnType, Schema
from canfetch.bulk.writing.part_writers import open_part

CELLS: dict[ColumnType, list[Any]] = {
    ColumnType.TEXT: ["a", "é", 'x,"y"\r\nz', "\udcff", "", None],
    ColumnType.BYTES: [b"a", b"\xff", b"", None, b"b", b"c"],
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


@pytest.mark.parametrize("form", ["csv", "ndjson"])
@pytest.mark.parametrize("values", ["mixed", "plain"])
def test_rows_that_are_written_together(tmp_path: Path, form: str, values: str) -> None:
    columns = [(kind, cells[:1] * 6 if values == "plain" else cells) for kind, cells in CELLS.items()]
    # A column of bytes has two columns of text, which are converted row by row.
    for kinds in (columns, [pair for pair in columns if pair[0] is not ColumnType.BYTES]):
        schema = Schema("test/1", tuple(Column(str(kind), kind) for kind, _ in kinds))
        rows = list(zip(*(cells for _, cells in kinds), strict=True))
        for name in ("one", "all"):
            with open_part(tmp_path / name, form, schema, header=True) as sink:
                if name == "all":
                    sink.write_all(rows)
                    sink.write_all([])
                else:
                    for row in rows:
                        sink.write(row)
        assert (tmp_path / "all").read_bytes() == (tmp_path / "one").read_bytes()
        assert (tmp_path / "all").read_bytes().count(b"\n") >= len(rows)
