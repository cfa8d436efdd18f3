"""Remove secrets from URLs before they are recorded or logged."""

from typing import Final

from canfetch.core.text import display_text, encode_text
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


def loggable_url(url: str | bytes) -> str:
    """Return `url` for a log: with `***` in place of its user information and its query, and without its fragment.

    Cost: O(bytes).
    """
    encoded = redact_credentials(url if isinstance(url, bytes) else encode_text(url)).partition(b"#")[0]
    path, separator, _ = encoded.partition(b"?")
    return display_text(path + separator + _REDACTED if separator else path)


def redact_urls(text: str) -> str:
    """Return a message for a log, with every absolute URL in it as `loggable_url` returns it."""
    if "://" not in text:
        return text
    return " ".join(loggable_url(word) if "://" in word else word for word in text.split(" "))
