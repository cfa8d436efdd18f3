"""Unified diffs of robots.txt files."""

from collections.abc import Iterator
from difflib import diff_bytes, unified_diff

from canfetch.cli.shared.terminal import printable
from canfetch.core.text import display_text, encode_text


def diff_lines(name: str, before: bytes, after: bytes) -> Iterator[str]:
    """Yield the lines of a unified diff, each with a line end. Changed line ends are not shown.

    Cost: O(lines times changed lines) at worst.
    """
    encoded = encode_text(name)
    lines = diff_bytes(unified_diff, before.splitlines(), after.splitlines(), encoded, encoded, lineterm=b"")
    yield from (f"{printable(display_text(line))}\n" for line in lines)
