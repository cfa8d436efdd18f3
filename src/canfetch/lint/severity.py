"""How bad a finding is, and for whom: severities and the profiles that choose among them."""

from enum import IntEnum
from typing import Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption


class Severity(IntEnum):
    """How bad a finding is; they compare by that."""

    INFO = 1  # worth knowing
    WARNING = 2  # not read alike by all, or probably not what is meant
    ERROR = 3  # not read, or not what is meant

    @property
    def label(self) -> str:
        """Its name in lower case, as configurations and JSON have it."""
        return self.name.lower()


class Severities(NamedTuple):
    """How bad what a check finds is in each profile of severity; None where that does not look at it."""

    rfc: Severity | None = None
    google: Severity | None = None
    bing: Severity | None = None
    yandex: Severity | None = None
    lighthouse: Severity | None = None

    def in_profile(self, profile: str) -> Severity | None:
        """Give the severity in a profile; in `all` the highest of them."""
        if profile == "all":
            return max((severity for severity in self if severity is not None), default=None)
        severity: Severity | None = getattr(self, profile)
        return severity


ALL: Final = "all"
SEVERITY_SETS: Final = (ALL, *Severities._fields)


def everywhere(severity: Severity, *, lighthouse: Severity | None = None) -> Severities:
    """Give one severity for the RFC and all search engines; Lighthouse reports few things, each named."""
    return Severities(severity, severity, severity, severity, lighthouse)


def severity_named(name: str) -> Severity:
    """Give the severity of that name, in any letter case.

    Raises: InvalidOption.
    """
    try:
        return Severity[name.upper()]
    except KeyError:
        raise InvalidOption(unknown_choice("severity", name, [severity.label for severity in Severity])) from None
