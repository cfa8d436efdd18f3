"""The parts of a list with the decision about each URL."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from canfetch.access.policies import get_policy
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.captured_uses import CapturedUses
from canfetch.bulk.archives.decisions import (
    INVALID_TIME,
    INVALID_URL,
    NO_ROBOTS,
    REDIRECT_UNRESOLVED,
    FileDecisions,
)
from canfetch.bulk.archives.filter_lists import NOT_STATED, FilterOptions, FilterTask, decide_by_file
from canfetch.bulk.archives.url_decisions import KeptFiles, URLDecisions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.parquet_batches import bounded_batches
from canfetch.bulk.reading.row_files import (
    DamagedTable,
    cell_values,
    damaged_rows,
    load_pyarrow,
    open_parquet,
    parquet_errors,
)
from canfetch.bulk.reading.times import time_or_nan
from canfetch.bulk.writing.cells import (
    Cells,
    as_arrays,
    columns_of,
    is_array,
    is_text,
    kept,
    plain_cells,
    repeated,
)
from canfetch.bulk.writing.columns import Row, Schema
from canfetch.bulk.writing.part_files import PartFiles
from canfetch.bulk.writing.part_writers import SCHEMA_KEY, arrow_fields, arrow_values, open_part, replaced
from canfetch.core.urls import url_bytes

if TYPE_CHECKING:
    from canfetch.bulk.archives.ruled_pages import RuledPages

SCHEMA_NAME: Final = "canfetch.filter/1"
_GROUP_ROWS: Final = 4096
# The decisions in memory, and the URLs for which a call of the kernel is worthwhile.
_BATCH_DECISIONS: Final = 1 << 15
_KERNEL_ROWS: Final = 256
_GROUP_BYTES: Final = 1 << 24
_REASONS: Final = (NO_ROBOTS, REDIRECT_UNRESOLVED, INVALID_URL, INVALID_TIME)

# Returns the columns of `FilterOptions.columns`, with a row for each of some URLs with their times, and for each agent.
Decide = Callable[[Cells, Sequence[Any]], list[Cells]]


class FilterPart(NamedTuple):
    """The arguments of a process that writes parts."""

    store: Path
    parts: PartFiles
    options: FilterOptions


class Counts(NamedTuple):
    """The decisions.

    Attributes:
        rows: All.
        allowed: Those that allow.
        unknown: Those without an answer.
        not_stated: Those that allow fetching, and nothing is stated on the use.
        no_robots, redirect_unresolved, invalid_url, invalid_time: Those without an answer for this reason.
        without_time: The URLs without a time if the list has a column of times.
    """

    rows: int = 0
    allowed: int = 0
    unknown: int = 0
    not_stated: int = 0
    no_robots: int = 0
    redirect_unresolved: int = 0
    invalid_url: int = 0
    invalid_time: int = 0
    without_time: int = 0

    @property
    def reasons(self) -> dict[str, int]:
        """The reasons of the decisions without an answer, and their numbers."""
        return {reason: number for reason in _REASONS if (number := getattr(self, _field(reason)))}

    def plus(self, other: "Counts") -> "Counts":
        """Return the sums."""
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


class WrittenPart(NamedTuple):
    """The decisions of a part, and the rows of its row group that are set aside."""

    counts: Counts
    faults: tuple[Fault, ...] = ()

    @property
    def lost(self) -> int:
        """The number of rows that are set aside."""
        return sum(fault.lost or 0 for fault in self.faults)

    @classmethod
    def from_json(cls, result: Any) -> "WrittenPart":
        """Return what a receipt has."""
        counts, faults = result
        return cls(Counts(*counts), tuple(Fault(*fault) for fault in faults))


class _Tally:
    """Counts the rows of a part."""

    def __init__(self, options: FilterOptions) -> None:
        self._options = options
        self._outcomes: Counter[tuple[bool | None, str | None]] = Counter()
        self._without_time = 0

    def add(self, columns: Sequence[Cells]) -> list[bool | None]:
        """Add the columns of decisions, and return whether each of them allows."""
        decisive = list(zip(*map(plain_cells, self._options.decisive_cells(columns)), strict=True))
        counts = Counter(decisive)
        outcomes = {cells: self._options.outcome(cells) for cells in counts}
        for cells, number in counts.items():
            self._outcomes[outcomes[cells]] += number
        return [outcomes[cells][0] for cells in decisive]

    def add_times(self, times: Iterable[Any]) -> None:
        """Add the times of URLs."""
        if self._options.time_column is not None:
            self._without_time += sum(time_or_nan(time) is None for time in times)

    @property
    def counts(self) -> Counts:
        outcomes = self._outcomes
        reasons = {_field(reason): outcomes[None, reason] for reason in _REASONS}
        return Counts(
            outcomes.total(),
            sum(number for (allowed, _), number in outcomes.items() if allowed),
            sum(number for (allowed, _), number in outcomes.items() if allowed is None),
            outcomes[True, NOT_STATED],
            without_time=self._without_time,
            **reasons,
        )


def _field(reason: str) -> str:
    return reason.replace("-", "_")


def decide_and_write_part(written: FilterPart, task: FilterTask) -> WrittenPart:
    """Decide the URLs of one part, write it, and return what it contains."""
    options = written.options
    with CaptureStore(written.store, read_only=True) as store:
        decisions = URLDecisions(
            store,
            policy=get_policy(options.policy),
            profile=options.profile,
            missing=options.missing,
            kept=_kept_files(_version(written.store), options.policy, options.profile, options.missing),
        )
        decide = partial(_decide_pages, decisions, CapturedUses(store.pages, decisions), options)
        return write_part(written, task, decide)


# The parts of a list have the same origins, and a process writes one part after the other.
@lru_cache(maxsize=1)
def _kept_files(*key: object) -> KeptFiles:  # noqa: ARG001 - the key
    return KeptFiles()


def _version(store: Path) -> tuple[object, ...]:
    """Return a value that other captures in a file of the same name do not have."""
    status = store.stat()
    return (store, status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)


def _decide_pages(
    decisions: URLDecisions, uses: CapturedUses, options: FilterOptions, urls: Cells, times: Sequence[Any]
) -> list[Cells]:
    """Return the columns of `Decide`.

    The kernel decides the pages that have rules, and of which only robots.txt was captured, many in a call.
    """
    if is_text(urls) and options.use is None and options.time_column is None:
        # Needs pyarrow, as arrays do.
        from canfetch.bulk.archives.decided_texts import decide_texts  # noqa: PLC0415

        return decide_texts(urls, decisions, options)
    count = len(options.agents)
    rows: list[Row] = [()] * (len(urls) * count)
    pages = None if options.use is None and len(urls) < _KERNEL_ROWS else _ruled_pages(options)
    for page, (url, time) in enumerate(zip(plain_cells(urls), times, strict=True)):
        at = None if time is None else time_or_nan(time)
        encoded = url_bytes(url) if isinstance(url, str | bytes) else None
        file = decisions.find(encoded, at)
        verdicts = None if options.use is None else options.use_verdicts(uses, url, at, file)
        until = None if encoded is None else options.until(decisions, encoded, at, file)
        if encoded is not None and pages is not None and verdicts is None and isinstance(file, FileDecisions):
            rules = file.rules
            if rules is not None:
                pages.add(page, encoded, file, rules, until)
                if pages.is_full:
                    _add_ruled(rows, options, pages)
                    pages = _ruled_pages(options)
                continue
        for number, cells in enumerate(decide_by_file(file, url, options, verdicts, until)):
            rows[page * count + number] = options.cells(number, cells)
    if pages is not None:
        _add_ruled(rows, options, pages)
    return columns_of(rows, len(options.columns))


def _ruled_pages(options: FilterOptions) -> "RuledPages | None":
    """Return an empty collection of pages with rules, or None without pyarrow: each page is then decided alone."""
    try:
        from canfetch.bulk.archives.ruled_pages import RuledPages  # noqa: PLC0415 - optional
    except ModuleNotFoundError as missing:
        if missing.name != "pyarrow":
            raise
        return None
    return RuledPages(options)


def _add_ruled(rows: list[Row], options: FilterOptions, pages: "RuledPages") -> None:
    """Add the cells of pages that have rules."""
    if not pages.numbers:
        return
    count = len(options.agents)
    for number, decided in enumerate(pages.decided()):
        columns = [column.to_pylist() for column in decided.columns]
        if count > 1:
            columns.insert(0, [options.agents[number].name] * len(pages.numbers))
        for page, cells in zip(pages.numbers, zip(*columns, strict=True), strict=True):
            rows[page * count + number] = cells


def write_part(written: FilterPart, task: FilterTask, decide: Decide) -> WrittenPart:
    """Write one part, and return what it contains.

    Args: decide: Called with the URLs of the part, in their order.
    """
    path = written.parts.path(task.number)
    if task.urls.format == "parquet":
        part = _write_group(written, task, path, decide)
    else:
        names = [column.name for column in task.urls.columns]
        size = _batch_rows(written.options)
        batches = (task.rows[first : first + size] for first in range(0, len(task.rows), size))
        columns = ([[row.get(name) for row in batch] for name in names] for batch in batches)
        part = WrittenPart(_write_rows(written, task, path, decide, columns))
    written.parts.complete(task.number, part)
    return part


def _batch_rows(options: FilterOptions) -> int:
    """Return the number of URLs that are decided at once."""
    return max(_BATCH_DECISIONS // len(options.agents), _KERNEL_ROWS)


def _write_rows(
    written: FilterPart, task: FilterTask, path: Path, decide: Decide, batches: Iterable[Sequence[Cells]]
) -> Counts:
    """Write a part with the columns of batches of a list, and those of the decisions."""
    options, columns = written.options, task.urls.columns
    names = [column.name for column in columns]
    url_index = names.index(options.url_column)
    time_index = None if options.time_column is None else names.index(options.time_column)
    schema = Schema(SCHEMA_NAME, (*columns, *options.columns))
    tally = _Tally(options)
    count = len(options.agents)
    with open_part(path, written.parts.format, schema, header=task.number == 0) as sink:
        for batch in batches:
            own = batch if len(batch[0]) < _KERNEL_ROWS else as_arrays(batch, copies=count)
            times = [None] * len(own[0]) if time_index is None else plain_cells(own[time_index])
            tally.add_times(times)
            decided = decide(own[url_index], times)
            allowed = tally.add(decided)
            rows = [*(repeated(cells, count) for cells in own), *decided]
            sink.write_columns([kept(cells, allowed) for cells in rows] if options.only_allowed else rows)
    return tally.counts


def _write_group(written: FilterPart, task: FilterTask, path: Path, decide: Decide) -> WrittenPart:
    faults: list[Fault] = []
    with open_parquet(task.urls.name) as file:
        batches = _batches(file, task, written.options, faults.append)
        if written.parts.format == "parquet":
            counts = _write_arrow(written, path, decide, batches, file.schema_arrow)
        else:
            rows = ([cell_values(column) for column in batch.columns] for batch in batches)
            counts = _write_rows(written, task, path, decide, rows)
    return WrittenPart(counts, tuple(faults))


def _batches(file: Any, task: FilterTask, options: FilterOptions, on_fault: Callable[[Fault], None]) -> Iterator[Any]:
    """Yield the batches of a row group up to damage, whose rows are set aside."""
    group = file.metadata.row_group(task.group)
    position = 1 + sum(file.metadata.row_group(number).num_rows for number in range(task.group))
    end = position + group.num_rows
    # There is a row for each agent, which may have the cells of the list.
    copies = len(options.agents)
    try:
        with parquet_errors(task.urls.name):
            rows = _batch_rows(options)
            for batch in bounded_batches(file, task.urls.name, task.group, max_rows=rows, copies=copies):
                yield batch
                position += batch.num_rows
    except DamagedTable as error:
        on_fault(damaged_rows(end - position, error.reason).to_fault(task.urls.name, position))


def _write_arrow(written: FilterPart, path: Path, decide: Decide, batches: Iterable[Any], arrow_schema: Any) -> Counts:
    """Write a Parquet part, whose columns keep their types."""
    pyarrow, parquet = load_pyarrow()
    options, time_column = written.options, written.options.time_column
    added = arrow_fields(options.columns)
    for field in added:
        arrow_schema = arrow_schema.append(field)
    arrow_schema = arrow_schema.with_metadata({**(arrow_schema.metadata or {}), SCHEMA_KEY: SCHEMA_NAME.encode()})
    tally = _Tally(options)
    with replaced(path) as stream, parquet.ParquetWriter(stream, arrow_schema, compression="zstd") as writer:
        groups = _RowGroups(writer)
        for batch in batches:
            urls = cell_values(batch.column(options.url_column))
            times = [None] * len(urls) if time_column is None else cell_values(batch.column(time_column))
            tally.add_times(times)
            decided = decide(urls if len(urls) < _KERNEL_ROWS else as_arrays([urls], copies=1)[0], times)
            mask = tally.add(decided)
            arrays = [
                cells if is_array(cells) else pyarrow.array(arrow_values(column.type, cells), type=field.type)
                for column, cells, field in zip(options.columns, decided, added, strict=True)
            ]
            own = [repeated(column, len(options.agents)) for column in batch.columns]
            cells = [kept(column, mask) for column in (*own, *arrays)] if options.only_allowed else [*own, *arrays]
            table = pyarrow.table(cells, schema=arrow_schema)
            groups.write(table)
        groups.end()
    return tally.counts


class _RowGroups:
    """Writes tables as row groups of several."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._tables: list[Any] = []
        self._rows = self._bytes = 0

    def write(self, table: Any) -> None:
        """Write a table, or keep it for the next row group."""
        self._tables.append(table)
        self._rows += table.num_rows
        self._bytes += table.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self.end()

    def end(self) -> None:
        """Write the tables that were kept."""
        pyarrow, _ = load_pyarrow()
        if self._tables:
            self._writer.write_table(pyarrow.concat_tables(self._tables))
        self._tables, self._rows, self._bytes = [], 0, 0
