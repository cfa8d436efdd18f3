"""Files that each worker has once, and Parquet files that workers read and decide themselves."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession

from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.files import Files
from canfetch.bulk.spark.arrow_functions import AnySparkColumn, call_with_agent, spark_function
from canfetch.bulk.types import BOOL, DECISION, arrow_type, struct_of
from canfetch.core.agent import Agent

_BATCH_ROWS: Final = 100_000
# Tables whose files a worker keeps. A worker process serves one session, and few tables at once.
_TABLES: Final = 4


class BroadcastFiles:
    """A table of robots.txt files on all workers. Each Python process loads it once, and parses files on demand.

    Args:
        spark: The session.
        files: A frame of Spark, a table of Arrow data, or a mapping from ID to content.
        id, content: The names of the columns.
        **options: The options of `canfetch.bulk.Files`.
    Raises: InvalidColumn: a column is missing, or an ID is null or repeated; UnknownProfile, InvalidLimit, EngineError.
    """

    def __init__(
        self,
        spark: SparkSession,
        files: Any,
        *,
        id: str = "id",  # noqa: A002 - the name of the column
        content: str = "content",
        **options: Any,
    ) -> None:
        if isinstance(files, DataFrame):
            table = files.select(id, content).toArrow()
        elif isinstance(files, Mapping):
            table = pa.table({id: list(files), content: list(files.values())})
        else:
            table = pa.table(files).select([id, content])
        arguments = {"id": id, "content": content, **options}
        # Raises here if the table or an option is invalid, instead of on a worker.
        Files(table, **arguments)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        self._spark = spark
        self._use_registry = bool(options.get("use_registry"))
        self._broadcast = spark.sparkContext.broadcast(sink.getvalue().to_pybytes())
        self._loaded = _LoadedFiles(uuid4().hex, self._broadcast, arguments)

    def allows_at(self, id: AnySparkColumn, agent: str | Agent | Column, url: AnySparkColumn) -> Column:  # noqa: A002
        """Return whether each agent may fetch each URL, as `Files.allows_at` does.

        Args:
            id, url: Columns, or their names.
            agent: A product token, an `Agent`, or a column.
        """
        return call_with_agent(BOOL, self._loaded.allows_at, id, agent, url)

    def decide_at(self, id: AnySparkColumn, agent: str | Agent | Column, url: AnySparkColumn) -> Column:  # noqa: A002
        """Return the verdict on each URL as a struct, as `Files.decide_at` does.

        Args: id, agent, url: As for `allows_at`.
        """
        return call_with_agent(DECISION, self._loaded.decide_at, id, agent, url)

    def matrix_at(self, id: AnySparkColumn, agents: AnyAgents, url: AnySparkColumn) -> Column:  # noqa: A002
        """Return for each URL which agents may fetch it as a struct, as `Files.matrix_at` does.

        Args: id, agents, url: As for `allows_at`, and for `canfetch.bulk.matrix`.
        """
        called: Column = self.matrix_function(agents)(id, url)
        return called

    def sql_functions(self) -> dict[str, Any]:
        """Return the functions of an ID, an agent and a URL by their names, for `register`."""
        return {
            "allows_at": spark_function(BOOL, 3, self._loaded.allows_at),
            "decide_at": spark_function(DECISION, 3, self._loaded.decide_at),
        }

    def matrix_function(self, agents: AnyAgents) -> Any:
        """Return the function of an ID and a URL, for `register`.

        Raises: InvalidProductToken, InvalidOption, TypeError.
        """
        names, _ = named_chains(agents, use_registry=self._use_registry)
        loaded = self._loaded

        def decide_all(ids: Any, urls: Any) -> Any:
            return loaded.files.matrix_at(ids, agents, urls)

        return spark_function(struct_of(**dict.fromkeys(names, BOOL)), 2, decide_all)

    def decide_parquet(
        self,
        paths: Iterable[str],
        *,
        agent: str | Agent | None = None,
        id: str = "id",  # noqa: A002 - the name of the column
        url: str = "url",
        agent_column: str = "agent",
    ) -> DataFrame:
        """Return the rows of Parquet files with their verdicts. Each worker reads the files that it decides.

        This is the fastest way: only verdicts pass through Spark, and dictionaries of the files are kept.

        Args:
            paths: Files that all workers can read. Each becomes a partition.
            agent: The agent of all rows, or None for a column of agents.
            id, url, agent_column: The names of the columns.
        Returns: A frame with the columns of the files, then `allowed`, `reason`, `line`, `rule` and `specificity`.
        """
        names = list(paths)
        schema = pq.read_schema(names[0])
        from pyspark.sql.pandas.types import from_arrow_schema  # noqa: PLC0415 - not public, and its place may change

        columns: Any = from_arrow_schema(schema)
        verdicts: Any = from_arrow_schema(pa.schema(list(arrow_type(DECISION))))
        partitions = self._spark.createDataFrame([(name,) for name in names], "path string").repartition(
            len(names), "path"
        )
        loaded = self._loaded

        def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for path in batch.column("path").to_pylist():
                    for rows in _read_rows(path):
                        agents = rows.column(agent_column) if agent is None else agent
                        yield _with_verdicts(rows, loaded.files.decide_at(rows.column(id), agents, rows.column(url)))

        return partitions.mapInArrow(read, type(columns)(columns.fields + verdicts.fields))

    def unpersist(self) -> None:
        """Remove the files from the workers."""
        self._broadcast.unpersist()


def _read_rows(path: str) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(path) as parquet:
        yield from parquet.iter_batches(_BATCH_ROWS)


def _with_verdicts(rows: pa.RecordBatch, column: Any) -> pa.RecordBatch:
    verdicts = pa.record_batch(column)
    names = [*rows.schema.names, *verdicts.schema.names]
    return pa.RecordBatch.from_arrays([*rows.columns, *verdicts.columns], names=names)


class _LoadedFiles:
    """The files as a worker has them. Pickled with a function, it refers to the broadcast table."""

    def __init__(self, key: str, broadcast: Any, arguments: dict[str, Any]) -> None:
        self._key = key
        self._broadcast = broadcast
        self._arguments = arguments

    @property
    def files(self) -> Files:
        """The files, loaded once in each process."""
        return _load(_Table(self._key, self._broadcast, self._arguments))

    def allows_at(self, ids: Any, agent: Any, url: Any) -> Any:
        """Return whether each URL may be fetched."""
        return self.files.allows_at(ids, agent, url)

    def decide_at(self, ids: Any, agent: Any, url: Any) -> Any:
        """Return the verdicts."""
        return self.files.decide_at(ids, agent, url)


class _Table:
    """The arguments of `_load`, which are equal if their keys are."""

    def __init__(self, key: str, broadcast: Any, arguments: dict[str, Any]) -> None:
        self.key = key
        self.broadcast = broadcast
        self.arguments = arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Table) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(_TABLES)
def _load(table: _Table) -> Files:
    with pa.ipc.open_stream(table.broadcast.value) as reader:
        return Files(reader.read_all(), **table.arguments)
