"""Audit reports as one page without scripts and other files, to print or to send to a client."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from canfetch.audit.edge import LIMITS_OF_THE_TEST
from canfetch.audit.text_report import (
    ACCESS_WORDS,
    USE_WORDS,
    ReportJson,
    crawler_text,
    grouped,
    host_text,
    place,
    severity_counts,
    summary,
)
from canfetch.core.text import counted, printable_text

_MAX_SHOWN: Final = 100
_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #5b6673; --edge: #d7dce2;
  --error: #b42318; --warning: #8a5a00; --info: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14181d; --faint: #9aa6b2; --edge: #333c46;
  --error: #ff8a80; --warning: #f0c060; --info: #8fc1ff; } }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; } h4 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
article { border: 1px solid var(--edge); border-left: .3rem solid var(--severity); border-radius: .4rem;
  margin: .75rem 0; padding: .75rem 1rem; break-inside: avoid-page; }
.error { --severity: var(--error); } .warning { --severity: var(--warning); } .info { --severity: var(--info); }
.severity { color: var(--severity); } .faint { color: var(--faint); font-size: .875rem; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--edge); padding: .35rem .6rem;
  text-align: left; vertical-align: top; } thead { display: table-header-group; } p, ul { margin: .35rem 0; }
td.number { text-align: right; }
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
    yield f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    yield f"<main>\n<h1>{escape(title)}</h1>\n"
    if len(reports) > 1:
        rows = [_portfolio_row(number, report) for number, report in enumerate(reports)]
        yield _table(("Site", "Errors", "Warnings", "Info", "Result"), rows)
    for number, report in enumerate(reports):
        yield f'<section id="site-{number}">\n<h2>{_text(report["origin"])}</h2>\n'
        yield f'<p class="faint">{_text(report["checked_at"])}; {_text(summary(report))}</p>\n'
        yield from _report(report)
        yield "</section>\n"
    yield "</main>\n</body>\n</html>\n"


def _portfolio_row(number: int, report: ReportJson) -> list[str]:
    link = f'<a href="#site-{number}">{_text(report["origin"])}</a>'
    if report["error"]:
        return [link, "", "", "", _text(report["error"])]
    numbers = severity_counts(report)
    first = next((kind.meaning for kind, _, _ in grouped(report)), "Nothing was found.")
    return [link, *(f"{numbers[name]:,}" for name in ("error", "warning", "info")), _text(first)]


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
            where = "" if one["url"] is None else f'<br><span class="faint">{_text(place(one))}</span>'
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
        stated = "" if use is None else f"{_text(USE_WORDS[use['allowed']])}; {_text(use['explanation'])}"
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
