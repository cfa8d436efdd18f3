"""`canfetch fmt`: format robots.txt files without changing any verdict."""

import sys
from contextlib import closing
from typing import Any, Final, NamedTuple

import click

from canfetch.author.formatting import FormatResult, format_robots
from canfetch.cli.linting.diffs import diff_lines
from canfetch.cli.linting.sources import expand_directories, is_url, names_or_default, read_source
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT, check_standard_input
from canfetch.cli.shared.option_parameters import format_option
from canfetch.cli.shared.output_files import replace_file, write_standard_output
from canfetch.cli.shared.progress import item_progress
from canfetch.cli.shared.row_writers import json_writer
from canfetch.cli.shared.single_value_option import Option, complete_path
from canfetch.cli.shared.terminal import is_terminal, printable, shorten_message
from canfetch.core.text import printable_text

_SKIPPED: Final = {
    "records": "the spelling of records",
    "group-gaps": "blank lines between groups",
    "blank-lines": "blank lines",
}


class _Options(NamedTuple):
    """The values of the options."""

    names: tuple[str, ...]
    check: bool
    diff: bool
    format: str

    @property
    def writes(self) -> bool:
        """Whether files are written."""
        return not self.check and not self.diff


class _FormattedFile(NamedTuple):
    """A file before and after formatting. `error` is the reason why it could not be formatted, or an empty string."""

    name: str
    before: bytes
    result: FormatResult
    error: str

    @property
    def changed(self) -> bool:
        return self.result.content != self.before


def _run(**values: Any) -> int:
    options = _Options(**values)
    names = tuple(expand_directories(names_or_default(options.names, "fmt", writes=options.writes)))
    if any(map(is_url, names)):
        raise CommandError("fetched files cannot be formatted: save the file, and pass its name")
    check_standard_input([("", name) for name in names])
    if options.format != "text" and not options.check:
        raise CommandError(f"--format {options.format} requires --check")
    return _format_all(options, names)


def _format_all(options: _Options, names: tuple[str, ...]) -> int:
    writer = json_writer(options.format)
    code = EXIT_OK
    with closing(item_progress(len(names), enabled=not is_terminal(sys.stdout))) as progress:
        for file in map(_format, names):
            if file.error:
                code = EXIT_ERROR
                progress.print_error(f"canfetch: {shorten_message(file.error)}")
            elif file.changed and not options.writes:
                code = max(code, EXIT_NEGATIVE)
            if writer is None:
                try:
                    _write(options, file)
                except CommandError as error:
                    code = EXIT_ERROR
                    progress.print_error(f"canfetch: {error}")
            else:
                writer.write(_to_json(file))
            progress.advance(1)
    if writer is not None:
        writer.end()
    return code


def _format(name: str) -> _FormattedFile:
    source = read_source(name)
    if source.lint_input is None:
        return _FormattedFile(name, b"", FormatResult(b"", source.error), source.error)
    content = source.lint_input.content
    result = format_robots(content)
    return _FormattedFile(name, content, result, f"cannot format {name}: {result.refusal}" if result.refusal else "")


def _write(options: _Options, file: _FormattedFile) -> None:
    if options.diff:
        sys.stdout.writelines(diff_lines(file.name, file.before, file.result.content))
    elif file.name == STANDARD_INPUT and options.writes:
        # A file that cannot be formatted is written unchanged, so that a pipe does not lose it.
        write_standard_output(file.result.content)
    elif file.changed:
        if options.writes:
            replace_file(file.name, file.result.content, previous=file.before)
        skipped = ", ".join(_SKIPPED[name] for name in file.result.skipped)
        action = "reformatted" if options.writes else "would be reformatted"
        note = f" (unchanged, to preserve verdicts: {skipped})" if skipped else ""
        sys.stdout.write(f"{printable(file.name)}: {action}{note}\n")


def _to_json(file: _FormattedFile) -> dict[str, Any]:
    return {
        "name": printable_text(file.name),
        "changed": file.changed,
        "refusal": file.result.refusal,
        "skipped": list(file.result.skipped),
    }


command: Final = click.Command(
    "fmt",
    params=[
        click.Argument(["names"], nargs=-1, metavar="[FILE|FOLDER|-]...", shell_complete=complete_path),
        Option(["--check"], is_flag=True, help="Write no files; exit with 1 if a file would be reformatted."),
        Option(
            ["--diff"],
            is_flag=True,
            help="Write no files; show a diff, and exit with 1 if a file would be reformatted.",
        ),
        format_option(help="Output format of --check."),
    ],
    callback=_run,
    short_help="Format robots.txt files without changing any verdict.",
    help="""Format robots.txt files: canonical spelling of keys, single blank lines, LF line ends.

    Comments, values and the order of lines are preserved. Each time, canfetch verifies that no verdict changes in any
    profile. If it cannot, the file is left unchanged, and so is a file that is not a robots.txt. A folder selects every
    robots.txt below it. With -, standard input is formatted to standard output. Without an argument, robots.txt in the
    current directory is formatted.""",
    epilog="""\b
Examples:
  canfetch fmt robots.txt
  canfetch fmt public/ --check
  canfetch fmt - < robots.txt

\b
Exit codes: 0 success, 1 a file would be reformatted (--check, --diff), 2 a file cannot be read or formatted.""",
)
