"""Tar files with one robots.txt in each file, and the links in them."""

import bz2
import gzip
import io
import lzma
import os
import posixpath
import tarfile
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO, Final, NamedTuple, Self, cast

from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, Capture, Fault
from canfetch.bulk.reading.datasets import METADATA_PREFIXES
from canfetch.bulk.reading.file_names import named_capture
from canfetch.core.text import printable_text

# Errors of damaged or truncated tar files and their compression.
_TAR_ERRORS: Final = (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)
_COMPRESSIONS: Final[dict[bytes, Callable[[Any], io.BufferedIOBase]]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
_InvalidHeaderError: Final = tarfile.InvalidHeaderError  # type: ignore[attr-defined]  # not in its stub
# A type that tarfile does not know, so that the file is set aside.
_SPARSE: Final = b"?"
_BLOCK_BYTES: Final = 512
_NAME_BYTES: Final = 100
_READ_BYTES: Final = 1 << 16
# Writers need two or three. tarfile reads them recursively.
_MAX_EXTENDED_HEADERS: Final = 16
# tarfile reads an extended header, such as that with a long name, at once.
_MAX_READ_BYTES: Final = MAX_CONTENT_BYTES + _READ_BYTES
_MAX_LINK_BYTES: Final = 1 << 25
_LINK_ENTRY_BYTES: Final = 200
_MAX_WAITING_LINKS: Final = 10_000
# Limit on expanded bytes: a link of 512 bytes can repeat 1 MiB of content.
_MAX_LINKED_BYTES: Final = 1 << 30


class Link(NamedTuple):
    """A link: its path, the path of its target in the archive, and the position of its header."""

    path: str
    target: str
    position: int


# A link, and its content or why it has none.
ResolvedLink = tuple[Link, bytes | str]


class TarLinks:
    """Finds the contents of links. A symbolic link may come before its target, and may lead to another link.

    Args: max_bytes: The sum of the contents of all links. Links after it are not resolved.
    Cost: Up to 32 MiB of the last contents, and 10,000 links, are in memory.
    """

    def __init__(self, *, max_bytes: int = _MAX_LINKED_BYTES) -> None:
        self._unused_bytes = max_bytes
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._waiting: dict[str, list[Link]] = {}
        self._waiting_count = 0

    def add_file(self, path: str, content: bytes) -> Iterator[ResolvedLink]:
        """Remember the content of a file, and yield the links that waited for it."""
        resolved = [normal_path(path)]
        while resolved:
            known = resolved.pop()
            self._remember(known, content)
            for link in self._waiting.pop(known, []):
                self._waiting_count -= 1
                yield self._resolved(link, content)
                resolved.append(link.path)

    def _resolved(self, link: Link, content: bytes) -> ResolvedLink:
        if len(content) > self._unused_bytes:
            return link, "a link, and the contents of all links are too large: extract the archive"
        self._unused_bytes -= len(content)
        return link, content

    def _remember(self, path: str, content: bytes) -> None:
        self._bytes += _size(path, content) - _size(path, self._contents.pop(path, None))
        self._contents[path] = content
        while self._bytes > _MAX_LINK_BYTES:
            self._bytes -= _size(*self._contents.popitem(last=False))

    def add_link(self, link: Link, *, may_wait: bool) -> Iterator[ResolvedLink]:
        """Yield a link and the links that waited for it, or nothing if its target may follow."""
        content = self._contents.get(link.target)
        if link.target.startswith(("/", "../")) or link.target == "..":
            yield link, f"a link to {link.target}, which is not in the archive"
        elif content is not None:
            yield self._resolved(link, content)
            yield from self.add_file(link.path, content)
        elif may_wait and self._waiting_count < _MAX_WAITING_LINKS:
            self._waiting.setdefault(link.target, []).append(link)
            self._waiting_count += 1
        else:
            yield link, f"a link to {link.target}, whose content is not in memory: extract the archive"

    def unresolved(self) -> Iterator[ResolvedLink]:
        """Yield the links whose targets did not follow, and what is wrong with them."""
        for links in self._waiting.values():
            for link in links:
                yield link, f"a link to {link.target}, which is not a file of the archive, or no longer in memory"


def _size(path: str, content: bytes | None) -> int:
    return 0 if content is None else len(content) + len(path) + _LINK_ENTRY_BYTES


def normal_path(path: str) -> str:
    """Return the path of a member without what does not distinguish it."""
    return posixpath.normpath(path.lstrip("/"))


def hard_link(path: str, target: str, position: int) -> Link:
    """Return a hard link, whose target is the path of a member before it."""
    return Link(normal_path(path), normal_path(target), position)


def symbolic_link(path: str, target: str, position: int) -> Link:
    """Return a symbolic link, whose target is relative to its folder."""
    normal = normal_path(path)
    return Link(normal, posixpath.normpath(posixpath.join(posixpath.dirname(normal), target)), position)


def read_tar(stream: BinaryIO, source: str, advance: Callable[[int], None]) -> Iterator[Capture | Fault]:
    """Yield the files of a tar file, which may be compressed with gzip, bzip2 or xz.

    Hidden files are skipped, and those whose names start with `_`.

    A link to a file in the archive has the content of that file. After a damaged header, reading continues at the next
    valid one.

    Cost: O(bytes), with the memory of `TarLinks`.
    """
    position = 0
    counted = _Counted(stream, advance)
    links = TarLinks()
    try:
        blocks = _Blocks(_decompressed(counted))
        with _Tar(fileobj=cast("IO[bytes]", blocks), tarinfo=_Header, ignore_zeros=True) as archive:
            while True:
                member, damaged = archive.next_member()
                if damaged is not None:
                    until = "the end" if member is None else "the next valid header"
                    yield Fault(source, damaged, f"damaged or cut up to {until}", is_end=member is None, lost=None)
                if member is None:
                    break
                position = member.offset
                if damaged is not None and _may_be_renamed(member.name):
                    yield Fault(source, position, f"{printable_text(member.name)}: its full name may be damaged")
                    continue
                for item in _read_member(archive, member, source, links):
                    yield item
                    if isinstance(item, Fault) and item.is_end:
                        return
            yield from _link_items(links.unresolved(), source)
        if damaged is None and not blocks.ends_with_marker():
            # tarfile ends silently at the end of any block.
            yield Fault(
                source, position, "the tar file ends after this file without its end marker", is_end=True, lost=None
            )
    except _TAR_ERRORS as error:
        yield Fault(
            source,
            position,
            f"damaged or cut after this file: {printable_text(str(error)[:200])}",
            is_end=True,
            lost=None,
        )


def _may_be_renamed(name: str) -> bool:
    """Return whether an extended header before a file may have its full name: its own is cut, or was not in ASCII."""
    return len(name.encode("utf-8", "surrogateescape")) in {_NAME_BYTES - 1, _NAME_BYTES} or "?" in name


def _read_member(
    archive: tarfile.TarFile, member: tarfile.TarInfo, source: str, links: TarLinks
) -> Iterator[Capture | Fault]:
    name, position = member.name, member.offset
    if member.isdir() or os.path.basename(name).startswith(METADATA_PREFIXES):  # noqa: PTH119 - not a path here
        return
    if member.isreg():
        file = archive.extractfile(member)
        content = b"" if file is None else file.read(MAX_CONTENT_BYTES)
        if len(content) < min(member.size, MAX_CONTENT_BYTES):
            yield Fault(source, position, f"{printable_text(name)}: the file is cut", is_end=True, lost=None)
            return
        yield named_capture(name, content, source, position)
        resolved = links.add_file(name, content)
    elif member.islnk():
        resolved = links.add_link(hard_link(name, member.linkname, position), may_wait=False)
    elif member.issym():
        resolved = links.add_link(symbolic_link(name, member.linkname, position), may_wait=True)
    else:
        yield Fault(source, position, f"{printable_text(name)}: not a regular file")
        return
    yield from _link_items(resolved, source)


def _link_items(resolved: Iterable[ResolvedLink], source: str) -> Iterator[Capture | Fault]:
    for link, found in resolved:
        if isinstance(found, str):
            yield Fault(source, link.position, f"{printable_text(link.path)}: {printable_text(found)}")
        else:
            yield named_capture(link.path, found, source, link.position)


class _Header(tarfile.TarInfo):
    """A header of a tar file. Damaged headers are recorded."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        archive = cast("_Tar", tarfile_)
        try:
            # tarfile calls this method again for the header after an extended one.
            with archive.nested_header():
                return super().fromtarfile(tarfile_)
        except _InvalidHeaderError:
            archive.record_damage()
            raise

    def _proc_gnusparse_10(self, member: tarfile.TarInfo, *_: Any) -> None:
        # tarfile reads its map until it is complete, also from the files that follow.
        member.type = _SPARSE


class _Tar(tarfile.TarFile):
    """A tar file whose damaged headers are skipped."""

    members: list[tarfile.TarInfo]
    _damaged: int | None = None
    _headers = 0

    @contextmanager
    def nested_header(self) -> Iterator[None]:
        """Count the headers of a file.

        Raises: tarfile.HeaderError: There are too many.
        """
        if self._headers > _MAX_EXTENDED_HEADERS:
            raise _InvalidHeaderError(f"more than {_MAX_EXTENDED_HEADERS} extended headers")
        self._headers += 1
        try:
            yield
        finally:
            self._headers -= 1

    def record_damage(self) -> None:
        """Remember the position of the block that was read last, if it is the first that is damaged."""
        if self._damaged is None:
            self._damaged = self._tell() - _BLOCK_BYTES

    def next_member(self) -> tuple[tarfile.TarInfo | None, int | None]:
        """Return the next file, or None at the end, and the position of the damage before it, or None."""
        while True:
            try:
                member = self._checked_next()
            except Exception:
                if self._blocks.is_damaged:
                    # No header follows.
                    raise
                # The header after an extended one is damaged, or the archive is cut. tarfile also raises errors that it
                # does not document.
                self.record_damage()
                self.members.clear()
                self.offset = self._tell()
                continue
            # Otherwise, all of them are kept.
            self.members.clear()
            damaged, self._damaged = self._damaged, None
            return member, damaged

    def _checked_next(self) -> tarfile.TarInfo | None:
        member = self.next()
        if member is not None and self.offset < self._tell():
            raise _InvalidHeaderError("a file with a negative size")
        return member

    @property
    def _blocks(self) -> "_Blocks":
        return cast("_Blocks", self.fileobj)

    def _tell(self) -> int:
        return self._blocks.tell()


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
    """The blocks of a tar file, of which the last one is kept. Reading cannot go back.

    Attributes: is_damaged: Whether the file or its compression cannot be read further.
    """

    def __init__(self, stream: io.BufferedIOBase) -> None:
        self._stream = stream
        self._last = b""
        self._position = 0
        self.is_damaged = False

    def read(self, size: int) -> bytes:
        if size > _MAX_READ_BYTES:
            raise _InvalidHeaderError(f"an extended header of {size} bytes")
        try:
            data = self._stream.read(size)
        except Exception:
            self.is_damaged = True
            raise
        self._position += len(data)
        self._last = (self._last + data)[-_BLOCK_BYTES:]
        return data

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> int:
        if position < self._position:
            raise tarfile.StreamError("a tar file with an invalid position")
        while position > self._position and self.read(min(position - self._position, _READ_BYTES)):
            pass
        return self._position

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
