"""Where a request goes, and what it says: a URL and headers, made ready for the wire.

Source: RFC 9112 section 3.2; RFC 3986 section 2.1.
"""

from typing import Final, NamedTuple
from urllib.parse import quote_from_bytes

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.decoding import accept_encoding
from canfetch.client.transports.failing import Failed
from canfetch.core.origin import DEFAULT_PORTS, Origin
from canfetch.core.urls import split_url, url_bytes

_HTTP: Final = ("http", "https")
# What a request target may hold as it is; all else is percent-encoded.
_AS_WRITTEN: Final = "%!#$&'()*+,/:;=?@[]~"
_TOKEN: Final = frozenset("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
# The transport's own: nobody else knows the connection and the decoders.
_OURS: Final = ("host", "accept-encoding", "connection", "content-length", "transfer-encoding", "te", "upgrade")

WireHeaders = list[tuple[bytes, bytes]]


class Place(NamedTuple):
    """Scheme, host and port to connect to, and what is asked for there.

    `host` is lower-case and ASCII, an IPv6 address without brackets. `authority` is the Host header.
    `target` is path and query, percent-encoded.
    """

    scheme: str
    host: str
    port: int
    authority: str
    target: str

    @property
    def tls_name(self) -> str:
        """The name that a certificate must have: without a last dot, without a zone."""
        return self.host.rstrip(".").partition("%")[0]

    @property
    def url(self) -> str:
        """The URL, as it goes over the wire."""
        return f"{self.scheme}://{self.authority}{self.target}"


def place_of(url: str, schemes: tuple[str, ...] = _HTTP) -> Place:
    """Say where a URL leads.

    Raises: InvalidURL: it is no absolute URL with a host. Failed: SCHEME, for one that is not among `schemes`;
        TLS, for a host that no certificate can name.
    """
    origin = Origin.from_url(url)
    if origin.scheme not in schemes or origin.port is None:
        raise Failed(FailureKind.SCHEME, f"{origin.scheme} is not spoken, only {', '.join(schemes)}")
    octets = url_bytes(url)
    split = split_url(octets)
    assert split is not None
    rest = octets[split.rest_start :].partition(b"#")[0]
    target = quote_from_bytes(rest if rest[:1] == b"/" else b"/" + rest, safe=_AS_WRITTEN)
    bare = origin.host.removeprefix("[").removesuffix("]")
    # The zone of a link-local address is this machine's own, and never sent (RFC 6874 section 3).
    named = f"[{bare.partition('%')[0]}]" if ":" in bare else bare
    port = "" if origin.port == DEFAULT_PORTS[origin.scheme] else f":{origin.port}"
    place = Place(origin.scheme, bare, origin.port, f"{named}{port}", target)
    if origin.scheme == "https":
        _check_tls_name(place.tls_name)
    return place


def _check_tls_name(name: str) -> None:
    # Before anybody connects: ssl leaves a connection open where it cannot encode a name, and some callers of it take
    # an empty one for none to be checked.
    if not name:
        raise Failed(FailureKind.TLS, "the host has no name that a certificate could have")
    try:
        name.encode("idna")
    except UnicodeError as error:
        raise Failed(FailureKind.TLS, f"{name!r}: {error}") from None


def wire_headers(place: Place, headers: Headers) -> WireHeaders:
    """Give the fields of a request as octets: Host, the caller's, and the codings that can be undone here.

    Raises: Failed: PROTOCOL, for a field that cannot be sent, such as one with a line end in it.
    """
    sent = [(b"Host", place.authority.encode("ascii"))]
    for name, value in headers:
        if name.lower() in _OURS:
            continue
        if not name or not _TOKEN.issuperset(name) or any(octet in value for octet in "\r\n\0"):
            raise Failed(FailureKind.PROTOCOL, f"the header {name!r} cannot be sent")
        sent.append((name.encode("ascii"), _value_octets(value.strip())))
    return [*sent, (b"Accept-Encoding", accept_encoding().encode("ascii"))]


def header_text(octets: bytes) -> str:
    """Read a field as text: UTF-8, as raw Location headers have it, or octet by octet where it is none."""
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return octets.decode("latin-1")


def _value_octets(value: str) -> bytes:
    return value.encode("utf-8", "replace")
