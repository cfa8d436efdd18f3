"""Runs of the commands that turn archives into a table, and what they report."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from canfetch.bulk.archives.archive_job import Collected, collect, store_path, write_table
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.sources import Source
from canfetch.bulk.writing.part_writers import replaced
from canfetch.cli.bulk.options import (
    RunOptions,
    find_sources,
    open_work_folder,
    output_format,
    plain_agents,
    process_count,
)
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_OK, CommandError
from canfetch.cli.shared.progress import Progress, byte_progress, item_progress
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

_FAULTS_SHOWN: Final = 10


def run_archive_command(command: str, inputs: tuple[str, ...], options: TableOptions, run: RunOptions) -> int:
    """Write a table, report the records that were set aside, and return the exit code.

    Raises: CommandError: An input or the output cannot be opened.
    """
    form = output_format(run)
    sources = find_sources(inputs, run.input_format)
    settings = {"command": command, "options": _plain(options), "input_format": run.input_format}
    with open_work_folder(run, form, list(inputs), settings) as folder:
        try:
            collected = collect_captures(sources, store_path(folder), run)
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
        except CanfetchError as error:
            raise CommandError(str(error)) from None
        print_counts(f"{collected.captures:,} files", collected, run.output)
    return EXIT_ERROR if collected.is_cut else EXIT_OK


def collect_captures(sources: list[Source], store: Path, run: RunOptions) -> Collected:
    """Read archives into a store, with a progress bar, and report the records that are set aside."""
    sizes = [source.size for source in sources]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    progress = byte_progress(total, enabled=True)
    shown = FaultLines(progress)
    try:
        collected = collect(sources, store, advance=progress.advance, on_fault=shown.add)
    finally:
        progress.close()
    if run.faults is not None:
        with CaptureStore(store, read_only=True) as captures:
            _write_faults(run.faults, captures.faults())
    return collected


def print_counts(what: str, collected: Collected, output: str) -> None:
    """Print what was written, and how much was set aside."""
    aside = f"; {collected.faults:,} records were set aside" if collected.faults else ""
    Progress().print_error(f"canfetch: wrote {what} to {output}{aside}")


class FaultLines:
    """Prints the first records that are set aside."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._count = 0

    def add(self, fault: Fault) -> None:
        """Print a record, unless there were too many."""
        self._count += 1
        if self._count <= _FAULTS_SHOWN:
            self._progress.print_error(f"canfetch: warning: {fault.source}:{fault.position}: set aside: {fault.reason}")
        elif self._count == _FAULTS_SHOWN + 1:
            self._progress.print_error("canfetch: warning: more records are set aside: --faults FILE lists them all")


def _write_faults(name: str, faults: Iterable[Fault]) -> None:
    try:
        with replaced(Path(name)) as stream:
            for fault in faults:
                stream.write(json.dumps(fault._asdict()).encode() + b"\n")
    except OSError as error:
        raise CommandError(f"cannot write --faults {quoted(name)}: {error.strerror or error}") from None


def _plain(options: TableOptions) -> dict[str, Any]:
    return {**options._asdict(), "agents": plain_agents(options.agents)}
