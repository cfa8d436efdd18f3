"""The linter's configuration: found, read, and laid under what is typed."""

import tomllib
from pathlib import Path
from typing import Any, Final

from canfetch.cli.shared.problems import Problem
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.lint.configuration import LintSettings, parse_settings

_OWN_NAME: Final = "canfetch.toml"
_OWN_TABLE: Final = "lint"
_PROJECT_NAME: Final = "pyproject.toml"


def configured(path: str | None) -> LintSettings:
    """Give the settings of a configuration file, or of the one that is nearest.

    Args: path: a file, which must be there; None looks for `canfetch.toml`, or a `pyproject.toml` that has a table for
        it, in the current folder and those above.
    Raises: Problem: it cannot be read, or says what cannot be meant.
    """
    if path is not None:
        table = _table(Path(path), path)
        if table is None:
            raise Problem(f"--config {quoted(path)} has no table {_table_name(Path(path))}: write one, or leave it out")
        return _settings(table, Path(path))
    here = Path.cwd()
    for folder in (here, *here.parents):
        for name in (_OWN_NAME, _PROJECT_NAME):
            file = folder / name
            if file.is_file():
                table = _table(file, str(file))
                if table is not None:
                    return _settings(table, file)
    return LintSettings()


def _table(file: Path, shown: str) -> dict[str, Any] | None:
    try:
        content: Any = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"{quoted(shown)} cannot be read: {error.strerror or error}: give another --config") from None
    except ValueError as error:
        raise Problem(f"{quoted(shown)} is no TOML: {error}: mend it") from None
    if file.name == _OWN_NAME and content.keys() - {_OWN_TABLE}:
        unknown = min(content.keys() - {_OWN_TABLE})
        raise Problem(f"{quoted(shown)}: {unknown_choice('table', unknown, [_OWN_TABLE])}")
    for key in _table_name(file).strip("[]").split("."):
        if not isinstance(content, dict):
            raise Problem(f"{quoted(shown)}: {_table_name(file)} is no table: write it as one")
        content = content.get(key)
        if content is None:
            return None
    if isinstance(content, dict):
        return content
    raise Problem(f"{quoted(shown)}: {_table_name(file)} is no table: write it as one")


def _table_name(file: Path) -> str:
    return "[tool.canfetch.lint]" if file.name == _PROJECT_NAME else f"[{_OWN_TABLE}]"


def _settings(table: dict[str, Any], file: Path) -> LintSettings:
    try:
        return parse_settings(table, f"{file.name} {_table_name(file)}")._replace(folder=str(file.absolute().parent))
    except InvalidOption as error:
        raise Problem(str(error)) from None
