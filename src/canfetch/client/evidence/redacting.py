"""A URL as a record may show it: without the name and the password of whoever asks."""

from typing import Final

from canfetch.core.urls import split_url

_REDACTED: Final = b"***"


def without_credentials(url: bytes) -> bytes:
    """Give a URL with `***` for the user information that it has, and any other text as it is.

    Cost: O(octets).
    Source: RFC 3986 section 3.2.1, which asks that no password be shown.
    """
    split = split_url(url)
    if split is None or b"@" not in split.authority:
        return url
    start = split.rest_start - len(split.authority)
    return url[:start] + _REDACTED + url[start + split.authority.rindex(b"@") :]
