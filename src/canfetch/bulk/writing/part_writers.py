"""Writers of one file each, in Parquet, NDJSON and CSV. A file appears under its name when it is complete."""

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from canfetch.bulk.reading.row_files import load_pyarrow
from canfetch.bulk.writing.cells import Cells, csv_lines, is_array, plain_cells
from canfetch.bulk.writing.columns import (
    Column,
    ColumnType,
    Row,
    Schema,
    csv_cell,
    csv_cells,
    escaped_text,
    plain_text,
    plain_value,
)
from canfetch.bulk.writing.common_schemas import common_schema
from canfetch.core.quoting import quoted
from canfetch.core.text import portable_text
from canfetch.errors import StoreError

FORMATS: Final = ("parquet", "ndjson", "csv")
SCHEMA_KEY: Final = b"canfetch.schema"
TEMPORARY_SUFFIX: Final = ".tmp"
_GROUP_ROWS: Final = 1 << 15
# The bytes and text of the rows that are in memory.
_GROUP_BYTES: Final = 1 << 24
_SIZED: Final = frozenset([ColumnType.TEXT, ColumnType.BYTES, ColumnType.ANY])
_CRLF: Final = "\r\n"
_COPY_BYTES: Final = 1 << 20


class RowSink(Protocol):
    """Receives the rows of one file."""

    def write(self, row: Row) -> None:
        """Write a row."""

    def write_columns(self, columns: Sequence[Cells]) -> None:
        """Write the rows of columns, which is faster."""

    def close(self) -> None:
        """Write what remains."""


@contextmanager
def open_part(path: Path, format: str, schema: Schema, *, header: bool) -> Iterator[RowSink]:  # noqa: A002 - the option's name
    """Open a file for rows. It is renamed to `path` at the end, and removed after an exception.

    Args: header: Whether a CSV file starts with the names of the columns.
    Raises: MissingExtra: The format needs a package that is not installed. OSError: The file cannot be written.
    """
    with replaced(path) as stream, ExitStack() as stack:
        sink: RowSink
        if format == "parquet":
            sink = _ParquetSink(stream, schema, stack)
        elif format == "csv":
            sink = _CsvSink(stream, schema, header=header)
        else:
            sink = _NdjsonSink(stream, schema)
        yield sink
        sink.close()


@contextmanager
def replaced(path: Path, temporary: Path | None = None) -> Iterator[BinaryIO]:
    """Open a temporary file, and rename it to `path` at the end.

    Args: temporary: The temporary file, which is replaced. Default: `path` with another suffix, for files in a folder
        of canfetch.
    """
    if temporary is None:
        temporary = path.with_name(path.name + TEMPORARY_SUFFIX)
    try:
        with temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class _NdjsonSink:
    def __init__(self, stream: BinaryIO, schema: Schema) -> None:
        self._stream = stream
        self._schema = schema
        self._names = list(map(plain_text, schema.text_columns))
        self._encode: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False).encode

    def write(self, row: Row) -> None:
        self._write(self._schema.text_cells(row))

    def write_columns(self, columns: Sequence[Cells]) -> None:
        for cells in self._schema.text_rows(map(plain_cells, columns)):
            self._write(cells)

    def _write(self, cells: Sequence[Any]) -> None:
        line = self._encode(dict(zip(self._names, cells, strict=True)))
        self._stream.write(line.encode() + b"\n")

    def close(self) -> None:
        pass


class _CsvSink:
    def __init__(self, stream: BinaryIO, schema: Schema, *, header: bool) -> None:
        self._stream = stream
        self._lines = _Lines()
        # Before Python 3.13, csv quotes a carriage return only if it is in the line terminator.
        self._rows = csv.writer(self._lines, lineterminator=_CRLF)
        self._schema = schema
        if header:
            self._write([list(map(escaped_text, schema.text_columns))])

    def write(self, row: Row) -> None:
        self._write([list(map(csv_cell, self._schema.text_cells(row, escapes_bytes=True)))])

    def write_columns(self, columns: Sequence[Cells]) -> None:
        if all(map(is_array, columns)):
            self._stream.write(csv_lines(columns))
            return
        rows = self._schema.text_rows(map(plain_cells, columns), escapes_bytes=True)
        self._write(zip(*map(csv_cells, zip(*rows, strict=True)), strict=True))

    def _write(self, rows: Iterable[Iterable[Any]]) -> None:
        self._rows.writerows(rows)
        text = "".join([f"{line.removesuffix(_CRLF)}\n" for line in self._lines])
        self._lines.clear()
        # Cells of a CSV list keep their bytes, which are surrogates if they are not UTF-8.
        self._stream.write(text.encode(errors="surrogateescape"))

    def close(self) -> None:
        pass


class _Lines(list[str]):
    """The rows that a CSV writer has written."""

    write = list.append


