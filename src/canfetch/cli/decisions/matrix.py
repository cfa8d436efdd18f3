"""`canfetch matrix`: a table of agents and URLs.

`json` is a list of objects and `ndjson` has one object per line; there is one for each URL:

    {"url": URL, "verdicts": {NAME: {"allowed": bool, "reason": TEXT, "line": N or null}, ...}}
    also "FACT": {NAME: ..., ...}          what the file states for agents, such as `pace` (`AgentFacts.to_json`)
    {"url": URL, "error": TEXT}            if no verdict could be computed

`csv` has the header `url`, the names of the agents, `error`. A cell is `allowed`, `disallowed`, or empty if the verdict
could not be computed.
"""

import sys
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from canfetch.cli.decisions.options import DecisionOptions, decision_command
from canfetch.cli.decisions.run import Answer, DecisionRun
from canfetch.cli.decisions.stated_facts import StatedFacts
from canfetch.cli.shared.agent_list import chain_lines
from canfetch.cli.shared.origin_arguments import MAX_WAITING_CHARACTERS
from canfetch.cli.shared.row_writers import Cells, CsvWriter, JsonWriter, write_rows
from canfetch.cli.shared.terminal import (
    display_width,
    is_terminal,
    output_palette,
    pad,
    printable,
    terminal_width,
)
from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict

# A table is drawn in blocks, so that little of it is in memory.
_BLOCK_ROWS: Final = 256
_MIN_URL_WIDTH: Final = 24
_MAX_URL_WIDTH: Final = 72
# `no 1234`: only files of 10,000 lines and more have wider cells.
_CELL_WIDTH: Final = 7
_GAP: Final = 2
_ERROR: Final = "error"


class _Cell(NamedTuple):
    """The text of a cell. `good` selects green (True), red (False) or no colour (None)."""

    text: str
    good: bool | None = None

    @property
    def rich_style(self) -> str:
        """The style name for rich."""
        if self.good is None:
            return "yellow" if self.text == _ERROR else ""
        return "green" if self.good else "red"


