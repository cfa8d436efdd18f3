"""Rows of Parquet, CSV, TSV and NDJSON files, one at a time.

A row is a dictionary. If rows cannot be parsed, the reason is in their place, as `BadRows`.
"""

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, NamedTuple
from warnings import catch_warnings, simplefilter

from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.csv_lines import LongLine, TextLines
from canfetch.bulk.reading.csv_recovery import has_row_end, lines_to_read_again
from canfetch.bulk.reading.parquet_batches import bounded_batches
from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, MissingExtra

Row = dict[str, Any]

# A line may contain a whole robots.txt, escaped.
MAX_LINE_BYTES: Final = 1 << 23
# Each name takes about 100 bytes in memory.
_MAX_HEADER_CHARACTERS: Final = 1 << 20
TOO_LONG: Final = f"the line is too long: expected at most {MAX_LINE_BYTES >> 20} MiB"
_CUT_LONG_LINE: Final = f"{TOO_LONG}; it has no line end, so that it may be cut"
_NO_OBJECT: Final = "not a JSON object"
_PARQUET_BATCH_ROWS: Final = 4096
# Of a damaged row group: all rows of a batch are lost with one of them.
_DAMAGED_BATCH_ROWS: Final = 256
CUT_ROW: Final = "the file ends within a quoted cell of this row, or a quote before it is not closed"
# The byte order marks of UTF-16, in text.
_UTF_16_MARKS: Final = ("\udcff\udcfe", "\udcfe\udcff")


class EmptyTable(InvalidOption):
    """Raised for a table without a byte."""


class DamagedTable(InvalidOption):
    """Raised for a Parquet file whose content is damaged or cut. `reason` does not name the file."""

    reason: str = ""


class BadRows(NamedTuple):
    """Rows that cannot be parsed.

    Attributes:
        reason: What is wrong.
        is_end, lost: As of a `Fault`.
    """

    reason: str
    is_end: bool = False
    lost: int | None = 1

    def to_fault(self, source: str, position: int) -> Fault:
        """Return the fault of a table."""
        return Fault(source, position, *self)


# A position, and the row or what is wrong with it and perhaps others.
PlacedRow = tuple[int, Row | BadRows]

_NO_LINE_END: Final = BadRows("the last row has no line end, so that it may be cut: add one", is_end=True, lost=None)


def read_ndjson(stream: BinaryIO, advance: Callable[[int], None], *, fold_names: bool = True) -> Iterator[PlacedRow]:
    """Yield the objects of a file with one JSON object per line. Positions are lines, from 1.

    Args: fold_names: Whether keys are put in lower case.
    """
    lines = read_lines(stream, advance)
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE_BYTES:
            is_cut = not skip_line(line, lines)
            yield number, BadRows(_CUT_LONG_LINE, is_cut, None) if is_cut else BadRows(TOO_LONG)
            continue
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            yield number, {key.lower(): value for key, value in row.items()} if fold_names else row
        else:
            is_cut = not line.endswith(b"\n")
            yield number, BadRows("the file ends within this line", is_cut, None) if is_cut else BadRows(_NO_OBJECT)


def read_csv(
    stream: BinaryIO,
    name: str,
    advance: Callable[[int], None],
    check_header: Callable[[list[str]], None],
    *,
    fold_names: bool = True,
) -> Iterator[PlacedRow]:
    """Yield the rows of a CSV or TSV file with a header. Positions are lines, from 1.

    Args:
        name: The name of the file, for error messages.
        check_header: Called with the names of the columns. It may raise.
        fold_names: Whether names of columns are put in lower case.
    Raises: InvalidOption: The first line is not a header.
    """
    csv.field_size_limit(min(MAX_LINE_BYTES, sys.maxsize))
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(stream)  # type: ignore[type-var]  # it has readinto
    text = TextLines(read_lines(buffered, advance), buffered, advance)
    first = next(text, "")
    delimiter = "\t" if "\t" in first else ","
    header = _parse_header(first, delimiter, name)
    header = [column.lower() for column in header] if fold_names else header
    check_header(header)
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    while True:
        start = text.number + 1
        text.start_row()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            reason = CUT_ROW if text.is_read else f"invalid CSV: {error}"
            reason = TOO_LONG if isinstance(error, LongLine) else reason
        else:
            if cells is None:
                return
            if not cells:
                continue
            if len(cells) == len(header):
                # Without a line end, the last cell may be cut, and nothing in the file shows it.
                yield start, dict(zip(header, cells, strict=True)) if text.is_ended else _NO_LINE_END
                continue
            reason = f"the row has {len(cells)} cells: expected {len(header)}"
            if len(text.row) == 1:
                yield start, BadRows(reason)
                continue
        for bad in _bad_rows(reason, start, text, delimiter, len(header)):
            yield start, bad
        reader = csv.reader(text, delimiter=delimiter, strict=True)


