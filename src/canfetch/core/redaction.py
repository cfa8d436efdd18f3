"""Remove secrets from URLs before they are recorded, logged or printed."""

from typing import Final

from canfetch.core.quoting import quoted
from canfetch.core.text import display_text, encode_text

_REDACTED: Final = b"***"
# Browsers read any number of slashes and backslashes after these.
_SPECIAL_SCHEMES: Final = (b"http", b"https", b"ftp", b"ws", b"wss")
_SLASHES: Final = b"/\\"


def redact_credentials(url: bytes) -> bytes:
    """Return `url` with `***` in place of its user information.

    Text without user information is returned unchanged. User information is found in invalid URLs too, such as
    `http:/user:password@example.com/`.

    Cost: O(bytes).
    Source: RFC 3986 section 3.2.1: applications should not render a password as clear text. WHATWG URL standard,
        special authority ignore slashes state.
    """
    scheme_end = url.find(b"://")
    scheme, _, after_colon = url.partition(b":")
    if url[:2] == b"//":
        start = 2
    elif scheme.strip().lower() in _SPECIAL_SCHEMES:
        start = len(url) - len(after_colon.lstrip(_SLASHES))
    elif scheme_end > 0:
        start = scheme_end + 3
    else:
        return url
    rest = url[start:]
    authority = rest.partition(b"/")[0].partition(b"?")[0].partition(b"#")[0]
    at = authority.rfind(b"@")
    return url if at < 0 else url[:start] + _REDACTED + rest[at:]


def redacted_url(url: str | bytes) -> str:
    """Return `url` for display, with `***` in place of its user information.

    Cost: O(bytes).
    """
    return display_text(redact_credentials(url if isinstance(url, bytes) else encode_text(url)))


def quoted_url(url: str | bytes) -> str:
    """Return the literal of a URL for an error message, with `***` in place of its user information.

    Cost: O(bytes).
    """
    encoded = url if isinstance(url, bytes) else encode_text(url)
    redacted = redact_credentials(encoded)
    if redacted == encoded:
        return quoted(url)
    return quoted(redacted if isinstance(url, bytes) else display_text(redacted))


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


def redact_credentials_in(text: str) -> str:
    """Return a message with `***` in place of the user information of every absolute URL in it."""
    if "://" not in text:
        return text
    return " ".join(redacted_url(word) if "://" in word else word for word in text.split(" "))
