"""JUnit's XML: a suite for each file, a failed case for each finding, a passed one for a clean file."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, tostring

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.formats.locations import full_message, locate
from canfetch.lint.report import LintReport


def junit_document(
    reports: Iterable[LintReport], catalogue: Catalogue = ENGLISH, *, problems: Iterable[tuple[str, str]] = ()
) -> str:
    """Give the XML document, in UTF-8 when encoded so.

    Args: problems: names of what could not be read, each with the reason: an error each.
    Source: the schema of Jenkins' xUnit plugin, as build servers read it.
    """
    root = Element("testsuites", name="canfetch lint")
    for report in reports:
        count = len(report.findings)
        suite = SubElement(
            root,
            "testsuite",
            name=_legal(report.name),
            tests=str(max(count, 1)),
            failures=str(count),
            errors="0",
            skipped="0",
        )
        if not count:
            SubElement(suite, "testcase", name="canfetch lint", classname=_legal(report.name))
        for finding in report.findings:
            place = locate(report.file, finding)
            text = full_message(finding, catalogue)
            name = f"{finding.check.code} {finding.check.name}, {place.line}:{place.column}"
            case = SubElement(
                suite,
                "testcase",
                name=name,
                classname=_legal(report.name),
                file=_legal(report.name),
                line=str(place.line),
            )
            failure = SubElement(case, "failure", message=_legal(text), type=finding.severity.label)
            failure.text = _legal(catalogue.texts(finding.check).how_to_fix)
    for name, why in problems:
        suite = SubElement(root, "testsuite", name=_legal(name), tests="1", failures="0", errors="1", skipped="0")
        case = SubElement(suite, "testcase", name="canfetch lint", classname=_legal(name))
        SubElement(case, "error", message=_legal(why), type="error")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _legal(text: str) -> str:
    # XML has no controls but three, no surrogates, and neither U+FFFE nor U+FFFF.
    return "".join(
        c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe") or c > "\uffff" else "?"
        for c in text
    )
