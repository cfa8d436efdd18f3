"""What changes in a file, as people read it: a unified difference."""

from collections.abc import Iterator
from difflib import diff_bytes, unified_diff

from canfetch.cli.shared.terminal import shown
from canfetch.core.text import display_text, encode_text


def difference_lines(name: str, before: bytes, after: bytes) -> Iterator[str]:
    """Yield the lines of the difference, with line ends; none where nothing changes but line ends.

    Cost: O(lines times changed lines) at worst.
    """
    encoded = encode_text(name)
    lines = diff_bytes(unified_diff, before.splitlines(), after.splitlines(), encoded, encoded, lineterm=b"")
    yield from (f"{shown(display_text(line))}\n" for line in lines)
