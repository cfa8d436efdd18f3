"""What was fetched becomes the octets that are read: transcoded, and cut to the limit."""

from typing import NamedTuple

from canfetch.core._tables import MOST_OCTETS_LIMIT, PARSE_OCTETS_LIMIT, Profile
from canfetch.errors import InvalidLimit


class Source(NamedTuple):
    """The octets to read, those past the limit, and how the file was encoded."""

    octets: bytes
    tail: bytes
    encoding: str


def source_of(octets: bytes, profile: Profile, limit_octets: int) -> Source:
    """Transcode UTF-16 that says so, and cut what is over `limit_octets` back to the last line end.

    Raises: InvalidLimit: the limit is below 500 KiB or above 512 MiB, or no whole number.
    Cost: O(octets); nothing is copied where nothing changes.
    Source: RFC 9309 sections 2.2.2 and 2.5.
    """
    if not _is_whole(limit_octets):
        raise InvalidLimit(f"limit_octets is {limit_octets!r}, give a whole number")
    if limit_octets < PARSE_OCTETS_LIMIT:
        raise InvalidLimit(f"limit_octets is {limit_octets}, give {PARSE_OCTETS_LIMIT} or more (RFC 9309 section 2.5)")
    if limit_octets > MOST_OCTETS_LIMIT:
        raise InvalidLimit(f"limit_octets is {limit_octets}, give {MOST_OCTETS_LIMIT} or less (512 MiB)")
    encoding = "utf-8"
    if profile.utf16 and octets[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16-le" if octets[0] == 0xFF else "utf-16-be"
        # Python replaces what is no UTF-16, so that a bad file stays a file.
        octets = octets[2:].decode(encoding, "replace").encode()
    if len(octets) <= limit_octets:
        return Source(octets, b"", encoding)
    cut = limit_octets
    if octets[cut] not in b"\r\n":
        # A part of a line may mean more than the line: `Disallow: /` of `Disallow: /private`.
        cut = max(octets.rfind(b"\n", 0, cut), octets.rfind(b"\r", 0, cut)) + 1
    return Source(octets[:cut], octets[cut:], encoding)


def _is_whole(number: object) -> bool:
    return isinstance(number, int)
