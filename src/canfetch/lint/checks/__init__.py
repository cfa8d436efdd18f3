"""All checks. Each module below this package defines one check as `CHECK`, and nothing else is here.

A run of the linter imports the checks that may find something. So `CHECKS`, all of them sorted by code, is imported on
first access.
"""

from functools import cache
from typing import Any

from canfetch.lint._tables import CHECK_TABLE
from canfetch.lint.check import Check

CHECKS: tuple[Check, ...]


def __getattr__(name: str) -> Any:
    if name == "CHECKS":
        return _all_checks()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _all_checks() -> tuple[Check, ...]:
    return tuple(sorted((entry.check for entry in CHECK_TABLE), key=lambda check: check.code))
