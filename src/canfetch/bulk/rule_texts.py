"""The text of a rule or a line in tables and columns, which repeat it in each row that it decides."""

from typing import Final

from canfetch.core.text import display_text
from canfetch.core.verdict import Rule

RULE_BYTES: Final = 256
"""The bytes of the text. A file may have one huge pattern that decides all rows. As in the native engine."""

_CUT: Final = "\N{HORIZONTAL ELLIPSIS}"


def rule_text(rule: Rule) -> str:
    """Return a rule as `str` does, with at most `RULE_BYTES` bytes of UTF-8. A longer text is cut and ends in `…`."""
    # The text of a pattern is at least as long as the pattern, so that further bytes do not change the result.
    return _bounded(str(rule._replace(pattern=rule.pattern[:RULE_BYTES])))


def line_text(line: bytes) -> str:
    """Return a line of a file without surrounding white space, cut as by `rule_text`."""
    return _bounded(display_text(line.strip()[: RULE_BYTES + 1]))


def _bounded(text: str) -> str:
    encoded = text.encode()
    if len(encoded) <= RULE_BYTES:
        return text
    return encoded[: RULE_BYTES - len(_CUT.encode())].decode("utf-8", "ignore") + _CUT
