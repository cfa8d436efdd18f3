"""Workflow commands of GitHub Actions, which become annotations of a change."""

from collections.abc import Iterable, Iterator
from typing import Final

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.formats.locations import full_message, locate
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_IN_MESSAGE: Final = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY: Final = (*_IN_MESSAGE, (":", "%3A"), (",", "%2C"))


def github_lines(reports: Iterable[LintReport], catalogue: Catalogue = ENGLISH) -> Iterator[str]:
    """Yield one command for each finding, without line ends.

    Source: GitHub Docs, Workflow commands for GitHub Actions.
    """
    for report in reports:
        for finding in report.findings:
            place = locate(report.file, finding)
            properties = {
                "file": report.name,
                "line": str(place.line),
                "col": str(place.column),
                "endLine": str(place.end_line),
                "endColumn": str(place.end_column),
                "title": f"{finding.check.code} {finding.check.name}",
            }
            if place.line != place.end_line:
                # Columns over several lines are refused.
                del properties["col"], properties["endColumn"]
            said = ",".join(f"{name}={_escaped(value, _IN_PROPERTY)}" for name, value in properties.items())
            text = full_message(finding, catalogue)
            yield f"::{_COMMANDS[finding.severity]} {said}::{_escaped(text, _IN_MESSAGE)}"


def _escaped(text: str, escapes: Iterable[tuple[str, str]]) -> str:
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text


def github_problem(name: str, why: str) -> str:
    """Give the command for a file that could not be read."""
    return f"::error file={_escaped(name, _IN_PROPERTY)},title=canfetch lint::{_escaped(why, _IN_MESSAGE)}"
