"""`canfetch lint`: what is wrong, odd or not read alike in robots.txt files, and the mending of it."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from io import StringIO
from typing import Any, Final, NoReturn

import click

from canfetch.cli.decisions.options import STANDARD_INPUT
from canfetch.cli.linting.configuration_file import configured
from canfetch.cli.linting.diffs import difference_lines
from canfetch.cli.linting.options import LintQuestion
from canfetch.cli.linting.report_writers import LINT_FORMATS, LintOutput, output_of
from canfetch.cli.linting.sources import Source, fetched_sources, is_origin, read_source, sources_of
from canfetch.cli.linting.watching import watch
from canfetch.cli.shared.input_files import close_input, open_input
from canfetch.cli.shared.network_options import network_parameters, taken_from
from canfetch.cli.shared.output_files import rewrite, to_standard_output
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, UNCOMPUTED, Problem, cropped
from canfetch.cli.shared.progress import Progress, progress_of
from canfetch.cli.shared.terminal import Palette, is_terminal, wants_color
from canfetch.core.origin import parse_robots_url
from canfetch.core.text import encode_text
from canfetch.errors import InvalidOption, InvalidRobotsURL
from canfetch.lint.catalogue import LANGUAGES, Catalogue, load_catalogue
from canfetch.lint.checks import CHECKS, CHECKS_BY_WORD
from canfetch.lint.configuration import LintSettings
from canfetch.lint.lint_input import SitePage
from canfetch.lint.linter import Linter, unknown_check
from canfetch.lint.report import LintReport
from canfetch.lint.severity import SEVERITY_SETS, Severity, parse_severity
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import parse_page

_CLEAN, _FOUND = ALLOWED, DISALLOWED
_NOT_FOR_DOCUMENTS: Final = frozenset({"sarif", "gitlab", "junit", "html", "json"})


def _run(**given: Any) -> NoReturn:
    network = taken_from(given)
    question = LintQuestion(**given, network=network)
    settings = _settings(question)
    catalogue = load_catalogue(settings.language)
    palette = Palette(on=wants_color(no_color=question.no_color) and question.output is None)
    context = click.get_current_context()
    if question.list_checks or question.explain is not None:
        sys.stdout.writelines(f"{line}\n" for line in _told(question, catalogue, palette))
        context.exit(_CLEAN)
    linter = _linter(settings)
    if question.watch:
        context.exit(watch(question, linter, catalogue, palette))
    # What is mended from standard input goes to standard output, alone.
    usual = sys.stderr if question.mends and not question.diff and STANDARD_INPUT in question.names else sys.stdout
    stream = usual if question.output is None else StringIO()
    output = output_of(question.format, stream, catalogue, palette)
    code = _lint(question, linter, settings, output)
    if question.output is not None and isinstance(stream, StringIO):
        rewrite(question.output, encode_text(stream.getvalue()))
    context.exit(code)


def _settings(question: LintQuestion) -> LintSettings:
    settings = LintSettings() if question.isolated else configured(question.config)
    if question.isolated and question.config is not None:
        raise Problem("--config names a file and --isolated reads none: give one of them")
    return settings._replace(
        severities=question.severities or settings.severities,
        select=question.select or settings.select,
        ignore=(*settings.ignore, *question.ignore),
        language=question.language or settings.language,
        fail_on=settings.fail_on if question.fail_on is None else parse_severity(question.fail_on),
    )


def _linter(settings: LintSettings) -> Linter:
    try:
        return Linter(
            severities=settings.severities,
            select=settings.select,
            ignore=settings.ignore,
            severity_overrides=settings.severity_overrides,
            ignore_in=settings.ignore_in,
            folder=settings.folder,
        )
    except InvalidOption as error:
        raise Problem(str(error)) from None


def _lint(question: LintQuestion, linter: Linter, settings: LintSettings, output: LintOutput) -> int:
    code = _CLEAN
    names = tuple(sources_of(question.names or ("robots.txt",)))
    _check_names(question, names)
    _check_mending(question, names)
    wanted = question.output is not None or not is_terminal(sys.stdout)
    with closing(progress_of(len(names), wanted=wanted)) as progress:
        for source in _sources(question, names, progress):
            if source.given is None:
                code = UNCOMPUTED
                progress.say(f"canfetch: {cropped(source.problem)}")
                output.fail(source.name, source.problem)
            elif question.diff:
                if _shows_difference(question, linter, source) and code == _CLEAN:
                    code = _FOUND
            else:
                report = _report(question, linter, source)
                output.write(report)
                if code == _CLEAN and _fails(report, settings.fail_on):
                    code = _FOUND
            progress.advance(1)
        output.end()
    return code


def _check_names(question: LintQuestion, names: tuple[str, ...]) -> None:
    if names.count(STANDARD_INPUT) > 1:
        raise Problem("standard input can be read once: give - once")
    if question.robots_url is not None:
        if len(names) > 1 or is_origin(names[0]):
            raise Problem("--robots-url says where one file is: give one FILE")
        try:
            parse_robots_url(question.robots_url)
        except InvalidRobotsURL:
            # A place where no robots.txt can be is a finding; what is no URL at all is a mistake.
            if "://" not in question.robots_url:
                raise Problem(f"--robots-url {question.robots_url}: give a whole URL") from None
    if question.output is not None:
        place = os.path.realpath(question.output)
        if any(not is_origin(name) and os.path.realpath(name) == place for name in names):
            raise Problem(f"--output {question.output} is one of the files to look at: give another")


def _check_mending(question: LintQuestion, names: tuple[str, ...]) -> None:
    if question.diff and question.format != "text":
        raise Problem(f"--diff shows text: give it without --format {question.format}")
    if question.mends and any(is_origin(name) for name in names):
        raise Problem("what is fetched cannot be mended in its place: save it, and give the file")
    if question.mends and not question.diff and question.format in _NOT_FOR_DOCUMENTS and STANDARD_INPUT in names:
        raise Problem(f"- is mended to standard output, where --format {question.format} goes: give --output FILE")


def _sources(question: LintQuestion, names: tuple[str, ...], progress: Progress) -> Iterator[Source]:
    pages = tuple(_page(url, file) for url, file in question.page)
    origins = tuple(name for name in names if is_origin(name))
    fetched: Iterator[Source] = iter(())
    if origins:
        fetched = fetched_sources(origins, question.network, progress, siblings=question.siblings, pages=pages)
    for name in names:
        yield next(fetched) if is_origin(name) else read_source(name, url=question.robots_url, pages=pages)


def _page(url: str, name: str) -> SitePage:
    stream = open_input(name, "--page")
    try:
        return SitePage(url, parse_page(html=stream.read(DEFAULT_MAX_PAGE_BYTES + 1), url=url))
    finally:
        close_input(stream)


def _shows_difference(question: LintQuestion, linter: Linter, source: Source) -> bool:
    """Show what mending a file would change, and say whether that is anything."""
    assert source.given is not None
    octets = linter.fix(source.given, unsafe=question.unsafe_fixes).content
    sys.stdout.writelines(difference_lines(source.name, source.given.content, octets))
    return octets != source.given.content


def _report(question: LintQuestion, linter: Linter, source: Source) -> LintReport:
    """Lint one file, and mend it where that is wanted."""
    assert source.given is not None
    if not question.mends:
        return linter.lint(source.given)
    fixed = linter.fix(source.given, unsafe=question.unsafe_fixes)
    if source.path is None:
        to_standard_output(fixed.content)
    elif fixed.content != source.given.content:
        rewrite(source.path, fixed.content)
    return fixed.report


def _fails(report: LintReport, fail_on: Severity) -> bool:
    return any(finding.severity >= fail_on for finding in report.findings)


def _told(question: LintQuestion, catalogue: Catalogue, palette: Palette) -> Iterable[str]:
    if question.explain is None:
        for check in CHECKS:
            severity = check.severities.in_set(question.severities or "all")
            said = "-" if severity is None else catalogue.phrase(severity.label)
            fix = "fix" if check.fixable else ""
            yield f"{check.code}  {said:<8} {fix:<4} {check.name:<28} {catalogue.texts(check).title}"
        return
    found = CHECKS_BY_WORD.get(question.explain)
    if found is None:
        raise Problem(unknown_check(question.explain))
    texts = catalogue.texts(found)
    yield palette.strong(f"{found.code} {found.name}: {texts.title}")
    yield f"  {palette.faint(catalogue.phrase('why') + ':')}    {texts.why}"
    yield f"  {palette.faint(catalogue.phrase('fix') + ':')}    {texts.how_to_fix}"
    yield f"  {palette.faint(catalogue.phrase('source') + ':')} {found.source}"


command: Final = click.Command(
    "lint",
    params=[
        click.Argument(["names"], nargs=-1, metavar="[FILE|FOLDER|URL|-]..."),
        click.Option(
            ["--severities"],
            type=click.Choice(SEVERITY_SETS),
            help="Severity set to use; all takes the highest severity of each check.  [default: all]",
        ),
        click.Option(
            ["--select"], multiple=True, metavar="CHECK", help="Only these checks: names, codes or beginnings of codes."
        ),
        click.Option(["--ignore"], multiple=True, metavar="CHECK", help="Not these checks."),
        click.Option(["--fix"], is_flag=True, help="Mend what can be mended without changing any verdict."),
        click.Option(["--unsafe-fixes"], is_flag=True, help="Mend also what changes what some crawler may fetch."),
        click.Option(["--diff"], is_flag=True, help="Show what mending would change, and change nothing."),
        click.Option(["--watch"], is_flag=True, help="Look again whenever a file changes, until Ctrl-C."),
        click.Option(["--robots-url"], metavar="URL", help="Where the file is, or is going to be."),
        click.Option(
            ["--page"],
            multiple=True,
            nargs=2,
            metavar="URL FILE",
            help="A page of the site, whose own rules are looked at beside the file's.",
        ),
        click.Option(
            ["--siblings"],
            is_flag=True,
            help="Of a URL, ask for the other scheme's file too, and for that with or without www.",
        ),
        click.Option(["--config"], metavar="FILE", help="The configuration, in place of the nearest."),
        click.Option(["--isolated"], is_flag=True, help="No configuration."),
        click.Option(
            ["--fail-on"],
            type=click.Choice([severity.label for severity in Severity]),
            help="The lowest severity that gives exit code 1.  [default: info]",
        ),
        click.Option(["--language"], type=click.Choice(LANGUAGES), help="The language of messages.  [default: en]"),
        click.Option(["--list-checks"], is_flag=True, help="List all checks, and stop."),
        click.Option(["--explain"], metavar="CHECK", help="Say what a check looks for and why, and stop."),
        click.Option(
            ["--format"], type=click.Choice(LINT_FORMATS), default="text", show_default=True, help="How it is written."
        ),
        click.Option(["--output"], metavar="FILE", help="Write there, and not to standard output."),
        click.Option(["--no-color"], is_flag=True, help="No colour, even on a terminal."),
        *network_parameters(),
    ],
    callback=_run,
    short_help="Find what is wrong in a robots.txt, and mend it.",
    help="""Look for what is wrong, odd or not read alike by all crawlers in robots.txt files, and say what comes of it.

    A folder stands for every robots.txt below it, a URL for the file of its origin, which is fetched and looked at with
    its status and headers; without any, robots.txt in this folder. A comment allows a finding:
    '# canfetch: allow NAME'.""",
    epilog="""\b
Examples:
  canfetch lint robots.txt
  canfetch lint robots.txt --severities google --fix
  canfetch lint https://example.com --siblings
  canfetch lint public/ --format sarif --output robots.sarif
  canfetch lint --explain missing-colon

\b
Exit code: 0 nothing found, 1 something is found, 2 something could not be read.""",
)
