"""Scheme, host and port: what one robots.txt rules over.

Source: RFC 9309 section 2.3; RFC 3986 section 3.2; Google's table of robots.txt URLs.
"""

from typing import Final, NamedTuple

from canfetch.core.octets import text_of
from canfetch.core.urls import split_authority, split_url, url_octets
from canfetch.errors import InvalidRobotsURL, InvalidURL, OriginMismatch

DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ftp": 21}
ROBOTS_TXT_PATH: Final = b"/robots.txt"


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
    def of(cls, url: str | bytes) -> "Origin":
        """Give the origin of an absolute URL; user information, path, query and fragment do not count.

        Raises: InvalidURL: it is no absolute URL, or its host is no host.
        Cost: O(octets); `idna` is imported for a host that is not ASCII, and only then.
        Source: RFC 9309 section 2.3.
        """
        octets = url_octets(url)
        split = split_url(octets)
        if split is None or not split.scheme:
            raise InvalidURL(f"{url!r} has no origin: give an absolute URL such as 'https://example.com/'")
        return cls._of_parts(split.scheme, split.authority, url)

    @classmethod
    def _of_parts(cls, scheme_octets: bytes, authority_octets: bytes, url: str | bytes) -> "Origin":
        authority = split_authority(authority_octets)
        if authority is None:
            raise InvalidURL(f"{url!r} has no valid host")
        scheme = scheme_octets.decode("ascii").lower()
        port = int(authority.port) if authority.port else DEFAULT_PORTS.get(scheme)
        return cls(scheme, _canonical_host(authority.host, url), port)

    @property
    def robots_url(self) -> str:
        """The URL of the robots.txt that rules over this origin."""
        return f"{self}/robots.txt"

    def __str__(self) -> str:
        port = "" if self.port is None or self.port == DEFAULT_PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


def robots_url(url: str | bytes) -> str:
    """Give the URL of the robots.txt that rules over `url`.

    Raises: InvalidURL: it is no absolute URL.
    Cost: O(octets).
    Source: RFC 9309 section 2.3.

    >>> robots_url("https://user@EXAMPLE.com:443/a?b#c")
    'https://example.com/robots.txt'
    """
    return Origin.of(url).robots_url


def origin_of_robots_url(url: str | bytes) -> Origin:
    """Give the origin that a robots.txt at `url` rules over.

    Raises: InvalidRobotsURL: no robots.txt can be there.
    """
    octets = url_octets(url)
    split = split_url(octets)
    if split is None or not split.scheme:
        raise InvalidRobotsURL(f"{url!r} is no absolute URL; give one such as 'https://example.com/robots.txt'")
    origin = Origin._of_parts(split.scheme, split.authority, url)
    path = octets[split.rest_start :].partition(b"#")[0].partition(b"?")[0]
    if path != ROBOTS_TXT_PATH:
        raise InvalidRobotsURL(f"{url!r} is no robots.txt URL: only {origin.robots_url!r} is read for that origin")
    return origin


def origin_check(origin: Origin, url: str | bytes, index: int | None) -> None:
    """Let a URL of that origin pass; a URL without a scheme has the file's.

    Raises: OriginMismatch: it is of another; InvalidURL: its host is none.
    """
    octets = url_octets(url)
    split = split_url(octets)
    if split is None or not split.authority:
        return
    asked = Origin._of_parts(split.scheme or origin.scheme.encode(), split.authority, url)
    if asked != origin:
        place = "" if index is None else f" (index {index})"
        raise OriginMismatch(
            f"{url!r}{place} is of {asked}, but this file rules over {origin}; ask the file at {asked.robots_url}",
            index=index,
        )


def _canonical_host(host: bytes, url: str | bytes) -> str:
    if host[:1] == b"[":
        from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 - only for literal addresses

        address, percent, zone = text_of(host[1:-1]).partition("%")
        try:
            # A zone is the reader's own; it stays as written, in lower case.
            return f"[{IPv6Address(address).compressed}{percent}{zone.lower()}]"
        except AddressValueError:
            raise InvalidURL(f"{url!r}: {text_of(host)} is no IPv6 address") from None
    if host.isascii() and b"%" not in host:
        return host.decode("ascii").lower()
    from urllib.parse import unquote_to_bytes  # noqa: PLC0415 - only for hosts that are not plain

    import idna  # noqa: PLC0415 - only for hosts that are not ASCII

    try:
        return idna.encode(unquote_to_bytes(host).decode("utf-8"), uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        raise InvalidURL(f"{url!r}: {text_of(host)!r} is no host name") from None