class _ParquetSink:
    def __init__(self, stream: BinaryIO, schema: Schema, stack: ExitStack) -> None:
        _, parquet = load_pyarrow()
        self._schema = schema
        self._stream = stream
        self._stack = stack
        self._parquet = parquet
        self._arrow_schema = arrow_schema(schema)
        # The columns whose cells can be large.
        self._sized = [index for index, column in enumerate(schema.columns) if column.type in _SIZED]
        self._writer: Any = None
        self._rows: list[Row] = []
        self._bytes = 0

    def write(self, row: Row) -> None:
        self._rows.append(row)
        for index in self._sized:
            cell = row[index]
            if isinstance(cell, bytes | str):
                self._bytes += len(cell)
        if len(self._rows) >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._flush()

    def write_columns(self, columns: Sequence[Cells]) -> None:
        for row in zip(*map(plain_cells, columns), strict=True):
            self.write(row)

    def close(self) -> None:
        if self._rows or self._writer is None:
            self._flush()

    def _flush(self) -> None:
        if self._writer is None:
            self._writer = self._stack.enter_context(
                self._parquet.ParquetWriter(self._stream, self._arrow_schema, compression="zstd")
            )
        self._writer.write_table(arrow_table(self._schema.columns, self._rows, self._arrow_schema))
        self._rows, self._bytes = [], 0


def arrow_schema(schema: Schema) -> Any:
    """Return the schema of pyarrow, with the name and version of the table in its metadata."""
    pyarrow, _ = load_pyarrow()
    return pyarrow.schema(arrow_fields(schema.columns), metadata={SCHEMA_KEY: schema.name.encode()})


def arrow_table(columns: Sequence[Column], rows: Sequence[Row], schema: Any) -> Any:
    """Return rows as a table of pyarrow.

    Args: schema: The schema of pyarrow for `columns`.
    """
    pyarrow, _ = load_pyarrow()
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [
        pyarrow.array(arrow_values(column.type, values), type=field.type)
        for column, values, field in zip(columns, cells, schema, strict=True)
    ]
    return pyarrow.table(arrays, schema=schema)


def arrow_fields(columns: Iterable[Column]) -> list[Any]:
    """Return columns as fields of pyarrow."""
    pyarrow, _ = load_pyarrow()
    types = {
        ColumnType.TEXT: pyarrow.string(),
        ColumnType.BYTES: pyarrow.binary(),
        ColumnType.INTEGER: pyarrow.int64(),
        ColumnType.NUMBER: pyarrow.float64(),
        ColumnType.BOOLEAN: pyarrow.bool_(),
        ColumnType.TIME: pyarrow.timestamp("us", tz="UTC"),
        ColumnType.ANY: pyarrow.string(),
    }
    return [pyarrow.field(plain_text(column.name), types[column.type]) for column in columns]


def arrow_values(kind: ColumnType, values: Sequence[Any]) -> Sequence[Any]:
    """Return the cells of a column as pyarrow stores them."""
    if kind is ColumnType.TIME:
        return [None if value is None else round(value * 1_000_000) for value in values]
    if kind is ColumnType.TEXT:
        return [None if value is None else portable_text(value) for value in values]
    if kind is ColumnType.ANY:
        return [value if value is None else _as_text(plain_value(value)) for value in values]
    return values


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def join_parts(parts: Iterable[Path], path: Path, format: str, temporary: Path) -> None:  # noqa: A002 - the option's name
    """Write a file with the rows of all parts, which have the same columns, and types that have a common one.

    Args: temporary: A file to write first. It is renamed to `path`.
    Raises: StoreError: A part is damaged. OSError: The file cannot be written.
    Cost: O(bytes); one row group is in memory.
    """
    with replaced(path, temporary) as stream:
        if format == "parquet":
            _join_parquet(parts, stream)
        else:
            for part in parts:
                with part.open("rb") as source:
                    while data := source.read(_COPY_BYTES):
                        stream.write(data)


def _join_parquet(parts: Iterable[Path], stream: BinaryIO) -> None:
    _, parquet = load_pyarrow()
    paths = list(parts)
    schema = common_schema(map(_schema, paths))
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        for part in paths:
            with _reading(part):
                source = parquet.ParquetFile(part)
            with source:
                for group in range(source.num_row_groups):
                    with _reading(part):
                        table = source.read_row_group(group)
                    # Parts of several lists may have other types.
                    writer.write_table(table if table.schema.equals(schema) else table.cast(schema))


def _schema(part: Path) -> Any:
    _, parquet = load_pyarrow()
    with _reading(part):
        return parquet.read_schema(part)


@contextmanager
def _reading(part: Path) -> Iterator[None]:
    pyarrow, _ = load_pyarrow()
    try:
        yield
    # pyarrow also raises OSError for invalid content.
    except (pyarrow.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())[:300]
        raise StoreError(f"cannot read {quoted(str(part))}: {reason}") from None
