"""Files that each worker has once, and Parquet files that workers read and decide themselves."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession

from canfetch.bulk.arguments import as_chain
from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.files import Files, check_mapping
from canfetch.bulk.parsed_files import needed_columns
from canfetch.bulk.spark.arrow_functions import call_function, call_with_agent, spark_function
from canfetch.bulk.spark.parquet_rows import AnyPaths, DecidedColumns, decide_rows, list_files, split_files
from canfetch.bulk.spark.parquet_schema import check_agent, kept_columns, spark_schema
from canfetch.bulk.types import BOOL, DECISION, ColumnType, arrow_type, struct_of
from canfetch.core.agent import Agent

# Tables whose files a worker keeps. A worker process serves one session, and few tables at once.
_TABLES: Final = 4


class BroadcastFiles:
    """A table of robots.txt files on all workers. Each Python process loads it once, and parses files on demand.

    Args:
        spark: The session.
        files: A frame of Spark, a table of Arrow data, or a mapping from ID to content. Tables of `canfetch bulk parse`
            are read as by `Files`.
        id, content: The names of the columns.
        **options: The options of `canfetch.bulk.Files`.

    Attributes:
        loaded: The files as a worker has them.

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
            table = files.select(*needed_columns(files.columns, id, content)).toArrow()
        elif isinstance(files, Mapping):
            check_mapping(files)
            table = pa.table({id: list(files), content: list(files.values())})
        else:
            table = pa.table(files)
            table = table.select(needed_columns(table.column_names, id, content))
        arguments = {"id": id, "content": content, **options}
        # Raises here if the table or an option is invalid, instead of on a worker.
        Files(table, **arguments)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        self._spark = spark
        self._use_registry = bool(options.get("use_registry"))
        self._broadcast = spark.sparkContext.broadcast(sink.getvalue().to_pybytes())
        self.loaded = LoadedFiles(uuid4().hex, self._broadcast, arguments)

    def allows_at(self, id: Column, agent: str | Agent | Column, url: Column) -> Column:  # noqa: A002
        """Return whether each agent may fetch each URL, as `Files.allows_at` does.

        Args:
            id, url: Columns. A text is never the name of a column.
            agent: A product token, an `Agent`, or a column.
        Raises: InvalidColumn: a text is passed for a column.
        """
        return call_with_agent("allows_at", BOOL, self.loaded.allows_at, agent, id=id, url=url)

    def decide_at(self, id: Column, agent: str | Agent | Column, url: Column) -> Column:  # noqa: A002
        """Return the verdict on each URL as a struct, as `Files.decide_at` does.

        Args: id, agent, url: As for `allows_at`.
        """
        return call_with_agent("decide_at", DECISION, self.loaded.decide_at, agent, id=id, url=url)

    def matrix_at(self, id: Column, agents: AnyAgents, url: Column) -> Column:  # noqa: A002
        """Return for each URL which agents may fetch it as a struct, as `Files.matrix_at` does.

        Args: id, agents, url: As for `allows_at`, and for `canfetch.bulk.matrix`.
        """
        type_, decide_all = self._matrix(agents)
        return call_function("matrix_at", type_, decide_all, id=id, url=url)

    def sql_functions(self) -> dict[str, Any]:
        """Return the functions of an ID, an agent and a URL by their names, for `register`."""
        return {
            "allows_at": spark_function("allows_at", BOOL, 3, self.loaded.allows_at),
            "decide_at": spark_function("decide_at", DECISION, 3, self.loaded.decide_at),
        }

    def matrix_function(self, agents: AnyAgents) -> Any:
        """Return the function of an ID and a URL, for `register`.

        Raises: InvalidProductToken, InvalidOption, TypeError.
        """
        type_, decide_all = self._matrix(agents)
        return spark_function("matrix_at", type_, 2, decide_all)

    def _matrix(self, agents: AnyAgents) -> tuple[ColumnType, Callable[[Any, Any], Any]]:
        names, _ = named_chains(agents, use_registry=self._use_registry)
        loaded = self.loaded

        def decide_all(ids: Any, urls: Any) -> Any:
            return loaded.files.matrix_at(ids, agents, urls)

        return struct_of(**dict.fromkeys(names, BOOL)), decide_all

    def allows_parquet(
        self,
        paths: AnyPaths,
        *,
        agent: str | Agent | None = None,
        columns: Iterable[str] | str | None = None,
        id_column: str = "id",
        url_column: str = "url",
        agent_column: str = "agent",
    ) -> DataFrame:
        """Return the rows of Parquet files with whether each agent may fetch each URL. Workers read the files.

        This is the fastest way: nothing passes through Spark but the result, and workers decide large blocks of rows.

        Args:
            paths: Files that the driver and all workers can read, folders of files, and patterns such as
                `urls/*.parquet`. Each file becomes a partition. If there are fewer files than twice the cores, they are
                split at row groups.
            agent: The agent of all rows, or None for a column of agents. It cannot be the name of a column of
                texts: pass `agent_column` for the column, or an `Agent` if the product token is meant.
            columns: The columns of the files to keep: None for all of them, or an empty list for none.
            id_column, url_column, agent_column: The names of the columns.
        Returns: A frame with the kept columns, then `allowed`. Types are those of the first file.
        Raises: InvalidColumn: the first file lacks a column, or a kept column has an unsupported type or the name of a
            column of the result; InvalidOption: there is no file, a file is not a valid Parquet file, or `agent` is the
            name of a column of texts; InvalidProductToken, OSError. Faults of other files than the first one may be
            raised by workers instead, in an exception of Spark whose message names the file.
        """
        return self._read_parquet(paths, agent, columns, (id_column, agent_column, url_column), with_reasons=False)

    def decide_parquet(
        self,
        paths: AnyPaths,
        *,
        agent: str | Agent | None = None,
        columns: Iterable[str] | str | None = None,
        id_column: str = "id",
        url_column: str = "url",
        agent_column: str = "agent",
    ) -> DataFrame:
        """Return the rows of Parquet files with their verdicts. Workers read the files.

        Args: paths, agent, columns, id_column, url_column, agent_column: As for `allows_parquet`.
        Returns: A frame with the kept columns, then `allowed`, `reason`, `line`, `rule` and `specificity`.
        Raises: As `allows_parquet`.
        """
        return self._read_parquet(paths, agent, columns, (id_column, agent_column, url_column), with_reasons=True)

    def _read_parquet(
        self,
        paths: AnyPaths,
        agent: str | Agent | None,
        columns: Iterable[str] | str | None,
        names: tuple[str, str, str],
        *,
        with_reasons: bool,
    ) -> DataFrame:
        files = list_files(paths)
        id_name, agent_name, url = names
        if agent is not None:
            # Raises here if the agent is invalid, instead of on a worker.
            as_chain(agent, use_registry=self._use_registry)
        if isinstance(agent, str):
            check_agent(files[0], agent)
        read_names = [id_name, url, *([agent_name] if agent is None else [])]
        verdicts = pa.schema(list(arrow_type(DECISION if with_reasons else struct_of(allowed=BOOL))))
        kept = kept_columns(files[0], columns, read_names, verdicts.names)
        decided = DecidedColumns(id_name, agent_name if agent is None else None, url, kept)
        tasks = split_files(files, 2 * self._spark.sparkContext.defaultParallelism)
        loaded = self.loaded

        def decide(ids: Any, agents: Any, urls: Any) -> pa.RecordBatch:
            agents = agents if agent is None else agent
            if with_reasons:
                return pa.record_batch(loaded.decide_at(ids, agents, urls))
            return pa.record_batch([loaded.allows_at(ids, agents, urls).to_pyarrow()], ["allowed"])

        def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from decide_rows(tasks[number], decided, decide)

        # A row for each task, each in a partition of its own.
        numbers = self._spark.range(0, len(tasks), 1, len(tasks))
        return numbers.mapInArrow(read, spark_schema(pa.schema([*kept, *verdicts])))

    def unpersist(self) -> None:
        """Remove the files from the workers."""
        self._broadcast.unpersist()


class LoadedFiles:
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
