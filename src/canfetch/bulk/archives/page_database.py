"""The URLs of lists and the decisions about them in DuckDB, which sorts them on disk if they do not fit into memory."""

import re
from collections.abc import Iterator, Sequence
from glob import escape
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from canfetch.bulk.archives.work_database import WorkDatabase
from canfetch.bulk.duckdb import quoted_name
from canfetch.bulk.reading.row_files import cell_values
from canfetch.bulk.reading.times import time_or_nan
from canfetch.bulk.writing.columns import Row
from canfetch.core.urls import url_bytes

_PAGE_SCHEMA: Final = pa.schema({"number": pa.int64(), "url": pa.binary(), "time": pa.float64(), "site": pa.string()})
_DECISION_SCHEMA: Final = pa.schema(
    {
        "number": pa.int64(),
        "agent": pa.int32(),
        "allowed": pa.bool_(),
        "reason": pa.string(),
        "line": pa.int64(),
        "rule": pa.string(),
    }
)
_USE_FIELDS: Final = {
    "use": pa.string(),
    "use_kind": pa.string(),
    "use_line": pa.int64(),
    "use_text": pa.string(),
    "use_token": pa.string(),
    "robots_time": pa.float64(),
    "robots_url": pa.string(),
    "robots_truncated": pa.bool_(),
    "robots_detail": pa.string(),
    "use_group": pa.string(),
    "use_unread": pa.string(),
    "use_source": pa.string(),
    "use_place": pa.string(),
    "use_url": pa.string(),
    "use_time": pa.float64(),
    "use_standard": pa.string(),
    "use_rule": pa.string(),
    "use_read": pa.string(),
    "use_note": pa.string(),
}
# A URL whose origin and validity depend only on its first part, the site.
_PLAIN_URL: Final = r"(https?://[a-z0-9.:-]+)/[!-~]*"
_plain_url: Final = re.compile(_PLAIN_URL.encode())


class PageDatabase(WorkDatabase):
    """URLs and their times, in the order in which they were added, and the decisions about them.

    Args:
        folder: An empty folder for the file of DuckDB.
        threads: The number of threads of DuckDB.
        with_use: Whether the decisions have the cells of `USE_COLUMNS`.
    """

    def __init__(self, folder: Path, *, threads: int, with_use: bool = False) -> None:
        fields = [*_DECISION_SCHEMA, *(pa.schema(_USE_FIELDS) if with_use else ())]
        self._decisions = pa.schema(fields)
        super().__init__(folder, {"pages": _PAGE_SCHEMA, "decisions": self._decisions}, threads=threads)
        self.count = 0

    def add(self, urls: Sequence[Any], times: Sequence[Any]) -> None:
        """Add URLs with their times. A URL that is neither text nor bytes is invalid."""
        encoded = [url_bytes(url) if isinstance(url, str | bytes) else None for url in urls]
        sites = [None if url is None else _plain_url.fullmatch(url) for url in encoded]
        first = self.count
        self.count += len(encoded)
        columns: list[Sequence[Any]] = [
            list(range(first, self.count)),
            encoded,
            [time_or_nan(time) for time in times],
            [None if match is None else match[1].decode("ascii") for match in sites],
        ]
        self.insert("pages", _table(columns, _PAGE_SCHEMA))

    def add_parquet(self, path: str, url: int, time: int | None) -> None:
        """Add the URLs of a Parquet file.

        Args: url, time: The positions of the columns.
        """
        source = "read_parquet(?, file_row_number = true)"
        # Otherwise, a `*` in the path matches other files.
        parameters = [escape(path)]
        described = self.connection.execute(f"describe select * from {source}", parameters).fetchall()  # noqa: S608
        kind = described[url][1]
        name = quoted_name(described[url][0]) if kind in {"VARCHAR", "BLOB"} else "null::varchar"
        if time is not None or kind == "BLOB":
            moment = "null" if time is None else quoted_name(described[time][0])
            query = f"select {name} as url, {moment} as time from {source} order by file_row_number"  # noqa: S608
            for batch in self.read(query, parameters):
                self.add(batch.column("url").to_pylist(), cell_values(batch.column("time")))
            return
        site = f"regexp_extract({name}, '^{_PLAIN_URL}$', 1)"
        (added,) = self.connection.execute(
            f"insert into pages select {self.count} + file_row_number, encode({name}), null, {site} "  # noqa: S608
            f"from {source}",
            parameters,
        ).fetchone()
        self.count += added

    def add_decisions(self, decisions: Sequence[Row]) -> None:
        """Add rows of the table of decisions."""
        columns = list(zip(*decisions, strict=True)) or [()] * len(self._decisions)
        self.insert("decisions", _table(columns, self._decisions))

    def add_decided(self, numbers: Sequence[int], agent: int, decided: pa.Table) -> None:
        """Add the decisions of the kernel about the pages with these numbers."""
        added = decided.append_column("number", pa.array(numbers, pa.int64()))
        self.insert("decisions", added.append_column("agent", pa.repeat(pa.scalar(agent), len(numbers))))

    def sorted_pages(self) -> Iterator[pa.RecordBatch]:
        """Yield batches of pages, sorted by site and time."""
        return self.read("select * from pages order by site, time", [])

    def sorted_decisions(self) -> Iterator[Row]:
        """Yield the decisions without the numbers of the pages, in the order of the pages and agents."""
        for batch in self.read("select * exclude number from decisions order by number, agent", []):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _table(columns: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)
