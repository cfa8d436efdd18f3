"""Parquet files, whose rows the workers of Spark read themselves, and decide in large blocks."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from glob import glob, has_magic
from itertools import pairwise
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from canfetch.bulk.reading.datasets import list_parts
from canfetch.bulk.reading.parquet_batches import repeated_bytes
from canfetch.bulk.reading.row_files import open_parquet, parquet_errors
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidColumn, InvalidOption

AnyPaths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""A Parquet file, a folder of them, or several."""
_BLOCK_ROWS: Final = 524_288
"""The rows that are decided at once: as many as the kernel sorts by file."""
_BLOCK_BYTES: Final = 64 * 1024 * 1024
_BATCH_ROWS: Final = 65_536
"""The rows that are read at once, and returned to Spark."""
# A plain text has its length in four bytes, so a column with fewer bytes for each row is a dictionary of few texts.
_PLAIN_TEXT_BYTES: Final = 4


class ParquetTask(NamedTuple):
    """The rows that one task of Spark reads: some row groups of a file, or all of them."""

    path: str
    row_groups: range | None = None


class DecidedColumns(NamedTuple):
    """The columns of a file that are read."""

    id: str
    agent: str | None
    """None if all rows have the same agent."""
    url: str
    kept: pa.Schema
    """The columns that are returned, with types that Spark has."""

    def read_names(self) -> list[str]:
        """Return the names of all columns that are read."""
        names = [self.id, self.url, *self.kept.names, *([] if self.agent is None else [self.agent])]
        return list(dict.fromkeys(names))


