"""Writers of lint reports in every format.

`text` shows each finding with its line, its effect and the fix.

`json` is a list with an object for each file (`LintReport.to_json`, schema `canfetch.lint/1`). `ndjson` has one finding
per line (`Finding.to_json`, schema `canfetch.finding/2`), with the key `file` in front. If fixes of a file were left
because a limit was reached, an object with `file` and `undecided_fixes` follows its findings. A file that could not be
read is an object with `name` (in `ndjson`, `file`) and `error`. `sarif`, `gitlab`, `junit` and `html` are one document
for all files. `github` has one workflow command per line.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol, TextIO

from canfetch import __version__
from canfetch.cli.shared.terminal import Palette, display_width, printable
from canfetch.core.lines import line_text
from canfetch.core.text import printable_text
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.finding import Finding
from canfetch.lint.formats.finding_parts import check_page, full_message, locate, quoted_line
from canfetch.lint.formats.summaries import (
    describe_fix,
    summarize_findings,
    summarize_fixes,
    summarize_lines,
    summarize_notes,
    summarize_undecided,
)
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity

# Longer lines are cut to fit on one line of a terminal.
_MAX_LINE_CHARACTERS: Final = 100
_MAX_BEFORE_CHARACTERS: Final = 60
_CUT: Final = "[...]"


class TextStyle(NamedTuple):
    """How findings are written.

    Attributes:
        catalogue: The language.
        palette: The colors.
        show: The lowest severity of the findings that are shown.
        verbose: Whether the reason, the source and the check's page are shown, too.
    """

    catalogue: Catalogue
    palette: Palette
    show: Severity = Severity.WARNING
    verbose: bool = False


def report_lines(report: LintReport, style: TextStyle) -> Iterator[str]:
    """Yield the lines of a report, without line ends."""
    catalogue, palette = style.catalogue, style.palette
    shown = set()
    for finding, *others in report.at_least(style.show).grouped():
        shown.add(finding.check.code)
        yield _head(report, finding, style, finding.message(catalogue))
        yield from _excerpt(report, finding, catalogue, palette)
        advice = finding.how_to_fix(catalogue)
        if finding.fix is not None:
            advice += f" ({describe_fix(finding, catalogue)})"
        yield f"  {palette.faint(catalogue.phrase('fix') + ':')} {advice}"
        if style.verbose:
            yield from _reason(finding, style)
        if others:
            yield f"  {summarize_lines(others, catalogue)}"
        yield ""
    if style.show > Severity.INFO:
        for finding, *_ in report.grouped():
            is_note = finding.severity is Severity.INFO and finding.check.code not in shown
            if finding.check.notable and is_note:
                yield _head(report, finding, style, full_message(finding, catalogue))
    for check in report.truncated_checks:
        yield catalogue.phrase("more", name=check)
    yield from _summary_lines(report, style)


def _head(report: LintReport, finding: Finding, style: TextStyle, message: str) -> str:
    """Return the line that says where a finding is, and its message."""
    catalogue, palette = style.catalogue, style.palette
    place = locate(report.file, finding)
    paint = {Severity.ERROR: palette.bad, Severity.WARNING: palette.warning}.get(finding.severity, palette.strong)
    where = palette.strong(f"{printable(report.name)}:{place.line}:{place.column}")
    severity = paint(catalogue.phrase(finding.severity.label))
    check = finding.check
    return f"{where}: {severity} {check.code} {palette.faint(check.name)}: {printable(message)}"


def _reason(finding: Finding, style: TextStyle) -> Iterator[str]:
    check = finding.check
    page = check_page(check)
    rows = [("why", style.catalogue.texts(check).why), ("source", check.source)]
    for phrase, text in [*rows, ("page", page)] if page is not None else rows:
        yield f"  {style.palette.faint(style.catalogue.phrase(phrase) + ':')} {text}"


def _summary_lines(report: LintReport, style: TextStyle) -> Iterator[str]:
    catalogue = style.catalogue
    yield f"{printable(report.name)}: {summarize_findings(report, catalogue)}"
    notes = summarize_notes(report, catalogue, hidden=style.show > Severity.INFO)
    if notes:
        yield notes
    fixes = summarize_fixes(report, catalogue)
    if fixes:
        yield fixes
    undecided = summarize_undecided(report, catalogue)
    if undecided:
        yield undecided
    if report.suppressed:
        yield catalogue.phrase("suppressed", count=str(len(report.suppressed)))


def _excerpt(report: LintReport, finding: Finding, catalogue: Catalogue, palette: Palette) -> Iterator[str]:
    """Yield the line of a finding, and a marker under the span with its effect. An empty line is not shown."""
    before, marked, after = map(line_text, quoted_line(report.file, finding))
    effect = finding.effect(catalogue)
    if not (before or marked or after or effect):
        return
    if len(before) > _MAX_BEFORE_CHARACTERS:
        before = _CUT + before[-_MAX_BEFORE_CHARACTERS:]
    remaining = _MAX_LINE_CHARACTERS - len(before)
    if len(marked) > remaining:
        marked, after = marked[:remaining] + _CUT, ""
    elif len(marked) + len(after) > remaining:
        after = after[: remaining - len(marked)] + _CUT
    number = str(finding.line)
    paint = {Severity.ERROR: palette.bad, Severity.WARNING: palette.warning}.get(finding.severity, palette.strong)
    yield f"  {palette.faint(f'{number} |')} {before}{marked}{after}"
    marker = paint("^" * max(display_width(marked), 1))
    note = f" {paint(printable(effect))}" if effect else ""
    yield f"  {' ' * len(number)} {palette.faint('|')} {' ' * display_width(before)}{marker}{note}"


LINT_FORMATS: Final = ("text", "json", "ndjson", "sarif", "github", "gitlab", "junit", "html")
# Formats that are written finding by finding, and can mix with other output.
LINE_FORMATS: Final = ("text", "ndjson", "github")
# Formats for people, in which notes would hide the problems.
_BRIEF_FORMATS: Final = ("text", "github")

_Render = Callable[[list[LintReport], list[tuple[str, str]]], str]


class ReportWriter(Protocol):
    """Writes the reports of several files."""

    def write(self, report: LintReport) -> None:
        """Write a report, or store it for the end."""

    def write_error(self, name: str, error: str) -> None:
        """Write that a file could not be read."""

    def end(self) -> None:
        """Write what follows the last report."""


class PartWriter(ReportWriter):
    """Writes a part of the output for each file, so that other processes can render the parts."""

    def __init__(self, stream: TextIO, style: TextStyle) -> None:
        self._stream, self._style = stream, style

    @property
    def has_color(self) -> bool:
        """Whether the output has colors."""
        return self._style.palette.enabled

    def write(self, report: LintReport) -> None:
        """Write a report."""
        self.write_parts(self.parts(report))

    def write_error(self, name: str, error: str) -> None:
        """Write that a file could not be read."""
        self.write_parts(self.error_parts(name, error))

    def parts(self, report: LintReport) -> Iterator[str]:
        """Yield what is written for a report."""
        return (f"{line}\n" for line in report_lines(report, self._style))

    def error_parts(self, name: str, error: str) -> Iterator[str]:  # noqa: ARG002 - the error is on standard error
        """Yield what is written for a file that could not be read."""
        return iter(())

    def write_parts(self, parts: Iterable[str]) -> None:
        """Write what `parts` or `error_parts` has yielded, for the next file."""
        self._stream.writelines(parts)

    def end(self) -> None:
        """Write nothing."""


class _GithubWriter(PartWriter):
    def parts(self, report: LintReport) -> Iterator[str]:
        from canfetch.lint.formats.github import github_lines  # noqa: PLC0415 - only for this format

        reports = [report.at_least(self._style.show)]
        return (f"{line}\n" for line in github_lines(reports, self._style.catalogue))

    def error_parts(self, name: str, error: str) -> Iterator[str]:
        from canfetch.lint.formats.github import github_problem  # noqa: PLC0415 - only for this format

        yield f"{github_problem(name, error)}\n"


class _NdjsonWriter(PartWriter):
    def parts(self, report: LintReport) -> Iterator[str]:
        for finding in report.at_least(self._style.show).findings:
            yield _json_line({"file": printable_text(report.name), **finding.to_json(self._style.catalogue)})
        if report.undecided_fixes:
            yield _json_line({"file": printable_text(report.name), "undecided_fixes": report.undecided_fixes})

    def error_parts(self, name: str, error: str) -> Iterator[str]:
        yield _json_line({"file": printable_text(name), "error": error})


def _json_line(value: dict[str, Any]) -> str:
    return json.dumps(value) + "\n"


class _JsonListWriter(PartWriter):
    _is_started = False

    def parts(self, report: LintReport) -> Iterator[str]:
        report = report.at_least(self._style.show)
        value = report.to_json(self._style.catalogue)
        value["name"] = printable_text(report.name)
        yield json.dumps(value)

    def error_parts(self, name: str, error: str) -> Iterator[str]:
        yield json.dumps({"name": printable_text(name), "error": error})

    def write_parts(self, parts: Iterable[str]) -> None:
        super().write_parts((",\n " if self._is_started else "[", *parts))
        self._is_started = True

    def end(self) -> None:
        self._stream.write("]\n" if self._is_started else "[]\n")


class _DocumentWriter:
    """Collects all reports, and renders one document at the end."""

    def __init__(self, stream: TextIO, show: Severity, render: _Render) -> None:
        self._stream, self._show, self._render = stream, show, render
        self._reports: list[LintReport] = []
        self._errors: list[tuple[str, str]] = []

    def write(self, report: LintReport) -> None:
        self._reports.append(report.at_least(self._show))

    def write_error(self, name: str, error: str) -> None:
        self._errors.append((name, error))

    def end(self) -> None:
        self._stream.write(self._render(self._reports, self._errors))


def make_report_writer(
    format_: str,
    stream: TextIO,
    catalogue: Catalogue,
    palette: Palette,
    *,
    show: Severity | None = None,
    fail_on: Severity = Severity.WARNING,
    verbose: bool = False,
) -> ReportWriter:
    """Return the writer of a format.

    Args:
        format_: One of LINT_FORMATS.
        stream: Where the report is written.
        catalogue: The language.
        palette: The colors of `text`.
        show: The lowest severity of the findings that are written. None writes those that let the run fail, and
            warnings; formats for other programs, and `html`, have all findings.
        fail_on: The lowest severity of the findings that let the run fail.
        verbose: Whether `text` has the reason, the source and the check's page.
    """
    if show is None:
        show = min(Severity.WARNING, fail_on) if format_ in _BRIEF_FORMATS else Severity.INFO
    style = TextStyle(catalogue, palette, show, verbose)
    match format_:
        case "json":
            return _JsonListWriter(stream, style)
        case "ndjson":
            return _NdjsonWriter(stream, style)
        case "github":
            return _GithubWriter(stream, style)
        case "text":
            return PartWriter(stream, style)
        case _:
            return _DocumentWriter(stream, show, _document(format_, catalogue, fail_on))


def _document(format_: str, catalogue: Catalogue, fail_on: Severity) -> _Render:
    # Only the chosen format is imported.
    match format_:
        case "sarif":
            from canfetch.lint.formats.sarif import sarif_log  # noqa: PLC0415

            return lambda reports, errors: _dump(
                sarif_log(reports, version=__version__, catalogue=catalogue, problems=errors)
            )
        case "gitlab":
            from canfetch.lint.formats.gitlab import gitlab_issues  # noqa: PLC0415

            return lambda reports, errors: _dump(gitlab_issues(reports, catalogue, problems=errors))
        case "junit":
            from canfetch.lint.formats.junit import junit_document  # noqa: PLC0415

            return lambda reports, errors: junit_document(reports, catalogue, fail_on=fail_on, problems=errors)
        case _:
            from canfetch.lint.formats.html import html_page  # noqa: PLC0415

            return lambda reports, errors: html_page(reports, catalogue, problems=errors)


def _dump(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"
