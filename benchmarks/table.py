"""The result table, with a row for each measurement and a column for each library."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

MET = {True: "met", False: "MISSED", None: ""}


@dataclass(slots=True)
class Row:
    """One measurement of canfetch, its target, and the same measurement of the peers.

    `score` has the unit of `target`: a ratio if `target` contains `x`, or else the unit of the figure.
    """

    section: str
    what: str
    engine: str
    figure: str = ""
    target: str = ""
    score: str = ""
    met: bool | None = None
    peers: dict[str, str] = field(default_factory=dict)
    note: str = ""
    detail: dict[str, object] = field(default_factory=dict)


def format_duration(nanoseconds: float) -> str:
    """Format a time with three digits and a suitable unit."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(nanoseconds) >= size * 0.9995:
            return f"{format_number(nanoseconds / size)} {unit}"
    return f"{format_number(nanoseconds)} ns"


def format_bytes(number: float) -> str:
    """Format a number of bytes with a suitable unit."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if number >= size * 0.9995:
            return f"{format_number(number / size)} {unit}"
    return f"{number:.0f} B"


def format_number(number: float) -> str:
    """Format a number with about three digits."""
    if not math.isfinite(number) or abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def format_ratio(ratio: float) -> str:
    """Format a ratio."""
    return f"{format_number(ratio)}x"


@dataclass(slots=True)
class Report:
    """The rows, the titles of the columns, and the text above and below the table."""

    canfetch_title: str
    titles: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def missed(self) -> list[Row]:
        """Return the rows whose target was not reached."""
        return [row for row in self.rows if row.met is False]

    def columns(self) -> list[str]:
        """Return the titles of all columns."""
        return ["what", "engine", "target", self.canfetch_title, "score", "", *self.titles.values()]

    def cells(self, row: Row) -> list[str]:
        """Return the cells of a row, in the order of `columns`."""
        peer_cells = [row.peers.get(key, "") for key in self.titles]
        return [row.what, row.engine, row.target, row.figure, row.score, MET[row.met], *peer_cells]

    def footer(self) -> list[str]:
        """Return the lines below the table."""
        lines = [f"{row.what} ({row.engine}): {row.note}" for row in self.rows if row.note]
        missed = self.missed()
        with_target = sum(row.met is not None for row in self.rows)
        lines.append(f"{with_target - len(missed)} of {with_target} targets met.")
        lines += [
            f"missed: {row.what} ({row.engine}): {row.score or row.figure}, target {row.target}" for row in missed
        ]
        return [*self.notes, *lines]


def _sections(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.section, []).append(row)
    return list(found.items())


def _padded(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = [cell.ljust(width) for cell, width in zip(cells[:2], widths[:2], strict=True)]
    others = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:], strict=True)]
    return "  ".join([*first, *others]).rstrip()


def to_text(report: Report) -> str:
    """Format the table as plain text."""
    columns = report.columns()
    widths = [max(map(len, column)) for column in zip(columns, *map(report.cells, report.rows), strict=True)]
    lines = [*report.header, "", _padded(columns, widths), "  ".join("-" * width for width in widths)]
    for section, rows in _sections(report.rows):
        lines += ["", section, *(_padded(report.cells(row), widths) for row in rows)]
    return "\n".join([*lines, "", *report.footer()])


def to_markdown(report: Report) -> str:
    """Format the table as Markdown."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    columns = report.columns()
    lines = [f"- {text}" for text in report.header]
    lines += ["", line(columns), line(["---", "---", *["---:"] * (len(columns) - 2)])]
    for section, rows in _sections(report.rows):
        lines.append(line([f"**{section}**", *[""] * (len(columns) - 1)]))
        lines += [line(report.cells(row)) for row in rows]
    return "\n".join([*lines, "", *(f"- {text}" for text in report.footer())])


def to_json(report: Report) -> str:
    """Format all measurements as JSON, with the quartiles."""
    whole = {
        "header": report.header,
        "columns": {"canfetch": report.canfetch_title, **report.titles},
        "rows": [asdict(row) for row in report.rows],
        "notes": report.footer(),
    }
    return json.dumps(whole, indent=1, default=str)


def _print_with_rich(report: Report) -> bool:
    """Print with rich if it is installed and standard output is a terminal. Return whether it was printed."""
    if not sys.stdout.isatty():
        return False
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    console = Console()
    table = Table(title="canfetch and other libraries", title_justify="left", pad_edge=False)
    for index, column in enumerate(report.columns()):
        table.add_column(column, justify="left" if index < 2 else "right", overflow="fold")
    for section, rows in _sections(report.rows):
        table.add_section()
        table.add_row(Text(section, style="bold"))
        for row in rows:
            cells = [Text(cell) for cell in report.cells(row)]
            cells[5].stylize("bold red" if row.met is False else "green")
            table.add_row(*cells)
    for text in report.header:
        console.print(Text(text))
    console.print(table)
    for text in report.footer():
        console.print(Text(text))
    return True


def print_report(report: Report, output_format: str) -> None:
    """Print the table as `table`, `markdown` or `json`."""
    if output_format == "json":
        print(to_json(report))
    elif output_format == "markdown":
        print(to_markdown(report))
    elif not _print_with_rich(report):
        print(to_text(report))
