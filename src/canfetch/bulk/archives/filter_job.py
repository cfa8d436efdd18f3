"""Lists of URLs with the decision about each, by the captures of archives."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch.access.policies import get_policy
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import INVALID_URL, NamedAgent
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.row_files import Row as TableRow
from canfetch.bulk.reading.row_files import load_pyarrow
from canfetch.bulk.reading.times import parse_time
from canfetch.bulk.reading.url_lists import check_url_column, list_format, read_url_rows
from canfetch.bulk.writing.columns import Column, ColumnType, Row, Schema
from canfetch.bulk.writing.part_writers import arrow_fields, open_part, replaced
from canfetch.bulk.writing.processes import run_tasks
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

SCHEMA_NAME: Final = "canfetch.filter/1"
DECISION_COLUMNS: Final = (
    Column("allowed", ColumnType.BOOLEAN, "Whether the agent may fetch the URL; null if that is unknown."),
    Column("reason", ColumnType.TEXT, "What decided, or why nothing could."),
    Column("line", ColumnType.INTEGER, "The line of the deciding rule."),
    Column("rule", ColumnType.TEXT, "The deciding rule."),
)
AGENT_COLUMN: Final = Column("agent", ColumnType.TEXT, "The agent, if there are several.")
_ROWS_PER_PART: Final = 20_000
_BATCH_ROWS: Final = 4096


class FilterOptions(NamedTuple):
    """How URLs are decided.

    Attributes:
        agents: The agents. With several, there is a row for each URL and agent.
        url_column: The column of URLs.
        time_column: The column of times, or None.
        missing: The answer for URLs whose robots.txt is unknown.
        only_allowed: Whether other rows are left out.
        policy: The access policy.
        profile: The parsing profile.
    """

    agents: tuple[NamedAgent, ...]
    url_column: str
    time_column: str | None
    missing: bool | None
    only_allowed: bool
    policy: str
    profile: str

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are added to those of the list."""
        return DECISION_COLUMNS if len(self.agents) == 1 else (AGENT_COLUMN, *DECISION_COLUMNS)


class URLList(NamedTuple):
    """A list of URLs, its format, and its columns."""

    name: str
    format: str
    columns: tuple[Column, ...]


class FilterTask(NamedTuple):
    """The rows of one part: rows, or a row group of a Parquet file."""

    number: int
    urls: URLList
    rows: tuple[TableRow, ...]
    group: int


class FilterPart(NamedTuple):
    """What a process needs to write parts."""

    store: Path
    folder: Path
    format: str
    options: FilterOptions


class Counts(NamedTuple):
    """The decisions: all, those that allow, and those without an answer."""

    rows: int = 0
    allowed: int = 0
    unknown: int = 0


def open_list(name: str, format: str | None, options: FilterOptions) -> URLList:  # noqa: A002 - the option's name
    """Return a list of URLs with its columns, which the first rows show.

    Raises: InvalidOption: A column does not exist, or the output would have two columns with the same name.
        OSError: The list cannot be read.
    """
    known = list_format(name, format)
    columns = _parquet_columns(name) if known == "parquet" else _row_columns(name, known, options)
    names = [column.name for column in columns]
    for wanted in (options.url_column, options.time_column):
        if wanted is not None and wanted not in names:
            raise InvalidOption(
                f"{quoted(name)} has no column {quoted(wanted)}: expected one of {', '.join(names)[:200]}"
            )
    taken = [column.name for column in options.columns if column.name in names]
    if taken:
        raise InvalidOption(f"{quoted(name)} already has a column {quoted(taken[0])}: rename it")
    return URLList(name, known, columns)


def _parquet_columns(name: str) -> tuple[Column, ...]:
    pyarrow, parquet = load_pyarrow()
    try:
        schema = parquet.read_schema(name)
    except pyarrow.ArrowException as error:
        raise InvalidOption(f"{quoted(name)} is not a valid Parquet file: {error}") from None
    return tuple(Column(field, ColumnType.ANY) for field in schema.names)


