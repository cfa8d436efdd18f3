"""Remove user names and passwords from URLs before they are recorded."""

from typing import Final

from canfetch.core.urls import split_url

_REDACTED: Final = b"***"


def redact_credentials(url: bytes) -> bytes:
    """Return `url` with `***` in place of its user information.

    Text without user information is returned unchanged, valid URL or not.

    Cost: O(bytes).
    Source: RFC 3986 section 3.2.1: applications should not render a password as clear text.
    """
    split = split_url(url)
    if split is None or b"@" not in split.authority:
        return url
    start = split.rest_start - len(split.authority)
    return url[:start] + _REDACTED + url[start + split.authority.rindex(b"@") :]
