"""Audit reports as one page without scripts and other files, to print or to send to a client."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from canfetch.audit.edge import LIMITS_OF_THE_TEST
from canfetch.audit.report import ReportJson
from canfetch.audit.text_report import (
    access_words,
    by_severity,
    crawler_text,
    environment_text,
    error_text,
    grouped,
    host_text,
    main_finding,
    place,
    record_lines,
    rules_summary,
    severity_counts,
    split_message,
    time_text,
    use_text,
)
from canfetch.core.text import counted, printable_text
from canfetch.lint.formats.html import PAGE_STYLE

_MAX_SHOWN: Final = 100
_SEVERITY_NOUNS: Final = {"error": "error", "warning": "warning", "info": "note"}
_SITE_WORDS: Final = {
    "failed": "not audited",
    "error": "with errors",
    "warning": "with warnings and no errors",
    "none": "without errors and warnings",
}
_OWN_STYLE: Final = """\
body { overflow-wrap: break-word; } .place, .long { overflow-wrap: anywhere; }
.long { display: inline-block; min-width: 12rem; }
h4 { font-size: 1rem; margin: 1.5rem 0 .25rem; } article { break-inside: avoid-page; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--edge); padding: .35rem .6rem;
  text-align: left; vertical-align: top; } th { white-space: nowrap; } ul { margin: .35rem 0; }
thead { display: table-header-group; }
@media screen and (max-width: 40rem) { thead { display: none; } tr { display: block; padding: .5rem 0;
  border-bottom: 1px solid var(--edge); } td { display: block; border: 0; padding: .1rem 0; }
  td:empty { display: none; } td::before { content: attr(data-head) ": "; color: var(--faint); } }
code { font: .92em ui-monospace, monospace; background: var(--code); border-radius: .2rem; padding: 0 .2em; }
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
        yield f"<p>{_portfolio_summary(reports)}</p>\n"
        rows = [_portfolio_row(number, reports[number]) for number in by_severity(reports)]
        yield _table(("Site", "Errors", "Warnings", "Info", "Main finding"), rows)
        yield f"<p>{_prose(rules_summary(reports))}</p>\n"
    for number, report in enumerate(reports):
        heading = f"<h2>{_text(report['origin'])}</h2>\n" if len(reports) > 1 else ""
        yield f'<section id="site-{number}">\n{heading}'
        yield f'<p class="place">{time_text(report["checked_at"])}; {counted(report["requests"], "request")}</p>\n'
        if report["environment"] is not None:
            yield f"<p>{_text(environment_text(report))}</p>\n"
        yield from _report(report)
        yield "</section>\n"
    yield "</main>\n</body>\n</html>\n"


def _portfolio_row(number: int, report: ReportJson) -> list[str]:
    link = f'<a class="long" href="#site-{number}">{_text(report["origin"])}</a>'
    numbers = severity_counts(report)
    counts = ["" if report["error"] else f"{numbers[name]:,}" for name in ("error", "warning", "info")]
    return [link, *counts, _prose(main_finding(report))]


def _report(report: ReportJson) -> Iterator[str]:
    if report["error"]:
        error = error_text(report)
        yield f"<p>This site was not audited{f': {_text(error)}' if error else '.'}</p>\n"
    else:
        yield f"<p>{_prose(_introduction(report))}</p>\n"
    for group in grouped(report):
        _, found, left = group
        severity = found[0]["severity"]
        yield f'<article class="{severity}">\n<h3><span class="severity">{severity}</span> '
        yield f"{_prose(group.meaning)}</h3>\n<ul>\n"
        for shown, times in group.causes(_MAX_SHOWN):
            check, message = split_message(shown[0])
            places = [place(one) for one in shown if one["url"] is not None]
            parts = [*places[:-1], "; ".join(part for part in (*places[-1:], check) if part)]
            where = "".join(f'<br><span class="place">{_text(part)}</span>' for part in parts if part)
            yield f"<li>{_prose(message)}{times}{where}</li>\n"
            left -= len(shown)
        yield "</ul>\n"
        if left > 0:
            yield f"<p>And {left:,} more. The JSON form of the report lists all of them.</p>\n"
        yield f"<p><b>What to do:</b> {_prose(group.advice)}</p>\n</article>\n"
    if report["error"]:
        return
    yield from _purposes(report)
    yield from _served(report)
    yield from _crawls(report)
    yield from _edge(report)


