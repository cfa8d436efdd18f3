"""Workflow commands of GitHub Actions, which become annotations in a pull request."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.formats.finding_parts import full_message, locate
from canfetch.lint.formats.summaries import summarize_lines, summarize_undecided
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_IN_MESSAGE: Final = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY: Final = (*_IN_MESSAGE, (":", "%3A"), (",", "%2C"))


def github_lines(reports: Iterable[LintReport], catalogue: Catalogue = ENGLISH) -> Iterator[str]:
    """Yield one command for each group of findings, the most severe first, without line ends.

    GitHub shows only the first annotations of a step, and a step fails by its exit code, not by an annotation.

    Source: GitHub Docs, Workflow commands for GitHub Actions.
    """
    for report in reports:
        for finding, *others in report.grouped():
            location = locate(report.file, finding)
            properties = {
                "file": report.name,
                "line": str(location.line),
                "col": str(location.column),
                "endLine": str(location.end_line),
                "endColumn": str(location.end_column),
                "title": f"{finding.check.code} {finding.check.name}",
            }
            if location.line != location.end_line:
                # GitHub rejects columns if the finding spans several lines.
                del properties["col"], properties["endColumn"]
            text = full_message(finding, catalogue)
            if others:
                text += f" ({summarize_lines(others, catalogue)})"
            yield github_command(_COMMANDS[finding.severity], properties, text)
        undecided = summarize_undecided(report, catalogue)
        if undecided:
            yield _for_file("notice", report.name, undecided)


def github_command(command: str, properties: Mapping[str, str], text: str) -> str:
    """Return a workflow command.

    Args:
        command: `error`, `warning` or `notice`.
        properties: The properties of the annotation, such as its title.
        text: Its text.
    """
    joined = ",".join(f"{name}={_escape(value, _IN_PROPERTY)}" for name, value in properties.items())
    return f"::{command} {joined}::{_escape(text, _IN_MESSAGE)}"


def _escape(text: str, escapes: Iterable[tuple[str, str]]) -> str:
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text


def github_problem(name: str, reason: str) -> str:
    """Return the command for a file that could not be read."""
    return _for_file("error", name, reason)


def _for_file(command: str, name: str, text: str) -> str:
    return github_command(command, {"file": name, "title": "canfetch lint"}, text)
