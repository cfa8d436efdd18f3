"""Lists of URLs with the decision about each, by the captures of archives."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch.access.policies import get_policy
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import INVALID_URL, NamedAgent
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.tables import Row as TableRow
from canfetch.bulk.reading.tables import load_pyarrow
from canfetch.bulk.reading.times import parse_time
from canfetch.bulk.reading.url_lists import check_url_column, list_format, read_url_rows
from canfetch.bulk.writing.columns import Column, ColumnType, Row, Schema
from canfetch.bulk.writing.part_writers import open_part, replaced
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
_ROWS_PER_PART: Final = 20_000
_BATCH_ROWS: Final = 4096


class FilterOptions(NamedTuple):
    """How URLs are decided.

    Attributes:
        agent: The agent.
        url_column: The column of URLs.
        time_column: The column of times, or None.
        missing: The answer for URLs whose robots.txt is unknown.
        only_allowed: Whether other rows are left out.
        policy: The access policy.
        profile: The parsing profile.
    """

    agent: NamedAgent
    url_column: str
    time_column: str | None
    missing: bool | None
    only_allowed: bool
    policy: str
    profile: str


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
    """The decided rows: all, allowed, and those without an answer."""

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
    taken = [column.name for column in DECISION_COLUMNS if column.name in names]
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
    """
    written = FilterPart(store, folder.path, folder.format, options)
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

    for _, counts in run_tasks(partial(write_filtered_part, written), missing_tasks(), processes=processes):
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
            for group in range(groups):
                yield FilterTask(number, urls, (), group)
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
            options.agent.agent,
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


def _decided(decisions: URLDecisions, url: Any, time: Any) -> Row:
    at = parse_time(time)
    if not isinstance(url, str):
        return None, INVALID_URL, None, None
    decision = decisions.decide(url, at)
    rule = decision.rule
    return decision.allowed, decision.reason, None if rule is None else rule.line, None if rule is None else str(rule)


def _write_rows(
    written: FilterPart, task: FilterTask, path: Path, decisions: URLDecisions, rows: Iterable[Iterable[Any]]
) -> Counts:
    options, columns = written.options, task.urls.columns
    names = [column.name for column in columns]
    url_index = names.index(options.url_column)
    time_index = None if options.time_column is None else names.index(options.time_column)
    schema = Schema(SCHEMA_NAME, (*columns, *DECISION_COLUMNS))
    total = Counts()
    with open_part(path, written.format, schema, header=task.number == 0) as sink:
        for row in rows:
            cells = tuple(row)
            decided = _decided(decisions, cells[url_index], None if time_index is None else cells[time_index])
            total = _count(total, decided[0])
            if decided[0] or not options.only_allowed:
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
    types = {
        ColumnType.BOOLEAN: pyarrow.bool_(),
        ColumnType.INTEGER: pyarrow.int64(),
        ColumnType.TEXT: pyarrow.string(),
    }
    for column in DECISION_COLUMNS:
        arrow_schema = arrow_schema.append(pyarrow.field(column.name, types[column.type]))
    total = Counts()
    with replaced(path) as stream, parquet.ParquetWriter(stream, arrow_schema, compression="zstd") as writer:
        for batch in batches:
            urls = batch.column(options.url_column).to_pylist()
            times = [None] * len(urls) if options.time_column is None else batch.column(options.time_column).to_pylist()
            decided = [_decided(decisions, url, time) for url, time in zip(urls, times, strict=True)]
            for row in decided:
                total = _count(total, row[0])
            arrays = (
                [
                    pyarrow.array(values, type=types[column.type])
                    for column, values in zip(DECISION_COLUMNS, zip(*decided, strict=True), strict=True)
                ]
                if decided
                else [pyarrow.array([], type=types[column.type]) for column in DECISION_COLUMNS]
            )
            table = pyarrow.table([*batch.columns, *arrays], schema=arrow_schema)
            if options.only_allowed:
                table = table.filter(pyarrow.array([row[0] is True for row in decided]))
            writer.write_table(table)
    return total


def _count(counts: Counts, allowed: bool | None) -> Counts:  # noqa: FBT001 - a cell
    return Counts(counts.rows + 1, counts.allowed + (allowed is True), counts.unknown + (allowed is None))


def _add(first: Counts, second: Counts) -> Counts:
    return Counts(*(a + b for a, b in zip(first, second, strict=True)))
