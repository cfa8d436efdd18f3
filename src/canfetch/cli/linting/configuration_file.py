"""The linter's configuration file."""

import tomllib
from pathlib import Path
from typing import Any, Final

from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.lint.configuration import LintSettings, parse_settings

_OWN_NAME: Final = "canfetch.toml"
_OWN_TABLE: Final = "lint"
_PROJECT_NAME: Final = "pyproject.toml"


def load_settings(name: str | None) -> LintSettings:
    """Load the settings of a configuration file.

    Args: name: The file. None selects the nearest `canfetch.toml`, or `pyproject.toml` with a table for the linter,
        in the current directory or above.
    Raises: CommandError: The file cannot be read, or a setting is invalid.
    """
    if name is not None:
        table = _read_table(Path(name), name)
        if table is None:
            raise CommandError(f"--config {quoted(name)} has no table {_table_name(Path(name))}")
        return _to_settings(table, Path(name))
    try:
        current = Path.cwd()
    except FileNotFoundError:
        # The current directory was deleted.
        return LintSettings()
    for directory in (current, *current.parents):
        for file_name in (_OWN_NAME, _PROJECT_NAME):
            file = directory / file_name
            if file.is_file():
                table = _read_table(file, str(file))
                if table is not None:
                    return _to_settings(table, file)
    return LintSettings()


def _read_table(file: Path, name: str) -> dict[str, Any] | None:
    """Return the linter's table, or None if the file has none."""
    try:
        content: Any = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise CommandError(f"cannot read --config {quoted(name)}: no such file") from None
    except OSError as error:
        raise CommandError(f"cannot read --config {quoted(name)}: {error.strerror or error}") from None
    except ValueError as error:
        raise CommandError(f"{quoted(name)} is not valid TOML: {error}") from None
    if file.name == _OWN_NAME and content.keys() - {_OWN_TABLE}:
        unknown = min(content.keys() - {_OWN_TABLE})
        raise CommandError(f"{quoted(name)}: {unknown_choice('table', unknown, [_OWN_TABLE])}")
    for key in _table_name(file).strip("[]").split("."):
        if not isinstance(content, dict):
            break
        content = content.get(key)
        if content is None:
            return None
    if isinstance(content, dict):
        return content
    raise CommandError(f"invalid {_table_name(file)} in {quoted(name)}: expected a table")


def _table_name(file: Path) -> str:
    return "[tool.canfetch.lint]" if file.name == _PROJECT_NAME else f"[{_OWN_TABLE}]"


def _to_settings(table: dict[str, Any], file: Path) -> LintSettings:
    try:
        return parse_settings(table, f"{file.name} {_table_name(file)}")._replace(folder=str(file.absolute().parent))
    except InvalidOption as error:
        raise CommandError(str(error)) from None
