"""The text of a rule in tables and columns, which repeat it in each row that it decides."""

from typing import Final

from canfetch.core.text import bounded_text
from canfetch.core.verdict import Rule

RULE_BYTES: Final = 256
"""The bytes of the text. A file may have one huge pattern that decides all rows. As in the native engine."""


def rule_text(rule: Rule) -> str:
    """Return a rule as `str` does, with at most `RULE_BYTES` bytes of UTF-8. A longer text is cut and ends in `…`."""
    # The text of a pattern is at least as long as the pattern, so that further bytes do not change the result.
    return bounded_text(str(rule._replace(pattern=rule.pattern[:RULE_BYTES])), RULE_BYTES)
