"""Audit reports as one page without scripts and other files, to print or to send to a client."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from canfetch.audit.edge import LIMITS_OF_THE_TEST
from canfetch.audit.report import ReportJson
from canfetch.audit.text_report import (
    ACCESS_WORDS,
    by_severity,
    crawler_text,
    grouped,
    host_text,
    main_finding,
    place,
    severity_counts,
    summary,
    time_text,
    use_text,
)
from canfetch.core.text import counted, printable_text
from canfetch.lint.formats.html import PAGE_STYLE

_MAX_SHOWN: Final = 100
_OWN_STYLE: Final = """\
body { overflow-wrap: anywhere; } h4 { font-size: 1rem; margin: 1.5rem 0 .25rem; } article { break-inside: avoid-page; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--edge); padding: .35rem .6rem;
  text-align: left; vertical-align: top; } th { white-space: nowrap; } ul { margin: .35rem 0; }
thead { display: table-header-group; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } section { break-before: page; }
  section:first-of-type { break-before: auto; } }
"""


def html_page(reports: Sequence[ReportJson]) -> str:
    """Return the page of one or more reports, to be encoded as UTF-8. Everything that sites have sent is escaped.

    Args: reports: The JSON forms of reports.
    """
    return "".join(_parts(reports))


def _parts(reports: Sequence[ReportJson]) -> Iterator[str]:
    title = "Audit of " + (printable_text(reports[0]["origin"]) if len(reports) == 1 else counted(len(reports), "site"))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{escape(title)}</title>\n<style>{PAGE_STYLE}{_OWN_STYLE}</style>\n</head>\n<body>\n"
    yield f"<main>\n<h1>{escape(title)}</h1>\n"
    if len(reports) > 1:
        rows = [_portfolio_row(number, reports[number]) for number in by_severity(reports)]
        yield _table(("Site", "Errors", "Warnings", "Info", "Main finding"), rows)
    for number, report in enumerate(reports):
        yield f'<section id="site-{number}">\n<h2>{_text(report["origin"])}</h2>\n'
        yield f'<p class="place">{time_text(report["checked_at"])}; {_text(summary(report))}</p>\n'
        yield from _report(report)
        yield "</section>\n"
    yield "</main>\n</body>\n</html>\n"


def _portfolio_row(number: int, report: ReportJson) -> list[str]:
    link = f'<a href="#site-{number}">{_text(report["origin"])}</a>'
    numbers = severity_counts(report)
    counts = ["" if report["error"] else f"{numbers[name]:,}" for name in ("error", "warning", "info")]
    return [link, *counts, _text(main_finding(report))]


def _report(report: ReportJson) -> Iterator[str]:
    if report["error"]:
        yield f"<p>This site was not audited: {_text(report['error'])}</p>\n"
        return
    if not report["findings"]:
        yield "<p>Nothing was found.</p>\n"
    for kind, found, number in grouped(report):
        severity = found[0]["severity"]
        yield f'<article class="{severity}">\n<h3><span class="severity">{severity}</span> '
        yield f"{_text(kind.meaning)}</h3>\n<ul>\n"
        for one in found[:_MAX_SHOWN]:
            where = "" if one["url"] is None else f'<br><span class="place">{_text(place(one))}</span>'
            yield f"<li>{_text(one['message'])}{where}</li>\n"
        yield "</ul>\n"
        more = number - _MAX_SHOWN
        if more > 0:
            yield f"<p>And {more:,} more. The JSON form of the report lists all of them.</p>\n"
        yield f"<p><b>What to do:</b> {_text(kind.advice)}</p>\n</article>\n"
    yield from _purposes(report)
    yield from _served(report)
    yield from _edge(report)


def _purposes(report: ReportJson) -> Iterator[str]:
    yield "<h4>Who may fetch the site</h4>\n"
    rows = []
    for purpose in report["purposes"]:
        access = "<br>".join(
            f"{_text(ACCESS_WORDS[row['may_fetch']])}: {_text(crawler_text(row))}" for row in purpose["crawlers"]
        )
        use = purpose["use"]
        stated = "" if use is None else _text(use_text(use))
        rows.append([_text(purpose["title"]), access, stated])
    yield _table(("Purpose", "Crawlers", "Use of the content"), rows)


def _served(report: ReportJson) -> Iterator[str]:
    listed = report["listed"]
    yield "<h4>Sitemaps and addresses</h4>\n"
    yield f"<p>{counted(listed['sitemaps'], 'sitemap')} with {counted(listed['urls'], 'URL')}; "
    yield f"{counted(listed['requested'], 'page')} requested.</p>\n"
    if report["hosts"]:
        yield _table(
            ("Address", "robots.txt"), [[_text(one["origin"]), _text(host_text(one))] for one in report["hosts"]]
        )


def _edge(report: ReportJson) -> Iterator[str]:
    if not report["edge"]:
        return
    yield "<h4>What crawlers get</h4>\n"
    rows = [[_text(str(one[key])) for key in ("crawler", "answer", "detail", "user_agent")] for one in report["edge"]]
    yield _table(("Crawler", "Answer", "Detail", "User-Agent header"), rows)
    yield f"<p>{_text(LIMITS_OF_THE_TEST)}</p>\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _text(text: Any) -> str:
    return escape(printable_text(str(text)))
