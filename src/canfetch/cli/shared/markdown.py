"""Text that a site or a client chose, inside a Markdown report."""

from itertools import groupby
from typing import Final

from canfetch.cli.shared.terminal import printable

_SPECIAL: Final = frozenset("\\`*_{}[]<>()#+-.!|~&")


def markdown_code(text: str, *, in_table: bool = True) -> str:
    """Return `text` as code.

    Nothing in code is a tag, a link, a mention or an emoji, in any renderer. Unprintable characters are escaped.

    Args: in_table: Whether the code is in a cell of a table, where a vertical bar is escaped.
    Cost: O(characters).
    """
    text = printable(text)
    if not text:
        return ""
    longest = max((len(list(run)) for character, run in groupby(text) if character == "`"), default=0)
    fence = "`" * (longest + 1)
    # A renderer removes one space at each end, and a backtick there would belong to the fence.
    space = " " if text[0] in "` " or text[-1] in "` " else ""
    # A vertical bar would end the cell, also in code.
    code = f"{fence}{space}{text}{space}{fence}"
    return code.replace("|", "\\|") if in_table else code


def markdown_text(text: str) -> str:
    """Return `text` as plain text, also inside a table cell. Unprintable characters are escaped.

    Cost: O(characters).
    """
    return "".join(f"\\{character}" if character in _SPECIAL else character for character in printable(text))
