"""Files of any number of hosts: Spark brings those of a partition to its URLs, and sorts and spills both."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import pyarrow as pa
from pyarrow import compute
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import (
    BinaryType,
    DateType,
    LongType,
    NumericType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from canfetch.bulk.arguments import as_chain
from canfetch.bulk.files import Files
from canfetch.bulk.parsed_files import needed_columns
from canfetch.bulk.spark.broadcast_files import BroadcastFiles
from canfetch.bulk.spark.parquet_schema import agent_is_column, spark_schema
from canfetch.bulk.spark.resolved_files import is_redirect, resolve_files
from canfetch.bulk.types import BOOL, DECISION, arrow_type, struct_of
from canfetch.core.agent import Agent
from canfetch.errors import InvalidColumn

_BROADCAST_BYTES: Final = 128 << 20
"""The values of a table that is sent to all workers. The driver needs four times as much, and a worker three times."""
# The URLs of one host in a task.
_TASK_ROWS: Final = 250_000
_NULL_TASKS: Final = 1024
_ORIGIN: Final = "origin"
_TEXTS: Final = frozenset(["string", "binary"])
# The types of IDs and URLs, and of the columns that distinguish rows with the same URL.
_HASHED: Final = (StringType, BinaryType, NumericType, DateType, TimestampType)
# The columns of the frame with files and URLs.
_KEY: Final = "key"
_SALT: Final = "salt"
_TASKS: Final = "tasks"
_FILE: Final = "file"
_PAGE: Final = "page"
_IS_PAGE: Final = "is_page"


class PartitionedFiles:
    """A table of robots.txt files of any size. Each partition of URLs gets the files of its hosts.

    Spark sorts files and URLs by host, on disk if they do not fit into memory. A worker process has the files of one
    batch at a time. The URLs of a host with very many of them are split among tasks. A small table is sent to all
    workers instead, as by `BroadcastFiles`.

    Args:
        files: A frame of files. Tables of `canfetch bulk parse` are read as by `canfetch.bulk.Files`.
        id, content: The names of the columns.
        broadcast_bytes: The values of the largest table that is sent to all workers, in bytes.
        **options: The options of `canfetch.bulk.Files`.
    Raises: InvalidColumn: a column is missing; UnknownProfile, InvalidLimit, EngineError.
    Cost: One job that reads the table.
    """

    def __init__(
        self,
        files: DataFrame,
        *,
        id: str = "id",  # noqa: A002 - the name of the column
        content: str = "content",
        broadcast_bytes: int = _BROADCAST_BYTES,
        **options: Any,
    ) -> None:
        names = needed_columns(files.columns, id, content)
        files = files.select(*(name for name in names if name in files.columns))
        self._use_registry = bool(options.get("use_registry"))
        self._id = id
        self._arguments = {"id": id, "content": content, **options}
        # Raises here if a column is missing or an option is invalid, instead of on a worker.
        Files(files.limit(0).toArrow(), **self._arguments)
        self._is_parsed = "effect" in files.columns
        sizes = (f.octet_length(_bytes_or_text(files, name)) for name in files.columns)
        row_size = sum((f.coalesce(one, f.lit(0)) for one in sizes), f.lit(0).cast("long"))
        redirects = f.count_if(is_redirect(files)) if self._is_parsed else f.lit(0)
        total, redirected = files.agg(f.coalesce(f.sum(row_size), f.lit(0)), redirects).first() or (0, 0)
        self._broadcast: BroadcastFiles | None = None
        if total <= broadcast_bytes:
            self._broadcast = BroadcastFiles(files.sparkSession, files, **self._arguments)
        elif self._is_parsed:
            files = resolve_files(files, id, content, has_redirects=redirected > 0)
        self._files = files

    @property
    def is_broadcast(self) -> bool:
        """Whether the table is sent to all workers."""
        return self._broadcast is not None

    def allows(
        self,
        urls: DataFrame,
        *,
        agent: str | Agent | None = None,
        id_column: str = "id",
        url_column: str = "url",
        agent_column: str = "agent",
    ) -> DataFrame:
        """Return the rows of a frame with whether each agent may fetch each URL, in any order.

        Args:
            urls: The rows. They are computed twice: once to find the hosts with very many URLs.
            agent: The agent of all rows, or None for a column of agents. It cannot be the name of a column of
                texts: pass `agent_column` for the column, or an `Agent` if the product token is meant.
            id_column, url_column, agent_column: The names of the columns.
        Returns: A frame with the columns of `urls`, then `allowed`.
        Raises: InvalidColumn: a column is missing, or has the name of a column of the result; InvalidOption: `agent` is
            the name of a column of texts; InvalidProductToken. A null or repeated ID of the files is an InvalidColumn
            on a worker, in an exception of Spark.
        """
        return self._decide(urls, agent, (id_column, url_column, agent_column), with_reasons=False)

    def decide(
        self,
        urls: DataFrame,
        *,
        agent: str | Agent | None = None,
        id_column: str = "id",
        url_column: str = "url",
        agent_column: str = "agent",
    ) -> DataFrame:
        """Return the rows of a frame with their verdicts, in any order.

        Args: urls, agent, id_column, url_column, agent_column: As for `allows`.
        Returns: A frame with the columns of `urls`, then `allowed`, `reason`, `line`, `rule` and `specificity`.
        Raises: As `allows`.
        """
        return self._decide(urls, agent, (id_column, url_column, agent_column), with_reasons=True)

    def _decide(
        self, urls: DataFrame, agent: str | Agent | None, names: tuple[str, str, str], *, with_reasons: bool
    ) -> DataFrame:
        id_name, url_name, agent_name = names
        verdicts = pa.schema(list(arrow_type(DECISION if with_reasons else struct_of(allowed=BOOL))))
        _check_columns(urls, [id_name, url_name, *([agent_name] if agent is None else [])], verdicts.names)
        if agent is not None:
            as_chain(agent, use_registry=self._use_registry)
        if isinstance(agent, str) and agent in urls.columns and urls.schema[agent].dataType.typeName() == "string":
            raise agent_is_column(agent, "urls")
        schema = StructType([*urls.schema.fields, *spark_schema(verdicts).fields])
        added = _Verdicts(id_name, url_name, agent, agent_name if agent is None else None, with_reasons)
        if self._broadcast is None:
            self._check_type(urls, id_name)
            arguments = self._arguments

            def decide_sorted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                return _decide_sorted(batches, added, arguments)

            return self._sorted(urls, id_name).mapInArrow(decide_sorted, schema)
        loaded = self._broadcast.loaded

        def decide(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return (added.add(loaded.files, batch) for batch in batches)

        return urls.mapInArrow(decide, schema)

    def _check_type(self, urls: DataFrame, id_name: str) -> None:
        kinds = [
            frame.schema[name].dataType.simpleString() for frame, name in ((self._files, self._id), (urls, id_name))
        ]
        if (kinds[0] in _TEXTS) != (kinds[1] in _TEXTS):
            raise InvalidColumn(f"the IDs of the files are of type {kinds[0]}, and those of urls of type {kinds[1]}")

    def _sorted(self, urls: DataFrame, id_name: str) -> DataFrame:
        """Return files and URLs in one frame, in which the files of a host come before its URLs."""
        files = self._files.select(self._key(self._files[self._id]).alias(_KEY), f.struct("*").alias(_FILE))
        pages = urls.select(self._key(urls[id_name]).alias(_KEY), f.struct("*").alias(_PAGE))
        # The hash of a row is the same if a task is repeated, which a random number is not. Maps have no hash.
        hashed = [field.name for field in urls.schema if isinstance(field.dataType, _HASHED)]
        row_hash = f.xxhash64(*(f.col(_PAGE).getField(name) for name in hashed))
        salt = f.when(f.col(_KEY).isNull(), f.pmod(row_hash, f.lit(_NULL_TASKS))).otherwise(0)
        salts = f.array(f.lit(0))
        frequent = _frequent_keys(pages)
        if frequent:
            fields = [files.schema[_KEY], StructField(_TASKS, LongType())]
            known = f.broadcast(urls.sparkSession.createDataFrame(frequent, StructType(fields)))
            files, pages = (frame.join(known, _KEY, "left") for frame in (files, pages))
            salt = f.when(f.col(_TASKS).isNotNull(), f.pmod(row_hash, f.col(_TASKS))).otherwise(salt)
            salts = f.sequence(f.lit(0), (f.coalesce(_TASKS, f.lit(1)) - 1).cast("int"))
        files = files.select(_KEY, f.explode(salts).alias(_SALT), f.lit(False).alias(_IS_PAGE), _FILE)
        pages = pages.select(_KEY, salt.cast("int").alias(_SALT), f.lit(True).alias(_IS_PAGE), _PAGE)
        both = files.unionByName(pages, allowMissingColumns=True)
        return both.repartition(_KEY, _SALT).sortWithinPartitions(_KEY, _SALT, _IS_PAGE)

    def _key(self, id_: Column) -> Column:
        """Return what a file and its URLs have in common: the ID, or the host if its file is that of its origins."""
        return f.regexp_replace(id_, "^https?://", "") if self._is_parsed and self._id == _ORIGIN else id_


def _bytes_or_text(files: DataFrame, name: str) -> Column:
    column = files[name]
    return column if files.schema[name].dataType.typeName() == "binary" else column.cast("string")


def _frequent_keys(pages: DataFrame) -> list[tuple[Any, int]]:
    """Return the keys with more URLs than one task gets, and the numbers of tasks."""
    counts = pages.where(f.col(_KEY).isNotNull()).groupBy(_KEY).count().where(f.col("count") > _TASK_ROWS)
    return [(row[_KEY], -(-row["count"] // _TASK_ROWS)) for row in counts.collect()]


def _check_columns(urls: DataFrame, read: Iterable[str], added: Iterable[str]) -> None:
    names = urls.columns
    for name in read:
        if name not in names:
            raise InvalidColumn(f"urls has no column {name!r}; its columns are {', '.join(map(repr, names))}")
    for name in added:
        if name in names:
            raise InvalidColumn(f"urls has a column {name!r}, as the result: rename it")


class _Verdicts(NamedTuple):
    """Adds verdicts to rows, which are those of `urls`.

    Attributes:
        id, url: The names of columns.
        agent: The agent of all rows, or None.
        agent_column: The column of agents, or None.
        with_reasons: Whether the columns of `decide` are added.
    """

    id: str
    url: str
    agent: str | Agent | None
    agent_column: str | None
    with_reasons: bool

    def add(self, files: Files, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Return rows with their verdicts."""
        agents = self.agent if self.agent_column is None else rows.column(self.agent_column)
        ids, urls = rows.column(self.id), rows.column(self.url)
        if self.with_reasons:
            added = pa.record_batch(files.decide_at(ids, agents, urls))
        else:
            added = pa.record_batch([files.allows_at(ids, agents, urls).to_pyarrow()], ["allowed"])
        names = [*rows.schema.names, *added.schema.names]
        return pa.RecordBatch.from_arrays([*rows.columns, *added.columns], names)


