"""Help texts that fit the terminal: no line is too long, and no word is split."""

import re
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# Click breaks lines after hyphens, also in `--urls-file`. It does not after this one.
_NON_BREAKING_HYPHEN: Final = "\u2011"
_NON_BREAKING_SPACE: Final = "\u00a0"
# An option of an example and its value.
_OPTION: Final = re.compile(r"( --[a-z-]+) (?=[^-\s])")
# Starts a paragraph that click does not wrap.
_PREFORMATTED: Final = "\b\n"
_EXAMPLES: Final = "Examples:"
_CONTINUATION_INDENT: Final = "    "


class HelpFormatter(click.HelpFormatter):
    """A formatter that keeps words whole, and also wraps lines of preformatted paragraphs.

    Examples are continued with a backslash, so that they can be copied.
    """

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        width = self.width - self.current_indent
        paragraphs = [_fit(paragraph, width) for paragraph in text.split("\n\n")]
        super().write_text(_keep_hyphens("\n\n".join(paragraphs)))

    def write_dl(self, rows: "Iterable[tuple[str, str]]", col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options or commands with their descriptions."""
        super().write_dl([(_keep_hyphens(term), _keep_hyphens(text)) for term, text in rows], col_max, col_spacing)

    def getvalue(self) -> str:
        """Return the whole text."""
        return super().getvalue().replace(_NON_BREAKING_HYPHEN, "-").replace(_NON_BREAKING_SPACE, " ")


def _keep_hyphens(text: str) -> str:
    return text.replace("-", _NON_BREAKING_HYPHEN)


def _fit(paragraph: str, width: int) -> str:
    if not paragraph.startswith(_PREFORMATTED):
        return paragraph
    lines = paragraph.removeprefix(_PREFORMATTED).split("\n")
    end = " \\" if lines[0] == _EXAMPLES else ""
    return _PREFORMATTED + "\n".join(part for line in lines for part in _parts(line, width, end))


def _parts(line: str, width: int, end: str) -> "Iterator[str]":
    if len(line) <= width:
        yield line
        return
    indent = line[: len(line) - len(line.lstrip())]
    wrapper = TextWrapper(
        width - len(end),
        initial_indent=indent,
        subsequent_indent=indent + _CONTINUATION_INDENT if indent else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
    *parts, last = wrapper.wrap(_OPTION.sub(rf"\1{_NON_BREAKING_SPACE}", line.strip()))
    yield from (part + end for part in parts)
    yield last