class MatrixTables:
    """Writes answers as tables."""

    def __init__(self, run: DecisionRun) -> None:
        self._palette = output_palette(no_color=run.options.no_color)
        self._agents = run.agents
        self._names = [printable(agent.name) for agent in run.agents]
        self._answers: list[Answer] = []
        self._facts = StatedFacts(run)
        self._characters = 0
        self._drawn = 0
        # Those of the last block.
        self._widths: list[int] = []
        self._width = terminal_width() if is_terminal(sys.stdout) else None
        self._use_rich = self._width is not None and _is_rich_installed()
        self._urls_are_rows = (
            self._width is None
            or _MIN_URL_WIDTH + sum(max(display_width(name), _CELL_WIDTH) + _GAP for name in self._names) <= self._width
        )
        self._block = _BLOCK_ROWS if self._urls_are_rows else self._urls_per_table()

    def write(self, answer: Answer) -> None:
        """Add an answer, and draw a table when a block is full."""
        self._answers.append(answer)
        self._characters += len(answer.url)
        if len(self._answers) == self._block or self._characters > MAX_WAITING_CHARACTERS:
            self._draw()

    def end(self) -> None:
        """Draw the remaining answers and the legend."""
        if self._answers:
            self._draw()
        if self._width is not None:
            legend = "yes, no: whether the agent may fetch the URL; number: the deciding line"
            sys.stdout.write(self._palette.faint(legend) + "\n")

    def _urls_per_table(self) -> int:
        assert self._width is not None
        name_width = max(map(display_width, self._names))
        return max(1, (self._width - name_width) // (_CELL_WIDTH + _GAP))

    def _draw(self) -> None:
        if not self._drawn:
            sys.stdout.write("".join(chain_lines(self._agents, self._palette)))
        answers, self._answers, self._characters = self._answers, [], 0
        for answer in answers:
            sys.stdout.writelines(self._facts.copy_lines(answer, self._palette))
            sys.stdout.writelines(self._facts.pace_lines(answer, self._palette))
        first = self._drawn + 1
        self._drawn += len(answers)
        if self._urls_are_rows:
            header = ["URL", *self._names]
            rows = [[_Cell(printable(answer.url)), *self._cells(answer)] for answer in answers]
        else:
            numbers = [str(number) for number in range(first, first + len(answers))]
            width = len(numbers[-1])
            for number, answer in zip(numbers, answers, strict=True):
                sys.stdout.write(f"{self._palette.strong(f'{number:>{width}}')}  {printable(answer.url)}\n")
            header = ["", *numbers]
            columns = zip(*(self._cells(answer) for answer in answers), strict=True)
            rows = [[_Cell(name), *cells] for name, cells in zip(self._names, columns, strict=True)]
        if self._use_rich:
            self._draw_with_rich(header, rows)
        else:
            self._draw_plain(header, rows)
        if not self._urls_are_rows:
            sys.stdout.write("\n")

    def _cells(self, answer: Answer) -> list[_Cell]:
        if not answer.verdicts:
            return [_Cell(_ERROR) for _ in self._agents]
        return [_verdict_cell(verdict) for verdict in answer.verdicts]

    def _draw_plain(self, header: list[str], rows: list[list[_Cell]]) -> None:
        widths = [max(display_width(name), _CELL_WIDTH) for name in header]
        for row in rows:
            widths = [max(width, display_width(cell.text)) for width, cell in zip(widths, row, strict=True)]
        max_width = _MAX_URL_WIDTH
        if self._width is not None:
            max_width = min(max_width, self._width - sum(widths[1:]) - _GAP * len(widths[1:]))
        widths[0] = min(widths[0], max_width)
        if self._urls_are_rows and self._widths:
            # Columns do not become narrower, and wider ones have names of their own.
            widths = list(map(max, widths, self._widths))
        lines = []
        if widths != self._widths or not self._urls_are_rows:
            names = (pad(name, width) for name, width in zip(header, widths, strict=True))
            lines.append(self._palette.strong((" " * _GAP).join(names).rstrip()))
        self._widths = widths
        for row in rows:
            cells = (self._paint(cell, pad(cell.text, width)) for cell, width in zip(row, widths, strict=True))
            line = (" " * _GAP).join(cells).rstrip()
            if self._width is not None and display_width(row[0].text) > widths[0]:
                # A URL that is too long has its own line, so that the cells stay in their columns.
                lines.append(row[0].text)
                line = " " * widths[0] + line[len(row[0].text) :]
            lines.append(line)
        sys.stdout.write("".join(f"{line}\n" for line in lines))

    def _paint(self, cell: _Cell, text: str) -> str:
        if cell.good is None:
            return self._palette.warning(text) if cell.text == _ERROR else text
        return self._palette.good(text) if cell.good else self._palette.bad(text)

    def _draw_with_rich(self, header: list[str], rows: list[list[_Cell]]) -> None:
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - optional, and slow to import
        from rich.console import Console  # noqa: PLC0415 - optional, and slow to import
        from rich.table import Table  # noqa: PLC0415 - optional, and slow to import
        from rich.text import Text  # noqa: PLC0415 - optional, and slow to import

        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for index, name in enumerate(header):
            table.add_column(Text(name), overflow="fold", no_wrap=index > 0)
        for row in rows:
            table.add_row(*(Text(cell.text, cell.rich_style) for cell in row))
        enabled = self._palette.enabled
        Console(no_color=not enabled, force_terminal=enabled, highlight=False, width=self._width).print(table)


def _verdict_cell(verdict: Verdict) -> _Cell:
    line = "" if verdict.line is None else f" {verdict.line}"
    return _Cell(("yes" if verdict.allowed else "no") + line, verdict.allowed)


def _is_rich_installed() -> bool:
    from importlib.util import find_spec  # noqa: PLC0415 - only on a terminal

    return find_spec("rich") is not None


@decision_command(
    "matrix",
    summary="Compare agents and URLs in a table.",
    description="""Check every URL for every agent, and print a table.

    Each cell is 'yes' or 'no' and the number of the line that decides. A line that starts with # shows the Crawl-delay,
    Request-rate and Visit-time that the file states for an agent, or the time of a stored copy.""",
    epilog="""\b
Examples:
  canfetch matrix / /fish --agent GPTBot --agent Googlebot --agent bingbot --robots robots.txt
  canfetch matrix --urls-file urls.txt --agents-file agents.txt --robots robots.txt --format csv

\b
json is a list of objects, ndjson has one object per line, one for each URL:
  url, verdicts {NAME: {allowed, reason, line}}, what the file states, such as pace {NAME: {...}}, as in canfetch check;
  without verdicts: url, error
csv: url, a column for each agent (allowed, disallowed or empty), error

\b
Exit codes: 0 all URLs are allowed, 1 some URL is disallowed, 2 an error occurred.""",
)
def command(options: DecisionOptions) -> int:
    """Write the table, and return the exit code."""
    with DecisionRun(options) as run:
        if options.quiet:
            run.check_all()
        elif options.format == "text":
            write_rows(run.answers(), MatrixTables(run))
        elif options.format == "csv":
            header = ["url", *(printable_text(agent.name) for agent in run.agents), "error"]
            write_rows(_cells(run), CsvWriter(header))
        else:
            write_rows(_objects(run), JsonWriter(lines=options.format == "ndjson"))
        return run.exit_code


def _objects(run: DecisionRun) -> Iterator[dict[str, Any]]:
    facts = StatedFacts(run)
    for answer in run.answers():
        yield {**answer.result.to_matrix_row(), **facts.by_key(answer)}


def _cells(run: DecisionRun) -> Iterator[Cells]:
    for answer in run.answers():
        words: Cells = ["allowed" if verdict.allowed else "disallowed" for verdict in answer.verdicts]
        yield [printable_text(answer.url), *(words or [None] * len(run.agents)), answer.result.error or None]
