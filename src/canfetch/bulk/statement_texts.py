"""Statements on a use as cells of tables."""

from collections.abc import Iterable
from typing import Final

from canfetch.consent.verdict import UseStatement
from canfetch.core.extensions.preference import Preference
from canfetch.core.text import bounded_text, printable_text

_BYTES: Final = 1_000


def statements_text(statements: Iterable[UseStatement]) -> str | None:
    """Return statements as a cell of at most 1,000 bytes, or None if there are none. ` | ` is between them."""
    texts = (str(one) if one.preference is Preference.UNKNOWN else f"{one.preference}: {one}" for one in statements)
    return bounded_text(printable_text(" | ".join(texts)), _BYTES) or None
