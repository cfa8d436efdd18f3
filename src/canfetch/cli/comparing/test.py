"""`canfetch test`: check expectations about a robots.txt."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT, read_robots, reading_problem, warn_about_content
from canfetch.cli.shared.option_parameters import format_option, input_file_option, no_color_option, quiet_option
from canfetch.cli.shared.row_writers import json_writer
from canfetch.cli.shared.single_value_option import complete_path
from canfetch.cli.shared.terminal import output_palette, print_message, print_notes, printable
from canfetch.core.document import RobotsTxt
from canfetch.core.quoting import quoted
from canfetch.core.text import counted
from canfetch.errors import InvalidExpectations
from canfetch.expectations import (
    EXPECTATION_FILE,
    Expectation,
    Expectations,
    Failure,
    check_expectations,
    load_expectations,
)


class _Options(NamedTuple):
    files: tuple[str, ...]
    robots: str | None
    format: str
    quiet: bool
    no_color: bool


class _Result(NamedTuple):
    file: str
    expectation: Expectation
    failure: Failure | None

    @property
    def code(self) -> int:
        if self.failure is None:
            return EXIT_OK
        return EXIT_ERROR if self.failure.verdict is None else EXIT_NEGATIVE

    def to_json(self) -> dict[str, Any]:
        expectation, failure = self.expectation, self.failure
        return {
            "schema": "canfetch.expectation/1",
            "file": self.file,
            "line": expectation.line or None,
            "agent": expectation.agent_name,
            "url": expectation.url,
            "pattern": expectation.pattern,
            "allowed": expectation.allowed,
            "why": expectation.why or None,
            "holds": None if failure is not None and failure.verdict is None else failure is None,
            "counterexample": None if failure is None else failure.url,
            "verdict": None if failure is None or failure.verdict is None else failure.verdict.to_json(),
            "error": None if failure is None else failure.error,
        }


def _run(**values: Any) -> int:
    options = _Options(**values)
    palette = output_palette(no_color=options.no_color)
    writer = json_writer(options.format)
    code, checked, failed, unchecked = EXIT_OK, 0, 0, 0
    for result in _results(options):
        code = max(code, result.code)
        checked += 1
        failed += result.code == EXIT_NEGATIVE
        unchecked += result.code == EXIT_ERROR
        if writer is not None:
            writer.write(result.to_json())
        elif result.failure is not None and not options.quiet:
            place = f"{result.file}:{result.expectation.line}" if result.expectation.line else result.file
            sys.stdout.write(f"{palette.bad(printable(place))}: {printable(str(result.failure))}\n")
    if writer is not None:
        writer.end()
    elif not options.quiet:
        counts = [f"{failed} failed"] * (failed > 0) + [f"{unchecked} could not be checked"] * (unchecked > 0)
        sys.stdout.write(f"{counted(checked, 'expectation')} checked, {', '.join(counts) or 'all hold'}.\n")
    return code


def _results(options: _Options) -> Iterator[_Result]:
    # Every file is read before anything is printed.
    loaded = [(name, _load(name)) for name in options.files or (EXPECTATION_FILE,)]
    # Standard input can be read only once.
    override = None if options.robots is None else _read(options.robots, "--robots")
    contents = [
        _read(str(Path(name).parent / expectations.robots)) if override is None else override
        for name, expectations in loaded
    ]
    files = [_parse(*one, content) for one, content in zip(loaded, contents, strict=True)]
    if not options.quiet:
        print_notes(
            note
            for (_, expectations), robots in zip(loaded, files, strict=True)
            for note in expectations.notes_for(robots)
        )
    for (name, expectations), robots in zip(loaded, files, strict=True):
        failures = check_expectations(robots, expectations.entries)
        for expectation, failure in zip(expectations.entries, failures, strict=True):
            yield _Result(name, expectation, failure)


def _load(name: str) -> Expectations:
    try:
        return load_expectations(Path(name))
    except InvalidExpectations as error:
        hint = f"; pass a robots.txt with --robots {name}" if name.lower().endswith(".txt") else ""
        raise CommandError(f"{name}: {error}{hint}") from None
    except FileNotFoundError as error:
        if name == STANDARD_INPUT:
            hint = f"expected a file of expectations, such as {EXPECTATION_FILE}; --robots - reads a robots.txt"
        else:
            hint = reading_problem(name, error)
        if name == EXPECTATION_FILE:
            hint += ": create it with expectations about a robots.txt, or pass another file of expectations"
        raise CommandError(f"cannot read {quoted(name)}: {hint}") from None
    except OSError as error:
        raise CommandError(f"cannot read {quoted(name)}: {reading_problem(name, error)}") from None


def _parse(name: str, expectations: Expectations, content: bytes) -> RobotsTxt:
    try:
        return expectations.parse(content)
    except InvalidExpectations as error:
        raise CommandError(f"{name}: {error}") from None


def _read(name: str, option: str = "") -> bytes:
    content = read_robots(name, option)
    warn_about_content(content, name, option, warn=print_message)
    return content


command: Final = click.Command(
    "test",
    params=[
        click.Argument(["files"], nargs=-1, metavar="[FILE]...", shell_complete=complete_path),
        input_file_option("--robots", help="Check this robots.txt instead of the one that the files name."),
        format_option(),
        quiet_option(),
        no_color_option(),
    ],
    callback=_run,
    short_help="Check expectations about a robots.txt.",
    help=f"""Check what agents may and may not fetch against a file of expectations, {EXPECTATION_FILE} by default.

    An expectation about a pattern is proved for all URLs that match it. If it does not hold, a shortest URL that
    contradicts it is shown, with the line that decides.""",
    epilog="""\b
Examples:
  canfetch test
  canfetch test robots.expect.toml --robots new-robots.txt
  canfetch test --format ndjson

\b
json, ndjson: schema, file, line, agent, url, pattern, allowed, why, holds, counterexample, verdict, error

\b
Exit codes: 0 all expectations hold, 1 some do not, 2 an error occurred or an expectation cannot be checked.""",
)
