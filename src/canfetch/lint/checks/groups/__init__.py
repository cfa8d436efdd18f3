"""Checks of groups."""

from typing import Final

from canfetch.lint.check import Check

CHECKS: Final[tuple[Check, ...]] = ()
