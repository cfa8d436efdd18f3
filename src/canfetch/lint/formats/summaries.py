"""Summaries of a report in one sentence."""

from canfetch.lint.catalogue import Catalogue
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity


def summarize_findings(report: LintReport, catalogue: Catalogue) -> str:
    """Return the number of findings of each severity as a sentence."""
    if not report.findings:
        return catalogue.phrase("clean")
    return catalogue.phrase(
        "found",
        count=str(len(report.findings)),
        errors=str(report.count(Severity.ERROR)),
        warnings=str(report.count(Severity.WARNING)),
        infos=str(report.count(Severity.INFO)),
    )


def summarize_fixes(report: LintReport, catalogue: Catalogue) -> str:
    """Return the number of fixable findings as a sentence, or an empty string if there are none."""
    fixes = [finding.fix for finding in report.findings if finding.fix is not None]
    unsafe = sum(fix.changes_verdicts for fix in fixes)
    safe = len(fixes) - unsafe
    if safe and unsafe:
        return catalogue.phrase("fixable-counts", safe=str(safe), unsafe=str(unsafe))
    if safe:
        return catalogue.phrase("fixable-count", count=str(safe))
    return catalogue.phrase("fixable-unsafe-count", count=str(unsafe)) if unsafe else ""
