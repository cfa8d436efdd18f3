"""The columns of a table, and the forms of their values in each format."""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import isfinite
from typing import Any, Final, NamedTuple

from canfetch.core.text import encode_text, portable_text
from canfetch.core.times import rfc3339

Row = tuple[Any, ...]

_BASE64_SUFFIX: Final = "_base64"
# Text of more characters in JSON is written in base64, so that a row of up to three contents, two of them in JSON in
# JSON, is not too long to be read. This is a little more than the largest content in base64.
_MAX_JSON: Final = 1_400_000
_DATA_URL: Final = "data:;base64,"
_PLAIN_TYPES: Final = frozenset([str, bool, int, type(None)])
_CSV_TYPES: Final = frozenset([str, int, type(None)])


class ColumnType(StrEnum):
    """The type of a column. Every column can be null."""

    TEXT = "text"
    BYTES = "bytes"  # in NDJSON and CSV: text, or else base64 in a second column
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"  # seconds since the epoch; RFC 3339 in NDJSON and CSV
    ANY = "any"  # a value of another table; in Parquet: text, or else JSON


class Column(NamedTuple):
    """A column: its name, its type, and what it contains."""

    name: str
    type: ColumnType
    summary: str = ""


class Schema(NamedTuple):
    """A table's columns, and its name with a version. Within one version, columns are added but never changed."""

    name: str
    columns: tuple[Column, ...]

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The names of the columns in NDJSON and CSV."""
        names: list[str] = []
        for column in self.columns:
            names.append(column.name)
            if column.type is ColumnType.BYTES:
                names.append(f"{column.name}{_BASE64_SUFFIX}")
        return tuple(names)

    def text_cells(self, row: Row, *, escapes_bytes: bool = False) -> list[Any]:
        """Return a row as values of JSON, for `text_columns`.

        Args: escapes_bytes: Whether text of another table keeps its bytes that are not UTF-8, as surrogates.
        """
        cells: list[Any] = []
        for column, value in zip(self.columns, row, strict=True):
            if column.type is ColumnType.BYTES:
                cells.extend(bytes_cells(value))
            else:
                cells.append(_text_cell(column.type, value, escapes_bytes=escapes_bytes))
        return cells

    def text_rows(self, columns: Iterable[Sequence[Any]], *, escapes_bytes: bool = False) -> Iterable[Sequence[Any]]:
        """Return the rows of columns as `text_cells` does. Values that need no conversion are not converted one by one.

        Args: columns: Those of the schema, which has no bytes.
        """
        cells: list[Sequence[Any]] = [
            values
            if _are_text_cells(column.type, values, escapes_bytes=escapes_bytes)
            else [_text_cell(column.type, value, escapes_bytes=escapes_bytes) for value in values]
            for column, values in zip(self.columns, columns, strict=True)
        ]
        return zip(*cells, strict=True)


def _text_cell(kind: ColumnType, value: Any, *, escapes_bytes: bool) -> Any:
    if kind is ColumnType.TIME:
        return None if value is None else rfc3339(value)
    if kind is ColumnType.ANY:
        return escaped_text(value) if escapes_bytes and isinstance(value, str) else plain_value(value)
    return portable_text(value) if isinstance(value, str) else value


def _are_text_cells(kind: ColumnType, values: Sequence[Any], *, escapes_bytes: bool) -> bool:
    """Return whether `_text_cell` certainly returns each of these values as it is."""
    kinds = set(map(type, values))
    if kind is ColumnType.TIME or not kinds <= _PLAIN_TYPES:
        return False
    if str not in kinds:
        return True
    text = "".join([value for value in values if type(value) is str])
    is_any = kind is ColumnType.ANY
    try:
        text.encode(errors="surrogateescape" if is_any and escapes_bytes else "strict")
    except UnicodeEncodeError:
        return False
    return not is_any or escapes_bytes or _DATA_URL not in text


def bytes_cells(value: bytes | None) -> tuple[str | None, str | None]:
    """Return bytes as text, or in base64 if they are not UTF-8 or have very many characters that JSON escapes."""
    if value is None:
        return None, None
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = None
    # An escape has at most six characters.
    if text is None or (len(value) * 6 > _MAX_JSON and len(json.dumps(text, ensure_ascii=False)) > _MAX_JSON):
        return None, b64encode(value).decode("ascii")
    return text, None


def plain_value(value: Any) -> Any:
    """Return a cell of another table as a value of JSON.

    Bytes and text that are not UTF-8 are data URLs with base64, as in `data:;base64,/wA=`, and so are bytes with a NUL.
    What looks like such a URL is encoded again, so that the original bytes can be restored.
    """
    if isinstance(value, float):
        # JSON has neither NaN nor infinity.
        return value if isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, bytes):
        return _bytes_text(value)
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    if isinstance(value, dict):
        return {_key(plain_value(key)): plain_value(item) for key, item in value.items()}
    isoformat = getattr(value, "isoformat", None)
    return str(value) if isoformat is None else isoformat()


def plain_text(text: str) -> str:
    """Return text of another table as text of JSON: see `plain_value`."""
    if not text.startswith(_DATA_URL):
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _data_url(encode_text(text))


def escaped_text(text: str) -> str:
    """Return text of another table for a file of any bytes, with surrogates for those that are not UTF-8."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # JSON can contain other surrogates, which are not bytes.
        return plain_text(text)
    return text


def _bytes_text(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return _data_url(value)
    return _data_url(value) if text.startswith(_DATA_URL) or "\0" in text else text


def _data_url(value: bytes) -> str:
    return f"{_DATA_URL}{b64encode(value).decode('ascii')}"


def _key(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def csv_cell(value: Any) -> Any:
    """Return a value of JSON as a cell of CSV."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    return json.dumps(value) if isinstance(value, list | dict) else value


def csv_cells(values: Sequence[Any]) -> Sequence[Any]:
    """Return values of JSON as `csv_cell` does."""
    return values if set(map(type, values)) <= _CSV_TYPES else list(map(csv_cell, values))
