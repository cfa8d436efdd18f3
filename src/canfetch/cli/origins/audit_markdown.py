"""Audit reports in Markdown, for a comment on a pull request or the summary of a job."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from canfetch.audit.edge import LIMITS_OF_THE_TEST
from canfetch.audit.report import ReportJson
from canfetch.audit.text_report import (
    access_words,
    by_severity,
    crawler_text,
    error_text,
    grouped,
    host_text,
    main_finding,
    place,
    quotes_site,
    rules_summary,
    summary,
    use_text,
)
from canfetch.cli.shared.markdown import markdown_code, markdown_text
from canfetch.core.text import cut_text

MAX_CHARACTERS: Final = 60_000
"""The size of a report. A comment on GitHub has at most 65,536 characters."""
_MAX_SHOWN: Final = 5
_MAX_CELL: Final = 1_000
_SIGNS: Final = {"error": ":x:", "warning": ":warning:", "info": ":information_source:"}
_CUT: Final = "_The report is too long for a comment, and ends here. Other formats have all of it._"


def markdown_lines(reports: Sequence[ReportJson]) -> Iterator[str]:
    """Yield the lines of a report of one or more sites, with at most `MAX_CHARACTERS` characters.

    Everything that a site has sent is code, in which nothing is a link, a mention or HTML.

    Args: reports: The JSON forms of reports.
    """
    left = MAX_CHARACTERS - len(_CUT) - 1
    for part in _parts(reports):
        left -= sum(len(line) + 1 for line in part)
        if left < 0:
            yield _CUT
            return
        yield from part


def _parts(reports: Sequence[ReportJson]) -> Iterator[list[str]]:
    """Yield parts that are not cut, such as a table."""
    if len(reports) > 1:
        yield ["| Site | Findings | Main finding |", "| --- | --- | --- |"]
        for index in by_severity(reports):
            report = reports[index]
            found = summary(report).partition(";")[0]
            main = _cell(main_finding(report)) if quotes_site(report) else markdown_text(main_finding(report))
            yield [f"| {markdown_code(report['origin'])} | {found} | {main} |"]
        rules = rules_summary(reports)
        yield ["", _code(rules), ""] if rules else [""]
    for report in reports:
        yield from _report(report)


def _report(report: ReportJson) -> Iterator[list[str]]:
    yield [f"### {markdown_code(report['origin'], in_table=False)}", "", summary(report), ""]
    if error := error_text(report):
        yield [_code(error), ""]
    if report["environment"] is not None:
        yield [f"Compared with the environment {_code(report['environment'])} of the policy.", ""]
    for group in grouped(report):
        _, found, left = group
        severity = found[0]["severity"]
        lines = [f"{_SIGNS[severity]} **{severity}: {group.meaning}**", ""]
        for shown, times in group.causes(_MAX_SHOWN):
            where = "".join(f"<br>{_code(place(one))}" for one in shown if one["url"] is not None)
            lines.append(f"- {_code(shown[0]['message'])}{times}{where}")
            left -= len(shown)
        if left > 0:
            lines.append(f"- and {left:,} more")
        yield [*lines, "", f"What to do: {group.advice}", ""]
    if report["error"]:
        return
    rows = [
        (
            purpose["title"],
            "<br>".join(f"{access_words(row)}: {_cell(crawler_text(row))}" for row in purpose["crawlers"]),
            "" if purpose["use"] is None else _cell(use_text(purpose["use"])),
        )
        for purpose in report["purposes"]
    ]
    yield _details("Who may fetch the site", ("Purpose", "Crawlers", "Use of the content"), rows)
    hosts = [(markdown_code(host["origin"]), _cell(host_text(host))) for host in report["hosts"]]
    if hosts:
        yield _details("Other addresses", ("Address", "robots.txt"), hosts)
    edge = [(markdown_code(one["crawler"]), one["answer"], _cell(one["detail"])) for one in report["edge"]]
    if edge:
        yield [*_details("What crawlers get", ("Crawler", "Answer", "In words"), edge), LIMITS_OF_THE_TEST, ""]


def _details(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table that is folded."""
    lines = [f"<details><summary>{title}</summary>", "", f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), "", "</details>", ""]


def _cell(text: str) -> str:
    """Return text of a site as code in a table, cut."""
    return markdown_code(cut_text(text, _MAX_CELL))


def _code(text: str) -> str:
    """Return text of a site as code outside of tables, cut."""
    return markdown_code(cut_text(text, _MAX_CELL), in_table=False)
