"""JUnit XML: one suite for each file, one case for each finding, and one passed case for a file without findings.

Findings that let a run pass are passed cases, with their text as output.
"""

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, tostring

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.formats.finding_parts import full_message, locate
from canfetch.lint.formats.summaries import summarize_undecided
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity


def junit_document(
    reports: Iterable[LintReport],
    catalogue: Catalogue = ENGLISH,
    *,
    fail_on: Severity = Severity.WARNING,
    problems: Iterable[tuple[str, str]] = (),
) -> str:
    """Return the XML document, which has to be encoded as UTF-8.

    Args:
        reports: The reports.
        catalogue: The language.
        fail_on: The lowest severity of the findings that are failures.
        problems: Names of files that could not be read, each with the reason. Each becomes an error.
    Source: The schema of Jenkins' xUnit plugin, which build servers use.
    """
    root = Element("testsuites", name="canfetch lint")
    for report in reports:
        count = len(report.findings)
        suite = SubElement(
            root,
            "testsuite",
            name=_legal(report.name),
            tests=str(max(count, 1)),
            failures=str(sum(finding.severity >= fail_on for finding in report.findings)),
            errors="0",
            skipped="0",
        )
        if not count:
            SubElement(suite, "testcase", name="canfetch lint", classname=_legal(report.name))
        for finding in report.findings:
            location = locate(report.file, finding)
            text = full_message(finding, catalogue)
            name = f"{finding.check.code} {finding.check.name}, {location.line}:{location.column}"
            case = SubElement(
                suite,
                "testcase",
                name=name,
                classname=_legal(report.name),
                file=_legal(report.name),
                line=str(location.line),
            )
            advice = _legal(finding.how_to_fix(catalogue))
            if finding.severity >= fail_on:
                SubElement(case, "failure", message=_legal(text), type=finding.severity.label).text = advice
            else:
                label = catalogue.phrase(finding.severity.label)
                SubElement(case, "system-out").text = f"{label}: {_legal(text)}\n{advice}"
        undecided = summarize_undecided(report, catalogue)
        if undecided:
            SubElement(suite, "system-out").text = undecided
    for name, reason in problems:
        suite = SubElement(root, "testsuite", name=_legal(name), tests="1", failures="0", errors="1", skipped="0")
        case = SubElement(suite, "testcase", name="canfetch lint", classname=_legal(name))
        SubElement(case, "error", message=_legal(reason), type="error")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _legal(text: str) -> str:
    # XML 1.0 section 2.2: tabs and line breaks are the only control characters, and U+FFFE and U+FFFF are excluded.
    return "".join(
        c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe") or c > "\uffff" else "?"
        for c in text
    )
