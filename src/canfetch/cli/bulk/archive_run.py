"""Runs of the commands that turn archives into a table, and what they report."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from canfetch.bulk.archives.archive_job import Collected, collect, only_pages, store_path, write_table
from canfetch.bulk.archives.capture_store import LeftOut, Missed
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.sources import Source
from canfetch.cli.bulk.options import (
    RunOptions,
    find_sources,
    open_work_folder,
    output_format,
    plain_agents,
    process_count,
)
from canfetch.cli.bulk.unfinished import unfinished
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_OK
from canfetch.cli.shared.output_files import PendingFile
from canfetch.cli.shared.progress import Progress, byte_progress, item_progress
from canfetch.core.quoting import quoted
from canfetch.core.text import counted

_FAULTS_SHOWN: Final = 10


def run_archive_command(command: str, inputs: tuple[str, ...], options: TableOptions, run: RunOptions) -> int:
    """Write a table, report the records that were set aside, and return the exit code.

    Raises: CommandError: An input or the output cannot be opened.
    """
    form = output_format(run)
    sources = find_sources(inputs, run.input_format)
    settings = {"command": command, "options": _plain(options), "input_format": run.input_format}
    with (
        open_work_folder(run, form, [source.name for source in sources], settings) as folder,
        unfinished(folder),
        open_faults(run) as write_fault,
    ):
        collected = collect_captures(sources, store_path(folder), write_fault)
        progress = item_progress(collected.captures, enabled=True)
        try:
            write_table(
                folder,
                options,
                policy=run.policy,
                processes=process_count(run),
                advance=progress.advance,
                engine=run.engine,
            )
        finally:
            progress.close()
    print_counts(counted(collected.captures, "file"), collected, run.output)
    return EXIT_ERROR if collected.is_cut else EXIT_OK


def collect_captures(
    sources: list[Source], store: Path, write_fault: Callable[[Fault], None], *, pages: Sequence[Source] = ()
) -> Collected:
    """Read archives into a store, with a progress bar, and report the records that are set aside.

    Args:
        write_fault: Writes a record to the file of `--faults`.
        pages: The archives of pages.
    """
    sizes = [source.size for source in (*sources, *only_pages(sources, pages))]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    progress = byte_progress(total, enabled=True)
    shown = FaultLines(progress, write_fault)
    try:
        collected = collect(sources, store, pages=pages, advance=progress.advance, on_fault=shown.add)
    finally:
        progress.close()
    for name in collected.unreadable:
        progress.print_error(f"canfetch: warning: {quoted(name)}: no record can be used")
    # A WARC file may have all responses of a crawl. In a table, other URLs than those of robots.txt are rare.
    crawls = {source.name for source in sources if source.format == "warc"}
    for left_out in collected.left_out:
        if not left_out.has_files or left_out.source not in crawls:
            progress.print_error(f"canfetch: warning: {_describe(left_out)}")
    for missed in collected.missed:
        progress.print_error(f"canfetch: warning: {_describe_missed(missed)}")
    return collected


def _describe_missed(missed: Missed) -> str:
    """Return what redirects lead to in an archive, although it was left out."""
    count = f"{counted(missed.urls, 'URL')} that redirects lead to {'was' if missed.urls == 1 else 'were'} left out"
    advice = "the redirects come later, and only a file can be read again: pass a file instead of a stream"
    if Path(missed.name).is_file():
        advice = "too many redirects follow each other in the reverse order"
    return f"{quoted(missed.name)}: {count}: {advice}"


def _describe(left_out: LeftOut) -> str:
    """Return the parts of an archive that were left out."""
    name = quoted(left_out.source)
    count = f"{counted(left_out.records, 'record')} {'is' if left_out.records == 1 else 'are'}"
    no_file = "" if left_out.has_files else "no robots.txt found: "
    return f"{name}: {no_file}{count} left out, for other URLs than /robots.txt, such as {quoted(left_out.example)}"


def print_counts(what: str, collected: Collected, output: str) -> None:
    """Print what was written, and how much was set aside. A table about no file is a warning."""
    warning = "" if collected.captures else "warning: "
    Progress().print_error(f"canfetch: {warning}wrote {what} to {output}{set_aside(collected.faults)}")


def set_aside(count: int) -> str:
    """Return the end of a message: how many records were set aside, or nothing."""
    return f"; {counted(count, 'record')} {'was' if count == 1 else 'were'} set aside" if count else ""


class FaultLines:
    """Prints the first records that are set aside, and writes all of them.

    Args: write_fault: As for `collect_captures`.
    """

    def __init__(self, progress: Progress, write_fault: Callable[[Fault], None]) -> None:
        self._progress = progress
        self._write = write_fault
        self._count = 0

    def add(self, fault: Fault) -> None:
        """Write a record, and print it unless there were too many."""
        self._write(fault)
        self._count += 1
        if self._count <= _FAULTS_SHOWN:
            self._progress.print_error(f"canfetch: warning: {fault.source}:{fault.position}: set aside: {fault.reason}")
        elif self._count == _FAULTS_SHOWN + 1:
            self._progress.print_error("canfetch: warning: more records are set aside: --faults FILE lists them all")


@contextmanager
def open_faults(run: RunOptions) -> Iterator[Callable[[Fault], None]]:
    """Open the file of `--faults`, and return a function that writes a record to it.

    The file appears at the end of the run: the command that continues a failed run must not find it.

    Raises: CommandError: The file cannot be written.
    """
    if run.faults is None:
        yield lambda _: None
        return
    with PendingFile(run.faults, f"--faults {quoted(run.faults)}", force=run.force) as file:
        yield lambda fault: file.write(json.dumps(fault._asdict()).encode() + b"\n")
        file.commit()


def _plain(options: TableOptions) -> dict[str, Any]:
    return {**options._asdict(), "agents": plain_agents(options.agents)}
