"""URLs, split as far as robots.txt needs it.

Source: RFC 3986 section 3; RFC 9309 section 2.3.
"""

from typing import Final, NamedTuple, Protocol

from canfetch.core.redaction import quoted_url
from canfetch.core.text import encode_text
from canfetch.errors import InvalidURL

# The bytes of an ordinary host name, which needs no further checks.
_PLAIN_HOST: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"
# Not allowed in a URI. Browsers also treat a backslash as a slash, and would see another host.
_NEVER_IN_AUTHORITY: Final = bytes([*range(0x21), *b'"<>\\^`{|}', 0x7F])
_NEVER_IN_HOST: Final = _NEVER_IN_AUTHORITY + b"[]"
_SCHEME_REST: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."
_LARGEST_PORT: Final = 65535
# The constructor of a named tuple takes several times as long.
_new_tuple: Final = tuple.__new__


class URLObject(Protocol):
    """A URL as an object of another library, such as `httpx2.URL`, `yarl.URL` or a result of `urllib.parse.urlsplit`.

    At run time, the object also has a host: `host`, `hostname` or `netloc`.
    """

    @property
    def scheme(self) -> str | bytes | None:
        """The scheme, if the URL is absolute."""


AnyURL = str | bytes | URLObject
"""What all functions accept as a URL."""

_HOST_ATTRIBUTES: Final = ("host", "hostname", "netloc")
# Results of urllib.parse and of rfc3986 are tuples, and `str` returns their fields.
_TEXT_METHODS: Final = ("geturl", "unsplit")


class SplitURL(NamedTuple):
    """The scheme and authority of a URL, each possibly empty, and the offset of the rest."""

    scheme: bytes
    authority: bytes
    rest_start: int


class Authority(NamedTuple):
    """A host as written, and the digits of the port. An address literal keeps its brackets."""

    host: bytes
    port: bytes


def url_bytes(url: object, index: int | None = None) -> bytes:
    """Return the bytes of a URL.

    Args: index: position of the URL in a batch, for the error message.
    Raises: TypeError: the URL is neither str nor bytes nor a URL object.
    """
    if isinstance(url, str):
        return encode_text(url)
    if isinstance(url, bytes):
        return url
    text = plain_url(url, index)
    return encode_text(text) if isinstance(text, str) else text


def plain_url(url: object, index: int | None = None) -> str | bytes:
    """Return a URL as str or bytes. The native engine calls this function for URL objects.

    Args: index: position of the URL in a batch, for the error message.
    Raises: TypeError: the URL is neither str nor bytes nor a URL object.
    """
    if isinstance(url, str | bytes):
        return url
    if is_url_object(url):
        methods = (getattr(url, name, None) for name in _TEXT_METHODS)
        to_text = next((method for method in methods if callable(method)), None)
        text = str(url) if to_text is None else to_text()
        if isinstance(text, str | bytes):
            return text
    raise TypeError(
        f"invalid URL of type {type(url).__name__}{_position(index)}: expected str or bytes, "
        "or a URL object such as httpx2.URL"
    )


def is_url_object(value: object) -> bool:
    """Return whether a value is a URL object of another library."""
    return hasattr(value, "scheme") and any(hasattr(value, name) for name in _HOST_ATTRIBUTES)


def split_url(url: bytes) -> SplitURL | None:
    """Split an absolute URL, `//host/path` or a path; return None for anything else.

    Cost: O(bytes).
    """
    if url[:1] == b"/":
        if url[:2] != b"//":
            return SplitURL(b"", b"", 0)
        scheme, authority_start = b"", 2
    else:
        colon = url.find(b"://")
        scheme = url[:colon] if colon > 0 else b""
        if not scheme.isalpha() and (not scheme[:1].isalpha() or scheme.translate(None, _SCHEME_REST)):
            return None
        authority_start = colon + 3
    rest_start = url.find(b"/", authority_start)
    if rest_start < 0:
        rest_start = len(url)
    authority = url[authority_start:rest_start]
    if authority and not authority.translate(None, _PLAIN_HOST):
        return _new_tuple(SplitURL, (scheme, authority, rest_start))
    for delimiter in (b"?", b"#"):
        authority = authority.partition(delimiter)[0]
    rest_start = authority_start + len(authority)
    if not authority and not scheme:
        # `///x` has no host: it is a path that starts with slashes.
        return SplitURL(b"", b"", 0)
    is_valid = authority and (not authority.translate(None, _PLAIN_HOST) or split_authority(authority))
    return SplitURL(scheme, authority, rest_start) if is_valid else None


def split_authority(authority: bytes) -> Authority | None:
    """Split an authority into host and port, without user information; return None if it is invalid.

    Cost: O(bytes).
    """
    user_information, _, host_and_port = authority.rpartition(b"@")
    if len(user_information.translate(None, _NEVER_IN_AUTHORITY)) != len(user_information):
        return None
    if host_and_port[:1] == b"[":
        inside, bracket, after = host_and_port[1:].partition(b"]")
        if not bracket or not inside or (after and after[:1] != b":"):
            return None
        host, port, checked = b"[" + inside + b"]", after[1:], inside
    else:
        host, _, port = host_and_port.partition(b":")
        checked = host
    if not checked or len(checked.translate(None, _NEVER_IN_HOST)) != len(checked):
        return None
    # Leading zeros are valid. The number of digits is checked first, so that int() never sees a long run.
    significant = port.lstrip(b"0")
    if port and (not port.isdigit() or len(significant) > 5 or int(significant or b"0") > _LARGEST_PORT):
        return None
    return Authority(host, port)


def invalid_url(url: object, index: int | None = None) -> InvalidURL:
    """Return the error for a URL that `split_url` does not accept.

    Args: index: position of the URL in a batch.
    """
    url = plain_url(url, index)
    expected = "an absolute URL, '//host/path', or a path starting with '/'"
    if _has_scheme(url_bytes(url)):
        expected = "a valid host and port after '://'"
    return InvalidURL(f"invalid URL {quoted_url(url)}{_position(index)}: expected {expected}", index=index)


def _has_scheme(url: bytes) -> bool:
    scheme, separator, _ = url.partition(b"://")
    return bool(separator) and scheme[:1].isalpha() and not scheme.translate(None, _SCHEME_REST)


def validate_url(url: object, index: int | None = None) -> None:
    """Raise the error for an invalid URL. The native engine calls this function to report one.

    Raises: TypeError, InvalidURL.
    """
    if split_url(url_bytes(url, index)) is None:
        raise invalid_url(url, index)


def _position(index: int | None) -> str:
    return "" if index is None else f" (index {index})"
