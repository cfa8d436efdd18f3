"""All checks, sorted by code. Each module below this package defines one check as `CHECK`, and nothing else is here."""

from importlib import import_module
from pkgutil import walk_packages
from typing import Final

from canfetch.lint.check import Check


def _discover() -> tuple[Check, ...]:
    modules = [module.name for module in walk_packages(__path__, f"{__name__}.") if not module.ispkg]
    return tuple(sorted((import_module(name).CHECK for name in modules), key=lambda check: check.code))


CHECKS: Final[tuple[Check, ...]] = _discover()
CHECKS_BY_WORD: Final[dict[str, Check]] = {word: check for check in CHECKS for word in (check.code, check.name)}
