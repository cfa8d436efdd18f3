"""`--agents-registry FILE`: additional crawlers in TOML.

    [[crawler]]
    tokens = ["ExampleBot-Image", "ExampleBot"]
    operator = "Example"
    purposes = ["search-index"]
    source = "https://example.com/bot"

The keys are the fields of `canfetch.Crawler`; omitted keys have its defaults.
"""

from typing import Final

from canfetch.agents import REGISTRY, Crawler, Registry
from canfetch.agents.releases import parse_crawler
from canfetch.agents.validation import validate_crawler
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import read_whole_input
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

_OPTION: Final = "--agents-registry"
# Enough for thousands of crawlers.
_MAX_BYTES: Final = 4 * 1024 * 1024
_TABLE: Final = "crawler"


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
            crawlers.append(validate_crawler(parse_crawler(row)))
        except (CanfetchError, TypeError) as error:
            raise CommandError(f"{_OPTION} {quoted(name)}, [[{_TABLE}]] {number}: {error}") from None
    return Registry.from_valid((*REGISTRY.crawlers, *crawlers))
