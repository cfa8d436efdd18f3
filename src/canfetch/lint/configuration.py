"""The linter's settings, read from a TOML table with every value validated."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.core.profiles import PROFILES
from canfetch.errors import InvalidOption
from canfetch.lint.catalogue import LANGUAGES
from canfetch.lint.linter import FINDINGS_LIMIT, Linter
from canfetch.lint.severity import DEFAULT, SEVERITY_SETS, Severity, parse_severity


class LintSettings(NamedTuple):
    """The linter's settings, with their defaults.

    Attributes:
        severities: Name of the severity set.
        select, ignore: Names, codes or code prefixes of checks.
        fix_for: Names of the parsing profiles whose verdicts fixes preserve. Empty preserves those of all profiles.
        severity_overrides: Severities that replace those of the set, by check name or code.
        ignore_in: Checks to ignore in files whose path matches a pattern.
        fail_on: The lowest severity that makes a run fail.
        show: The lowest severity that a report shows in full, or None for the default of the format.
        language: Language of the messages.
        folder: The folder that contains the configuration file, or None without one.
    """

    severities: str = DEFAULT
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fix_for: tuple[str, ...] = ()
    severity_overrides: Mapping[str, Severity] = {}
    ignore_in: Mapping[str, tuple[str, ...]] = {}
    fail_on: Severity = Severity.WARNING
    show: Severity | None = None
    language: str = "en"
    folder: str | None = None

    def make_linter(self, *, findings_limit: int | None = FINDINGS_LIMIT) -> Linter:
        """Return a linter with these settings.

        Args: findings_limit: Maximum number of findings of one check in one file. None is unlimited.
        Raises: InvalidOption: A check is unknown.
        """
        return Linter(
            severities=self.severities,
            select=self.select,
            ignore=self.ignore,
            severity_overrides=self.severity_overrides,
            ignore_in=self.ignore_in,
            folder=self.folder,
            findings_limit=findings_limit,
        )


def parse_settings(table: Mapping[str, Any], where: str) -> LintSettings:
    """Validate a configuration table and return its settings.

    Args:
        table: The table, as parsed from TOML.
        where: Its location for messages, such as `pyproject.toml [tool.canfetch.lint]`.
    Raises: InvalidOption: A key is unknown, or a value is invalid.
    """
    settings: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise InvalidOption(f"{where}: {unknown_choice('key', key, _KEYS)}")
        field, parse = _KEYS[key]
        try:
            settings[field] = parse(value)
        except InvalidOption as error:
            raise InvalidOption(f"{where}, {key}: {error}") from None
    return LintSettings(**settings)


def _one_of(kind: str, names: tuple[str, ...]) -> Callable[[object], str]:
    def parse(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            raise InvalidOption(unknown_choice(kind, value, names))
        return value

    return parse


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidOption("expected a list of strings, such as ['CF305', 'dollar-inside']")
    return tuple(value)


def _profiles(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidOption("expected a list of parsing profiles, such as ['googlebot', 'bing']")
    return tuple(map(_one_of("profile", tuple(PROFILES)), value))


def _severity(value: object) -> Severity:
    return parse_severity(value if isinstance(value, str) else str(value))


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidOption("expected a table")
    return value


def _overrides(value: object) -> dict[str, Severity]:
    return {check: _severity(name) for check, name in _table(value).items()}


def _ignored(value: object) -> dict[str, tuple[str, ...]]:
    return {pattern: _strings(checks) for pattern, checks in _table(value).items()}


_KEYS: Final[dict[str, tuple[str, Callable[[object], Any]]]] = {
    "severities": ("severities", _one_of("severity set", SEVERITY_SETS)),
    "select": ("select", _strings),
    "ignore": ("ignore", _strings),
    "fix-for": ("fix_for", _profiles),
    "severity": ("severity_overrides", _overrides),
    "ignore-in": ("ignore_in", _ignored),
    "fail-on": ("fail_on", _severity),
    "show": ("show", _severity),
    "language": ("language", _one_of("language", LANGUAGES)),
}
