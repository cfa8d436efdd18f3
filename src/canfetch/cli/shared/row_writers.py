"""Writers of JSON, NDJSON and CSV. Each row is written before the next is computed."""

import sys
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from canfetch.cli.shared.terminal import printable

Row = TypeVar("Row")
Row_contra = TypeVar("Row_contra", contravariant=True)
Cells = list[str | int | None]


class RowWriter(Protocol[Row_contra]):
    """Writes rows to standard output."""

    def write(self, row: Row_contra, /) -> None:
        """Write one row."""

    def end(self) -> None:
        """Write what follows the last row."""


class JsonWriter:
    """Writes objects as a JSON list, or one object per line."""

    __slots__ = ("_encode", "_lines", "_started")

    def __init__(self, *, lines: bool) -> None:
        import json  # noqa: PLC0415 - not needed for text

        self._encode: Callable[[Any], str] = json.JSONEncoder().encode
        self._lines = lines
        self._started = False

    def write(self, row: dict[str, Any]) -> None:
        """Write one object."""
        before = "" if self._lines else ",\n" if self._started else "[\n"
        after = "\n" if self._lines else ""
        self._started = True
        sys.stdout.write(f"{before}{self._encode(row)}{after}")

    def end(self) -> None:
        """Close the list."""
        if not self._lines:
            sys.stdout.write("\n]\n" if self._started else "[]\n")


def json_writer(format: str) -> JsonWriter | None:  # noqa: A002 - the option's name
    """Return the writer of `--format json` or `--format ndjson`, or None for text."""
    return None if format == "text" else JsonWriter(lines=format == "ndjson")


class CsvWriter:
    """Writes a header and rows. Control characters become escapes, so that every row is one line."""

    __slots__ = ("_header", "_rows")

    def __init__(self, header: Iterable[str]) -> None:
        import csv  # noqa: PLC0415 - not needed for text

        self._rows = csv.writer(sys.stdout, lineterminator="\n")
        self._header: Iterable[str] | None = header

    def write(self, row: Cells) -> None:
        """Write one row. The header precedes the first row, so a run that fails at once writes nothing."""
        if self._header is not None:
            self._rows.writerow(self._header)
            self._header = None
        if not "".join([cell for cell in row if isinstance(cell, str)]).isprintable():
            row = [printable(cell) if isinstance(cell, str) else cell for cell in row]
        self._rows.writerow(row)

    def end(self) -> None:
        """Do nothing: CSV has no footer."""


def write_rows(rows: Iterable[Row], writer: RowWriter[Row]) -> None:
    """Write rows as they are computed, then the end."""
    for row in rows:
        writer.write(row)
    writer.end()
