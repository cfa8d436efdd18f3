"""Origins: scheme, host and port, which one robots.txt governs.

Source: RFC 9309 section 2.3; RFC 3986 section 3.2; Google's table of robots.txt URLs.
"""

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from canfetch.core.quoting import quoted
from canfetch.core.redaction import quoted_url
from canfetch.core.text import display_text
from canfetch.core.urls import AnyURL, plain_url, split_authority, split_url, url_bytes
from canfetch.errors import InvalidOption, InvalidRobotsURL, InvalidURL, OriginMismatch

if TYPE_CHECKING:
    from canfetch.core.contract import OriginCheck

DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ftp": 21}
ROBOTS_TXT_PATH: Final = b"/robots.txt"
# RFC 1035 section 2.3.4, plus the dot of the root.
_MAX_LABEL: Final = 63
_MAX_NAME: Final = 254


class Origin(NamedTuple):
    """The scheme, host and port that one robots.txt governs.

    Attributes:
        scheme: The scheme in lower case.
        host: The host in lower case and in ASCII (punycode). An IPv6 address is compressed and in brackets.
        port: The port, or None if the URL has no port and the scheme has no default port.
    """

    scheme: str
    host: str
    port: int | None

    @classmethod
    def from_url(cls, url: AnyURL) -> "Origin":
        """Return the origin of an absolute URL.

        Raises: InvalidURL: `url` is not an absolute URL, or its host is invalid.
        Cost: O(bytes). `idna` is only imported for hosts beyond ASCII.
        Source: RFC 9309 section 2.3.
        """
        split = split_url(url_bytes(url))
        if split is None or not split.scheme:
            expected = "an absolute URL such as 'https://example.com/'"
            raise InvalidURL(f"invalid URL {quoted_url(plain_url(url))}: expected {expected}")
        return _build_origin(split.scheme, split.authority, url)

    @property
    def robots_url(self) -> str:
        """The URL of the robots.txt that governs this origin."""
        return f"{self}/robots.txt"

    def __str__(self) -> str:
        port = "" if self.port is None or self.port == DEFAULT_PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


class OriginBinding(NamedTuple):
    """What binds the rules of a file to its origin.

    Attributes:
        origin: The origin.
        prefix: The origin as the beginning of URLs in canonical form. Other URLs are checked.
        check: `check_origin` for this origin.
    """

    origin: Origin
    prefix: bytes
    check: "OriginCheck"


def find_origin(url: AnyURL) -> Origin | None:
    """Return the origin of `url`, or None if `url` is not an absolute URL with a host.

    Cost: O(bytes).
    """
    try:
        return Origin.from_url(url)
    except InvalidURL:
        return None


def check_sent_port(host: str, port: int | None) -> None:
    """Reject a default port of a host that is compared with Host fields, because clients do not send it.

    Args:
        host: The host as a person wrote it.
        port: Its port, or None.
    Raises: InvalidOption.
    """
    if port in (DEFAULT_PORTS["http"], DEFAULT_PORTS["https"]):
        raise InvalidOption(
            f"invalid host {quoted(host)}: browsers and crawlers do not send a default port; write it without "
            f"':{port}', for all ports"
        )


def robots_url(url: AnyURL) -> str:
    """Return the URL of the robots.txt that governs `url`.

    Raises: InvalidURL: `url` is not an absolute URL.
    Cost: O(bytes).
    Source: RFC 9309 section 2.3.

    >>> robots_url("https://user@EXAMPLE.com:443/a?b#c")
    'https://example.com/robots.txt'
    """
    return Origin.from_url(url).robots_url


def parse_robots_url(url: AnyURL) -> Origin:
    """Return the origin that the robots.txt at `url` governs.

    Raises: InvalidRobotsURL: `url` cannot be the URL of a robots.txt.
    """
    encoded = url_bytes(url)
    split = split_url(encoded)
    if split is None or not split.scheme:
        raise InvalidRobotsURL(
            f"invalid robots.txt URL {quoted_url(plain_url(url))}: expected an absolute URL such as 'https://example.com/robots.txt'"
        )
    try:
        origin = _build_origin(split.scheme, split.authority, url)
    except InvalidURL as error:
        raise InvalidRobotsURL(str(error)) from None
    path = encoded[split.rest_start :].partition(b"#")[0]
    if path != ROBOTS_TXT_PATH:
        shown = quoted_url(plain_url(url))
        raise InvalidRobotsURL(f"invalid robots.txt URL {shown}: expected {quoted(origin.robots_url)}")
    return origin


