"""What was fetched becomes the octets that are read: transcoded, and cut to the limit."""

from typing import NamedTuple

from canfetch.core.limits import DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT
from canfetch.core.profiles import Profile
from canfetch.errors import InvalidLimit


class Source(NamedTuple):
    """The octets to read, those past the limit, and how the file was encoded."""

    content: bytes
    tail: bytes
    encoding: str


def decode_source(content: bytes, profile: Profile, max_bytes: int) -> Source:
    """Transcode UTF-16 that says so, and cut what is over `max_bytes` back to the last line end.

    Raises: InvalidLimit: the limit is below 500 KiB or above 512 MiB, or no whole number.
    Cost: O(octets); nothing is copied where nothing changes.
    Source: RFC 9309 sections 2.2.2 and 2.5.
    """
    if not _is_whole(max_bytes):
        raise InvalidLimit(f"max_bytes is {max_bytes!r}, give a whole number")
    if max_bytes < DEFAULT_MAX_BYTES:
        raise InvalidLimit(f"max_bytes is {max_bytes}, give {DEFAULT_MAX_BYTES} or more (RFC 9309 section 2.5)")
    if max_bytes > MAX_BYTES_LIMIT:
        raise InvalidLimit(f"max_bytes is {max_bytes}, give {MAX_BYTES_LIMIT} or less (512 MiB)")
    encoding = "utf-8"
    if profile.utf16 and content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16-le" if content[0] == 0xFF else "utf-16-be"
        # Python replaces what is no UTF-16, so that a bad file stays a file.
        content = content[2:].decode(encoding, "replace").encode()
    if len(content) <= max_bytes:
        return Source(content, b"", encoding)
    cut = max_bytes
    if content[cut] not in b"\r\n":
        # A part of a line may mean more than the line: `Disallow: /` of `Disallow: /private`.
        cut = max(content.rfind(b"\n", 0, cut), content.rfind(b"\r", 0, cut)) + 1
    return Source(content[:cut], content[cut:], encoding)


def _is_whole(number: object) -> bool:
    return isinstance(number, int)
