"""Lines of a robots.txt, quoted with their numbers and a mark under what matters."""

from typing import Final

from canfetch.cli.shared.terminal import Palette, columns, padded, shown
from canfetch.core.document import RobotsTxt
from canfetch.core.text import display_text
from canfetch.core.verdict import Rule

# A quoted line keeps to one line of a terminal; what is behind is seldom what matters.
_LINE_CHARACTERS: Final = 100
_RULE_COLUMNS: Final = 48
_CUT: Final = " [...]"


class FileQuotes:
    """Quotes of one file.

    Cost: the first quote parses the file losslessly, O(octets) in Python.
    """

    def __init__(self, robots: RobotsTxt, name: str, palette: Palette) -> None:
        self._robots = robots
        self._name = name
        self._palette = palette

    def of_rule(self, rule: Rule, group_lines: tuple[int, ...], *, note: str) -> list[str]:
        """Quote a rule under the line that names its group, with a mark under its pattern."""
        width = len(str(rule.line))
        naming = max((line for line in group_lines if line < rule.line), default=None)
        quoted = [self._heading(rule.line)]
        if naming is not None:
            quoted.append(self._numbered(naming, width, self._line(naming)[0]))
            if naming < rule.line - 1:
                quoted.append(f"  {' ' * width} {self._palette.faint('| ...')}")
        text, before, marked = self._line(rule.line)
        mark = "^" * max(marked, 1)
        paint = self._palette.good if rule.allow else self._palette.bad
        quoted.append(self._numbered(rule.line, width, text))
        quoted.append(f"  {' ' * width} {self._palette.faint('|')} {' ' * before}{paint(mark)} {paint(note)}")
        return quoted

    def of_group(self, group_lines: tuple[int, ...]) -> list[str]:
        """Quote the first line that names a group."""
        line = group_lines[0]
        return [self._heading(line), self._numbered(line, len(str(line)), self._line(line)[0])]

    def of_losers(self, losers: list[tuple[Rule, str]]) -> list[str]:
        """Quote rules, one a line, each with a note."""
        width = max(len(str(rule.line)) for rule, _ in losers)
        texts = [shown(str(rule)) for rule, _ in losers]
        # A longer rule pushes its own note, and not all the others.
        text_columns = max((columns(text) for text in texts if columns(text) <= _RULE_COLUMNS), default=0)
        return [
            self._numbered(rule.line, width, f"{padded(text, text_columns)}  {self._palette.faint(note)}")
            for text, (rule, note) in zip(texts, losers, strict=True)
        ]

    def _heading(self, line: int) -> str:
        return f"  {self._palette.faint(f'{self._name}:{line}')}"

    def _numbered(self, line: int, width: int, text: str) -> str:
        return f"  {self._palette.faint(f'{line:>{width}} |')} {text}"

    def _line(self, number: int) -> tuple[str, int, int]:
        """Give a line's text, the columns before its value, and those of the value."""
        record = self._robots.records[number - 1]
        octets = self._robots.content
        start, end = record.span
        value_start, value_end = record.value or (start, start)
        before = _quoted(octets[start:value_start]).lstrip()
        value = _quoted(octets[value_start:value_end])
        text = before + value + _quoted(octets[value_end:end].rstrip(b"\r\n"))
        if len(text) > _LINE_CHARACTERS:
            text = text[:_LINE_CHARACTERS] + _CUT
            before, value = before[:_LINE_CHARACTERS], value[: max(0, _LINE_CHARACTERS - len(before))]
        return text, columns(before), columns(value)


def _quoted(octets: bytes) -> str:
    return shown(display_text(octets.replace(b"\t", b" ")))
