"""`canfetch lint`: find and fix problems in robots.txt files."""

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any, Final

import click

from canfetch.cli.linting.options import LintOptions
from canfetch.cli.linting.report_writers import (
    LINE_FORMATS,
    LINT_FORMATS,
    PartWriter,
    ReportWriter,
    make_report_writer,
)
from canfetch.cli.linting.sources import (
    DEFAULT_NAMES,
    Source,
    expand_directories,
    is_url,
    names_or_default,
    read_source,
    unread_message,
)
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.garbage_collection import paused_collector
from canfetch.cli.shared.input_files import STANDARD_INPUT, check_standard_input, read_input
from canfetch.cli.shared.network_options import network_parameters, pop_network_options, reject_network_options
from canfetch.cli.shared.option_parameters import format_option, jobs_option, no_color_option
from canfetch.cli.shared.output_files import replace_file, write_standard_output
from canfetch.cli.shared.output_parameters import OutputFile, check_not_input, check_outputs
from canfetch.cli.shared.progress import Progress, item_progress
from canfetch.cli.shared.single_value_option import Choice, Option, ProfileChoice, complete_path
from canfetch.cli.shared.terminal import Palette, is_terminal, print_message, shorten_message, use_color
from canfetch.core.origin import parse_robots_url
from canfetch.core.profiles import PROFILES
from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text
from canfetch.errors import InvalidOption, InvalidRobotsURL, InvalidURL
from canfetch.lint.catalogue import LANGUAGES, load_catalogue
from canfetch.lint.configuration import LintSettings
from canfetch.lint.configuration_file import find_settings, read_settings, table_name
from canfetch.lint.lint_input import SitePage
from canfetch.lint.linter import FixResult, Linter
from canfetch.lint.repeated_files import RepeatedFiles
from canfetch.lint.severity import SEVERITY_SETS, Severity, parse_severity

# With fewer files, one process is as fast.
_MANY: Final = 400
_POLL_SECONDS: Final = 0.25
# Modification time in nanoseconds, and size.
_Stamp = tuple[int, int] | None


def _run(**values: Any) -> int:
    # The server is asked each time: whoever has just repaired a file wants to see it. So there is no `--refresh`.
    values["refresh"] = not values["offline"]
    network = pop_network_options(values)
    options = LintOptions(**values, network=network)
    _check_for_profiles(options)
    settings = _load_settings(options)
    if options.applies_fixes and not options.unsafe_fixes:
        options = options._replace(for_profiles=options.for_profiles or settings.fix_for)
    catalogue = load_catalogue(settings.language)
    palette = Palette(enabled=use_color(no_color=options.no_color) and options.output is None)
    if options.list_checks or options.explain is not None:
        from canfetch.cli.linting.check_descriptions import describe_checks  # noqa: PLC0415 - only for these options

        sys.stdout.write(describe_checks(options, catalogue, palette) or "")
        return EXIT_OK
    check_outputs()
    linter = settings.make_linter()
    # A fixed file from standard input is written to standard output, so the report is not.
    fixes_stream = options.applies_fixes and not options.diff and STANDARD_INPUT in options.names
    stream = (sys.stderr if fixes_stream else sys.stdout) if options.output is None else StringIO()
    writer = make_report_writer(
        options.format,
        stream,
        catalogue,
        palette,
        show=settings.show,
        fail_on=settings.fail_on,
        verbose=network.verbose > 0,
    )
    if options.watch:
        return _watch(options, linter, writer)
    code = _lint(options, linter, settings, writer)
    if options.output is not None and isinstance(stream, StringIO):
        replace_file(options.output, encode_text(stream.getvalue()), option="--output")
    return code


def _check_for_profiles(options: LintOptions) -> None:
    if options.for_profiles and options.unsafe_fixes:
        raise CommandError("--for and --unsafe-fixes cannot be used together")
    if options.for_profiles and not options.applies_fixes:
        raise CommandError("--for requires --fix or --diff")


def _load_settings(options: LintOptions) -> LintSettings:
    if options.isolated and options.config is not None:
        raise CommandError("--config and --isolated cannot be used together")
    settings = LintSettings() if options.isolated else load_settings(options.config)
    return settings._replace(
        severities=options.severities or settings.severities,
        select=options.select or settings.select,
        ignore=(*settings.ignore, *options.ignore),
        language=options.language or settings.language,
        fail_on=settings.fail_on if options.fail_on is None else parse_severity(options.fail_on),
        show=settings.show if options.show is None else parse_severity(options.show),
    )


