"""The findings and fixes of one check."""

from canfetch.lint import Linter, LintInput


def lines(given: LintInput | bytes, code: str) -> list[int]:
    """Return the lines that a check reports."""
    return [finding.line for finding in Linter(select=[code], findings_limit=None).lint(given).findings]


def fixed(given: LintInput | bytes, code: str) -> bytes:
    """Return the file with all fixes of a check."""
    return Linter(select=[code], findings_limit=None).fix(given, unsafe=True).content
