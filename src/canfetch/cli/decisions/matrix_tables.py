"""The tables of `matrix`, drawn block by block, so that no list of URLs is too long.

A row is a URL and a column an agent, as long as they fit into the terminal. Where they do not, a row is an agent and
a column a URL, by its number. On a terminal `rich` draws, where it is installed.
"""

import sys
from typing import Final, NamedTuple

from canfetch.cli.decisions.run import Answer, Session
from canfetch.cli.decisions.urls import MOST_CHARACTERS
from canfetch.cli.shared.agent_arguments import chain_lines
from canfetch.cli.shared.terminal import Palette, columns, is_terminal, padded, shown, terminal_columns, wants_color
from canfetch.core.verdict import Verdict

# Rows that are drawn at once: their widths are the same.
_BLOCK_ROWS: Final = 256
# Fewer columns than these are no place for a URL.
_LEAST_URL_COLUMNS: Final = 24
_MOST_URL_COLUMNS: Final = 72
# `no 1234`: wider cells are for files of ten thousand lines and more.
_CELL_COLUMNS: Final = 7
_GAP: Final = 2
_ERROR: Final = "error"


class Cell(NamedTuple):
    """What stands in a cell, and whether that is good (True), bad (False), or neither."""

    text: str
    good: bool | None = None

    @property
    def style(self) -> str:
        """Its colour, as rich names it."""
        if self.good is None:
            return "yellow" if self.text == _ERROR else ""
        return "green" if self.good else "red"


class Grids:
    """Writes answers as tables."""

    def __init__(self, session: Session) -> None:
        color = wants_color(no_color=session.question.no_color)
        self._palette = Palette(on=color)
        self._askers = session.askers
        self._names = [shown(asker.name) for asker in session.askers]
        self._answers: list[Answer] = []
        self._characters = 0
        self._drawn = 0
        self._width = terminal_columns() if is_terminal(sys.stdout) else None
        self._rich = self._width is not None and _rich_is_here()
        self._by_url = (
            self._width is None
            or _LEAST_URL_COLUMNS + sum(max(columns(name), _CELL_COLUMNS) + _GAP for name in self._names) <= self._width
        )
        self._block = _BLOCK_ROWS if self._by_url else self._fitting_urls()

    def write(self, answer: Answer) -> None:
        """Take one answer; draw when there are enough."""
        self._answers.append(answer)
        self._characters += len(answer.url)
        if len(self._answers) == self._block or self._characters > MOST_CHARACTERS:
            self._draw()

    def end(self) -> None:
        """Draw what is left."""
        if self._answers:
            self._draw()
        if self._width is not None:
            legend = "yes, no: may the agent fetch it; the number, if any, is the line that decides"
            sys.stdout.write(self._palette.faint(legend) + "\n")

    def _fitting_urls(self) -> int:
        assert self._width is not None
        names = max(map(columns, self._names))
        return max(1, (self._width - names) // (_CELL_COLUMNS + _GAP))

    def _draw(self) -> None:
        if not self._drawn:
            sys.stdout.write("".join(chain_lines(self._askers, self._palette)))
        answers, self._answers, self._characters = self._answers, [], 0
        first = self._drawn + 1
        self._drawn += len(answers)
        if self._by_url:
            header = ["URL", *self._names]
            rows = [[Cell(shown(answer.url)), *self._cells(answer)] for answer in answers]
        else:
            numbers = [str(number) for number in range(first, first + len(answers))]
            wide = len(numbers[-1])
            for number, answer in zip(numbers, answers, strict=True):
                sys.stdout.write(f"{self._palette.strong(f'{number:>{wide}}')}  {shown(answer.url)}\n")
            header = ["", *numbers]
            turned = zip(*(self._cells(answer) for answer in answers), strict=True)
            rows = [[Cell(name), *cells] for name, cells in zip(self._names, turned, strict=True)]
        if self._rich:
            self._draw_richly(header, rows)
        else:
            self._draw_plainly(header, rows, with_header=first == 1 or not self._by_url)
        if not self._by_url:
            sys.stdout.write("\n")

    def _cells(self, answer: Answer) -> list[Cell]:
        if not answer.verdicts:
            return [Cell(_ERROR) for _ in self._askers]
        return [_cell(verdict) for verdict in answer.verdicts]

    def _draw_plainly(self, header: list[str], rows: list[list[Cell]], *, with_header: bool) -> None:
        widths = [max(columns(name), _CELL_COLUMNS) for name in header]
        for row in rows:
            widths = [max(width, columns(cell.text)) for width, cell in zip(widths, row, strict=True)]
        most = _MOST_URL_COLUMNS
        if self._width is not None:
            most = min(most, self._width - sum(widths[1:]) - _GAP * len(widths[1:]))
        widths[0] = min(widths[0], most)
        lines = []
        if with_header:
            names = (padded(name, width) for name, width in zip(header, widths, strict=True))
            lines.append(self._palette.strong((" " * _GAP).join(names).rstrip()))
        for row in rows:
            cells = (self._painted(cell, padded(cell.text, width)) for cell, width in zip(row, widths, strict=True))
            line = (" " * _GAP).join(cells).rstrip()
            if self._width is not None and columns(row[0].text) > widths[0]:
                # A URL that is too long stands above its cells, so that they stay in their columns.
                lines.append(row[0].text)
                line = " " * widths[0] + line[len(row[0].text) :]
            lines.append(line)
        sys.stdout.write("".join(f"{line}\n" for line in lines))

    def _painted(self, cell: Cell, text: str) -> str:
        if cell.good is None:
            return self._palette.odd(text) if cell.text == _ERROR else text
        return self._palette.good(text) if cell.good else self._palette.bad(text)

    def _draw_richly(self, header: list[str], rows: list[list[Cell]]) -> None:
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - an extra, and slow to import
        from rich.console import Console  # noqa: PLC0415 - the same
        from rich.table import Table  # noqa: PLC0415 - the same
        from rich.text import Text  # noqa: PLC0415 - the same

        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for place, name in enumerate(header):
            table.add_column(Text(name), overflow="fold", no_wrap=place > 0)
        for row in rows:
            table.add_row(*(Text(cell.text, cell.style) for cell in row))
        on = self._palette.on
        Console(no_color=not on, force_terminal=on, highlight=False, width=self._width).print(table)


def _cell(verdict: Verdict) -> Cell:
    line = "" if verdict.line is None else f" {verdict.line}"
    return Cell(("yes" if verdict.allowed else "no") + line, verdict.allowed)


def _rich_is_here() -> bool:
    from importlib.util import find_spec  # noqa: PLC0415 - only on a terminal

    return find_spec("rich") is not None
