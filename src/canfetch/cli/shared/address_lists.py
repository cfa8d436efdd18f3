"""The file of published addresses that `--addresses` and `canfetch agents addresses` read."""

from typing import TYPE_CHECKING

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import reading_problem
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.client.identity import AddressListFile


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
