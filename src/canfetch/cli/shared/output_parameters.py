"""Parameters that name files to write, and one check of all of them before a command starts its work."""

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT
from canfetch.cli.shared.single_value_option import is_path
from canfetch.core.quoting import quoted

_STANDARD_OUTPUT: Final = "-"
_FORCE: Final = "force"
_PLOT_FORMATS: Final = frozenset({"png", "svg", "pdf"})


class OutputFile(click.Path):
    """The type of a parameter that names a file to write. `check_outputs` checks its value.

    Args: replaces: Whether an existing file is replaced without `--force`. Symbolic links are followed then.
    """

    def __init__(self, *, replaces: bool = False) -> None:
        super().__init__()
        self.replaces = replaces


def check_outputs() -> None:
    """Check all files that the current command writes, before it starts its work.

    Raises: CommandError: A file exists and `--force` is not passed, or is also an input or another output, or is not a
        regular file. Or its folder does not exist or is not writable.
    """
    context = click.get_current_context()
    values = context.params
    force = bool(values.get(_FORCE))
    inputs = [name for parameter in _inputs(context.command) for name in _names(values.get(parameter.name or ""))]
    checked: list[tuple[str, str]] = []
    for parameter in context.command.params:
        name = values.get(parameter.name or "")
        if not isinstance(parameter.type, OutputFile) or name is None:
            continue
        option = parameter.opts[-1] if isinstance(parameter, click.Option) else ""
        label = f"{option} {quoted(name)}".lstrip()
        _check_kind(label, name)
        check_not_input(label, name, inputs)
        for other_option, other in checked:
            if _is_same(name, other):
                raise CommandError(f"{label} is also the file of {other_option}: choose another name")
        if not parameter.type.replaces:
            _check_not_in_input(label, name, inputs)
            if os.path.lexists(name) and not force:
                raise CommandError(f"{label} already exists: pass --force to replace it")
        follows = (parameter.type.replaces or force) and os.path.islink(name)  # noqa: PTH114 - a name as typed
        _check_folder(label, os.path.realpath(name) if follows else name)
        checked.append((option, name))


def plot_format(name: str) -> str:
    """Return the format of the file of `--plot`, by its suffix.

    Raises: CommandError: It is not one that plots have.
    """
    suffix = Path(name).suffix.removeprefix(".").lower()
    if suffix not in _PLOT_FORMATS:
        raise CommandError(f"invalid --plot {quoted(name)}: expected a name that ends in .png, .svg or .pdf")
    return suffix


def check_not_input(label: str, output: str, inputs: Iterable[str]) -> None:
    """Check that an output file is not an input file, also under another name.

    Args: label: The output in messages, such as `--output 'x.csv'`.
    Raises: CommandError: It is one.
    """
    for name in inputs:
        if _is_standard_input(output) if name == STANDARD_INPUT else _is_same(output, name):
            raise CommandError(f"{label} is also an input file: choose another name")


def _check_not_in_input(label: str, output: str, inputs: Iterable[str]) -> None:
    """Check that a file is not in an input folder. All files in it are read, also those of an unfinished output."""
    path = Path(output).absolute()
    folders = {*path.parent.resolve().parents, path.parent.resolve()}
    for name in inputs:
        if os.path.isdir(name) and Path(name).resolve() in folders:  # noqa: PTH112 - a name as typed
            raise CommandError(f"{label} is in the input folder {quoted(name)}: choose another folder")


def _inputs(command: click.Command) -> Iterator[click.Parameter]:
    for parameter in command.params:
        if is_path(parameter) and not isinstance(parameter.type, OutputFile):
            yield parameter


def _names(value: Any) -> Iterator[str]:
    """Yield the strings of a parameter's value, which may have several."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _names(item)


def _check_kind(label: str, name: str) -> None:
    """Check that a name leads to a regular file or to nothing."""
    if name == _STANDARD_OUTPUT:
        raise CommandError(f"cannot write {label}: standard output is not supported, expected the name of a file")
    if not name:
        raise CommandError(f"cannot write {label}: expected the name of a file")
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116 - a name as typed
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise CommandError(f"cannot write {label}: {error.strerror or error}") from None
    if stat.S_ISDIR(mode):
        raise CommandError(f"cannot write {label}: is a directory, expected a file")
    # /dev/stdout may lead to a regular file. Renaming a file to this name would replace the device.
    folder = os.path.realpath(os.path.dirname(os.path.abspath(name)))  # noqa: PTH100, PTH120 - as above
    if not stat.S_ISREG(mode) or folder == "/dev" or folder.startswith("/proc/"):
        raise CommandError(f"cannot write {label}: is a device or a pipe, expected the name of a file")


def _check_folder(label: str, name: str) -> None:
    folder = os.path.dirname(name) or os.curdir  # noqa: PTH120 - a name as typed
    if not os.path.exists(folder):  # noqa: PTH110 - as above
        raise CommandError(f"cannot write {label}: the folder {quoted(folder)} does not exist")
    if not os.path.isdir(folder):  # noqa: PTH112 - as above
        raise CommandError(f"cannot write {label}: {quoted(folder)} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CommandError(f"cannot write {label}: the folder {quoted(folder)} is not writable")


def _is_same(name: str, other: str) -> bool:
    """Return whether two names lead to the same file, which may not exist."""
    if os.path.normcase(os.path.realpath(name)) == os.path.normcase(os.path.realpath(other)):
        return True
    try:
        return os.path.samefile(name, other)  # noqa: PTH121 - names as typed
    except (OSError, ValueError):
        # A name does not exist, or is a URL.
        return False


def _is_standard_input(name: str) -> bool:
    try:
        return sys.stdin is not None and os.path.samestat(os.stat(name), os.fstat(sys.stdin.fileno()))  # noqa: PTH116 - a name as typed
    except (OSError, ValueError, io.UnsupportedOperation):
        return False
