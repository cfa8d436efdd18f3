"""Columns of cells: sequences of Python values, or arrays of pyarrow, with which whole columns are written at once."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from typing import Any, Final

from canfetch.bulk.extras import import_extra, import_pyarrow
from canfetch.errors import MissingExtra

Cells = Any
"""A sequence of values, or an array of pyarrow."""

_TYPES: Final = {str: "string", bool: "bool", int: "int64"}
_NONE: Final = type(None)
# The text of arrays that are repeated, which lists would only refer to.
_MAX_BYTES: Final = 1 << 26
_QUOTED: Final = '[",\r\n]'


def is_array(cells: Cells) -> bool:
    """Return whether cells are an array of pyarrow."""
    return hasattr(cells, "to_pylist")


def is_text(cells: Cells) -> bool:
    """Return whether cells are an array of text."""
    return is_array(cells) and str(cells.type) == "string"


def as_arrays(columns: Sequence[Sequence[Any]], *, copies: int) -> list[Cells]:
    """Return columns as arrays where their values are the same again as Python values, and pyarrow is installed.

    Args: copies: How often each row will be repeated.
    """
    try:
        pa = import_pyarrow("for columns")
    except MissingExtra:
        return list(columns)
    arrays = [_as_array(pa, cells) for cells in columns]
    size = sum(array.nbytes for array in arrays if is_array(array))
    return arrays if size * copies <= _MAX_BYTES else list(columns)


def _as_array(pa: Any, cells: Sequence[Any]) -> Cells:
    kinds = set(map(type, cells)) - {_NONE}
    kind = _TYPES.get(kinds.pop() if kinds else str)
    if kinds or kind is None:
        return cells
    try:
        return pa.array(cells, kind)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError):
        # Bytes that are not UTF-8 are surrogates.
        return cells


def plain_cells(cells: Cells) -> Sequence[Any]:
    """Return cells as Python values."""
    values: Sequence[Any] = cells.to_pylist() if is_array(cells) else cells
    return values


def repeated(cells: Cells, count: int) -> Cells:
    """Return each cell several times."""
    if count == 1:
        return cells
    if is_array(cells):
        return _without_views(cells).take(_rows(len(cells), count))
    return [cell for cell in cells for _ in range(count)]


@lru_cache(maxsize=1)
def _rows(rows: int, count: int) -> Any:
    return import_pyarrow("for columns").array(repeated(range(rows), count), "int64")


def kept(cells: Cells, mask: Sequence[bool | None]) -> Cells:
    """Return the cells of the rows whose mask is true."""
    if is_array(cells):
        return _without_views(cells).filter(import_pyarrow("for columns").array(mask, "bool"))
    return list(compress(cells, mask))


def _without_views(cells: Cells) -> Cells:
    """Return an array of views of text or bytes as one of text or bytes: pyarrow selects no rows of views."""
    kind = str(cells.type)
    return cells.cast(kind.removesuffix("_view")) if kind in {"string_view", "binary_view"} else cells


def columns_of(rows: Sequence[Sequence[Any]], count: int) -> list[Cells]:
    """Return rows as columns, of which there are `count`."""
    return list(zip(*rows, strict=True)) or [()] * count


def csv_lines(columns: Sequence[Cells]) -> bytes:
    """Return the lines of arrays of text, integers and booleans, quoted as the module `csv` does."""
    compute = import_extra("pyarrow.compute", "arrow", "for columns")
    *cells, last = (_csv_cells(compute, column) for column in columns)
    # Joins the last cell and an empty one with the end of the line.
    ended = compute.binary_join_element_wise(last.fill_null(""), "", "\n")
    lines = compute.binary_join_element_wise(*cells, ended, ",", null_handling="replace", null_replacement="")
    size = compute.sum(compute.binary_length(lines)).as_py()
    # A buffer may be longer than its text.
    data: bytes = lines.buffers()[2].slice(0, size).to_pybytes() if size else b""
    return data


def _csv_cells(compute: Any, column: Any) -> Any:
    if not is_text(column):
        return column.cast("string")
    is_quoted = compute.match_substring_regex(column, _QUOTED)
    if not compute.any(is_quoted).as_py():
        return column
    doubled = compute.replace_substring(column, '"', '""')
    return compute.if_else(is_quoted, compute.binary_join_element_wise('"', doubled, '"', ""), column)
