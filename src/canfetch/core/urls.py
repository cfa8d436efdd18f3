"""A URL comes apart as far as robots.txt needs it, and is refused where it is none.

Source: RFC 3986 section 3; RFC 9309 section 2.3.
"""

from typing import Final, NamedTuple

from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text
from canfetch.errors import InvalidURL

# Octets of a registered name that need no look of their own.
_PLAIN_HOST: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"
# No URI holds these; and browsers take a backslash for a slash, so that another host follows.
_NEVER_IN_AUTHORITY: Final = bytes([*range(0x21), *b'"<>\\^`{|}', 0x7F])
_NEVER_IN_HOST: Final = _NEVER_IN_AUTHORITY + b"[]"
_SCHEME_REST: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."
_LARGEST_PORT: Final = 65535


class SplitURL(NamedTuple):
    """A URL's parts: scheme and authority, either empty where there is none, and where the rest begins."""

    scheme: bytes
    authority: bytes
    rest_start: int


class Authority(NamedTuple):
    """Host as written, and the port's digits; a literal address keeps its brackets."""

    host: bytes
    port: bytes


def url_bytes(url: object, index: int | None = None) -> bytes:
    """Give the octets of a URL.

    Raises: TypeError: it is neither str nor bytes.
    """
    if isinstance(url, str):
        return encode_text(url)
    if isinstance(url, bytes):
        return url
    place = "" if index is None else f" (index {index})"
    raise TypeError(f"a URL is str or bytes, not {type(url).__name__}{place}")


def split_url(octets: bytes) -> SplitURL | None:
    """Split an absolute URL, `//host/path` or a path; None where it is none of them.

    Cost: O(octets).
    """
    if octets[:1] == b"/":
        if octets[:2] != b"//":
            return SplitURL(b"", b"", 0)
        scheme, authority_start = b"", 2
    else:
        colon = octets.find(b"://")
        scheme = octets[:colon] if colon > 0 else b""
        if not scheme or not scheme[:1].isalpha() or scheme.translate(None, _SCHEME_REST):
            return None
        authority_start = colon + 3
    rest_start = octets.find(b"/", authority_start)
    if rest_start < 0:
        rest_start = len(octets)
    authority = octets[authority_start:rest_start]
    for delimiter in (b"?", b"#"):
        authority = authority.partition(delimiter)[0]
    rest_start = authority_start + len(authority)
    if not authority and not scheme:
        # `///x` names no host: a path that begins with slashes.
        return SplitURL(b"", b"", 0)
    if not authority.translate(None, _PLAIN_HOST) and authority:
        return SplitURL(scheme, authority, rest_start)
    return SplitURL(scheme, authority, rest_start) if split_authority(authority) else None


def split_authority(authority: bytes) -> Authority | None:
    """Split host and port off an authority, without its user information; None where it is invalid.

    Cost: O(octets).
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
    # Long runs of zeros are digits, too; more than the port's own are not turned into a number.
    significant = port.lstrip(b"0")
    if port and (not port.isdigit() or len(significant) > 5 or int(significant or b"0") > _LARGEST_PORT):
        return None
    return Authority(host, port)


def rejection(url: object, index: int | None = None) -> InvalidURL:
    """Say what is wrong with a URL that does not split."""
    place = "" if index is None else f" (index {index})"
    return InvalidURL(
        f"{quoted(url)}{place} is no URL: give an absolute URL, '//host/path', or a path that begins with '/'",
        index=index,
    )


def reject(url: object, index: int | None = None) -> None:
    """Raise what is wrong with a URL that the native engine did not take; return where nothing is.

    Raises: TypeError, InvalidURL.
    """
    if split_url(url_bytes(url, index)) is None:
        raise rejection(url, index)
