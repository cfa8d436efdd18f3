"""`--agents-registry FILE`: additional crawlers in TOML."""

from typing import Final

from canfetch.agents import REGISTRY, Registry
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import read_whole_input
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_OPTION: Final = "--agents-registry"


def load_registry(name: str | None) -> Registry:
    """Return the registry, extended by the crawlers of a file if there is one.

    Raises: CommandError: The file cannot be read, or defines an invalid crawler.
    """
    if name is None:
        return REGISTRY
    from canfetch.agents.registry_file import MAX_REGISTRY_BYTES, parse_crawlers  # noqa: PLC0415 - only for this option

    content = read_whole_input(name, _OPTION, max_bytes=MAX_REGISTRY_BYTES)
    try:
        return Registry.from_valid((*REGISTRY.crawlers, *parse_crawlers(content)))
    except InvalidOption as error:
        raise CommandError(f"{_OPTION} {quoted(name)}: {error}") from None
