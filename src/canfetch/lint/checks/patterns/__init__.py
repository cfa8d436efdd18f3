"""Checks of the values of rules."""

from typing import Final

from canfetch.lint.checks.patterns import dollar_inside

CHECKS: Final = (dollar_inside.CHECK,)
