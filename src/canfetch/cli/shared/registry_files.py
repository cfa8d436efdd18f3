"""The files about crawlers that options name: more crawlers, in TOML, and the addresses that operators publish."""

from typing import TYPE_CHECKING, Final

from canfetch.agents import REGISTRY, Registry
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import read_whole_input, reading_problem
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidOption

if TYPE_CHECKING:
    from canfetch.client.identity import AddressListFile

_OPTION: Final = "--agents-registry"


def load_registry(name: str | None) -> Registry:
    """Return the registry, extended by the crawlers of the file of `--agents-registry` if there is one.

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


def open_address_lists(file: str, option: str = "") -> "AddressListFile":
    """Open a file of `canfetch agents refresh`.

    Args:
        file: The file.
        option: The option that names the file, for messages; empty for an argument.
    Raises: CommandError: The file cannot be read, or is invalid.
    """
    from canfetch.client.identity import AddressListFile  # noqa: PLC0415 - imports the client

    where = f"{option} {quoted(file)}".strip()
    try:
        return AddressListFile(file)
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError) and "://" not in file
        advice = f"; 'canfetch agents refresh {file}' creates it" if is_missing else ""
        raise CommandError(f"cannot read {where}: {reading_problem(file, error)}{advice}") from None
    except CanfetchError as error:
        raise CommandError(f"invalid {where}: {error}") from None
