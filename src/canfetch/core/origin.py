"""Scheme, host and port: what one robots.txt rules over.

Source: RFC 9309 section 2.3; RFC 3986 section 3.2; Google's table of robots.txt URLs.
"""

from typing import Final, NamedTuple

from canfetch.core.quoting import quoted
from canfetch.core.text import display_text
from canfetch.core.urls import split_authority, split_url, url_bytes
from canfetch.errors import InvalidRobotsURL, InvalidURL, OriginMismatch

DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ftp": 21}
ROBOTS_TXT_PATH: Final = b"/robots.txt"
# RFC 1035 section 2.3.4, with the dot of the root.
_LONGEST_LABEL: Final = 63
_LONGEST_NAME: Final = 254


class Origin(NamedTuple):
    """What one robots.txt rules over.

    `scheme` and `host` are lower-case, the host in its ASCII form (punycode), an IPv6 address in
    brackets and in its shortest form. `port` is the port in effect, or None for a scheme that has no
    default and a URL that gives none.
    """

    scheme: str
    host: str
    port: int | None

    @classmethod
    def from_url(cls, url: str | bytes) -> "Origin":
        """Give the origin of an absolute URL; user information, path, query and fragment do not count.

        Raises: InvalidURL: it is no absolute URL, or its host is no host.
        Cost: O(octets); `idna` is imported for a host that is not ASCII, and only then.
        Source: RFC 9309 section 2.3.
        """
        split = split_url(url_bytes(url))
        if split is None or not split.scheme:
            raise InvalidURL(f"{quoted(url)} has no origin: give an absolute URL such as 'https://example.com/'")
        return _origin_of_parts(split.scheme, split.authority, url)

    @property
    def robots_url(self) -> str:
        """The URL of the robots.txt that rules over this origin."""
        return f"{self}/robots.txt"

    def __str__(self) -> str:
        port = "" if self.port is None or self.port == DEFAULT_PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


def find_origin(url: str | bytes) -> Origin | None:
    """Return the origin of `url`, or None if `url` is not an absolute URL with a host.

    Cost: O(bytes).
    """
    try:
        return Origin.from_url(url)
    except InvalidURL:
        return None


def robots_url(url: str | bytes) -> str:
    """Give the URL of the robots.txt that rules over `url`.

    Raises: InvalidURL: it is no absolute URL.
    Cost: O(octets).
    Source: RFC 9309 section 2.3.

    >>> robots_url("https://user@EXAMPLE.com:443/a?b#c")
    'https://example.com/robots.txt'
    """
    return Origin.from_url(url).robots_url


def parse_robots_url(url: str | bytes) -> Origin:
    """Give the origin that a robots.txt at `url` rules over.

    Raises: InvalidRobotsURL: no robots.txt can be there.
    """
    octets = url_bytes(url)
    split = split_url(octets)
    if split is None or not split.scheme:
        raise InvalidRobotsURL(f"{quoted(url)} is no absolute URL; give one such as 'https://example.com/robots.txt'")
    try:
        origin = _origin_of_parts(split.scheme, split.authority, url)
    except InvalidURL as error:
        raise InvalidRobotsURL(str(error)) from None
    path = octets[split.rest_start :].partition(b"#")[0]
    if path != ROBOTS_TXT_PATH:
        raise InvalidRobotsURL(
            f"{quoted(url)} is no robots.txt URL: only {quoted(origin.robots_url)} is read for that origin"
        )
    return origin


def check_origin(origin: Origin, url: str | bytes, index: int | None) -> None:
    """Let a URL of that origin pass; a URL without a scheme has the file's.

    Raises: OriginMismatch: it is of another; InvalidURL: its host is none.
    """
    split = split_url(url_bytes(url, index))
    if split is None or not split.authority:
        return
    asked = _origin_of_parts(split.scheme or origin.scheme.encode(), split.authority, url, index)
    if asked != origin:
        raise OriginMismatch(
            f"{quoted(url)}{_place(index)} is of {asked}, but this file rules over {origin}; "
            f"ask the file at {asked.robots_url}",
            index=index,
        )


def _place(index: int | None) -> str:
    return "" if index is None else f" (index {index})"


def _origin_of_parts(
    scheme_octets: bytes, authority_octets: bytes, url: str | bytes, index: int | None = None
) -> Origin:
    authority = split_authority(authority_octets)
    host = None if authority is None else _canonical_host(authority.host)
    if authority is None or host is None:
        raise InvalidURL(
            f"{quoted(url)}{_place(index)}: {quoted(display_text(authority_octets))} names no host", index=index
        )
    scheme = scheme_octets.decode("ascii").lower()
    # Zeros are dropped first: int() refuses more than some thousand digits.
    port = int(authority.port.lstrip(b"0") or b"0") if authority.port else DEFAULT_PORTS.get(scheme)
    return Origin(scheme, host, port)


def _canonical_host(host: bytes) -> str | None:
    if host[:1] == b"[":
        return _canonical_address(display_text(host[1:-1]))
    if host.isascii() and b"%" not in host:
        return host.decode("ascii").lower()
    return _ascii_name(host)


def _canonical_address(text: str) -> str | None:
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 - only for literal addresses

    address, percent, zone = text.partition("%")
    try:
        # A zone is the reader's own; it stays as written, in lower case.
        return f"[{IPv6Address(address).compressed}{percent}{zone.lower()}]"
    except AddressValueError:
        return None


def _ascii_name(host: bytes) -> str | None:
    # As browsers do it: the mapping of UTS 46, then punycode for each label that needs it. The stricter
    # IDNA 2008 refuses hosts that are there, such as those of emoji or with an underscore.
    from urllib.parse import unquote_to_bytes  # noqa: PLC0415 - only for hosts that are not plain

    import idna  # noqa: PLC0415 - only for hosts that are not ASCII

    try:
        mapped = idna.uts46_remap(unquote_to_bytes(host).decode("utf-8"), std3_rules=False)
    except (idna.IDNAError, UnicodeDecodeError):
        return None
    if len(mapped) > _LONGEST_NAME:
        return None
    labels = [
        label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in mapped.split(".")
    ]
    name = ".".join(labels)
    if any(len(label) > _LONGEST_LABEL for label in labels) or len(name) > _LONGEST_NAME:
        return None
    # What was escaped, or mapped to ASCII, may be no part of a host: `%2F`, or a full-width slash.
    authority = split_authority(name.encode("ascii"))
    return name if authority == (name.encode("ascii"), b"") and not set(name) & set("/?#@:%") else None
