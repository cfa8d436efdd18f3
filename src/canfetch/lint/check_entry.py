"""The row of a check in the generated table: what the linter has to know before it imports the check."""

from functools import cache
from importlib import import_module
from typing import NamedTuple

from canfetch.lint.analysis.needs import Need
from canfetch.lint.check import Check
from canfetch.lint.severity import Severities


@cache
def _load(module: str) -> Check:
    check: Check = import_module(f"canfetch.lint.checks.{module}").CHECK
    return check


class CheckEntry(NamedTuple):
    """A check that is not imported yet.

    Attributes:
        code, name, severities, requires, needs: As in `Check`.
        module: Its module, below `canfetch.lint.checks`.
        superseded_by: The codes of the checks that supersede it.
    """

    code: str
    name: str
    module: str
    severities: Severities
    superseded_by: tuple[str, ...] = ()
    requires: str | None = None
    needs: tuple[Need, ...] = ()

    @property
    def check(self) -> Check:
        """The check, which is imported on first access."""
        return _load(self.module)
