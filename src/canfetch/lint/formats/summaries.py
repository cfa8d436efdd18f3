"""Summaries of a report in one sentence."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from canfetch.core.profiles import PROFILES
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.finding import Finding
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity

# A phrase lists at most this many lines.
_MAX_LINES: Final = 10


def summarize_findings(report: LintReport, catalogue: Catalogue) -> str:
    """Return the number of errors and warnings as a sentence."""
    errors, warnings = report.count(Severity.ERROR), report.count(Severity.WARNING)
    if not errors and not warnings:
        return catalogue.phrase("clean")
    return catalogue.phrase("found", count=str(errors + warnings), errors=str(errors), warnings=str(warnings))


def summarize_notes(report: LintReport, catalogue: Catalogue, *, hidden: bool = False) -> str:
    """Return the number of findings with the severity `info` and their checks, or an empty string without any.

    Args:
        report: The report.
        catalogue: The language.
        hidden: Whether the findings themselves are not shown.
    """
    counts = Counter(finding.check.name for finding in report.findings if finding.severity is Severity.INFO)
    if not counts:
        return ""
    named = [f"{name} ({catalogue.number(str(count))})" if count > 1 else name for name, count in counts.most_common()]
    phrase = "notes-hidden" if hidden else "notes"
    return catalogue.phrase(phrase, count=str(counts.total()), checks=catalogue.phrase("comma").join(named))


def summarize_lines(others: Sequence[Finding], catalogue: Catalogue) -> str:
    """Return the lines of findings that are not shown in full as a phrase, or an empty string without any."""
    if not others:
        return ""
    lines = list(dict.fromkeys(finding.line for finding in others))
    shown = catalogue.phrase("comma").join(map(str, lines[:_MAX_LINES]))
    return catalogue.phrase(
        "also-lines", count=str(len(lines)), lines=f"{shown}, ..." if len(lines) > _MAX_LINES else shown
    )


def describe_fix(finding: Finding, catalogue: Catalogue) -> str:
    """Return which option applies the fix of a finding and which profiles it changes, or an empty string without a fix.

    Cost: As `Finding.changed_profiles`.
    """
    if finding.fix is None:
        return ""
    if finding.has_safe_fix:
        return catalogue.phrase("fixable")
    changed = finding.changed_profiles
    if changed is None or len(changed) == len(PROFILES):
        return catalogue.phrase("fixable-unsafe")
    if not changed:
        return catalogue.phrase("fixable-extensions")
    others = [name for name in PROFILES if name not in changed]
    phrase, names = ("fixable-changes", changed) if len(changed) <= len(others) else ("fixable-changes-except", others)
    *first, last = names
    listed = catalogue.phrase("comma").join(first) + catalogue.phrase("and") + last if first else last
    return catalogue.phrase(phrase, profiles=listed)


def summarize_fixes(report: LintReport, catalogue: Catalogue) -> str:
    """Return the number of fixable findings as a sentence, or an empty string if there are none.

    Cost: As `Finding.has_safe_fix` of each finding.
    """
    fixable = [finding for finding in report.findings if finding.fix is not None]
    safe = sum(finding.has_safe_fix for finding in fixable)
    unsafe = len(fixable) - safe
    if safe and unsafe:
        return catalogue.phrase("fixable-counts", safe=str(safe), unsafe=str(unsafe))
    if safe:
        return catalogue.phrase("fixable-count", count=str(safe))
    return catalogue.phrase("fixable-unsafe-count", count=str(unsafe)) if unsafe else ""


def summarize_undecided(report: LintReport, catalogue: Catalogue) -> str:
    """Return the number of fixes that were left because a limit was reached, or an empty string without any."""
    count = report.undecided_fixes
    return catalogue.phrase("undecided", count=str(count)) if count else ""
