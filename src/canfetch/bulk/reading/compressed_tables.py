"""Tables and lists that are compressed: gzip and bzip2, recognised by their first bytes."""

import bz2
import gzip
import io
from typing import BinaryIO, Final

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

GZIP_MAGIC: Final = b"\x1f\x8b"
_BZIP2_MAGIC: Final = b"BZh"
# The bytes after the magic and the size of blocks: those of a block, or of the end.
_BZIP2_NEXT: Final = (b"1AY&SY", b"\x17rE8P\x90")
_BZIP2_NEXT_AT: Final = 4
_OTHERS: Final = {b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip"}
_PEEK_BYTES: Final = 16


def check_compression(head: bytes, name: str) -> None:
    """Check that a table or a list, which starts with these bytes, is not compressed in another way.

    Raises: InvalidOption.
    """
    for magic, compression in _OTHERS.items():
        if head.startswith(magic):
            raise InvalidOption(
                f"{quoted(name)} is compressed with {compression}: expected gzip, bzip2 or no compression"
            )


def decompressed(stream: BinaryIO, name: str) -> BinaryIO:
    """Return a stream of the content of a file, which may be compressed with gzip or bzip2.

    Raises: InvalidOption: It is compressed in another way.
    """
    buffered = io.BufferedReader(stream) if isinstance(stream, io.RawIOBase) else stream
    head = getattr(buffered, "peek", lambda _: b"")(_PEEK_BYTES)
    check_compression(head, name)
    if head.startswith(GZIP_MAGIC):
        return gzip.GzipFile(fileobj=buffered)  # type: ignore[return-value]  # it reads bytes
    if head.startswith(_BZIP2_MAGIC) and head[_BZIP2_NEXT_AT:].startswith(_BZIP2_NEXT):
        return bz2.BZ2File(buffered)  # type: ignore[return-value]  # as above
    return buffered
