"""The report of `canfetch logs` as text, Markdown and rows."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from canfetch.agents.identity import IdentityStatus
from canfetch.cli.shared.markdown import markdown_code, markdown_text
from canfetch.cli.shared.row_writers import Cells
from canfetch.cli.shared.terminal import Palette, pad, printable
from canfetch.core.text import counted
from canfetch.core.times import rfc3339
from canfetch.logs.analysis import ADDRESS_LIMIT
from canfetch.logs.report import CrawlerReport, LoggedSignatures, LogReport

COLUMNS: Final = (
    "name",
    "operator",
    "purposes",
    "identity",
    "requests",
    "robots_txt_requests",
    "unchecked_requests",
    "judged_requests",
    "disallowed_requests",
    "disallow_compliance",
    "delays",
    "delays_kept",
    "delay_compliance",
    "addresses",
    "first",
    "last",
    "signatures",
)
_HEADINGS: Final = ("CRAWLER", "OPERATOR", "REQUESTS", "ROBOTS.TXT", "DISALLOWED", "OBEYED", "DELAYS KEPT", "ADDRESSES")
_TEXT_COLUMNS: Final = 2
_ABSENT: Final = "-"
# Shares from which an answer is good, and below which it is bad.
_GOOD_SHARE: Final = 0.99
_BAD_SHARE: Final = 0.5


def text_lines(report: LogReport, palette: Palette) -> Iterator[str]:
    """Yield the lines of a table for a terminal, and the totals."""
    rows = [(_cells(crawler), crawler) for crawler in report.crawlers]
    if rows:
        widths = [max(map(len, column)) for column in zip(_HEADINGS, *(cells for cells, _ in rows), strict=True)]
        yield palette.strong(_join(_HEADINGS, widths))
        for cells, crawler in rows:
            yield _paint(palette, crawler, _join(cells, widths))
            yield from (palette.faint(f"  {line}") for line in _signature_lines(crawler.signatures))
            for target, line in crawler.examples[:1]:
                yield palette.faint(f"  fetched {printable(target)}, which line {line} disallows")
        yield ""
    yield from _totals(report)


def markdown_lines(report: LogReport) -> Iterator[str]:
    """Yield the lines of a Markdown table, and the totals."""
    yield from _markdown_row(_HEADINGS)
    yield from _markdown_row(["---"] * _TEXT_COLUMNS + ["---:"] * (len(_HEADINGS) - _TEXT_COLUMNS))
    for crawler in report.crawlers:
        # Every client chooses its own name, and the operator may be from a registry file.
        name, operator = markdown_code(crawler.name), markdown_text(crawler.operator) or _ABSENT
        yield from _markdown_row([f"{name}{_identity(crawler)}", operator, *_cells(crawler)[_TEXT_COLUMNS:]])
    yield ""
    for crawler in report.crawlers:
        name = f"{markdown_code(crawler.name)}{_identity(crawler)}"
        yield from (f"- {name}: {markdown_code(line)}" for line in _signature_lines(crawler.signatures))
    yield from _totals(report)


def csv_cells(crawler: CrawlerReport) -> Cells:
    """Return the cells of `COLUMNS`."""
    values = {**crawler.to_json(), "signatures": "; ".join(_signature_lines(crawler.signatures))}
    return [_csv_cell(values[column]) for column in COLUMNS]


def report_json(report: LogReport) -> dict[str, Any]:
    """Return the whole report as plain values."""
    values = report._asdict()
    values["crawlers"] = [crawler.to_json() for crawler in report.crawlers]
    values["other_signatures"] = [one._asdict() for one in report.other_signatures]
    values["first_bad_lines"] = [bad._asdict() for bad in report.first_bad_lines]
    for key in ("first", "last"):
        values[key] = None if values[key] is None else rfc3339(values[key])
    return values


def row_name(crawler: CrawlerReport) -> str:
    """Return the name of a crawler, with its identity if that was decided."""
    return f"{crawler.name}{_identity(crawler)}"


def _identity(crawler: CrawlerReport) -> str:
    return "" if crawler.identity in {None, IdentityStatus.UNDECIDED} else f" ({crawler.identity})"


def percent(share: float | None) -> str:
    """Return a share as text. Only a share of exactly 1 is 100 %."""
    if share is None:
        return _ABSENT
    return "100 %" if share == 1 else f"{min(share * 100, 99.9):.1f} %"


def _signature_lines(signatures: Iterable[LoggedSignatures]) -> Iterator[str]:
    for found in signatures:
        if found.url is not None:
            text = f"{counted(found.requests, 'request')} signed by the key {found.key_id} of {found.url}"
        else:
            claimed = "" if found.claimed_url is None else f" that names {found.claimed_url}"
            if claimed and found.requests > 1:
                claimed = f" that name {found.claimed_url}"
            text = f"{counted(found.requests, 'signature')}{claimed}: {found.reason}"
        yield printable(text)


def _csv_cell(value: Any) -> str | int | None:
    if isinstance(value, list):
        return " ".join(value)
    return f"{value:.6f}" if isinstance(value, float) else value


def _cells(crawler: CrawlerReport) -> list[str]:
    is_judged = crawler.judged_requests > 0
    return [
        printable(row_name(crawler)),
        printable(crawler.operator) or _ABSENT,
        f"{crawler.requests:,}",
        f"{crawler.robots_txt_requests:,}",
        f"{crawler.disallowed_requests:,}" if is_judged else _ABSENT,
        percent(crawler.disallow_compliance),
        percent(crawler.delay_compliance),
        f"{crawler.addresses:,}",
    ]


def _paint(palette: Palette, crawler: CrawlerReport, row: str) -> str:
    share = crawler.disallow_compliance
    if crawler.identity is IdentityStatus.IMPOSTOR or (share is not None and share < _BAD_SHARE):
        return palette.bad(row)
    if share is not None and share < _GOOD_SHARE:
        return palette.warning(row)
    return row


def _join(cells: Iterable[str], widths: list[int]) -> str:
    aligned = [
        pad(cell, width) if column < _TEXT_COLUMNS else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(aligned).rstrip()


def _markdown_row(cells: Iterable[str]) -> Iterator[str]:
    yield f"| {' | '.join(cells)} |"


def _totals(report: LogReport) -> Iterator[str]:
    period = ""
    if report.first is not None and report.last is not None:
        period = f" from {rfc3339(report.first)} to {rfc3339(report.last)}"
    counts = (
        f"{counted(report.crawler_requests, 'request')} of crawlers",
        f"{report.other_requests:,} of browsers and others",
        f"{report.unusable_requests:,} that are not for a URL",
        f"{counted(report.bad_lines, 'line')} that cannot be read",
    )
    yield f"{counted(report.lines, 'line')}{period}: {', '.join(counts)}"
    yield from (f"Of browsers and others: {line}" for line in _signature_lines(report.other_signatures))
    if report.addresses_truncated:
        yield f"There are more than {ADDRESS_LIMIT:,} client addresses; the rest are not counted."
    if report.truncated:
        yield "There are too many crawlers to count each; the rest are counted as (others)."