def _bad_rows(reason: str, start: int, text: TextLines, delimiter: str, cells: int) -> Iterator[BadRows]:
    """Yield what is wrong with a row and with those that may be part of it. The lines continue at the next row.

    Args: start: The first line of the row.
    """
    row = text.take_row()
    if reason == TOO_LONG:
        is_whole = has_row_end(row, text, delimiter, cells)
        if is_whole:
            yield _bad_lines(reason, start, text.number, is_end=False)._replace(lost=1)
            return
        if is_whole is None:
            is_cut_line = text.is_open and text.number == start
            yield _bad_lines(_CUT_LONG_LINE if is_cut_line else CUT_ROW, start, text.number, is_end=True)
            return
        text.skip_line()
        # `lines_to_read_again` needs only the parity of the quotes of a single line.
        row = ['"' * (text.quotes % 2), *[""] * (text.number > start)]
    if text.is_read:
        yield _bad_lines(reason, start, text.number, is_end=reason == CUT_ROW or text.is_open)
        return
    again = lines_to_read_again(row, text, delimiter, cells, MAX_LINE_BYTES)
    if again is None:
        yield BadRows(reason)
        yield _bad_lines(CUT_ROW, start, text.number, is_end=True)
        return
    text.read_again([line for line in again if line])
    yield _bad_lines(reason, start, text.number, is_end=False)


def _bad_lines(reason: str, first: int, last: int, *, is_end: bool) -> BadRows:
    """Return what is wrong with the rows of some lines. Nothing shows how many rows they were."""
    if first >= last:
        return BadRows(reason, is_end, None if is_end else 1)
    return BadRows(f"{reason}: lines {first} to {last} are set aside", is_end, None)


