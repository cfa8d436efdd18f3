"""Decisions about lists of URLs that DuckDB sorts by origin, so that each robots.txt is loaded and compiled once.

    lists -> pages, sorted by origin and time -> captures -> kernel -> decisions, sorted by row -> parts

DuckDB sorts on disk what does not fit into memory, and reads Parquet files. Other lists are read as by the other
engines, so that the same rows are set aside.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from canfetch.access.policies import get_policy
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.captured_uses import CapturedUses
from canfetch.bulk.archives.decisions import INVALID_URL, Decision, FileDecisions
from canfetch.bulk.archives.filter_lists import FilterOptions, URLList, decide_by_file, list_tasks
from canfetch.bulk.archives.filter_parts import FilterPart
from canfetch.bulk.archives.ruled_pages import RuledPages
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.archives.work_database import WorkDatabase, database_folder
from canfetch.bulk.duckdb import quoted_name
from canfetch.bulk.reading.row_files import cell_values
from canfetch.bulk.reading.times import time_or_nan
from canfetch.bulk.writing.cells import Cells, columns_of
from canfetch.bulk.writing.columns import Column, Row
from canfetch.core.urls import url_bytes
from canfetch.errors import InvalidOption

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
    "use_until": pa.float64(),
    "use_others": pa.string(),
}
# A URL whose origin and validity depend only on its first part, the site.
_PLAIN_URL: Final = r"(https?://[a-z0-9.:-]+)/[!-~]*"
_plain_url: Final = re.compile(_PLAIN_URL.encode())


class PageDatabase(WorkDatabase):
    """URLs and their times, in the order in which they were added, and the decisions about them.

    Args:
        folder: An empty folder for the file of DuckDB.
        threads: The number of threads of DuckDB.
        use_columns: The columns about the use.
    """

    def __init__(self, folder: Path, *, threads: int, use_columns: Sequence[Column] = ()) -> None:
        fields = [pa.field(column.name, _USE_FIELDS[column.name]) for column in use_columns]
        self._decisions = pa.schema([*_DECISION_SCHEMA, *fields])
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


_INVALID: Final = Decision(None, INVALID_URL)


@contextmanager
def sorted_decisions(
    written: FilterPart, lists: Sequence[URLList], *, threads: int, advance: Callable[[int], None]
) -> Iterator["DecidedRows"]:
    """Decide all URLs of lists, and provide the decisions in the order of the URLs.

    Args:
        written: The captures, the options, and the folder in which DuckDB has its file until the end.
        lists: The lists. Rows that are set aside are not reported.
        threads: The number of threads of DuckDB.
        advance: Called with the number of bytes of the lists that are decided.
    Raises: StoreError: DuckDB cannot read a list or write its file.
    """
    with (
        database_folder(written.parts.folder) as folder,
        closing(PageDatabase(folder, threads=threads, use_columns=written.options.use_columns)) as pages,
    ):
        _add_lists(pages, lists, written.options)
        size = sum(os.path.getsize(urls.name) for urls in lists)  # noqa: PTH202 - a name as typed
        decided = 0
        with CaptureStore(written.store, read_only=True) as store:
            decider = _PageDecider(pages, store, written.options)
            for batch in pages.sorted_pages():
                decider.decide(batch)
                before, decided = decided, decided + batch.num_rows
                advance(size * decided // pages.count - size * before // pages.count)
        yield DecidedRows(pages.sorted_decisions(), written.options)


class DecidedRows:
    """The decisions about the URLs of lists, in their order.

    Args:
        rows: The number of the agent, and the cells of the other columns of the options.
        options: The agents.
    """

    def __init__(self, rows: Iterator[Row], options: FilterOptions) -> None:
        self._rows = rows
        self._options = options

    def take(self, urls: Cells, times: Sequence[Any]) -> list[Cells]:  # noqa: ARG002 - the parameters of `Decide`
        """Return the columns of `FilterOptions.columns` for each of the next URLs and each agent.

        Raises: InvalidOption: A list has more rows than before.
        """
        wanted = len(urls) * len(self._options.agents)
        rows = list(islice(self._rows, wanted))
        if len(rows) < wanted:
            raise InvalidOption("a list of URLs was changed while it was read: run the command again with --restart")
        cells = [self._options.cells(row[0], row[1:]) for row in rows]
        return columns_of(cells, len(self._options.columns))

    def skip(self, count: int) -> None:
        """Leave out rows, of which there is one for each URL and agent."""
        for _ in islice(self._rows, count):
            pass


def _add_lists(pages: PageDatabase, lists: Sequence[URLList], options: FilterOptions) -> None:
    for urls in lists:
        if urls.format == "parquet":
            names = [column.name for column in urls.columns]
            time = None if options.time_column is None else names.index(options.time_column)
            pages.add_parquet(urls.name, names.index(options.url_column), time)
            continue
        for task in list_tasks([urls], options, lambda _: None, lambda _: None):
            times = [None if options.time_column is None else row.get(options.time_column) for row in task.rows]
            pages.add([row.get(options.url_column) for row in task.rows], times)


class _PageDecider:
    """Decides pages that are sorted by site and time. The kernel decides those that have rules, many in a call."""

    def __init__(self, pages: PageDatabase, store: CaptureStore, options: FilterOptions) -> None:
        self._pages = pages
        self._options = options
        self._decisions = URLDecisions(
            store, policy=get_policy(options.policy), profile=options.profile, missing=options.missing
        )
        self._uses = CapturedUses(store.pages, self._decisions)

    def decide(self, batch: pa.RecordBatch) -> None:
        """Decide the pages of a batch, and add the decisions to the database."""
        others: list[Row] = []
        ruled = RuledPages(self._options)
        place: tuple[str, float | None] | None = None
        file: FileDecisions | Decision = _INVALID
        until: float | None = None
        for number, url, time, site in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if not site or place != (site, time):
                place, file = (site, time), self._decisions.find(f"{site}/" if site else url, time)
                until = self._options.until(self._decisions, url, time, file)
            verdicts = self._options.use_verdicts(self._uses, url, time, file)
            if verdicts is None and isinstance(file, FileDecisions) and file.rules is not None:
                ruled.add(number, url, file, file.rules, until)
                if ruled.is_full:
                    self._decide_by_rules(ruled)
                    ruled = RuledPages(self._options)
                continue
            cells = decide_by_file(file, url, self._options, verdicts, until)
            others.extend((number, index, *decided) for index, decided in enumerate(cells))
        self._decide_by_rules(ruled)
        self._pages.add_decisions(others)

    def _decide_by_rules(self, pages: RuledPages) -> None:
        if not pages.numbers:
            return
        for index, decided in enumerate(pages.decided()):
            self._pages.add_decided(pages.numbers, index, decided)
