"""From archives to a table: captures are collected, then resolved and written in parts, by several processes."""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from canfetch.access.policies import get_policy
from canfetch.bulk.archives.capture_store import CaptureStore, LeftOut, Missed
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.archives.resolution import resolve_capture
from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.sources import STANDARD_INPUT, Source, read_source
from canfetch.bulk.writing.part_files import PartFiles
from canfetch.bulk.writing.part_writers import open_part
from canfetch.bulk.writing.processes import DUCKDB, check_duckdb, run_tasks
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.errors import StoreError

_STORE: Final = "captures.sqlite"
# Enough for a row group, and few enough to share the work among processes.
_CAPTURES_PER_PART: Final = 4096
# Each one follows the redirects that the one before found. Policies follow 5 redirects, and one of them 20.
_MAX_PASSES: Final = 10


class Part(NamedTuple):
    """A part of a table: its number, and the first and the last capture."""

    number: int
    first: int
    last: int


class PartOptions(NamedTuple):
    """The arguments of a process that writes parts."""

    store: Path
    parts: PartFiles
    options: TableOptions
    policy: str


class Collected(NamedTuple):
    """The number of robots.txt captures of a run, and whether an archive is incomplete.

    `left_out` has the archives with responses of other URLs. `unreadable` has those of which every record was set
    aside. `missed` has those with responses that redirects lead to, but that could not be read again.
    """

    captures: int
    is_cut: bool
    left_out: list[LeftOut]
    unreadable: list[str]
    missed: list[Missed]


def store_path(folder: WorkFolder) -> Path:
    """Return the path of the captures of an unfinished output."""
    return folder.path / _STORE


def has_progress(folder: WorkFolder) -> bool:
    """Return whether the same run would continue: a part was written, or an archive was read to its end."""
    path = store_path(folder)
    if folder.has_any_part() or not path.is_file():
        return folder.has_any_part()
    try:
        with CaptureStore(path, read_only=True) as store:
            return store.has_read_source()
    except StoreError:
        return False


def collect(
    sources: Sequence[Source],
    path: Path,
    *,
    pages: Sequence[Source] = (),
    advance: Callable[[int], None],
    on_fault: Callable[[Fault], None],
) -> Collected:
    """Read archives into a store. An archive that an earlier run read to its end is not read again.

    A redirect may lead to a response that comes before it. The archives with such responses are read once more, if they
    are files.

    Args:
        sources: The archives.
        path: The store.
        pages: The archives with pages, TDM files and licenses, which are needed for uses. Those in `sources` are read
            once.
        advance: Called with the number of bytes that were read.
        on_fault: Called with each record that is set aside.
    """
    is_cut = False
    with CaptureStore(path) as store:
        with_pages = frozenset(source.name for source in pages)
        for number, source in enumerate([*sources, *only_pages(sources, pages)]):
            if not store.begin_source(number, source.name):
                advance(source.size or 0)
                continue
            has_pages = source.name in with_pages
            for item in read_source(source, wants=_wants_all if has_pages else store.wants, advance=advance):
                if has_pages and isinstance(item, Capture):
                    store.pages.add(number, item)
                if number < len(sources) or isinstance(item, Fault):
                    store.add(number, item)
            store.finish_source(number)
        _collect_missed(sources, store, with_pages)
        store.finish()
        for fault in store.faults():
            is_cut |= fault.is_end
            on_fault(fault)
        unreadable = store.unreadable()
        is_incomplete = is_cut or bool(unreadable)
        return Collected(store.count(), is_incomplete, store.left_out(), unreadable, store.missed())


def only_pages(sources: Sequence[Source], pages: Sequence[Source]) -> list[Source]:
    """Return the archives of pages that are not among the archives of robots.txt files."""
    names = {source.name for source in sources}
    return [source for source in pages if source.name not in names]


def _wants_all(_: str) -> bool:
    return True


def _collect_missed(sources: Sequence[Source], store: CaptureStore, with_pages: frozenset[str]) -> None:
    for _ in range(_MAX_PASSES):
        missed = [missed.source for missed in store.missed() if _can_be_read_again(sources[missed.source])]
        if not missed:
            return
        for number in missed:
            store.begin_again(number)
            source = sources[number]
            # The records of pages that are set aside are found again.
            for item in read_source(source, wants=_wants_all if source.name in with_pages else store.wants):
                store.add(number, item)
            store.finish_source(number)


def _can_be_read_again(source: Source) -> bool:
    return source.name != STANDARD_INPUT and (source.format == "folder" or Path(source.name).is_file())


def write_table(
    folder: WorkFolder,
    options: TableOptions,
    *,
    policy: str,
    processes: int,
    advance: Callable[[int], None],
    engine: str = "local",
) -> None:
    """Write the table of the collected captures, and finish the output.

    Args:
        folder: Where `collect` wrote the store.
        options: The table.
        policy: The access policy.
        processes: The number of processes, or of threads of DuckDB.
        advance: Called with the number of captures of each part that is complete.
        engine: As for `run_tasks`, or `duckdb`.
    Raises: MissingExtra: DuckDB, pyarrow or PySpark is not installed. StoreError: DuckDB failed. WorkerKilled.
    """
    path = store_path(folder)
    with CaptureStore(path, read_only=True) as store:
        last = store.last_id()
    parts = list_parts(last)
    written = PartOptions(path.absolute(), folder.parts, options, policy)
    missing = [part for part in parts if folder.parts.receipt(part.number) is None]
    advance(sum(part.last - part.first + 1 for part in parts) - sum(part.last - part.first + 1 for part in missing))
    if engine == DUCKDB:
        _write_joined_parts(written, missing, threads=processes, advance=advance)
    else:
        for part, _ in run_tasks(partial(write_part, written), missing, processes=processes, engine=engine):
            advance(part.last - part.first + 1)
    folder.finish(len(parts))


def _write_joined_parts(
    written: PartOptions, missing: Sequence[Part], *, threads: int, advance: Callable[[int], None]
) -> None:
    """Write parts with the rows that DuckDB joins."""
    check_duckdb()
    # Needs DuckDB and pyarrow, which few runs do.
    from canfetch.bulk.archives.equal_files import joined_rows  # noqa: PLC0415

    parts, options, policy = written.parts, written.options, get_policy(written.policy)
    ranges = [(part.first, part.last) for part in missing]
    with CaptureStore(written.store, read_only=True) as store:
        rows = joined_rows(parts.folder, store, ranges, options, policy=policy, threads=threads)
        with closing(rows):
            row = next(rows, None)
            for part in missing:
                with open_part(parts.path(part.number), parts.format, options.schema, header=part.number == 0) as sink:
                    while row is not None and row[0] <= part.last:
                        sink.write(row[1])
                        row = next(rows, None)
                parts.complete(part.number)
                advance(part.last - part.first + 1)


def list_parts(last: int) -> list[Part]:
    """Return the parts of all captures up to a number. Without captures, there is one part."""
    firsts = range(1, max(last, 1) + 1, _CAPTURES_PER_PART)
    return [Part(number, first, min(first + _CAPTURES_PER_PART - 1, last)) for number, first in enumerate(firsts)]


def write_part(written: PartOptions, part: Part) -> None:
    """Write one part."""
    policy = get_policy(written.policy)
    parts, options = written.parts, written.options
    with (
        CaptureStore(written.store, read_only=True) as store,
        open_part(parts.path(part.number), parts.format, options.schema, header=part.number == 0) as sink,
    ):
        captures = store.files(part.first, part.last)
        for row in options.rows(resolve_capture(capture, store, policy) for _, capture in captures):
            sink.write(row)
    parts.complete(part.number)
