"""Output files, written to a temporary file and then renamed, so that no reader sees half a file."""

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.quoting import quoted


def replace_file(name: str, content: bytes) -> None:
    """Replace the content of a file and keep its permissions. Symbolic links are followed.

    Raises: CommandError: The file cannot be written; it is unchanged then.
    """
    target = Path(os.path.realpath(name))
    try:
        with _temporary_file(target, content) as temporary:
            temporary.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(f"cannot write {quoted(name)}: {reason}") from None


def create_file(name: str, content: bytes, *, force: bool, option: str = "--output") -> None:
    """Write the file of an option.

    Args:
        force: Replace an existing file.
        option: The option, for messages.
    Raises: CommandError: The file exists, or it cannot be written.
    """
    target = Path(name)
    if target.is_dir():
        raise CommandError(f"cannot write {option} {quoted(name)}: is a directory, expected a file")
    exists = CommandError(f"{option} {quoted(name)} already exists: pass --force to replace it")
    if not force and os.path.lexists(target):
        raise exists
    try:
        with _temporary_file(target, content) as temporary:
            if force:
                temporary.replace(target)
            else:
                _link(temporary, target)
    except FileExistsError:
        raise exists from None
    except OSError as error:
        raise CommandError(f"cannot write {option} {quoted(name)}: {error.strerror or error}") from None


def write_standard_output(content: bytes) -> None:
    """Write bytes to standard output, after the text that was written before."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


@contextmanager
def _temporary_file(target: Path, content: bytes) -> Iterator[Path]:
    """Write a temporary file next to `target`, with the permissions of `target`, and remove it afterwards."""
    temporary = target.with_name(f".canfetch-{secrets.token_hex(8)}")
    try:
        # A file created with open() has the permissions of any new file of the user.
        with temporary.open("xb") as stream:
            with suppress(FileNotFoundError):
                temporary.chmod(target.stat().st_mode & 0o7777)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _link(temporary: Path, target: Path) -> None:
    try:
        # Another process may have created the file in the meantime; a rename would replace it silently.
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        # The file system does not support hard links.
        temporary.rename(target)
