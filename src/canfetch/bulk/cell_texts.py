"""Texts in the cells of tables and columns, each of a bounded length: rules, which many rows repeat, and statements."""

from collections.abc import Iterable
from typing import Final

from canfetch.consent.verdict import UseStatement
from canfetch.core.extensions.preference import Preference
from canfetch.core.text import bounded_text, printable_text
from canfetch.core.verdict import Rule

RULE_BYTES: Final = 256
"""The bytes of a rule. A file may have one huge pattern that decides all rows. As in the native engine."""
_STATEMENTS_BYTES: Final = 1_000


def rule_text(rule: Rule) -> str:
    """Return a rule as `str` does, with at most `RULE_BYTES` bytes of UTF-8. A longer text is cut and ends in `…`."""
    # The text of a pattern is at least as long as the pattern, so that further bytes do not change the result.
    return bounded_text(str(rule._replace(pattern=rule.pattern[:RULE_BYTES])), RULE_BYTES)


def statements_text(statements: Iterable[UseStatement]) -> str | None:
    """Return statements as a cell of at most 1,000 bytes, or None if there are none. ` | ` is between them."""
    texts = (str(one) if one.preference is Preference.UNKNOWN else f"{one.preference}: {one}" for one in statements)
    return bounded_text(printable_text(" | ".join(texts)), _STATEMENTS_BYTES) or None
