"""Folders and tar files with one robots.txt in each file."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO, Final, cast

from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, Capture, Fault
from canfetch.bulk.reading.file_names import parse_file_name
from canfetch.core.text import printable_text
from canfetch.errors import InvalidURL

# What damaged or truncated tar files and their compression raise.
_TAR_ERRORS: Final = (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)
_COMPRESSIONS: Final[dict[bytes, Callable[[Any], io.BufferedIOBase]]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
_BLOCK_BYTES: Final = 512
_READ_BYTES: Final = 1 << 16


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
                if not os.path.isfile(full):  # noqa: PTH113 - as above
                    # Reading a named pipe would wait for a writer.
                    yield Fault(path, position, f"{printable_text(relative)}: not a regular file")
                    continue
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
    counted = _Counted(stream, advance)
    try:
        blocks = _Blocks(_decompressed(counted))
        with tarfile.open(fileobj=cast("IO[bytes]", blocks), mode="r|") as archive:
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
        if not blocks.ends_with_marker():
            # tarfile ends silently at the end of any block.
            yield Fault(source, position, "the tar file ends after this file without its end marker", is_end=True)
    except _TAR_ERRORS as error:
        yield Fault(
            source, position, f"damaged or cut after this file: {printable_text(str(error)[:200])}", is_end=True
        )


class _Counted(io.RawIOBase):
    """A stream that counts what is read."""

    def __init__(self, stream: BinaryIO, advance: Callable[[int], None]) -> None:
        self._stream = stream
        self._advance = advance

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._advance(len(data))
        buffer[: len(data)] = data
        return len(data)


class _Blocks:
    """The blocks of a tar file, of which the last one is kept."""

    def __init__(self, stream: io.BufferedIOBase) -> None:
        self._stream = stream
        self._last = b""

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._last = (self._last + data)[-_BLOCK_BYTES:]
        return data

    def ends_with_marker(self) -> bool:
        """Read to the end, and return whether the last block is empty.

        Raises: EOFError, OSError: The compressed data is cut or damaged.
        """
        while self.read(_READ_BYTES):
            pass
        return len(self._last) == _BLOCK_BYTES and not self._last.strip(b"\0")


def _decompressed(stream: io.RawIOBase) -> io.BufferedIOBase:
    buffered = io.BufferedReader(stream)
    head = buffered.peek(max(map(len, _COMPRESSIONS)))
    opened = next((open_file(buffered) for magic, open_file in _COMPRESSIONS.items() if head.startswith(magic)), None)
    return buffered if opened is None else opened


def _named(path: str, content: bytes, source: str, position: int) -> Capture | Fault:
    try:
        (owner, url), time = parse_file_name(path)
    except InvalidURL as error:
        return Fault(source, position, f"{printable_text(path)}: {error}")
    return Capture(owner, url, time, None, (), content, source, position)
