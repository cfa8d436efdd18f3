"""Folders and tar files with one robots.txt in each file."""

import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, Capture, Fault
from canfetch.bulk.reading.file_names import parse_file_name
from canfetch.core.text import printable_text
from canfetch.errors import InvalidURL

# What damaged or truncated tar files and their compression raise. A cut gzip header is a TypeError of tarfile.
_TAR_ERRORS: Final = (tarfile.TarError, EOFError, OSError, zlib.error, ValueError, TypeError)


def read_folder(path: str, advance: Callable[[int], None]) -> Iterator[Capture | Fault]:
    """Yield the files below a folder, in the order of their names. Hidden files and folders are skipped.

    Raises: OSError: The folder cannot be read.
    """
    position = 0
    for folder, folders, files in os.walk(path, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            if file.startswith("."):
                continue
            position += 1
            full = os.path.join(folder, file)  # noqa: PTH118 - pathlib is slow for millions of files
            relative = os.path.relpath(full, path).replace(os.sep, "/")
            try:
                with open(full, "rb") as stream:  # noqa: PTH123 - as above
                    content = stream.read(MAX_CONTENT_BYTES)
            except OSError as error:
                yield Fault(path, position, f"{printable_text(relative)}: {error.strerror or error}")
                continue
            advance(len(content))
            yield _named(relative, content, path, position)


def _raise(error: OSError) -> None:
    raise error


def read_tar(stream: BinaryIO, source: str, advance: Callable[[int], None]) -> Iterator[Capture | Fault]:
    """Yield the regular files of a tar file, which may be compressed with gzip, bzip2 or xz."""
    position = 0
    try:
        with tarfile.open(fileobj=_Counted(stream, advance), mode="r|*") as archive:  # type: ignore[call-overload]
            for member in archive:
                position = member.offset
                if not member.isreg() or os.path.basename(member.name).startswith("."):  # noqa: PTH119 - not a path here
                    continue
                file = archive.extractfile(member)
                content = b"" if file is None else file.read(MAX_CONTENT_BYTES)
                if len(content) < min(member.size, MAX_CONTENT_BYTES):
                    yield Fault(source, position, f"{printable_text(member.name)}: the file is cut", is_end=True)
                    return
                yield _named(member.name, content, source, position)
    except _TAR_ERRORS as error:
        yield Fault(
            source, position, f"damaged or cut after this file: {printable_text(str(error)[:200])}", is_end=True
        )


class _Counted:
    """A stream that counts what is read."""

    def __init__(self, stream: BinaryIO, advance: Callable[[int], None]) -> None:
        self._stream = stream
        self._advance = advance

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._advance(len(data))
        return data


def _named(path: str, content: bytes, source: str, position: int) -> Capture | Fault:
    try:
        (owner, url), time = parse_file_name(path)
    except InvalidURL as error:
        return Fault(source, position, f"{printable_text(path)}: {error}")
    return Capture(owner, url, time, None, (), content, source, position)
