"""Severities, and the sets that assign one to each check."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption


class Severity(IntEnum):
    """How severe a finding is. Severities are ordered."""

    INFO = 1  # style, or worth knowing: crawlers obey the file as it is
    WARNING = 2  # read differently by different crawlers, or probably a mistake
    ERROR = 3  # ignored by crawlers, certainly a mistake, or closes the site to search engines

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

    def in_set(self, name: str, named_engines: Iterable[str] = ()) -> Severity | None:
        """Return the severity in a set.

        Args:
            name: The set. In `default`, the severity is the highest of `rfc` and of the search engines that the file
                names. In `all`, it is the highest of all others.
            named_engines: The sets of the search engines that the file names. Only `default` depends on them.
        """
        if name == ALL:
            return self._highest(self._fields)
        return self._highest(("rfc", *named_engines) if name == DEFAULT else (name,))

    def _highest(self, names: Iterable[str]) -> Severity | None:
        severities: list[Severity | None] = [getattr(self, name) for name in names]
        return max((severity for severity in severities if severity is not None), default=None)


DEFAULT: Final = "default"
ALL: Final = "all"
LIGHTHOUSE: Final = "lighthouse"
# The sets that `default` includes if the file names the search engine.
SEARCH_ENGINES: Final = ("google", "bing", "yandex")
SEVERITY_SETS: Final = (DEFAULT, ALL, *Severities._fields)


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
