"""The configuration file that `canfetch lint` uses."""

from pathlib import Path

from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.lint.configuration import LintSettings
from canfetch.lint.configuration_file import find_settings, read_settings, table_name


def load_settings(name: str | None) -> LintSettings:
    """Load the settings of a configuration file.

    Args: name: The file. None selects the nearest `canfetch.toml`, or `pyproject.toml` with a table for the linter,
        in the current directory or above.
    Raises: CommandError: The file cannot be read, or a setting is invalid.
    """
    try:
        if name is None:
            return find_settings(Path.cwd())
        if "://" in name:
            raise CommandError(f"cannot read --config {quoted(name)}: expected a file, not a URL")
        settings = read_settings(Path(name))
    except FileNotFoundError:
        # The current directory was deleted.
        return LintSettings()
    except InvalidOption as error:
        raise CommandError(str(error)) from None
    if settings is None:
        raise CommandError(f"--config {quoted(name)} has no table {table_name(Path(name))}")
    return settings
