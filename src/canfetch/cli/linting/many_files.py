"""Many files, linted by several processes.

Each process lints a few dozen files at a time, and renders what is written for each. The first process writes these
parts in the order of the files, so the output is that of a single process.
"""

from collections.abc import Iterator
from io import StringIO
from typing import Final, NamedTuple

from canfetch.bulk.writing.processes import available_cores, run_tasks
from canfetch.cli.linting.options import LintOptions
from canfetch.cli.linting.report_writers import PartWriter, make_report_writer
from canfetch.cli.linting.sources import read_source, unread_message
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK
from canfetch.cli.shared.garbage_collection import paused_collector
from canfetch.cli.shared.progress import Progress
from canfetch.cli.shared.terminal import Palette
from canfetch.lint.catalogue import load_catalogue
from canfetch.lint.configuration import LintSettings
from canfetch.lint.repeated_files import RepeatedFiles

_FILES_IN_TASK: Final = 32


class _Task(NamedTuple):
    """Files to lint, with everything that a process needs for them.

    Attributes:
        number: The place of the task among others.
        names: The files.
        arguments: The arguments of the command.
        settings: The settings of the linter.
        format: The format of the output.
        has_color: Whether the output has colors.
        is_verbose: Whether the reason, the source and the page of each check are shown.
    """

    number: int
    names: tuple[str, ...]
    arguments: tuple[str, ...]
    settings: LintSettings
    format: str
    has_color: bool
    is_verbose: bool


class _FileResult(NamedTuple):
    """What is written for a file.

    Attributes:
        parts: What the writer of the format writes.
        problem: The line that says why the file could not be read, or None.
        is_negative: Whether a finding lets the run fail.
    """

    parts: list[str]
    problem: str | None
    is_negative: bool


def lint_many(
    names: tuple[str, ...], options: LintOptions, settings: LintSettings, writer: PartWriter, progress: Progress
) -> int:
    """Lint files, write the reports, and return the exit code.

    Raises: WorkerKilled.
    """
    code = EXIT_OK
    for result in _results(names, options, settings, has_color=writer.has_color):
        writer.write_parts(result.parts)
        if result.problem is not None:
            code = EXIT_ERROR
            progress.print_error(result.problem)
        elif result.is_negative and code == EXIT_OK:
            code = EXIT_NEGATIVE
        progress.advance(1)
    writer.end()
    return code


def _results(
    names: tuple[str, ...], options: LintOptions, settings: LintSettings, *, has_color: bool
) -> Iterator[_FileResult]:
    """Yield the results in the order of the files."""
    verbose = options.network.verbose > 0
    tasks = (
        _Task(
            number, names[first : first + _FILES_IN_TASK], options.names, settings, options.format, has_color, verbose
        )
        for number, first in enumerate(range(0, len(names), _FILES_IN_TASK))
    )
    processes = options.jobs or available_cores()
    early: dict[int, list[_FileResult]] = {}
    following = 0
    for task, results in run_tasks(_lint_task, tasks, processes=processes):
        early[task.number] = results
        while following in early:
            yield from early.pop(following)
            following += 1


# The linter of this process, with its settings. Reports of files that occur repeatedly are kept with it.
_linters: dict[str, RepeatedFiles] = {}


def _lint_task(task: _Task) -> list[_FileResult]:
    key = repr(task.settings)
    if key not in _linters:
        _linters[key] = RepeatedFiles(task.settings.make_linter())
    writer = make_report_writer(
        task.format,
        StringIO(),
        load_catalogue(task.settings.language),
        Palette(enabled=task.has_color),
        show=task.settings.show,
        fail_on=task.settings.fail_on,
        verbose=task.is_verbose,
    )
    assert isinstance(writer, PartWriter)
    return [_lint_file(name, task, _linters[key], writer) for name in task.names]


def _lint_file(name: str, task: _Task, linter: RepeatedFiles, writer: PartWriter) -> _FileResult:
    source = read_source(name, arguments=task.arguments)
    if source.lint_input is None:
        return _FileResult([*writer.error_parts(name, source.error)], unread_message(source), is_negative=False)
    with paused_collector():
        report = linter.lint(source.lint_input)
        parts = [*writer.parts(report)]
    is_negative = any(finding.severity >= task.settings.fail_on for finding in report.findings)
    return _FileResult(parts, None, is_negative)
