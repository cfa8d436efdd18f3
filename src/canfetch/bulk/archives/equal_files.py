"""Tables of archives in which DuckDB finds the files that are equal, so that each of them is parsed and decided once.

captures -> keys -> the first file of each key -> derived cells, joined with the captures in their order -> parts
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import pyarrow as pa

from canfetch.access.policies import AccessPolicy
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.archives.resolution import ResolvedFile, resolve_capture
from canfetch.bulk.archives.work_database import WorkDatabase, database_folder
from canfetch.bulk.writing.columns import Column, ColumnType, Row
from canfetch.bulk.writing.part_writers import arrow_fields, arrow_table

# The rows that are added to a table together, and the size of their contents.
_BATCH_ROWS: Final = 1 << 13
_BATCH_BYTES: Final = 1 << 24
_KEY: Final = Column("key", ColumnType.BYTES)
_NUMBER: Final = Column("number", ColumnType.INTEGER)


def joined_rows(
    folder: Path,
    store: CaptureStore,
    ranges: Sequence[tuple[int, int]],
    options: TableOptions,
    *,
    policy: AccessPolicy,
    threads: int,
) -> Generator[tuple[int, Row]]:
    """Yield the rows of a table with the numbers of their captures, in their order.

    Args:
        folder: Where DuckDB has its file until the end.
        store: The captures.
        ranges: The first and the last number of the captures of parts, in their order.
        options: The table.
        policy: The access policy.
        threads: The number of threads of DuckDB.
    Raises: StoreError: DuckDB failed.
    """
    with database_folder(folder) as path, closing(_FileDatabase(path, options, threads=threads)) as database:
        for first, last in ranges:
            captures = store.files(first, last)
            database.add((number, resolve_capture(capture, store, policy)) for number, capture in captures)
        numbers = database.first_numbers()
        files = (resolve_capture(store.file(number), store, policy) for number in numbers)
        database.add_derived(options.derived(files))
        yield from database.rows()


class _FileDatabase(WorkDatabase):
    """The captures with the keys of their files, and the derived cells of each key.

    Args: folder, threads: As for `WorkDatabase`. options: The table.
    """

    def __init__(self, folder: Path, options: TableOptions, *, threads: int) -> None:
        self._options = options
        columns, derived = options.schema.columns, options.derived_columns
        own = (*columns[: derived.start], *columns[derived.stop :])
        self._before = derived.start
        self._own = _Table("own", (_NUMBER, _KEY), own)
        self._derived = _Table("derived", (_NUMBER, _KEY), columns[derived])
        tables = {table.name: table.schema for table in (self._own, self._derived)}
        super().__init__(folder, tables, threads=threads)

    def add(self, files: Iterator[tuple[int, ResolvedFile]]) -> None:
        """Add captures and the keys of their files."""

        def rows() -> Iterator[Row]:
            for number, file in files:
                before, after = self._options.own_cells(file)
                yield (number, self._options.key(file), *before, *after)

        self._add_rows(self._own, rows())

    def first_numbers(self) -> Iterator[int]:
        """Yield the number of the first capture of each key."""
        for batch in self.read("select min(number) as first from own group by key order by first"):
            yield from batch.column(0).to_pylist()

    def add_derived(self, files: Iterator[tuple[ResolvedFile, Iterable[Row]]]) -> None:
        """Add the derived cells of files with different keys."""

        def rows() -> Iterator[Row]:
            for file, derived in files:
                key = self._options.key(file)
                for number, cells in enumerate(derived):
                    yield (number, key, *cells)

        self._add_rows(self._derived, rows())

    def _add_rows(self, table: "_Table", rows: Iterator[Row]) -> None:
        batch: list[Row] = []
        size = 0
        for row in rows:
            batch.append(row)
            size += sum(len(cell) for cell in row if isinstance(cell, bytes | str))
            if len(batch) >= _BATCH_ROWS or size >= _BATCH_BYTES:
                self.insert(table.name, arrow_table(table.columns, batch, table.schema))
                batch, size = [], 0
        if batch:
            self.insert(table.name, arrow_table(table.columns, batch, table.schema))

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the rows of the table, with the numbers of their captures."""
        own, derived = self._own.cell_names("own"), self._derived.cell_names("derived")
        cells = ", ".join((*own[: self._before], *derived, *own[self._before :]))
        query = (
            f"select own.number, {cells} from own join derived on own.key = derived.key "  # noqa: S608 - names of this module
            "order by own.number, derived.number"
        )
        for batch in self.read(query):
            # A batch of contents is large, and Python values are larger.
            for start in range(0, batch.num_rows, _BATCH_ROWS):
                columns = (column.to_pylist() for column in batch.slice(start, _BATCH_ROWS).columns)
                for number, *row in zip(*columns, strict=True):
                    yield number, tuple(row)


class _Table:
    """A table of the database, whose cells have numbers as names: those of agents may differ in case only."""

    def __init__(self, name: str, keys: Sequence[Column], cells: Sequence[Column]) -> None:
        self.name = name
        self._count = len(cells)
        numbered = [column._replace(name=f"c{number}") for number, column in enumerate(cells)]
        # Times are kept as numbers, from which they are written.
        self.columns = (*keys, *(_plain(column) for column in numbered))
        self.schema = pa.schema(arrow_fields(self.columns))

    def cell_names(self, table: str) -> list[str]:
        return [f"{table}.c{number}" for number in range(self._count)]


def _plain(column: Column) -> Column:
    return column._replace(type=ColumnType.NUMBER) if column.type is ColumnType.TIME else column
