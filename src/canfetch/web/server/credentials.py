"""Who sent a request: a program with a token, or a page of another site."""

import hmac
from collections.abc import Iterable
from typing import Final

from canfetch.errors import InvalidOption
from canfetch.web.server.listening import check_host, is_loopback, without_port

_SAME_SITE: Final = frozenset({b"same-origin", b"none"})
_WEB_SCHEMES: Final = frozenset({b"http", b"https"})
# With its name and scheme, the field is shorter than the limit for fields.
_MAX_TOKEN: Final = 4000


def check_token(token: str) -> None:
    """Check that a token can be sent in a header.

    Raises: InvalidOption.
    """
    if not 0 < len(token) <= _MAX_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidOption(
            f"invalid token: expected printable ASCII characters without spaces, and at most {_MAX_TOKEN} of them"
        )


def check_exposure(host: str, *, token: str | None, allow_public: bool) -> None:
    """Check that a server is not open to strangers by mistake.

    Args:
        host: The address that it listens on.
        token: The bearer token that requests must have, or None.
        allow_public: Whether other machines may use it without a token.
    Raises: InvalidOption: The server is open to strangers, or the host has no address.
    """
    if token is None and not allow_public and not is_loopback(host):
        check_host(host)
        raise InvalidOption(
            f"--host {host} is reachable from other machines: pass --token, or --allow-public to serve everyone"
        )


def has_token(authorization: bytes | None, token: bytes) -> bool:
    """Return whether the Authorization header has a bearer token.

    Source: RFC 9110, section 11.1: the name of the scheme is case-insensitive.
    """
    scheme, _, value = (authorization or b"").partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(value.lstrip(b" "), token)


def joined_header(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """Return the values of a header, with a comma between them, or None. So a second one cannot hide the first."""
    values = [value for key, value in headers if key == name]
    return b", ".join(values) if values else None


def is_cross_site(*, scheme: str, host: bytes, origin: bytes | None, site: bytes | None) -> bool:
    """Return whether a page of another site sent a request. Programs send neither of these headers.

    Args:
        scheme: The scheme of the connection.
        host: The Host header.
        origin: The Origin header, or None.
        site: The Sec-Fetch-Site header, or None.
    """
    if origin is None:
        return site is not None and site not in _SAME_SITE
    page_scheme, _, page_host = origin.lower().partition(b"://")
    if page_host != host.lower() or page_scheme not in _WEB_SCHEMES:
        return True
    # Beyond loopback, a proxy may decrypt HTTPS.
    return page_scheme != scheme.encode() and is_loopback(without_port(page_host.decode("latin-1")))