def split_files(paths: Sequence[str], tasks: int) -> list[ParquetTask]:
    """Return a task for each file. If there are fewer files than `tasks`, large files are split at row groups.

    Raises: InvalidOption: A file is not a valid Parquet file. OSError: It cannot be read.
    Cost: O(row groups) if there are fewer files than `tasks`.
    """
    if len(paths) >= tasks:
        return [ParquetTask(path) for path in paths]
    sizes = []
    for path in paths:
        with parquet_errors(path), open_parquet(path) as parquet:
            sizes.append((parquet.metadata.num_rows, parquet.num_row_groups))
    task_rows = max(sum(rows for rows, _ in sizes) / tasks, _BLOCK_ROWS)
    split = []
    for path, (rows, groups) in zip(paths, sizes, strict=True):
        parts = max(min(round(rows / task_rows), groups), 1)
        bounds = [groups * part // parts for part in range(parts + 1)]
        split += [ParquetTask(path, range(*pair)) for pair in pairwise(bounds)]
    return split


def decide_rows(
    task: ParquetTask, columns: DecidedColumns, decide: Callable[[Any, Any, Any], pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield the kept columns of a task's rows, followed by their verdicts.

    Args: decide: Returns the verdicts for columns of IDs, agents and URLs. The agents are None if they have no column.
    Raises: InvalidColumn: The file lacks a column, or a column has another type than in the first file.
        InvalidOption: It is not a valid Parquet file, or it is damaged.
    """
    schema = None
    for block in _read_blocks(task, columns):
        table = pa.Table.from_batches(block)
        agents = None if columns.agent is None else table[columns.agent]
        verdicts = decide(table[columns.id], agents, table[columns.url])
        schema = schema or pa.schema([*columns.kept, *verdicts.schema])
        start = 0
        for batch in block:
            kept = [_converted(batch.column(field.name), field, task.path) for field in columns.kept]
            rows = verdicts.slice(start, batch.num_rows)
            yield pa.RecordBatch.from_arrays([*kept, *rows.columns], schema=schema)
            start += batch.num_rows


def check_columns(path: str, schema: pa.Schema, names: Iterable[str]) -> None:
    """Raise InvalidColumn unless a file has each of these columns once."""
    for name in names:
        if (count := len(schema.get_all_field_indices(name))) != 1:
            found = "no column" if count == 0 else f"{count} columns"
            columns = ", ".join(map(repr, schema.names))
            raise InvalidColumn(f"{path!r} has {found} {name!r}; its columns are {columns}")


def _read_blocks(task: ParquetTask, columns: DecidedColumns) -> Iterator[list[pa.RecordBatch]]:
    """Yield the rows in blocks of batches."""
    block: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in _read_batches(task, columns):
        block.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _BLOCK_ROWS or size >= _BLOCK_BYTES:
            yield block
            block, rows, size = [], 0, 0
    if block:
        yield block


def _read_batches(task: ParquetTask, columns: DecidedColumns) -> Iterator[pa.RecordBatch]:
    names = columns.read_names()
    with parquet_errors(task.path), open_parquet(task.path) as parquet:
        schema, metadata = parquet.schema_arrow, parquet.metadata
    check_columns(task.path, schema, names)
    groups = range(metadata.num_row_groups) if task.row_groups is None else task.row_groups
    sizes = _column_sizes(metadata, names, groups)
    row_count = sum(metadata.row_group(group).num_rows for group in groups)
    dictionaries = [
        name
        for name in {columns.id, columns.agent}
        # Dictionaries end with their row group, so that small row groups would result in small batches.
        if name and row_count >= _BATCH_ROWS * len(groups) and sizes[name] < _PLAIN_TEXT_BYTES * row_count
        if pa.types.is_string(schema.field(name).type) or pa.types.is_binary(schema.field(name).type)
    ]
    # A dictionary that is kept is returned as text.
    texts = [name for name in names if name not in dictionaries or name in columns.kept.names]
    row_bytes = max(sum(sizes.values()) // max(row_count, 1), _repeated_bytes(task.path, metadata, texts, groups), 1)
    rows = max(min(_BATCH_ROWS, _BLOCK_BYTES // row_bytes), 1)
    with parquet_errors(task.path), open_parquet(task.path, metadata=metadata, read_dictionary=dictionaries) as parquet:
        # Other tasks use the other cores.
        yield from parquet.iter_batches(rows, row_groups=list(groups), columns=names, use_threads=False)


def _repeated_bytes(path: str, metadata: pq.FileMetaData, names: Sequence[str], groups: Iterable[int]) -> int:
    """Return how long a row can be whose values are stored once for many rows."""
    with parquet_errors(path), open_parquet(path, metadata=metadata) as parquet:
        limits = {"max_rows": _BATCH_ROWS, "max_bytes": _BLOCK_BYTES}
        return max((repeated_bytes(parquet, path, group, names, **limits) for group in groups), default=0)


def _column_sizes(metadata: pq.FileMetaData, names: Sequence[str], groups: Iterable[int]) -> dict[str, int]:
    """Return the bytes of each column before compression."""
    # The fields of structs and lists have the name of the column, a dot, and their own name.
    paths = [metadata.schema.column(index).path for index in range(metadata.num_columns)]
    indexes = {
        name: [index for index, path in enumerate(paths) if path == name or path.startswith(f"{name}.")]
        for name in names
    }
    sizes = dict.fromkeys(names, 0)
    for group in map(metadata.row_group, groups):
        for name in names:
            sizes[name] += sum(group.column(index).total_uncompressed_size for index in indexes[name])
    return sizes


def _converted(array: pa.Array, field: pa.Field, path: str) -> pa.Array:
    if array.type == field.type:
        return array
    try:
        return array.cast(field.type)
    except pa.ArrowException as error:
        raise InvalidColumn(
            f"column {field.name!r} of {path!r} has the type {array.type} instead of {field.type}: {error}"
        ) from error


def list_files(paths: AnyPaths) -> list[str]:
    """Return the files of paths.

    The files of a folder are in the order of their names, without `_SUCCESS` and the like.

    Raises: InvalidOption: There is no file, or a folder is partitioned. OSError: A folder cannot be read.
    """
    names = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not names:
        raise InvalidOption("paths is empty: expected at least one Parquet file")
    return [file for name in names for file in _files_of(os.fspath(name))]


def _files_of(name: str) -> list[str]:
    if "://" in name and not name.startswith("file:"):
        _check_scheme(name)
        return [name]
    local = unquote(urlsplit(name).path) if name.startswith("file:") else name
    if has_magic(local) and not os.path.exists(local):  # noqa: PTH110 - a name as typed
        matches = sorted(match for match in glob(local) if not os.path.basename(match).startswith(("_", ".")))  # noqa: PTH119, PTH207
        if not matches:
            raise InvalidOption(f"no file matches {quoted(name)}")
        return [file for match in matches for file in _files_of(match)]
    if not os.path.isdir(local):  # noqa: PTH112 - as above
        return [name]
    files = list_parts(local, "parquet")
    if files == [local]:
        raise InvalidOption(f"the folder {quoted(name)} has no Parquet files")
    return files


def _check_scheme(name: str) -> None:
    """Check that pyarrow may know the scheme: it has others than Hadoop.

    Raises: InvalidOption.
    """
    scheme = name.partition("://")[0]
    if scheme in {"s3a", "s3n", "abfss", "wasbs", "dbfs"}:
        advice = "pass s3:// instead" if scheme.startswith("s3") else "pass a path that is mounted on all workers"
        raise InvalidOption(
            f"{quoted(name)}: workers read files with pyarrow, which does not know {scheme}://: {advice}"
        )