def _introduction(report: ReportJson) -> str:
    """Return what was found in words: the number of findings, the main one, and who may fetch the site."""
    numbers = severity_counts(report)
    parts = [counted(numbers[name], noun) for name, noun in _SEVERITY_NOUNS.items() if numbers[name]]
    found = main_finding(report)
    if parts:
        listed = " and ".join([*([", ".join(parts[:-1])] if parts[1:] else []), parts[-1]])
        found = f"The audit found {listed}. {'The most important one: ' if sum(numbers.values()) > 1 else ''}{found}"
    access = "; ".join(_open_crawlers(purpose) for purpose in report["purposes"])
    return f"{found} Known crawlers that may fetch the site or a part of it: {access}." if access else found


def _open_crawlers(purpose: Mapping[str, Any]) -> str:
    # Control tokens fetch nothing.
    rows = [row for row in purpose["crawlers"] if not row["token_only"]]
    numbers = {row["may_fetch"]: len(row["crawlers"]) for row in rows}
    title = purpose["title"][:1].lower() + purpose["title"][1:]
    return f"{title}, {numbers.get('all', 0) + numbers.get('some', 0)} of {sum(numbers.values())}"


def _portfolio_summary(reports: Sequence[ReportJson]) -> str:
    """Return how many sites have errors, only warnings, or neither, in words."""
    kinds = Counter(_worst(report) for report in reports)
    parts = [f"{counted(kinds[name], 'site')} {words}" for name, words in _SITE_WORDS.items() if kinds[name]]
    return f"{'; '.join(parts)}."


def _worst(report: ReportJson) -> str:
    if report["error"]:
        return "failed"
    numbers = severity_counts(report)
    return next((name for name in ("error", "warning") if numbers[name]), "none")


def _purposes(report: ReportJson) -> Iterator[str]:
    yield "<h4>Who may fetch the site</h4>\n"
    rows = []
    for purpose in report["purposes"]:
        access = "<br>".join(f"{_text(access_words(row))}: {_text(crawler_text(row))}" for row in purpose["crawlers"])
        use = purpose["use"]
        stated = "" if use is None else _long(use_text(use))
        rows.append([_text(purpose["title"]), access, stated])
    yield _table(("Purpose", "Crawlers", "Use of the content"), rows)


def _served(report: ReportJson) -> Iterator[str]:
    listed = report["listed"]
    yield "<h4>Sitemaps and addresses</h4>\n"
    yield f"<p>{counted(listed['sitemaps'], 'sitemap')} with {counted(listed['urls'], 'URL')}; "
    yield f"{counted(listed['requested'], 'page')} requested.</p>\n"
    if report["hosts"]:
        yield _table(
            ("Address", "robots.txt"), [[_long(one["origin"]), _long(host_text(one))] for one in report["hosts"]]
        )


def _crawls(report: ReportJson) -> Iterator[str]:
    lines = list(record_lines(report))
    if lines:
        yield "<h4>What crawlers did</h4>\n"
        yield from (f"<p>{_text(line)}</p>\n" for line in lines)


def _edge(report: ReportJson) -> Iterator[str]:
    if not report["edge"]:
        return
    yield "<h4>What crawlers get</h4>\n"
    rows = [
        [
            _text(one["crawler"]),
            _long(one["detail"]),
            "" if one["status"] is None else str(one["status"]),
            f'<span class="place">{_text(one["user_agent"])}</span>',
        ]
        for one in report["edge"]
    ]
    yield _table(("Crawler", "Answer", "Status", "User-Agent header"), rows)
    yield f"<p>{_text(LIMITS_OF_THE_TEST)}</p>\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    # A narrow screen has no room for columns: the cells are below each other, each with its heading.
    cells = (
        "".join(f'<td data-head="{escape(name)}">{cell}</td>' for name, cell in zip(heads, row, strict=True))
        for row in rows
    )
    body = "".join(f"<tr>{row}</tr>\n" for row in cells)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _long(text: str) -> str:
    """Return a text that may have a long URL or pattern, which is broken if it is wider than its column."""
    return f'<span class="long">{_text(text)}</span>'


def _prose(text: str) -> str:
    """Return a sentence with its quoted parts as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", _text(text))


def _text(text: Any) -> str:
    return escape(printable_text(str(text)))