def _row_columns(name: str, format: str, options: FilterOptions) -> tuple[Column, ...]:  # noqa: A002 - as above
    with open(name, "rb") as stream:  # noqa: PTH123 - a name as typed
        rows = read_url_rows(stream, name, format, _ignore, check_url_column(options.url_column, name))
        first = next((row for row in rows if not isinstance(row, Fault)), None)
    if first is None:
        return tuple(
            Column(key, ColumnType.ANY) for key in (options.url_column, options.time_column) if key is not None
        )
    return tuple(Column(key, ColumnType.ANY) for key in first)


def _ignore(_: int) -> None:
    pass


def filter_urls(
    folder: WorkFolder,
    store: Path,
    lists: Sequence[URLList],
    options: FilterOptions,
    *,
    processes: int,
    advance: Callable[[int], None],
    on_fault: Callable[[Fault], None],
    engine: str = "local",
) -> Counts:
    """Write the rows of lists with the decision about each, and finish the output.

    Args:
        folder: The unfinished output.
        store: The captures.
        lists: The lists, which have the same columns.
        options: How to decide.
        processes: The number of processes.
        advance: Called with the number of bytes that were read.
        on_fault: Called with each row that is set aside.
        engine: As for `run_tasks`.
    """
    written = FilterPart(store.absolute(), folder.path.absolute(), folder.format, options)
    total = Counts()
    count = 0

    def missing_tasks() -> Iterator[FilterTask]:
        nonlocal count, total
        for task in _tasks(lists, options, advance, on_fault):
            count = task.number + 1
            done = _read_counts(written, task.number) if folder.has_part(task.number) else None
            if done is None:
                yield task
            else:
                total = _add(total, done)

    write = partial(write_filtered_part, written)
    for _, counts in run_tasks(write, missing_tasks(), processes=processes, engine=engine):
        total = _add(total, counts)
    folder.finish(count)
    return total


def _tasks(
    lists: Sequence[URLList],
    options: FilterOptions,
    advance: Callable[[int], None],
    on_fault: Callable[[Fault], None],
) -> Iterator[FilterTask]:
    number = 0
    for urls in lists:
        if urls.format == "parquet":
            _, parquet = load_pyarrow()
            with parquet.ParquetFile(urls.name) as file:
                groups, sizes = (
                    file.num_row_groups,
                    [file.metadata.row_group(n).total_byte_size for n in range(file.num_row_groups)],
                )
            # Other processes may run in another folder.
            placed = urls._replace(name=os.path.abspath(urls.name))  # noqa: PTH100 - a name as typed
            for group in range(groups):
                yield FilterTask(number, placed, (), group)
                advance(sizes[group])
                number += 1
            continue
        with open(urls.name, "rb") as stream:  # noqa: PTH123 - a name as typed
            check = check_url_column(options.url_column, urls.name)
            chunk: list[TableRow] = []
            known = {column.name for column in urls.columns}
            for row in read_url_rows(stream, urls.name, urls.format, advance, check):
                if isinstance(row, Fault):
                    on_fault(row)
                    continue
                if not row.keys() <= known:
                    unknown = quoted(min(row.keys() - known))
                    on_fault(Fault(urls.name, 0, f"a row has the column {unknown}, which the first row does not have"))
                    continue
                chunk.append(row)
                if len(chunk) == _ROWS_PER_PART:
                    yield FilterTask(number, urls, tuple(chunk), 0)
                    chunk = []
                    number += 1
            if chunk:
                yield FilterTask(number, urls, tuple(chunk), 0)
                number += 1
    if number == 0:
        yield FilterTask(0, lists[0]._replace(format="text"), (), 0)


def write_filtered_part(written: FilterPart, task: FilterTask) -> Counts:
    """Write one part, and return what it contains."""
    options = written.options
    path = written.folder / f"part-{task.number:08d}.{written.format}"
    with CaptureStore(written.store, read_only=True) as store:
        decisions = URLDecisions(
            store,
            policy=get_policy(options.policy),
            profile=options.profile,
            missing=options.missing,
        )
        if task.urls.format == "parquet":
            counts = _write_group(written, task, path, decisions)
        else:
            names = [column.name for column in task.urls.columns]
            rows = ([row.get(name) for name in names] for row in task.rows)
            counts = _write_rows(written, task, path, decisions, rows)
    with replaced(_counts_path(written, task.number)) as stream:
        stream.write(json.dumps(counts).encode())
    return counts


def _counts_path(written: FilterPart, number: int) -> Path:
    return written.folder / f"counts-{number:08d}.json"


