"""The text format of `canfetch lint`: each finding with its line, its effect and the fix."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.cli.shared.terminal import Palette, display_width, printable
from canfetch.core.text import display_text
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.finding import Finding
from canfetch.lint.formats.check_pages import check_page
from canfetch.lint.formats.locations import locate, quoted_line
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
    name = printable(report.name)
    catalogue, palette = style.catalogue, style.palette
    for finding, *others in report.at_least(style.show).grouped():
        place = locate(report.file, finding)
        paint = {Severity.ERROR: palette.bad, Severity.WARNING: palette.warning}.get(finding.severity, palette.strong)
        severity = paint(catalogue.phrase(finding.severity.label))
        head = f"{palette.strong(f'{name}:{place.line}:{place.column}')}: {severity} "
        yield f"{head}{finding.check.code} {palette.faint(finding.check.name)}: {printable(finding.message(catalogue))}"
        yield from _excerpt(report, finding, catalogue, palette)
        advice = catalogue.texts(finding.check).how_to_fix
        if finding.fix is not None:
            advice += f" ({describe_fix(finding, catalogue)})"
        yield f"  {palette.faint(catalogue.phrase('fix') + ':')} {advice}"
        if style.verbose:
            yield from _reason(finding, style)
        if others:
            yield f"  {summarize_lines(others, catalogue)}"
        yield ""
    for check in report.truncated_checks:
        yield catalogue.phrase("more", name=check)
    yield from _summary_lines(report, style)


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
    before, marked, after = map(_line_text, quoted_line(report.file, finding))
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


def _line_text(content: bytes) -> str:
    return printable(display_text(content.replace(b"\t", b" ")))
