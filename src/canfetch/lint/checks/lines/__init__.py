"""Checks of single lines: keys, separators and comments."""

from typing import Final

from canfetch.lint.checks.lines import missing_colon

CHECKS: Final = (missing_colon.CHECK,)
