"""The linter's settings, as a table of TOML: every value checked, and the first that cannot be meant is named."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption
from canfetch.lint.catalogue import LANGUAGES
from canfetch.lint.severity import ALL, SEVERITY_SETS, Severity, severity_named


class LintSettings(NamedTuple):
    """What a configuration says; the defaults are those of nobody's configuration.

    Attributes:
        profile: of severity.
        select, ignore: names, codes or beginnings of codes.
        severities: other severities than the profile's, by name or code.
        ignore_in: what not to ask of files whose path matches a pattern.
        fail_on: the lowest severity that makes a run fail.
        language: of messages.
        folder: in which the configuration is, or None where there is none.
    """

    profile: str = ALL
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severities: Mapping[str, Severity] = {}
    ignore_in: Mapping[str, tuple[str, ...]] = {}
    fail_on: Severity = Severity.INFO
    language: str = "en"
    folder: str | None = None


_KEYS: Final = {
    "profile": "profile",
    "select": "select",
    "ignore": "ignore",
    "severity": "severities",
    "ignore-in": "ignore_in",
    "fail-on": "fail_on",
    "language": "language",
}


def settings_of(table: Mapping[str, Any], where: str) -> LintSettings:
    """Read a table.

    Args:
        table: as TOML gives it.
        where: its name, for messages, such as `pyproject.toml [tool.canfetch.lint]`.
    Raises: InvalidOption: it has a key that is none, or a value that cannot be meant.
    """
    read: dict[str, Any] = {}
    for key, value in table.items():
        field = _KEYS.get(key)
        if field is None:
            raise InvalidOption(f"{where}: {unknown_choice('key', key, _KEYS)}")
        try:
            read[field] = _READERS[key](value)
        except InvalidOption as error:
            raise InvalidOption(f"{where}, {key}: {error}") from None
    return LintSettings(**read)


def _one_of(kind: str, names: tuple[str, ...]) -> Any:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            raise InvalidOption(unknown_choice(kind, value, names))
        return value

    return read


def _words(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise InvalidOption("give a list of texts, such as ['CF305', 'dollar-inside']")
    return tuple(value)


def _severity(value: object) -> Severity:
    return severity_named(value if isinstance(value, str) else str(value))


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidOption("give a table")
    return value


def _severities(value: object) -> dict[str, Severity]:
    return {word: _severity(name) for word, name in _table(value).items()}


def _ignored(value: object) -> dict[str, tuple[str, ...]]:
    return {pattern: _words(words) for pattern, words in _table(value).items()}


_READERS: Final[dict[str, Any]] = {
    "profile": _one_of("lint profile", SEVERITY_SETS),
    "select": _words,
    "ignore": _words,
    "severity": _severities,
    "ignore-in": _ignored,
    "fail-on": _severity,
    "language": _one_of("language", LANGUAGES),
}
