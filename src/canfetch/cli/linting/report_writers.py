"""How `canfetch lint` writes its reports.

`json` is a list with an object for each file (`LintReport.to_json`, schema `canfetch.lint/1`); `ndjson` has one finding
a line (`Finding.to_json`, schema `canfetch.finding/1`) behind the key `file`. What could not be read is an object with
`name` (`file`) and `error`. `sarif`, `gitlab`, `junit` and `html` are one document over all files; `github` has one
workflow command a line.
"""

import json
from collections.abc import Callable
from typing import Any, Final, Protocol, TextIO

from canfetch import __version__
from canfetch.cli.decisions.verdict_rows import as_given
from canfetch.cli.linting.report_text import report_lines
from canfetch.cli.shared.terminal import Palette
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.formats import github_lines, github_problem, gitlab_issues, html_page, junit_document, sarif_log
from canfetch.lint.report import LintReport

LINT_FORMATS: Final = ("text", "json", "ndjson", "sarif", "github", "gitlab", "junit", "html")


_OfReports = Callable[[list[LintReport], list[tuple[str, str]]], str]


class LintOutput(Protocol):
    """Writes one report after the other, and what belongs at the end."""

    def write(self, report: LintReport) -> None:
        """Write one, or keep it for the end."""

    def fail(self, name: str, problem: str) -> None:
        """Write of one that could not be read."""

    def end(self) -> None:
        """Write what belongs at the end."""


class _Text:
    def __init__(self, stream: TextIO, catalogue: Catalogue, palette: Palette) -> None:
        self._stream, self._catalogue, self._palette = stream, catalogue, palette

    def write(self, report: LintReport) -> None:
        self._stream.writelines(f"{line}\n" for line in report_lines(report, self._catalogue, self._palette))

    def fail(self, name: str, problem: str) -> None:
        """Write nothing: it is said on standard error."""

    def end(self) -> None:
        """Write nothing."""


class _Github(_Text):
    def fail(self, name: str, problem: str) -> None:
        self._stream.write(f"{github_problem(name, problem)}\n")

    def write(self, report: LintReport) -> None:
        self._stream.writelines(f"{line}\n" for line in github_lines([report], self._catalogue))


class _Lines(_Text):
    def write(self, report: LintReport) -> None:
        for finding in report.findings:
            self._object({"file": as_given(report.name), **finding.to_json(self._catalogue)})

    def fail(self, name: str, problem: str) -> None:
        self._object({"file": as_given(name), "error": problem})

    def _object(self, value: dict[str, Any]) -> None:
        self._stream.write(json.dumps(value) + "\n")


class _Document:
    """One document over all reports, which are kept until then."""

    def __init__(self, stream: TextIO, of_reports: _OfReports) -> None:
        self._stream, self._of_reports = stream, of_reports
        self._reports: list[LintReport] = []
        self._problems: list[tuple[str, str]] = []

    def write(self, report: LintReport) -> None:
        self._reports.append(report)

    def fail(self, name: str, problem: str) -> None:
        self._problems.append((name, problem))

    def end(self) -> None:
        self._stream.write(self._of_reports(self._reports, self._problems))


class _Json:
    def __init__(self, stream: TextIO, catalogue: Catalogue) -> None:
        self._stream, self._catalogue = stream, catalogue
        self._begun = False

    def write(self, report: LintReport) -> None:
        plain = report.to_json()
        plain["name"] = as_given(report.name)
        plain["findings"] = [finding.to_json(self._catalogue) for finding in report.findings]
        self._object(plain)

    def fail(self, name: str, problem: str) -> None:
        self._object({"name": as_given(name), "error": problem})

    def _object(self, value: dict[str, Any]) -> None:
        self._stream.write((",\n " if self._begun else "[") + json.dumps(value))
        self._begun = True

    def end(self) -> None:
        self._stream.write("]\n" if self._begun else "[]\n")


def output_of(name: str, stream: TextIO, catalogue: Catalogue, palette: Palette) -> LintOutput:
    """Give what writes the format of that name."""
    match name:
        case "json":
            return _Json(stream, catalogue)
        case "ndjson":
            return _Lines(stream, catalogue, palette)
        case "github":
            return _Github(stream, catalogue, palette)
        case "sarif":
            return _Document(
                stream,
                lambda reports, problems: _json(
                    sarif_log(reports, version=__version__, catalogue=catalogue, problems=problems)
                ),
            )
        case "gitlab":
            return _Document(
                stream, lambda reports, problems: _json(gitlab_issues(reports, catalogue, problems=problems))
            )
        case "junit":
            return _Document(stream, lambda reports, problems: junit_document(reports, catalogue, problems=problems))
        case "html":
            return _Document(stream, lambda reports, problems: html_page(reports, catalogue, problems=problems))
        case _:
            return _Text(stream, catalogue, palette)


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"
