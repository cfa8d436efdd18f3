"""The values of columns, for code in Python: read by pyarrow, or natively if the native engine is installed."""

from math import isnan
from typing import Any, Final

from canfetch.bulk.arguments import is_arrow, is_whole
from canfetch.bulk.extras import import_pyarrow
from canfetch.core.engines import native_attribute, native_module
from canfetch.core.text import encode_text
from canfetch.errors import InvalidColumn, MissingExtra

Value = bytes | int | None
TEXTS: Final = "text or bytes"
IDS: Final = "integers, text or bytes"


def read_values(column: Any) -> list[Value]:
    """As `column_values`, with the native engine if it is installed, which needs no pyarrow."""
    if native_module() is None or not is_arrow(column):
        return column_values(column)
    values: list[Value] = native_attribute("read_values")(column)
    return values


def column_values(column: Any, expected: str = TEXTS) -> list[Value]:
    """Return the rows of a column of text, bytes or integers. Text is encoded.

    Args:
        column: Arrow data, a list or a single value, as `as_column` returns it.
        expected: The accepted types, for messages.
    Raises: InvalidColumn; MissingExtra: the column is Arrow data, and pyarrow is not installed; TypeError.
    Cost: O(bytes).
    """
    if is_arrow(column):
        return _arrow_values(column, expected)
    values = column if isinstance(column, list) else [column]
    kinds = {int if isinstance(value, int) else bytes for value in values if value is not None}
    for value in values:
        if not (value is None or isinstance(value, str | bytes | int)) or len(kinds) > 1:
            raise TypeError(
                f"invalid value of type {type(value).__name__} in a column: expected str or bytes, or only int"
            )
    return [encode_text(value) if isinstance(value, str) else value for value in values]


def _arrow_values(column: Any, expected: str) -> list[Value]:
    pa = import_pyarrow("to read Arrow data with the Python engine")
    try:
        if hasattr(column, "__arrow_c_stream__"):
            chunked = pa.chunked_array(column)
        else:
            chunked = pa.chunked_array([pa.array(column)])
        return [value for chunk in chunked.chunks for value in _chunk_values(pa, chunk, expected)]
    # A library may have to convert its values first.
    except (pa.ArrowException, UnicodeError) as error:
        raise InvalidColumn(f"invalid Arrow data: {error}") from error


class ArrowTable:
    """A table of Arrow data, as pyarrow reads it.

    Raises: InvalidColumn: the data is invalid; MissingExtra: pyarrow is not installed.
    """

    def __init__(self, table: Any) -> None:
        pa = import_pyarrow("to read Arrow data with the Python engine")
        try:
            self._table = pa.table(table if hasattr(table, "__arrow_c_stream__") else pa.record_batch(table))
        except (pa.ArrowException, UnicodeError) as error:
            raise InvalidColumn(f"invalid Arrow data: {error}") from error

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        names: list[str] = self._table.column_names
        return names

    def column(self, name: str) -> Any:
        """Return a column.

        Raises: InvalidColumn: the table does not have exactly one with this name.
        """
        count = self.names.count(name)
        if not count:
            columns = ", ".join(self.names)
            raise InvalidColumn(f"invalid Arrow data: a table without the column {name!r}; its columns are {columns}")
        if count > 1:
            raise InvalidColumn(f"invalid Arrow data: a table with two columns {name!r}")
        return self._table.column(name)

    def values(self, name: str, expected: str = IDS) -> list[Value]:
        """Return the rows of a column of text, bytes or whole numbers. Text is encoded.

        Raises: InvalidColumn: As `column`, or the column has another type.
        """
        return column_values(self.column(name), expected)


def has_text_type(table: Any, name: str) -> bool:
    """Return whether the type of a column is text or bytes, which the rows of an empty table do not show.

    Without pyarrow, or if the table can be exported only once, the type is unknown, and the result is False.
    """
    try:
        pa = import_pyarrow("to read the type of a column")
    except MissingExtra:
        return False
    try:
        if hasattr(table, "__arrow_c_stream__"):
            schema = pa.RecordBatchReader.from_stream(table).schema
        else:
            schema = pa.record_batch(table).schema
    except (pa.ArrowException, ValueError):
        return False
    type_ = schema.field(name).type
    type_ = type_.storage_type if isinstance(type_, pa.BaseExtensionType) else type_
    return is_text(pa, type_.value_type if pa.types.is_dictionary(type_) else type_)


def is_text(pa: Any, type_: Any) -> bool:
    """Return whether a type of pyarrow is text or bytes, in any layout."""
    types = pa.types
    of_text = (types.is_string, types.is_large_string, types.is_string_view)
    of_bytes = (types.is_binary, types.is_large_binary, types.is_binary_view)
    return any(is_type(type_) for is_type in (*of_text, *of_bytes))


def _chunk_values(pa: Any, chunk: Any, expected: str) -> list[Value]:
    if pa.types.is_struct(chunk.type) and chunk.type.num_fields == 1:
        # Unlike `field`, this returns null in the null rows of the struct.
        chunk = chunk.flatten()[0]
    chunk = _storage(pa, chunk)
    if not pa.types.is_dictionary(chunk.type):
        return _plain_values(pa, chunk, expected)
    # The values are converted once, and rows share them.
    values = _plain_values(pa, _storage(pa, chunk.dictionary), expected)
    return [None if key is None else _value_at(values, key) for key in chunk.indices.to_pylist()]


def _storage(pa: Any, chunk: Any) -> Any:
    """Return the text of an extension type such as JSON."""
    return chunk.storage if isinstance(chunk.type, pa.BaseExtensionType) else chunk


def _value_at(values: list[Value], key: int) -> Value:
    if not 0 <= key < len(values):
        raise InvalidColumn("invalid Arrow data: a key that is not in the dictionary")
    return values[key]


def _plain_values(pa: Any, chunk: Any, expected: str) -> list[Value]:
    types = pa.types
    if types.is_integer(chunk.type):
        return _plain(chunk)
    if types.is_null(chunk.type):
        return [None] * len(chunk)
    if types.is_float32(chunk.type) or types.is_float64(chunk.type):
        numbers = _whole_numbers(chunk, accepts=expected == IDS)
        if numbers is not None:
            return numbers
    if not is_text(pa, chunk.type):
        found = f"a column of type {chunk.type}: expected {expected}, or a dictionary of them"
        raise InvalidColumn(f"invalid Arrow data: {found}")
    # As bytes, because Arrow data may claim to be UTF-8 without being it.
    return _plain(chunk.cast(pa.large_binary()))


def _whole_numbers(chunk: Any, *, accepts: bool) -> list[Value] | None:
    """Return the nulls and whole numbers of a column of floating-point numbers.

    pandas has such columns in place of columns without a value, and of integers with gaps. If `accepts` is false, the
    result for a column with a number is None.

    Raises: InvalidColumn: A number is not whole, or too large to be exact.
    """
    found: list[Value] = []
    for number in chunk.to_pylist():
        if number is None or isnan(number):
            found.append(None)
        elif not accepts:
            return None
        elif is_whole(number):
            found.append(int(number))
        else:
            raise InvalidColumn(
                f"invalid Arrow data: an ID {number} in a column of type {chunk.type}: expected integers below 2^53; "
                "use a type of integers that can be null, such as Int64 of pandas"
            )
    return found


def _plain(chunk: Any) -> list[Value]:
    values: list[Value] = chunk.to_pylist()
    return values
