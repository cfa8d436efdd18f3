"""The linter's configuration file: `canfetch.toml`, or a table of `pyproject.toml`."""

from pathlib import Path
from typing import Any, Final

from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.lint.configuration import LintSettings, parse_settings

_OWN_NAME: Final = "canfetch.toml"
_OWN_TABLE: Final = "lint"
_PROJECT_NAME: Final = "pyproject.toml"
# The names of configuration files, in the order in which they are searched for in a folder.
CONFIGURATION_FILE_NAMES: Final = (_OWN_NAME, _PROJECT_NAME)


def find_settings(folder: Path) -> LintSettings:
    """Return the settings of the nearest configuration file, or the defaults if there is none.

    Args: folder: The folder in which the search starts. It continues in the folders above. A `pyproject.toml` without
        a table for the linter is skipped.
    Raises: InvalidOption: The file cannot be read, or a setting is invalid.
    """
    for directory in (folder, *folder.parents):
        for file_name in CONFIGURATION_FILE_NAMES:
            file = directory / file_name
            if file.is_file():
                settings = read_settings(file)
                if settings is not None:
                    return settings
    return LintSettings()


def read_settings(file: Path) -> LintSettings | None:
    """Return the settings of a configuration file, or None if it has no table for the linter.

    Raises: InvalidOption: The file cannot be read, or a setting is invalid.
    """
    table = _read_table(file)
    if table is None:
        return None
    return parse_settings(table, f"{file.name} {table_name(file)}")._replace(folder=str(file.absolute().parent))


def table_name(file: Path) -> str:
    """Return the name of the linter's table in a configuration file, such as `[tool.canfetch.lint]`."""
    return "[tool.canfetch.lint]" if file.name == _PROJECT_NAME else f"[{_OWN_TABLE}]"


def _read_table(file: Path) -> dict[str, Any] | None:
    import tomllib  # noqa: PLC0415 - only for files that exist

    name = quoted(str(file))
    try:
        content: Any = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InvalidOption(f"cannot read configuration file {name}: no such file") from None
    except OSError as error:
        raise InvalidOption(f"cannot read configuration file {name}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidOption(f"{name} is not valid TOML: {error}") from None
    if file.name == _OWN_NAME and content.keys() - {_OWN_TABLE}:
        unknown = min(content.keys() - {_OWN_TABLE})
        raise InvalidOption(f"{name}: {unknown_choice('table', unknown, [_OWN_TABLE])}")
    for key in table_name(file).strip("[]").split("."):
        if not isinstance(content, dict):
            break
        content = content.get(key)
        if content is None:
            return None
    if isinstance(content, dict):
        return content
    raise InvalidOption(f"invalid {table_name(file)} in {name}: expected a table")
