"""The address of the page of a check."""

from canfetch.lint.check import Check
from canfetch.repository import REPOSITORY, file_url


def check_page(check: Check, version: str, repository: str | None = REPOSITORY) -> str | None:
    """Return the URL of the page of a check, or None while the project's repository has no address."""
    return None if repository is None else file_url(repository, version, f"docs/checks/{check.code}.md")
