"""Checks of agents."""

from typing import Final

from canfetch.lint.check import Check

CHECKS: Final[tuple[Check, ...]] = ()