def _lint(options: LintOptions, linter: Linter, settings: LintSettings, writer: ReportWriter) -> int:
    arguments = names_or_default(options.names, "lint", writes=options.fix and not options.diff)
    names = tuple(expand_directories(arguments, misnamed=True))
    _check_names(options, names)
    _check_fix_options(options, names)
    bar_enabled = options.output is not None or not is_terminal(sys.stdout)
    with closing(item_progress(len(names), enabled=bar_enabled)) as progress:
        if isinstance(writer, PartWriter) and _has_many_files(options, names):
            from canfetch.cli.linting.many_files import lint_many  # noqa: PLC0415 - starts processes

            return lint_many(names, options, settings, writer, progress)
        return _lint_each(names, options, linter, fail_on=settings.fail_on, writer=writer, progress=progress)


def _lint_each(
    names: tuple[str, ...],
    options: LintOptions,
    linter: Linter,
    *,
    fail_on: Severity,
    writer: ReportWriter,
    progress: Progress,
) -> int:
    code = EXIT_OK
    repeated = RepeatedFiles(linter)
    for source in _sources(options, names, progress):
        if source.lint_input is None:
            code = EXIT_ERROR
            progress.print_error(unread_message(source))
            writer.write_error(source.name, source.error)
            progress.advance(1)
            continue
        if options.applies_fixes:
            result = linter.fix(source.lint_input, unsafe=options.unsafe_fixes, for_profiles=options.for_profiles)
        else:
            with paused_collector():
                result = FixResult(source.lint_input.content, (), repeated.lint(source.lint_input))
        if source.name == STANDARD_INPUT and options.robots_url is None:
            result = result._replace(report=result.report._replace(name=STANDARD_INPUT))
        if result.refusal is not None:
            code = EXIT_ERROR
            progress.print_error(f"canfetch: {shorten_message(f'cannot fix {source.name}: {result.refusal}')}")
        is_changed = result.content != source.lint_input.content
        if options.diff:
            from canfetch.cli.linting.diffs import diff_lines  # noqa: PLC0415 - only for this option

            sys.stdout.writelines(diff_lines(source.name, source.lint_input.content, result.content))
            is_negative = is_changed
        else:
            if options.applies_fixes and source.path is None:
                write_standard_output(result.content)
            elif (
                source.path is not None
                and is_changed
                and not _is_replaced(source.path, source.lint_input.content, result.content, writer, progress)
            ):
                code = EXIT_ERROR
                progress.advance(1)
                continue
            with paused_collector():
                writer.write(result.report)
            is_negative = any(finding.severity >= fail_on for finding in result.report.findings)
        if code == EXIT_OK and is_negative:
            code = EXIT_NEGATIVE
        progress.advance(1)
    writer.end()

    return code


def _has_many_files(options: LintOptions, names: tuple[str, ...]) -> bool:
    """Return whether there are only files to read, and so many that several processes are faster."""
    if len(names) < _MANY or options.jobs == 1 or options.applies_fixes or options.page:
        return False
    return not any(is_url(name) or name == STANDARD_INPUT for name in names)


def _check_names(options: LintOptions, names: tuple[str, ...]) -> None:
    check_standard_input([("", name) for name in names])
    if not any(map(is_url, names)):
        reject_network_options("local files")
    if options.robots_url is not None:
        if len(names) > 1 or is_url(names[0]):
            raise CommandError("--robots-url requires exactly one file")
        try:
            parse_robots_url(options.robots_url)
        except InvalidRobotsURL:
            # A URL that is not at /robots.txt is reported as a finding. Other text is an error.
            if "://" not in options.robots_url:
                raise CommandError(
                    f"invalid --robots-url {quoted(options.robots_url)}: expected an absolute URL"
                ) from None
    if options.output is not None:
        # A folder among the inputs may contain it.
        check_not_input(f"--output {quoted(options.output)}", options.output, names)


def _network_parameters() -> Iterator[click.Parameter]:
    parameters = network_parameters(verbose_help="Show the reason, the source and the page of each check.")
    return (parameter for parameter in parameters if parameter.name != "refresh")


