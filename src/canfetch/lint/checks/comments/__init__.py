"""Checks of the comments by which findings are allowed."""

from typing import Final

from canfetch.lint.checks.comments import unknown_suppression, unused_suppression
from canfetch.lint.checks.comments.unused_suppression import unused_suppressions

__all__ = ["CHECKS", "UNUSED_SUPPRESSION", "unused_suppressions"]

UNUSED_SUPPRESSION: Final = unused_suppression.CHECK
CHECKS: Final = (unknown_suppression.CHECK, unused_suppression.CHECK)
