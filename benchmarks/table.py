"""The one table: a row for each number, a column for each library; as text, Markdown, JSON, or by rich."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

MET = {True: "met", False: "MISSED", None: ""}


@dataclass(slots=True)
class Row:
    """One number of canfetch, what it should be, and the same of the peers.

    `target` and `score` are compared in the same unit: a ratio where `target` ends in `x`, otherwise the figure itself.
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


def duration(nanoseconds: float) -> str:
    """Write a time with three digits and the unit that suits it."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(nanoseconds) >= size * 0.9995:
            return f"{digits(nanoseconds / size)} {unit}"
    return f"{digits(nanoseconds)} ns"


def octets(number: float) -> str:
    """Write an amount of memory."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if number >= size * 0.9995:
            return f"{digits(number / size)} {unit}"
    return f"{number:.0f} B"


def digits(number: float) -> str:
    """Write a number with about three digits."""
    if not math.isfinite(number) or abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def times(ratio: float) -> str:
    """Write a ratio."""
    return f"{digits(ratio)}x"


@dataclass(slots=True)
class Report:
    """The rows, the columns' titles, and what a reader must know beside them."""

    ours: str
    titles: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def missed(self) -> list[Row]:
        """The rows whose target was not reached."""
        return [row for row in self.rows if row.met is False]

    def columns(self) -> list[str]:
        """The titles of all columns."""
        return ["what", "engine", "target", self.ours, "score", "", *self.titles.values()]

    def cells(self, row: Row) -> list[str]:
        """One row's texts, in the order of `columns`."""
        beside = [row.peers.get(key, "") for key in self.titles]
        return [row.what, row.engine, row.target, row.figure, row.score, MET[row.met], *beside]

    def closing(self) -> list[str]:
        """What stands under the table."""
        lines = [f"{row.what} ({row.engine}): {row.note}" for row in self.rows if row.note]
        missed = self.missed()
        judged = sum(row.met is not None for row in self.rows)
        lines.append(f"{judged - len(missed)} of {judged} targets met.")
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


def as_text(report: Report) -> str:
    """Write the table in columns of plain text."""
    columns = report.columns()
    widths = [max(map(len, column)) for column in zip(columns, *map(report.cells, report.rows), strict=True)]
    lines = [*report.header, "", _padded(columns, widths), "  ".join("-" * width for width in widths)]
    for section, rows in _sections(report.rows):
        lines += ["", section, *(_padded(report.cells(row), widths) for row in rows)]
    return "\n".join([*lines, "", *report.closing()])


def as_markdown(report: Report) -> str:
    """Write the table for a document."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    columns = report.columns()
    lines = [f"- {text}" for text in report.header]
    lines += ["", line(columns), line(["---", "---", *["---:"] * (len(columns) - 2)])]
    for section, rows in _sections(report.rows):
        lines.append(line([f"**{section}**", *[""] * (len(columns) - 1)]))
        lines += [line(report.cells(row)) for row in rows]
    return "\n".join([*lines, "", *(f"- {text}" for text in report.closing())])


def as_json(report: Report) -> str:
    """Write everything that was measured, spreads too."""
    whole = {
        "header": report.header,
        "columns": {"ours": report.ours, **report.titles},
        "rows": [asdict(row) for row in report.rows],
        "notes": report.closing(),
    }
    return json.dumps(whole, indent=1, default=str)


def _by_rich(report: Report) -> bool:
    """Print by rich where it is installed and standard output is a terminal; say whether that was done."""
    if not sys.stdout.isatty():
        return False
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    console = Console()
    table = Table(title="canfetch beside its peers", title_justify="left", pad_edge=False)
    for place, column in enumerate(report.columns()):
        table.add_column(column, justify="left" if place < 2 else "right", overflow="fold")
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
    for text in report.closing():
        console.print(Text(text))
    return True


def show(report: Report, form: str) -> None:
    """Print the table in the form asked for: `table`, `markdown` or `json`."""
    if form == "json":
        print(as_json(report))
    elif form == "markdown":
        print(as_markdown(report))
    elif not _by_rich(report):
        print(as_text(report))
