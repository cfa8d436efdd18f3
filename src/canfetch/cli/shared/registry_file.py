"""`--agents-registry FILE`: additional crawlers in TOML.

    [[crawler]]
    tokens = ["ExampleBot-Image", "ExampleBot"]
    operator = "Example"
    purposes = ["search-index"]
    source = "https://example.com/bot"

The keys are the fields of `canfetch.Crawler`; omitted keys have its defaults.
"""

from typing import Any, Final

from canfetch.agents import REGISTRY, Crawler, PublishedHeader, Registry, Verification
from canfetch.agents.validation import validate_crawler
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import read_whole_input
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

_OPTION: Final = "--agents-registry"
# Enough for thousands of crawlers.
_MAX_BYTES: Final = 4 * 1024 * 1024
_TABLE: Final = "crawler"
_REQUIRED_KEYS: Final = ("tokens", "operator", "purposes", "source")


def load_registry(name: str | None) -> Registry:
    """Return the registry, extended by the crawlers of a file if there is one.

    Raises: CommandError: The file cannot be read, or defines an invalid crawler.
    """
    if name is None:
        return REGISTRY
    import tomllib  # noqa: PLC0415 - only for this option

    content = read_whole_input(name, _OPTION, max_bytes=_MAX_BYTES)
    try:
        tables = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{_OPTION} {quoted(name)} is not valid TOML: {error}") from None
    if not tables:
        raise CommandError(f"{_OPTION} {quoted(name)} has no [[{_TABLE}]] tables")
    rows = tables.get(_TABLE)
    if not isinstance(rows, list) or tables.keys() != {_TABLE}:
        raise CommandError(f"invalid {_OPTION} {quoted(name)}: expected only [[{_TABLE}]] tables")
    crawlers: list[Crawler] = []
    for number, row in enumerate(rows, 1):
        try:
            crawlers.append(validate_crawler(_crawler(row)))
        except (CanfetchError, TypeError) as error:
            raise CommandError(f"{_OPTION} {quoted(name)}, [[{_TABLE}]] {number}: {error}") from None
    return Registry.from_valid((*REGISTRY.crawlers, *crawlers))


def _crawler(row: Any) -> Crawler:
    if not isinstance(row, dict):
        raise TypeError("expected a table")
    missing = [key for key in _REQUIRED_KEYS if key not in row]
    if missing:
        required = ", ".join(map(repr, _REQUIRED_KEYS))
        raise TypeError(f"missing key {missing[0]!r}: required keys are {required}")
    unknown = [key for key in row if key not in Crawler._fields]
    if unknown:
        raise TypeError(unknown_choice("key", unknown[0], Crawler._fields))
    values = _with_tuples(row)
    verification = values.get("verification")
    if isinstance(verification, dict):
        _check_keys("verification", verification, Verification._fields)
        values["verification"] = Verification(**_with_tuples(verification))
    headers = values.get("headers")
    if isinstance(headers, tuple) and all(isinstance(header, dict) for header in headers):
        values["headers"] = tuple(map(_header, headers))
    return Crawler(**values)


def _header(table: dict[str, Any]) -> PublishedHeader:
    _check_keys("headers", table, PublishedHeader._fields)
    missing = [key for key in ("value", "source") if key not in table]
    if missing:
        raise TypeError(f"headers: missing key {missing[0]!r}: required keys are 'value', 'source'")
    return PublishedHeader(**table)


def _check_keys(name: str, table: dict[str, Any], keys: tuple[str, ...]) -> None:
    unknown = [key for key in table if key not in keys]
    if unknown:
        raise TypeError(f"{name}: {unknown_choice('key', unknown[0], keys)}")


def _with_tuples(table: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
