"""The address of the page of a check."""

from canfetch.lint.check import Check
from canfetch.repository import DOCUMENTATION


def check_page(check: Check, documentation: str | None = DOCUMENTATION) -> str | None:
    """Return the URL of the page of a check, or None while the documentation has no address."""
    return None if documentation is None else f"{documentation}/checks/{check.code}.html"
