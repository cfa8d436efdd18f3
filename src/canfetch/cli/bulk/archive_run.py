"""Runs of the commands that turn archives into a table: what they report, and what a failed one leaves."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from canfetch.bulk.archives.archive_job import Collected, collect, has_progress, only_pages, store_path, write_table
from canfetch.bulk.archives.capture_store import LeftOut, Missed
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.sources import WEB_ARCHIVES, Source
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.cli.bulk.options import (
    RunOptions,
    find_sources,
    open_work_folder,
    output_format,
    plain_agents,
    process_count,
)
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_OK, CommandError
from canfetch.cli.shared.output_files import PendingFile
from canfetch.cli.shared.progress import Progress, byte_progress, item_progress
from canfetch.cli.shared.termination import called_before_end
from canfetch.core.quoting import quoted
from canfetch.core.text import counted
from canfetch.errors import CanfetchError

_FAULTS_SHOWN: Final = 10


class SetAside:
    """What is set aside in a run: prints the first records, writes all of them, and counts what is lost.

    Args: write: Writes a record to the file of `--faults`.

    Attributes:
        progress: The progress bar, above which lines are printed.
        is_cut: Whether more records than those may be missing.
    """

    def __init__(self, write: Callable[[Fault], None]) -> None:
        self._write = write
        self._shown = 0
        self._lost = 0
        self._is_exact = True
        self._sources: set[str] = set()
        self.progress = Progress()
        self.is_cut = False

    def add(self, fault: Fault) -> None:
        """Write a record, and print it unless there were too many."""
        self._write(fault)
        self.is_cut |= fault.is_end
        self._lost += 1 if fault.lost is None else fault.lost
        self._is_exact &= fault.lost is not None
        self._sources.add(fault.source)
        self._shown += 1
        if self._shown <= _FAULTS_SHOWN:
            self.progress.print_error(f"canfetch: warning: {fault.source}:{fault.position}: set aside: {fault.reason}")
        elif self._shown == _FAULTS_SHOWN + 1:
            self.progress.print_error("canfetch: warning: more records are set aside: --faults FILE lists them all")

    def summary(self) -> str:
        """Return the end of a message: how many records of how many files are lost, or nothing."""
        if not self._sources:
            return ""
        least = "" if self._is_exact else "at least "
        verb = "was" if self._lost == 1 else "were"
        return f"; {least}{counted(self._lost, 'record')} in {counted(len(self._sources), 'file')} {verb} set aside"


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
        open_faults(run) as aside,
    ):
        collected = collect_captures(sources, store_path(folder), aside)
        with closing(item_progress(collected.captures, enabled=True)) as progress:
            write_table(
                folder,
                options,
                policy=run.policy,
                processes=process_count(run),
                advance=progress.advance,
                engine=run.engine,
            )
    print_counts(counted(collected.captures, "file"), collected, aside, run.output)
    return EXIT_ERROR if collected.is_cut else EXIT_OK


def collect_captures(sources: list[Source], store: Path, aside: SetAside, *, pages: Sequence[Source] = ()) -> Collected:
    """Read archives into a store, with a progress bar, and report the records that are set aside.

    Args:
        aside: Reports the records that are set aside.
        pages: The archives of pages.
    """
    sizes = [source.size for source in (*sources, *only_pages(sources, pages))]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    with closing(byte_progress(total, enabled=True)) as progress:
        aside.progress = progress
        collected = collect(sources, store, pages=pages, advance=progress.advance, on_fault=aside.add)
    for name in collected.unreadable:
        progress.print_error(f"canfetch: warning: {quoted(name)}: no record can be used")
    # A WARC or ARC file may have all responses of a crawl. In a table, other URLs than those of robots.txt are rare.
    crawls = {source.name for source in sources if source.format in WEB_ARCHIVES}
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


def print_counts(what: str, collected: Collected, aside: SetAside, output: str) -> None:
    """Print what was written, and how much was set aside. A table about no file is a warning."""
    warning = "" if collected.captures else "warning: "
    Progress().print_error(f"canfetch: {warning}wrote {what} to {output}{aside.summary()}")


@contextmanager
def open_faults(run: RunOptions) -> Iterator[SetAside]:
    """Open the file of `--faults`, for the records that are set aside.

    The file appears at the end of the run: the command that continues a failed run must not find it.

    Raises: CommandError: The file cannot be written.
    """
    if run.faults is None:
        yield SetAside(lambda _: None)
        return
    file = PendingFile(run.faults, f"--faults {quoted(run.faults)}", force=run.force)
    with file, called_before_end(file.discard):
        yield SetAside(lambda fault: file.write(json.dumps(fault._asdict()).encode() + b"\n"))
        file.commit()


def _plain(options: TableOptions) -> dict[str, Any]:
    return {**options._asdict(), "agents": plain_agents(options.agents)}


@contextmanager
def unfinished(folder: WorkFolder) -> Iterator[None]:
    """Add to errors how to continue and how to remove the folder. Without progress, remove it.

    Raises: CommandError: In place of an error of the run.
    """
    try:
        yield
    except KeyboardInterrupt:
        advice = _advice(folder)
        if advice:
            Progress().print_error(f"canfetch: interrupted; {advice}")
        raise
    except BrokenPipeError:
        raise
    except (CanfetchError, CommandError, OSError) as error:
        message = _message(error)
        # Some errors remain until the run is restarted.
        advice = "" if "--restart" in message else _advice(folder)
        raise CommandError(f"{message}; {advice}" if advice else message) from None


def _message(error: Exception) -> str:
    if not isinstance(error, OSError) or isinstance(error, CanfetchError):
        return str(error)
    subject = "cannot write the output" if error.filename is None else quoted(os.fsdecode(error.filename))
    return f"{subject}: {error.strerror or error}"


def _advice(folder: WorkFolder) -> str:
    """Return how to continue, or remove the folder and return an empty text."""
    if has_progress(folder):
        return f"the same command continues, and deleting {quoted(str(folder.path))} discards the work so far"
    with suppress(OSError):
        folder.discard()
    return ""
