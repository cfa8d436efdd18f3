"""Severities, and the sets that assign one to each check."""

from enum import IntEnum
from typing import Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption


class Severity(IntEnum):
    """How severe a finding is. Severities are ordered."""

    INFO = 1  # worth knowing
    WARNING = 2  # read differently by different crawlers, or probably a mistake
    ERROR = 3  # ignored by crawlers, or certainly a mistake

    @property
    def label(self) -> str:
        """The name in lower case, as in configurations and JSON."""
        return self.name.lower()


class Severities(NamedTuple):
    """The severity of a check in each severity set, or None where the set does not include the check."""

    rfc: Severity | None = None
    google: Severity | None = None
    bing: Severity | None = None
    yandex: Severity | None = None
    lighthouse: Severity | None = None

    def in_set(self, name: str) -> Severity | None:
        """Return the severity in a set. In `all`, it is the highest of the others."""
        if name == ALL:
            return max((severity for severity in self if severity is not None), default=None)
        severity: Severity | None = getattr(self, name)
        return severity


ALL: Final = "all"
SEVERITY_SETS: Final = (ALL, *Severities._fields)


def everywhere(severity: Severity, *, lighthouse: Severity | None = None) -> Severities:
    """Return the same severity for the RFC and all search engines.

    Args:
        severity: The severity in the sets `rfc`, `google`, `bing` and `yandex`.
        lighthouse: The severity in the set `lighthouse`. Lighthouse reports few of the checks.
    """
    return Severities(severity, severity, severity, severity, lighthouse)


def parse_severity(name: str) -> Severity:
    """Return the severity with this name, in any letter case.

    Raises: InvalidOption: The name is unknown.
    """
    try:
        return Severity[name.upper()]
    except KeyError:
        raise InvalidOption(unknown_choice("severity", name, [severity.label for severity in Severity])) from None
