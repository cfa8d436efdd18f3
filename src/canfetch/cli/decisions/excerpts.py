"""Excerpts of a robots.txt, with line numbers and a marker under the deciding pattern."""

from typing import Final

from canfetch.cli.shared.terminal import Palette, display_width, pad, printable
from canfetch.core.document import RobotsTxt
from canfetch.core.text import display_text
from canfetch.core.verdict import Rule

# Longer lines are cut to fit on one line of a terminal.
_MAX_LINE_CHARACTERS: Final = 100
_MAX_RULE_WIDTH: Final = 48
_CUT: Final = " [...]"


class FileExcerpts:
    """Excerpts of one file.

    Cost: the first excerpt parses the file losslessly, O(bytes) in Python.
    """

    def __init__(self, robots: RobotsTxt, name: str, palette: Palette) -> None:
        self._robots = robots
        self._name = name
        self._palette = palette

    def rule_lines(self, rule: Rule, group_lines: tuple[int, ...], *, note: str) -> list[str]:
        """Return the lines of a rule under the user-agent line of its group, with a marker under its pattern."""
        width = len(str(rule.line))
        user_agent_line = max((line for line in group_lines if line < rule.line), default=None)
        lines = [self._heading(rule.line)]
        if user_agent_line is not None:
            lines.append(self._numbered(user_agent_line, width, self._line(user_agent_line)[0]))
            if user_agent_line < rule.line - 1:
                lines.append(f"  {' ' * width} {self._palette.faint('| ...')}")
        text, before, value_width = self._line(rule.line)
        marker = "^" * max(value_width, 1)
        paint = self._palette.good if rule.allow else self._palette.bad
        lines.append(self._numbered(rule.line, width, text))
        lines.append(f"  {' ' * width} {self._palette.faint('|')} {' ' * before}{paint(marker)} {paint(note)}")
        return lines

    def group_lines(self, group_lines: tuple[int, ...]) -> list[str]:
        """Return the first user-agent line of a group."""
        line = group_lines[0]
        return [self._heading(line), self._numbered(line, len(str(line)), self._line(line)[0])]

    def losing_rule_lines(self, rules: list[tuple[Rule, str]]) -> list[str]:
        """Return a line for each rule, with a note."""
        width = max(len(str(rule.line)) for rule, _ in rules)
        texts = [printable(str(rule)) for rule, _ in rules]
        # A longer rule shifts its own note only, not the column.
        widths = (display_width(text) for text in texts)
        text_width = max((text_width for text_width in widths if text_width <= _MAX_RULE_WIDTH), default=0)
        return [
            self._numbered(rule.line, width, f"{pad(text, text_width)}  {self._palette.faint(note)}")
            for text, (rule, note) in zip(texts, rules, strict=True)
        ]

    def _heading(self, line: int) -> str:
        return f"  {self._palette.faint(f'{self._name}:{line}')}"

    def _numbered(self, line: int, width: int, text: str) -> str:
        return f"  {self._palette.faint(f'{line:>{width}} |')} {text}"

    def _line(self, number: int) -> tuple[str, int, int]:
        """Return a line's text, the width of the part before its value, and the width of the value."""
        record = self._robots.records[number - 1]
        content = self._robots.content
        start, end = record.span
        value_start, value_end = record.value or (start, start)
        before = _line_text(content[start:value_start]).lstrip()
        value = _line_text(content[value_start:value_end])
        text = before + value + _line_text(content[value_end:end].rstrip(b"\r\n"))
        if len(text) > _MAX_LINE_CHARACTERS:
            text = text[:_MAX_LINE_CHARACTERS] + _CUT
            before = before[:_MAX_LINE_CHARACTERS]
            value = value[: max(0, _MAX_LINE_CHARACTERS - len(before))]
        return text, display_width(before), display_width(value)


def _line_text(content: bytes) -> str:
    return printable(display_text(content.replace(b"\t", b" ")))
