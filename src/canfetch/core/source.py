"""The bytes that are parsed: transcoded to UTF-8, and cut to the size limit."""

from typing import NamedTuple

from canfetch.core.limits import DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT
from canfetch.core.profiles import Profile
from canfetch.errors import InvalidLimit


class Source(NamedTuple):
    """The bytes to parse, the bytes past the limit, and the encoding of the file."""

    content: bytes
    tail: bytes
    encoding: str


def decode_source(content: bytes, profile: Profile, max_bytes: int) -> Source:
    """Transcode UTF-16 with a byte order mark, and cut content over `max_bytes` at the last line end within it.

    Raises: InvalidLimit: `max_bytes` is not an integer, below 500 KiB or above 512 MiB.
    Cost: O(bytes). Content that does not change is not copied.
    Source: RFC 9309 sections 2.2.2 and 2.5.
    """
    if not _is_integer(max_bytes):
        raise InvalidLimit(f"invalid max_bytes {max_bytes!r}: expected an integer")
    if max_bytes < DEFAULT_MAX_BYTES:
        raise InvalidLimit(
            f"invalid max_bytes {max_bytes}: expected at least {DEFAULT_MAX_BYTES} (RFC 9309 section 2.5)"
        )
    if max_bytes > MAX_BYTES_LIMIT:
        raise InvalidLimit(f"invalid max_bytes {max_bytes}: expected at most {MAX_BYTES_LIMIT} (512 MiB)")
    encoding = "utf-8"
    if profile.utf16 and content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16-le" if content[0] == 0xFF else "utf-16-be"
        # Invalid UTF-16 is replaced, so that no content raises.
        content = content[2:].decode(encoding, "replace").encode()
    if len(content) <= max_bytes:
        return Source(content, b"", encoding)
    cut = max_bytes
    if content[cut] not in b"\r\n":
        # Part of a line may disallow more than the whole line: `Disallow: /` instead of `Disallow: /private`.
        cut = max(content.rfind(b"\n", 0, cut), content.rfind(b"\r", 0, cut)) + 1
    return Source(content[:cut], content[cut:], encoding)


def _is_integer(number: object) -> bool:
    return isinstance(number, int)