def _check_fix_options(options: LintOptions, names: tuple[str, ...]) -> None:
    if options.diff and options.format != "text":
        raise CommandError(f"--diff and --format {options.format} cannot be used together")
    if not options.applies_fixes:
        return
    if any(is_url(name) for name in names):
        raise CommandError("fetched files cannot be fixed: save the file, and pass its name")
    # The fixed file is written to standard output, so a document needs a file of its own.
    if not options.diff and options.format not in LINE_FORMATS and STANDARD_INPUT in names and options.output is None:
        raise CommandError(f"--format {options.format} requires --output FILE when standard input is fixed")


def _sources(options: LintOptions, names: tuple[str, ...], progress: Progress) -> Iterator[Source]:
    pages = tuple(_read_page(url, name) for url, name in options.page)
    urls = tuple(name for name in names if is_url(name))
    fetched: Iterator[Source] = iter(())
    if urls:
        from canfetch.cli.linting.fetched_sources import fetch_sources  # noqa: PLC0415 - imports the client

        fetched = fetch_sources(urls, options.network, progress, siblings=options.siblings, pages=pages)
    for name in names:
        yield (
            next(fetched)
            if is_url(name)
            else read_source(name, url=options.robots_url, pages=pages, arguments=options.names)
        )


def _read_page(url: str, name: str) -> SitePage:
    from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES  # noqa: PLC0415 - only for this option
    from canfetch.pages.page_rules import parse_page  # noqa: PLC0415

    html = read_input(name, "--page", max_bytes=DEFAULT_MAX_PAGE_BYTES + 1)
    try:
        return SitePage(url, parse_page(html=html, url=url))
    except InvalidURL as error:
        raise CommandError(f"--page: {error}") from None


def _watch(options: LintOptions, linter: Linter, writer: ReportWriter) -> int:
    """Report each file now and after each change, until Ctrl-C.

    Raises: CommandError: An option or a file is not supported with `--watch`; KeyboardInterrupt: The way to stop.
    """
    names = _watched_names(options)
    stamps: dict[str, _Stamp] = {}
    while True:
        for name in expand_directories(names, misnamed=True):
            stamp = _stamp(name)
            if name in stamps and stamps[name] == stamp:
                continue
            source = read_source(name, url=options.robots_url, arguments=names)
            if source.lint_input is None:
                print_message(f"canfetch: {shorten_message(source.error)}")
            elif options.applies_fixes:
                result = linter.fix(source.lint_input, unsafe=options.unsafe_fixes, for_profiles=options.for_profiles)
                if result.refusal is not None:
                    print_message(f"canfetch: {shorten_message(f'cannot fix {name}: {result.refusal}')}")
                if result.fixed:
                    if _stamp(name) != stamp:
                        # The file has changed in the meantime, and is read again.
                        continue
                    replace_file(name, result.content)
                    stamp = _stamp(name)
                writer.write(result.report)
            else:
                with paused_collector():
                    report = linter.lint(source.lint_input)
                writer.write(report)
            stamps[name] = stamp
            sys.stdout.flush()
        time.sleep(_POLL_SECONDS)


def _is_replaced(path: str, previous: bytes, content: bytes, writer: ReportWriter, progress: Progress) -> bool:
    """Replace a file that has not changed since it was read, or report why that is not possible."""
    try:
        replace_file(path, content, previous=previous)
    except CommandError as error:
        progress.print_error(f"canfetch: {error}")
        writer.write_error(path, str(error))
        return False
    return True


def _watched_names(options: LintOptions) -> tuple[str, ...]:
    if options.format not in LINE_FORMATS or options.output is not None or options.diff:
        formats = ", ".join(LINE_FORMATS)
        raise CommandError(f"--watch supports --format {formats}, without --output and --diff")
    names = options.names or DEFAULT_NAMES
    if any(is_url(name) or name == STANDARD_INPUT for name in names):
        raise CommandError("--watch supports only files and folders")
    return names


def _stamp(name: str) -> _Stamp:
    try:
        status = Path(name).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


