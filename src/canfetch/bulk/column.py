"""The column that all functions return."""

from collections.abc import Iterator
from typing import Any, NoReturn, Protocol

from canfetch.bulk.extras import import_pyarrow
from canfetch.bulk.types import ColumnType, arrow_type, plain_row
from canfetch.core.engines import native_attribute, native_module


class ColumnSource(Protocol):
    """A column of an engine: Arrow data of the native engine, or values of the Python engine."""

    def __len__(self) -> int: ...

    def to_pylist(self) -> list[Any]:
        """Return the rows as plain values."""

    def __arrow_c_schema__(self) -> object: ...

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class ArrowColumn:
    """An array of pyarrow, as a column of an engine."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def to_pylist(self) -> list[Any]:
        """Return the rows as plain values."""
        rows: list[Any] = self._array.to_pylist()
        return rows

    def __arrow_c_schema__(self) -> object:
        return self._array.type.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        capsules: tuple[object, object] = self._array.__arrow_c_array__(requested_schema)
        return capsules

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return import_pyarrow("to export Arrow data").chunked_array([self._array]).__arrow_c_stream__(requested_schema)


class ValueColumn:
    """The values of a column, which pyarrow converts to Arrow data when another library reads it."""

    __slots__ = ("_type", "_values")

    def __init__(self, type_: ColumnType, values: list[Any]) -> None:
        self._type = type_
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def to_pylist(self) -> list[Any]:
        """Return the rows as plain values."""
        return [plain_row(self._type, value) for value in self._values]

    def _to_arrow(self) -> ArrowColumn:
        pa = import_pyarrow("to read the results of the Python engine as Arrow data")
        return ArrowColumn(pa.array(self.to_pylist(), type=arrow_type(self._type)))

    def __arrow_c_schema__(self) -> object:
        return self._to_arrow().__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._to_arrow().__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._to_arrow().__arrow_c_stream__(requested_schema)


class Column:
    """A column of results. Libraries with the Arrow PyCapsule interface read it without a copy, any number of times.

    For example `pa.array(column)`, `pl.Series(column)` and `pd.Series.from_arrow(column)`. A column of structs is also
    a table: `pa.table(column)`, `pl.DataFrame(column)`.
    """

    __slots__ = ("_source",)

    def __init__(self, source: ColumnSource) -> None:
        self._source = source

    def __len__(self) -> int:
        return len(self._source)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_pylist())

    def to_pylist(self) -> list[Any]:
        """Return the rows as plain values: `bool`, `int`, `float`, `str`, `list`, `dict` or None.

        Cost: O(rows).
        """
        return self._source.to_pylist()

    def to_pyarrow(self) -> Any:
        """Return the column as a `pyarrow.Array`, without a copy in the native engine.

        Raises: MissingExtra: pyarrow is not installed.
        """
        return import_pyarrow("for to_pyarrow()").array(self)

    def __arrow_c_schema__(self) -> object:
        return self._source.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._source.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._source.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Column cannot be pickled: pass column.to_pyarrow() or column.to_pylist() to other processes")

    def __repr__(self) -> str:
        return f"<Column of {len(self)} rows>"


def build_column(type_: ColumnType, values: list[Any]) -> ColumnSource:
    """Return values as Arrow data of the native engine, or else as values."""
    if native_module() is None:
        return ValueColumn(type_, values)
    column: ColumnSource = native_attribute("build_column")(type_, values)
    return column