def bind_origin(url: AnyURL) -> OriginBinding:
    """Return the binding to the origin that the robots.txt at `url` governs.

    Raises: InvalidRobotsURL: `url` cannot be the URL of a robots.txt.
    """
    origin = parse_robots_url(url)
    return OriginBinding(origin, str(origin).encode(), partial(check_origin, origin))


def check_origin(origin: Origin, url: AnyURL, index: int | None) -> None:
    """Check that `url` belongs to `origin`. A URL without a scheme has the scheme of `origin`.

    Raises: OriginMismatch: `url` belongs to another origin; InvalidURL: the host of `url` is invalid.
    """
    split = split_url(url_bytes(url, index))
    if split is None or not split.authority:
        return
    other = _build_origin(split.scheme or origin.scheme.encode(), split.authority, url, index)
    if other != origin:
        raise OriginMismatch(
            f"{quoted_url(plain_url(url))}{_position(index)} belongs to {other}, but this file governs {origin}: "
            f"use {other.robots_url}",
            index=index,
        )


def _position(index: int | None) -> str:
    return "" if index is None else f" (index {index})"


def _build_origin(encoded_scheme: bytes, encoded_authority: bytes, url: AnyURL, index: int | None = None) -> Origin:
    authority = split_authority(encoded_authority)
    host = None if authority is None else _canonical_host(authority.host)
    if authority is None or host is None:
        shown = f"{quoted_url(plain_url(url))}{_position(index)}"
        host_and_port = encoded_authority.rpartition(b"@")[2]
        raise InvalidURL(
            f"invalid URL {shown}: invalid host {quoted(display_text(host_and_port))}",
            index=index,
        )
    scheme = encoded_scheme.decode("ascii").lower()
    # Leading zeros are removed first, because int() rejects text with thousands of digits.
    port = int(authority.port.lstrip(b"0") or b"0") if authority.port else DEFAULT_PORTS.get(scheme)
    return Origin(scheme, host, port)


def _canonical_host(host: bytes) -> str | None:
    if host[:1] == b"[":
        return _canonical_address(display_text(host[1:-1]))
    if host.isascii() and b"%" not in host:
        return host.decode("ascii").lower()
    return _ascii_name(host)


def _canonical_address(text: str) -> str | None:
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 - only needed for IP addresses

    try:
        # `IPv6Address` accepts zones, as in `fe80::1%eth0`. They name an interface of one machine, and URLs have none.
        return None if "%" in text else f"[{IPv6Address(text).compressed}]"
    except AddressValueError:
        return None


def _ascii_name(host: bytes) -> str | None:
    # Like browsers: the mapping of UTS 46, then punycode for each label beyond ASCII. IDNA 2008 is stricter and
    # rejects hosts that exist, such as hosts with emoji or underscores.
    from urllib.parse import unquote_to_bytes  # noqa: PLC0415 - only needed for hosts beyond ASCII

    import idna  # noqa: PLC0415 - only needed for hosts beyond ASCII

    try:
        mapped = idna.uts46_remap(unquote_to_bytes(host).decode("utf-8"), std3_rules=False)
    except (idna.IDNAError, UnicodeDecodeError):
        return None
    if len(mapped) > _MAX_NAME:
        return None
    labels = [
        label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in mapped.split(".")
    ]
    name = ".".join(labels)
    if any(len(label) > _MAX_LABEL for label in labels) or len(name) > _MAX_NAME:
        return None
    # Unescaping or mapping may produce characters that a host cannot contain, such as `/` from `%2F`.
    authority = split_authority(name.encode("ascii"))
    return name if authority == (name.encode("ascii"), b"") and not set(name) & set("/?#@:%") else None
