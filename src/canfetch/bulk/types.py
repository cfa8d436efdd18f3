"""The types of columns, in a form that the native module and pyarrow understand."""

from typing import Any, Final

from canfetch.bulk.extras import import_pyarrow

ColumnType = str | tuple[str, Any]
"""`bool`, `int32`, `int64`, `float64` or `text`, or `("list", type)`, or `("struct", ((name, type), ...))`.

The rows of a struct are tuples.
"""

BOOL: Final = "bool"
INT32: Final = "int32"
INT64: Final = "int64"
FLOAT64: Final = "float64"
TEXT: Final = "text"


def list_of(items: ColumnType) -> ColumnType:
    """Return the type of lists."""
    return ("list", items)


def struct_of(**fields: ColumnType) -> ColumnType:
    """Return the type of structs with these fields."""
    return ("struct", tuple(fields.items()))


DECISION: Final = struct_of(allowed=BOOL, reason=TEXT, line=INT32, rule=TEXT, specificity=INT32)
USAGE: Final = struct_of(
    preference=TEXT, reason=TEXT, allowed=BOOL, lines=list_of(INT32), explanation=TEXT, kind=TEXT, line=INT32
)
USE: Final = struct_of(
    use=TEXT, kind=TEXT, line=INT32, explanation=TEXT, token=TEXT, standard=TEXT, rule=TEXT, unread=TEXT, note=TEXT
)


def arrow_type(type_: ColumnType) -> Any:
    """Return the type of pyarrow.

    Raises: MissingExtra: pyarrow is not installed.
    """
    pa = import_pyarrow("for Arrow types")
    if isinstance(type_, str):
        return {
            BOOL: pa.bool_,
            INT32: pa.int32,
            INT64: pa.int64,
            FLOAT64: pa.float64,
            TEXT: pa.string,
        }[type_]()
    kind, inner = type_
    if kind == "list":
        return pa.list_(arrow_type(inner))
    return pa.struct([pa.field(name, arrow_type(field)) for name, field in inner])


def plain_row(type_: ColumnType, row: Any) -> Any:
    """Return a row as plain values: tuples of a struct become dicts."""
    if row is None or isinstance(type_, str):
        return row
    kind, inner = type_
    if kind == "list":
        return [plain_row(inner, item) for item in row]
    return {name: plain_row(field, item) for (name, field), item in zip(inner, row, strict=True)}