def _read_counts(written: FilterPart, number: int) -> Counts | None:
    try:
        return Counts(*json.loads(_counts_path(written, number).read_bytes()))
    except FileNotFoundError:
        return None


def _decided(decisions: URLDecisions, options: FilterOptions, url: Any, time: Any) -> Iterator[Row]:
    """Yield the cells of `options.columns` for each agent."""
    at = parse_time(time)
    for name, agent in options.agents:
        own = () if len(options.agents) == 1 else (name,)
        if not isinstance(url, str):
            yield (*own, None, INVALID_URL, None, None)
            continue
        allowed, reason, rule = decisions.decide(url, agent, at)
        yield (*own, allowed, reason, *((None, None) if rule is None else (rule.line, str(rule))))


def _write_rows(
    written: FilterPart, task: FilterTask, path: Path, decisions: URLDecisions, rows: Iterable[Iterable[Any]]
) -> Counts:
    options, columns = written.options, task.urls.columns
    names = [column.name for column in columns]
    url_index = names.index(options.url_column)
    time_index = None if options.time_column is None else names.index(options.time_column)
    schema = Schema(SCHEMA_NAME, (*columns, *options.columns))
    total = Counts()
    with open_part(path, written.format, schema, header=task.number == 0) as sink:
        for row in rows:
            cells = tuple(row)
            time = None if time_index is None else cells[time_index]
            for decided in _decided(decisions, options, cells[url_index], time):
                allowed = _allowed(decided)
                total = _count(total, allowed)
                if allowed or not options.only_allowed:
                    sink.write((*cells, *decided))
    return total


def _write_group(written: FilterPart, task: FilterTask, path: Path, decisions: URLDecisions) -> Counts:
    _, parquet = load_pyarrow()
    with parquet.ParquetFile(task.urls.name) as file:
        batches = file.iter_batches(_BATCH_ROWS, row_groups=[task.group])
        if written.format == "parquet":
            return _write_arrow(written, path, decisions, batches, file.schema_arrow)
        rows = (row.values() for batch in batches for row in batch.to_pylist())
        return _write_rows(written, task, path, decisions, rows)


def _write_arrow(
    written: FilterPart, path: Path, decisions: URLDecisions, batches: Iterable[Any], arrow_schema: Any
) -> Counts:
    """Write a Parquet part, whose columns keep their types."""
    pyarrow, parquet = load_pyarrow()
    options = written.options
    added = arrow_fields(options.columns)
    for field in added:
        arrow_schema = arrow_schema.append(field)
    total = Counts()
    with replaced(path) as stream, parquet.ParquetWriter(stream, arrow_schema, compression="zstd") as writer:
        for batch in batches:
            urls = batch.column(options.url_column).to_pylist()
            times = [None] * len(urls) if options.time_column is None else batch.column(options.time_column).to_pylist()
            pairs = zip(urls, times, strict=True)
            decided = [row for url, time in pairs for row in _decided(decisions, options, url, time)]
            for row in decided:
                total = _count(total, _allowed(row))
            cells = zip(*decided, strict=True) if decided else [()] * len(added)
            arrays = [pyarrow.array(values, type=field.type) for values, field in zip(cells, added, strict=True)]
            own = batch.columns
            if len(options.agents) > 1:
                rows = pyarrow.array([row for row in range(len(urls)) for _ in options.agents], pyarrow.int64())
                own = [column.take(rows) for column in own]
            table = pyarrow.table([*own, *arrays], schema=arrow_schema)
            if options.only_allowed:
                table = table.filter(pyarrow.array([_allowed(row) is True for row in decided]))
            writer.write_table(table)
    return total


def _allowed(decided: Row) -> bool | None:
    """Return whether the URL may be fetched, from the cells of `FilterOptions.columns`."""
    allowed: bool | None = decided[-len(DECISION_COLUMNS)]
    return allowed


def _count(counts: Counts, allowed: bool | None) -> Counts:  # noqa: FBT001 - a cell
    return Counts(counts.rows + 1, counts.allowed + (allowed is True), counts.unknown + (allowed is None))


def _add(first: Counts, second: Counts) -> Counts:
    return Counts(*(a + b for a, b in zip(first, second, strict=True)))