command: Final = click.Command(
    "lint",
    params=[
        click.Argument(["names"], nargs=-1, metavar="[FILE|FOLDER|URL|-]...", shell_complete=complete_path),
        Option(
            ["--severities"],
            type=Choice(SEVERITY_SETS),
            help="Severity set.  [default: default, which is rfc and each search engine that the file names]",
        ),
        Option(
            ["--select"],
            multiple=True,
            metavar="CHECK",
            help="Run only these checks: a name, a code, or a prefix of codes. Can be repeated.",
        ),
        Option(["--ignore"], multiple=True, metavar="CHECK", help="Skip these checks. Can be repeated."),
        Option(["--fix"], is_flag=True, help="Apply fixes that change no verdict."),
        Option(["--unsafe-fixes"], is_flag=True, help="Also apply fixes that change what crawlers may fetch."),
        Option(
            ["--for", "for_profiles"],
            multiple=True,
            type=ProfileChoice(list(PROFILES)),
            metavar="PROFILE",
            help="With --fix or --diff, apply every fix that keeps all verdicts in this parsing profile, such as "
            "googlebot, even if it changes them in others. Can be repeated.",
        ),
        Option(["--diff"], is_flag=True, help="Show the fixes as a diff, and change nothing."),
        Option(["--watch"], is_flag=True, help="Check files again whenever they change, until Ctrl-C."),
        Option(["--robots-url"], metavar="URL", help="URL of the file, now or after the next deployment."),
        Option(
            ["--page"],
            multiple=True,
            nargs=2,
            metavar="URL FILE",
            help="A page of the site, whose page-level rules are compared with the file. Can be repeated.",
        ),
        Option(
            ["--siblings"],
            is_flag=True,
            help="For a URL, compare with the files of the other scheme and of the host with or without www.",
        ),
        Option(
            ["--config"],
            metavar="FILE",
            help="Configuration file.  [default: the nearest canfetch.toml or pyproject.toml]",
        ),
        Option(["--isolated"], is_flag=True, help="Ignore all configuration files."),
        Option(
            ["--fail-on"],
            type=Choice([severity.label for severity in Severity]),
            help="Lowest severity that results in exit code 1.  [default: warning]",
        ),
        Option(
            ["--show"],
            type=Choice([severity.label for severity in Severity]),
            help="Lowest severity to show in full.  [default: warning for text and github, info for other formats]",
        ),
        Option(["--language"], type=Choice(LANGUAGES), help="Language of messages.  [default: en]"),
        Option(["--list-checks"], is_flag=True, help="List all checks and exit; with --format json too."),
        Option(["--explain"], metavar="CHECK", help="Explain a check and exit; with --format json too."),
        jobs_option("Number of processes for folders with hundreds of files.  [default: one for each core]"),
        format_option(LINT_FORMATS),
        Option(
            ["--output"],
            metavar="FILE",
            type=OutputFile(replaces=True),
            help="Write the report to a file instead of standard output. An existing file is replaced.",
        ),
        no_color_option(),
        *_network_parameters(),
    ],
    callback=_run,
    short_help="Find and fix problems in robots.txt files.",
    help="""Find and fix problems in robots.txt files: errors, ambiguities, and lines that crawlers read differently.

    Without an argument, robots.txt in the current directory is checked. A folder selects every robots.txt below
    it. A URL selects the robots.txt of its origin, which is fetched and checked together with its status and
    headers. With -, standard input is checked; with --fix, the fixed file is written to standard output and the
    remaining findings to standard error. The comment '# canfetch: allow NAME' suppresses a finding.""",
    epilog="""\b
Examples:
  canfetch lint robots.txt
  canfetch lint robots.txt --severities google --fix
  canfetch lint robots.txt --diff --for googlebot
  canfetch lint robots.txt --show info --verbose
  canfetch lint https://example.com --siblings
  canfetch lint public/ --format sarif --output robots.sarif
  canfetch lint --explain missing-colon

\b
Exit codes: 0 no findings at or above --fail-on, 1 some (with --diff: fixes), 2 an error occurred.""",
)


def load_settings(name: str | None) -> LintSettings:
    """Load the settings of a configuration file.

    Args: name: The file. None selects the nearest `canfetch.toml`, or `pyproject.toml` with a table for the linter,
        in the current directory or above.
    Raises: CommandError: The file cannot be read, or a setting is invalid.
    """
    try:
        if name is None:
            return find_settings(Path.cwd())
        if "://" in name:
            raise CommandError(f"cannot read --config {quoted(name)}: expected a file, not a URL")
        settings = read_settings(Path(name))
    except FileNotFoundError:
        # The current directory was deleted.
        return LintSettings()
    except InvalidOption as error:
        raise CommandError(str(error)) from None
    if settings is None:
        raise CommandError(f"--config {quoted(name)} has no table {table_name(Path(name))}")
    return settings
