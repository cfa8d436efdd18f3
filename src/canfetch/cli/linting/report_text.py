"""Findings for people: where, what, the line with a mark under it, what crawlers do, and the mend."""

from collections.abc import Iterator
from typing import Final

from canfetch.cli.shared.terminal import Palette, columns, shown
from canfetch.core.text import display_text
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.finding import Finding
from canfetch.lint.formats.locations import locate, quoted_line
from canfetch.lint.formats.summaries import summarize_findings, summarize_fixes
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity

# A line of a terminal, with its number.
_LINE_CHARACTERS: Final = 100
_BEFORE_CHARACTERS: Final = 60
_CUT: Final = "[...]"


def report_lines(report: LintReport, catalogue: Catalogue, palette: Palette) -> Iterator[str]:
    """Yield the lines of a report, without line ends."""
    name = shown(report.name)
    for finding in report.findings:
        place = locate(report.file, finding)
        paint = {Severity.ERROR: palette.bad, Severity.WARNING: palette.odd}.get(finding.severity, palette.strong)
        severity = paint(catalogue.phrase(finding.severity.label))
        head = f"{palette.strong(f'{name}:{place.line}:{place.column}')}: {severity} "
        yield f"{head}{finding.check.code} {palette.faint(finding.check.name)}: {shown(finding.message(catalogue))}"
        yield from _quoted(report, finding, catalogue, palette)
        how_to_fix = catalogue.texts(finding.check).how_to_fix
        if finding.fix is not None:
            how_to_fix += f" ({catalogue.phrase('fixable-unsafe' if finding.fix.changes_verdicts else 'fixable')})"
        yield f"  {palette.faint(catalogue.phrase('fix') + ':')} {how_to_fix}"
        yield ""
    for cut in report.cut:
        yield catalogue.phrase("more", name=cut)
    yield from summary_lines(report, catalogue)


def summary_lines(report: LintReport, catalogue: Catalogue) -> Iterator[str]:
    """Yield what a report comes to."""
    yield f"{shown(report.name)}: {summarize_findings(report, catalogue)}"
    fixes = summarize_fixes(report, catalogue)
    if fixes:
        yield fixes
    if report.suppressed:
        yield catalogue.phrase("suppressed", count=str(len(report.suppressed)))


def _quoted(report: LintReport, finding: Finding, catalogue: Catalogue, palette: Palette) -> Iterator[str]:
    before, marked, behind = map(_text, quoted_line(report.file, finding))
    if len(before) > _BEFORE_CHARACTERS:
        before = _CUT + before[-_BEFORE_CHARACTERS:]
    room = _LINE_CHARACTERS - len(before)
    if len(marked) > room:
        marked, behind = marked[:room] + _CUT, ""
    elif len(marked) + len(behind) > room:
        behind = behind[: room - len(marked)] + _CUT
    number = str(finding.line)
    effect = finding.effect(catalogue)
    paint = {Severity.ERROR: palette.bad, Severity.WARNING: palette.odd}.get(finding.severity, palette.strong)
    yield f"  {palette.faint(f'{number} |')} {before}{marked}{behind}"
    mark = paint("^" * max(columns(marked), 1))
    tail = f" {paint(shown(effect))}" if effect else ""
    yield f"  {' ' * len(number)} {palette.faint('|')} {' ' * columns(before)}{mark}{tail}"


def _text(octets: bytes) -> str:
    return shown(display_text(octets.replace(b"\t", b" ")))
