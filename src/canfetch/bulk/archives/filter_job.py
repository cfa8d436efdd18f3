"""Lists of URLs with the decision about each, by the captures of archives."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canfetch.bulk.archives.filter_lists import FilterOptions, FilterTask, URLList, list_tasks
from canfetch.bulk.archives.filter_parts import Counts, FilterPart, WrittenPart, decide_and_write_part, write_part
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.row_files import load_pyarrow, parquet_errors
from canfetch.bulk.writing.common_schemas import common_type
from canfetch.bulk.writing.part_writers import arrow_fields
from canfetch.bulk.writing.processes import DUCKDB, check_duckdb, run_tasks
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

if TYPE_CHECKING:
    from canfetch.bulk.archives.sorted_decisions import DecidedRows


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
        processes: The number of processes, or of threads of DuckDB.
        advance: Called with the number of bytes that were read, or decided by DuckDB.
        on_fault: Called with each row that is set aside.
        engine: As for `run_tasks`, or `duckdb`.
    Raises: MissingExtra: DuckDB, pyarrow or PySpark is not installed. StoreError: DuckDB failed. WorkerKilled.
    """
    written = FilterPart(store.absolute(), folder.parts, options)
    as_typed = {os.path.abspath(urls.name): urls.name for urls in lists}  # noqa: PTH100 - names as typed
    total = Counts()
    count = 0

    def add(part: WrittenPart) -> None:
        nonlocal total
        total = total.plus(part.counts)
        for fault in part.faults:
            on_fault(fault._replace(source=as_typed[fault.source]))

    def missing_tasks(advance: Callable[[int], None], skip: Callable[[int], None]) -> Iterator[FilterTask]:
        nonlocal count
        for task in list_tasks(lists, options, advance, on_fault):
            count = task.number + 1
            receipt = folder.parts.receipt(task.number)
            if receipt is None:
                yield task
            else:
                done = WrittenPart.from_json(receipt.result)
                skip(done.counts.rows + done.lost * len(options.agents))
                add(done)

    def write_decided(task: FilterTask, decided: "DecidedRows") -> WrittenPart:
        part = write_part(written, task, decided.take)
        # DuckDB may have read rows whose checksum is wrong.
        decided.skip(part.lost * len(options.agents))
        return part

    with ExitStack() as stack:
        results: Iterator[tuple[FilterTask, WrittenPart]]
        if engine == DUCKDB:
            check_duckdb()
            # Needs DuckDB and pyarrow, which few runs do.
            from canfetch.bulk.archives.sorted_decisions import sorted_decisions  # noqa: PLC0415

            decided = stack.enter_context(sorted_decisions(written, lists, threads=processes, advance=advance))
            tasks = missing_tasks(lambda _: None, decided.skip)
            results = ((task, write_decided(task, decided)) for task in tasks)
        else:
            decide = partial(decide_and_write_part, written)
            results = run_tasks(decide, missing_tasks(advance, lambda _: None), processes=processes, engine=engine)
        for _, part in results:
            add(part)
    folder.finish(count)
    return total


def check_common_types(lists: Sequence[URLList]) -> None:
    """Raise InvalidOption if no type has all values of a column of lists, which have the same columns."""
    common = {name: (kind, lists[0]) for name, kind in _types(lists[0]).items()}
    for urls in lists[1:]:
        for name, kind in _types(urls).items():
            known, first = common[name]
            found = common_type(known, kind)
            if found is None:
                raise InvalidOption(
                    f"the column {quoted(name)} has the type {known} in {quoted(first.name)} and {kind} in "
                    f"{quoted(urls.name)}: write it with one type, or write CSV or NDJSON"
                )
            if found != known:
                common[name] = (found, urls)


def _types(urls: URLList) -> dict[str, Any]:
    if urls.format != "parquet":
        # Cells of other lists are text, as the part writers write them.
        return {column.name: field.type for column, field in zip(urls.columns, arrow_fields(urls.columns), strict=True)}
    _, parquet = load_pyarrow()
    with parquet_errors(urls.name):
        schema = parquet.read_schema(urls.name)
    return dict(zip(schema.names, schema.types, strict=True))