def _decide_sorted(
    batches: Iterable[pa.RecordBatch], verdicts: _Verdicts, arguments: Mapping[str, Any]
) -> Iterator[pa.RecordBatch]:
    """Yield the URLs of batches with their verdicts. The files of a key are before its URLs, maybe in another batch."""
    last: pa.Table | None = None
    for batch in batches:
        rows = pa.Table.from_batches([batch])
        is_page = rows[_IS_PAGE]
        files = rows.filter(compute.invert(is_page)).select([_KEY, _SALT, _FILE])
        files = files if last is None else pa.concat_tables([last, files])
        files = _without_copies(files).combine_chunks()
        loaded = Files(_fields(files[_FILE]), **arguments)
        pages = rows.filter(is_page)
        if pages.num_rows:
            yield verdicts.add(loaded, _fields(pages[_PAGE]))
        last = files.filter(compute.equal(files[_KEY], batch.column(_KEY)[-1]))


def _without_copies(files: pa.Table) -> pa.Table:
    """Return files without the copies for other tasks that are in the same one."""
    salts = files[_SALT].to_pylist()
    if not any(salts):
        return files
    first: dict[Any, int] = {}
    pairs = zip(files[_KEY].to_pylist(), salts, strict=True)
    return files.filter(pa.array([first.setdefault(key, salt) == salt for key, salt in pairs], pa.bool_()))


def _fields(structs: pa.ChunkedArray) -> pa.RecordBatch:
    chunk = structs.combine_chunks()
    array = chunk.combine_chunks() if isinstance(chunk, pa.ChunkedArray) else chunk
    return pa.RecordBatch.from_struct_array(array)
