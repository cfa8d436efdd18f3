"""`--agents-registry FILE`: crawlers of one's own, in TOML, beside those that canfetch knows.

    [[crawler]]
    tokens = ["ExampleBot-Image", "ExampleBot"]
    operator = "Example"
    purpose = "search-index"
    source = "https://example.com/bot"

The keys are those of `canfetch.Crawler`; the others have its defaults.
"""

from typing import Any, Final

from canfetch.agents import REGISTRY, Crawler, Registry, Verification
from canfetch.agents.validation import validate_crawler
from canfetch.cli.shared.input_files import close_input, open_input
from canfetch.cli.shared.problems import Problem
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

_OPTION: Final = "--agents-registry"
# Thousands of crawlers; and no file that is none fills the memory.
_MOST_OCTETS: Final = 4 * 1024 * 1024
_TABLE: Final = "crawler"


def registry_of(name: str | None) -> Registry:
    """Give the registry, with the crawlers of a file where one is named.

    Raises: Problem: it cannot be read, or a crawler in it cannot be meant.
    """
    if name is None:
        return REGISTRY
    import tomllib  # noqa: PLC0415 - for those who have crawlers of their own

    stream = open_input(name, _OPTION)
    try:
        octets = stream.read(_MOST_OCTETS + 1)
    except OSError as error:
        raise Problem(f"{_OPTION} {quoted(name)} cannot be read: {error.strerror}: give another file") from None
    finally:
        close_input(stream)
    if len(octets) > _MOST_OCTETS:
        raise Problem(f"{_OPTION} {quoted(name)} is longer than {_MOST_OCTETS} octets: give a file of crawlers")
    try:
        tables = tomllib.loads(octets.decode())
    except (ValueError, RecursionError) as error:
        raise Problem(f"{_OPTION} {quoted(name)} is no TOML: {error}: mend it") from None
    rows = tables.get(_TABLE)
    if not isinstance(rows, list) or tables.keys() != {_TABLE}:
        raise Problem(f"{_OPTION} {quoted(name)} holds something else than crawlers: begin each with [[{_TABLE}]]")
    crawlers: list[Crawler] = []
    for number, row in enumerate(rows, 1):
        try:
            crawlers.append(validate_crawler(_crawler(row)))
        except (CanfetchError, TypeError) as error:
            raise Problem(f"{_OPTION} {quoted(name)}, [[{_TABLE}]] {number}: {error}") from None
    return Registry.from_valid((*REGISTRY.crawlers, *crawlers))


def _crawler(row: Any) -> Crawler:
    if not isinstance(row, dict):
        raise TypeError("is no table: give its keys")
    missing = [key for key in ("tokens", "operator", "purpose", "source") if key not in row]
    unknown = [key for key in row if key not in Crawler._fields]
    if missing:
        raise TypeError(f"missing key {missing[0]!r}: required keys are 'tokens', 'operator', 'purpose' and 'source'")
    if unknown:
        raise TypeError(unknown_choice("key", unknown[0], Crawler._fields))
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    verification = given.get("verification")
    if isinstance(verification, dict):
        unknown = [key for key in verification if key not in Verification._fields]
        if unknown:
            raise TypeError(f"verification: {unknown_choice('key', unknown[0], Verification._fields)}")
        lists: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in verification.items()
        }
        given["verification"] = Verification(**lists)
    return Crawler(**given)
