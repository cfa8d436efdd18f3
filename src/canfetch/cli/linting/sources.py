"""The files that `canfetch lint` and `canfetch fmt` read: files, directories and standard input."""

import os
import select
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT, read_whole_input
from canfetch.cli.shared.terminal import print_notes, shorten_message
from canfetch.cli.shared.url_advice import host_advice
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.quoting import quoted
from canfetch.lint.analysis.site_folders import is_misnamed_in_folder, path_in_site
from canfetch.lint.lint_input import LintInput, SitePage

DEFAULT_NAMES: Final = ("robots.txt",)
_FILE_NAME: Final = "robots.txt"
# Crawlers read at most a few MiB; the linter only has to report that there is more.
_MAX_BYTES: Final = 64 * DEFAULT_MAX_BYTES


class Source(NamedTuple):
    """A robots.txt to check. If it cannot be read, `lint_input` is None and `error` is the reason.

    `path` is where the fixed file can be written, or None for standard input and fetched files.
    """

    name: str
    lint_input: LintInput | None
    error: str = ""
    path: str | None = None


def unread_message(source: Source) -> str:
    """Return the line that says why a source could not be read."""
    advice = "" if os.path.lexists(source.name) else host_advice(source.name)
    return f"canfetch: {shorten_message(source.error)}{advice}"


def is_url(name: str) -> bool:
    """Return whether an argument is a URL and not a file name."""
    return "://" in name


def names_or_default(names: tuple[str, ...], command: str, *, writes: bool) -> tuple[str, ...]:
    """Return the arguments, or robots.txt in the current directory if there are none.

    Data on standard input is not read then. It may belong to a shell or a Git hook, so that a note suffices unless the
    command writes to the file.

    Raises: CommandError: There is no argument, but data on standard input, and the command writes.
    """
    if not names and has_piped_data():
        if writes:
            raise CommandError(
                f"standard input is read only with -: use 'canfetch {command} -' for it, "
                f"or 'canfetch {command} {_FILE_NAME}' for the file"
            )
        print_notes([f"standard input is read only with -: the input of 'canfetch {command}' is {_FILE_NAME}"])
    return names or DEFAULT_NAMES


def expand_directories(names: tuple[str, ...], *, misnamed: bool = False) -> Iterator[str]:
    """Yield the names, with each directory replaced by the robots.txt files below it.

    Args: misnamed: Whether a file that was probably meant as robots.txt replaces a missing one.
    Raises: CommandError: A directory contains no robots.txt.
    """
    for name in names:
        if not name or is_url(name) or name == STANDARD_INPUT or not Path(name).is_dir():
            yield name
            continue
        found = sorted(str(path) for path in _robots_files_below(Path(name), misnamed=misnamed))
        if not found:
            raise CommandError(f"no robots.txt in directory {quoted(name)}: pass files with other names as arguments")
        yield from found


def _robots_files_below(directory: Path, *, misnamed: bool) -> Iterator[Path]:
    for root, directories, files in os.walk(directory):
        # Hidden directories and node_modules contain files of tools, not of a site.
        directories[:] = [name for name in directories if not name.startswith(".") and name != "node_modules"]
        named = [name for name in files if name.lower() == _FILE_NAME]
        if misnamed and not named:
            named = [name for name in files if is_misnamed_in_folder(name)]
        for path in (Path(root) / name for name in named):
            # Opening a named pipe would wait for a writer. A broken link is reported when it is read.
            if path.is_file() or not path.exists():
                yield path


def read_source(
    name: str, *, url: str | None = None, pages: tuple[SitePage, ...] = (), arguments: tuple[str, ...] = ()
) -> Source:
    """Read a file, or standard input if `name` is `-`.

    Args: arguments: The arguments of the command. A file in one of these folders may be below the root of a site.
    """
    try:
        content = read_whole_input(name, max_bytes=_MAX_BYTES)
    except CommandError as error:
        return Source(name, None, error.message)
    path = None if name == STANDARD_INPUT else name
    place = None if path is None else _path_in_site(Path(path), arguments)
    return Source(name, LintInput(content, path=path, url=url, pages=pages, path_in_site=place), path=path)


def _path_in_site(file: Path, arguments: tuple[str, ...]) -> str | None:
    folders = [Path(name) for name in arguments if name and not is_url(name) and name != STANDARD_INPUT]
    # A file that is an argument itself may be published anywhere.
    if file in folders:
        return None
    places = (path_in_site(file, folder) for folder in folders if file.is_relative_to(folder))
    return next((place for place in places if place is not None), None)


# The command before a pipe can start later. Shells start all commands of a pipe at the same time.
_WAIT_SECONDS: Final = 0.2


def has_piped_data() -> bool:
    """Return whether standard input is a pipe or a file with data that nothing has read. No data is consumed.

    Terminals, closed and empty inputs have none. Schedulers and CI runners often leave a pipe open to which nothing is
    written, so a pipe is awaited only for a moment.
    """
    try:
        descriptor = sys.stdin.fileno()
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            return os.lseek(descriptor, 0, os.SEEK_CUR) < status.st_size
        if not (stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)) or sys.platform == "win32":
            return False
        readable, _, _ = select.select([descriptor], [], [], _WAIT_SECONDS)
        return bool(readable) and _waiting_bytes(descriptor) > 0
    except (AttributeError, OSError, ValueError):
        # Closed, or replaced by an object without a descriptor.
        return False


def _waiting_bytes(descriptor: int) -> int:
    import fcntl  # noqa: PLC0415 - not on Windows
    import termios  # noqa: PLC0415 - as above

    answer = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))
    return int.from_bytes(answer, sys.byteorder)