def _parse_header(line: str, delimiter: str, name: str) -> list[str]:
    if not line.strip():
        error, found = (InvalidOption, "has an empty first line") if line else (EmptyTable, "is empty")
        raise error(f"{quoted(name)} {found}: expected a line with the names of columns")
    if len(line) > _MAX_HEADER_CHARACTERS:
        raise InvalidOption(
            f"{quoted(name)} has an invalid header: it is longer than {_MAX_HEADER_CHARACTERS >> 20} MiB"
        )
    if line.startswith(_UTF_16_MARKS):
        raise InvalidOption(f"{quoted(name)} is encoded as UTF-16: expected UTF-8")
    if "\r" in line.rstrip("\r\n"):
        raise InvalidOption(f"the lines of {quoted(name)} end with carriage returns: expected line feeds")
    try:
        return [column.strip() for column in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error as error:
        raise InvalidOption(f"{quoted(name)} has an invalid header: {error}") from None


def read_lines(stream: BinaryIO, advance: Callable[[int], None]) -> Iterator[bytes]:
    """Yield lines with their ends. A line that is too long is in parts, of which the first is longer than the limit."""
    mark = BYTE_ORDER_MARK
    while line := stream.readline(MAX_LINE_BYTES + 1 + len(mark)):
        advance(len(line))
        yield line.removeprefix(mark)
        mark = b""


def skip_line(line: bytes, lines: Iterator[bytes]) -> bool:
    """Skip the rest of a line that is too long, and return whether it has an end.

    Args: line: Its first part.
    """
    while line and not line.endswith(b"\n"):
        line = next(lines, b"")
    return bool(line)


def read_parquet(
    path: str,
    advance: Callable[[int], None],
    check_header: Callable[[list[str]], None],
    *,
    columns: frozenset[str] | None = None,
) -> Iterator[PlacedRow]:
    """Yield the rows of a Parquet file. Positions are rows, from 1.

    The rows of a row group after damage are counted, and reading continues with the next one.

    Args:
        columns: The columns to load, in lower case, or None for all.
    Raises: MissingExtra: pyarrow is not installed. InvalidOption: A column cannot be used, or `check_header` raises.
    """
    try:
        with parquet_errors(path):
            opened = open_parquet(path)
    except DamagedTable as error:
        # What describes the rows is at the end of the file.
        yield 0, unreadable_table(error)
        return
    with opened as file:
        names = list(file.schema_arrow.names)
        check_header([name.lower() for name in names])
        wanted = [name for name in names if columns is None or name.lower() in columns]
        end = 1
        for group in range(file.num_row_groups):
            position, end = end, end + file.metadata.row_group(group).num_rows
            for cells in _group_cells(file, path, group, wanted, end - position):
                if isinstance(cells, BadRows):
                    yield position, cells
                else:
                    yield position, {name.lower(): value for name, value in zip(wanted, cells, strict=True)}
                    position += 1
            advance(file.metadata.row_group(group).total_byte_size)


def _group_cells(
    file: Any, path: str, group: int, columns: list[str], rows: int
) -> Iterator[tuple[Any, ...] | BadRows]:
    """Yield the cells of each row of a row group, and what is wrong with the rest if the row group is damaged."""
    pyarrow, _ = load_pyarrow()
    read, reason = 0, ""
    for max_rows in (_PARQUET_BATCH_ROWS, _DAMAGED_BATCH_ROWS):
        skipped = read
        try:
            for batch in bounded_batches(file, path, group, max_rows=max_rows, columns=columns):
                left = batch.slice(min(skipped, batch.num_rows))
                skipped -= batch.num_rows - left.num_rows
                for cells in zip(*map(cell_values, left.columns), strict=True):
                    yield cells
                    read += 1
        except (pyarrow.ArrowException, OSError) as error:
            reason = _reason(error)
        else:
            return
    yield damaged_rows(rows - read, reason)


def damaged_rows(lost: int, reason: str) -> BadRows:
    """Return what is wrong with the rest of a row group.

    Args:
        lost: The number of its rows that cannot be read.
        reason: Why.
    """
    rows = f"the last {lost:,} rows" if lost > 1 else "the last row"
    return BadRows(f"{rows} of this row group cannot be read: {reason}", is_end=True, lost=lost)


def unreadable_table(error: DamagedTable) -> BadRows:
    """Return what is wrong with a Parquet file none of whose rows can be read. Their number is unknown."""
    return BadRows(f"not a valid Parquet file: {error.reason}", is_end=True, lost=None)


def open_parquet(path: str, **options: Any) -> Any:
    """Return a `pyarrow.parquet.ParquetFile` that checks the checksums of pages, which some files have.

    Raises: MissingExtra: pyarrow is not installed.
    """
    _, parquet = load_pyarrow()
    return parquet.ParquetFile(path, page_checksum_verification=True, **options)


@contextmanager
def parquet_errors(path: str) -> Iterator[None]:
    """Turn an error about the content of a Parquet file into InvalidOption, or DamagedTable if it is damaged."""
    pyarrow, _ = load_pyarrow()
    try:
        yield
    except pyarrow.ArrowNotImplementedError as error:
        raise InvalidOption(f"{quoted(path)} has a column that pyarrow does not read: {_reason(error)}") from None
    except pyarrow.ArrowMemoryError as error:
        raise InvalidOption(f"there is not enough memory to read {quoted(path)}: {_reason(error)}") from None
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        # pyarrow raises an OSError for some invalid content, without the number of an error of the system.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        damaged = DamagedTable(f"{quoted(path)} is not a valid Parquet file: {_reason(error)}")
        damaged.reason = _reason(error)
        raise damaged from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def cell_values(column: Any) -> list[Any]:
    """Return a column of pyarrow as Python values. A time or date that Python cannot represent is text.

    Times are in UTC, with microseconds, and maps are dictionaries. Bytes in text that are not UTF-8 are surrogates.
    """
    pyarrow, _ = load_pyarrow()
    kind = column.type
    if pyarrow.types.is_timestamp(kind):
        # Python has no nanoseconds, and the database of time zones is not always there.
        unit = "us" if kind.unit == "ns" else kind.unit
        column = column.cast(pyarrow.timestamp(unit, None if kind.tz is None else "UTC"), safe=False)
    with catch_warnings():
        # The last value of a repeated key counts, of which pyarrow warns.
        simplefilter("ignore")
        try:
            values: list[Any] = column.to_pylist(maps_as_pydicts="lossy")
        except (ValueError, OverflowError):
            return [_cell_value(cell) for cell in column]
    return values


def _cell_value(cell: Any) -> Any:
    try:
        return cell.as_py(maps_as_pydicts="lossy")
    except UnicodeDecodeError:
        # Some programs write text in other encodings.
        buffer = getattr(cell, "as_buffer", None)
        return str(cell.type) if buffer is None else buffer().to_pybytes().decode("utf-8", "surrogateescape")
    except (ValueError, OverflowError):
        return f"{cell.value} as {cell.type}"


def load_pyarrow() -> tuple[Any, Any]:
    """Return the modules `pyarrow` and `pyarrow.parquet`.

    Raises: MissingExtra: pyarrow is not installed.
    """
    try:
        import pyarrow  # noqa: ICN001, PLC0415 - optional
        import pyarrow.parquet  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtra("Parquet requires pyarrow: pip install 'canfetch[bulk]'") from None
    return pyarrow, pyarrow.parquet
