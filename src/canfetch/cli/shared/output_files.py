"""Output files, written to a temporary file and then renamed, so that no reader sees half a file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.terminal import is_terminal, printable_lines
from canfetch.client import regular_files
from canfetch.client.regular_files import TEMPORARY_PREFIX, create_file_like, follow_links
from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.core.quoting import quoted


class PendingFile:
    """A file that appears under its name when it is committed. Otherwise, nothing remains of it.

    Args:
        name: The file.
        label: The file in messages, such as `--plot 'x.svg'`.
        force: Replace an existing file, or the target of a symbolic link.
        is_private: Let only this user read the file. Others keep the owner and the permissions of an existing file.
    Raises: CommandError: From all methods: the file cannot be written, or exists. An existing file is unchanged then.
    """

    def __init__(self, name: str, label: str, *, force: bool, is_private: bool = False) -> None:
        self._label = label
        self._force = force
        with self._errors():
            self._target = follow_links(name) if force else Path(name)
            self._temporary = self._target.with_name(f"{TEMPORARY_PREFIX}{os.urandom(8).hex()}")
            self._stream = create_file_like(self._temporary, self._target, is_private=is_private)

    def write(self, content: bytes) -> None:
        """Add bytes."""
        with self._errors():
            self._stream.write(content)

    def flush(self) -> None:
        """Write all bytes to the disk."""
        with self._errors():
            self._stream.flush()
            os.fsync(self._stream.fileno())

    def commit(self) -> None:
        """Rename the file."""
        self.flush()
        with self._errors():
            self._stream.close()
            if self._force:
                self._temporary.replace(self._target)
            else:
                _link(self._temporary, self._target)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except FileExistsError:
            raise CommandError(f"{self._label} already exists: pass --force to replace it") from None
        except OSError as error:
            raise CommandError(f"cannot write {self._label}: {error.strerror or error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def discard(self) -> None:
        """Delete the file unless it is committed."""
        with suppress(OSError, RuntimeError):
            # On a full disk, closing fails as well, because bytes remain in the buffer. So it does during a write.
            self._stream.close()
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)


def replace_file(name: str, content: bytes, *, option: str = "", previous: bytes | None = None) -> None:
    """Replace the content of a file and keep its owner and permissions. Symbolic links are followed.

    Args:
        option: The option, for messages.
        previous: The content that is replaced. A file with other content is not replaced.
    Raises: CommandError: The file cannot be written; it is unchanged then.
    """
    try:
        regular_files.replace_file(name, content, previous=previous)
    except OSError as error:
        label = f"{option} {quoted(name)}".lstrip()
        raise CommandError(f"cannot write {label}: {error.strerror or error}") from None


def create_file(name: str, content: bytes, *, force: bool, option: str = "--output") -> None:
    """Write the file of an option.

    Args:
        force: Replace an existing file.
        option: The option, for messages.
    Raises: CommandError: The file exists, or it cannot be written.
    """
    with PendingFile(name, f"{option} {quoted(name)}", force=force) as file:
        file.write(content)
        file.commit()


def write_standard_output(content: bytes) -> None:
    """Write bytes to standard output, after the text that was written before.

    A file or a pipe gets exactly these bytes. On a terminal, control characters are escaped, because a site may have
    written them, and a byte order mark at the start is not shown: text that is copied from there does not need it.
    """
    if is_terminal(sys.stdout):
        shown = content.removeprefix(BYTE_ORDER_MARK)
        sys.stdout.write(printable_lines(shown.decode("utf-8", "surrogateescape")))
        sys.stdout.flush()
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _link(temporary: Path, target: Path) -> None:
    try:
        # Another process may have created the file in the meantime; a rename would replace it silently.
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        # The file system does not support hard links.
        temporary.rename(target)
