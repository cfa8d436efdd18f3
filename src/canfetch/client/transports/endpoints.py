"""Parse a URL into the endpoint to connect to and the target to request there.

Source: RFC 9112 section 3.2; RFC 3986 section 2.1.
"""

from typing import Final, NamedTuple
from urllib.parse import quote_from_bytes

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failures import TransportError
from canfetch.core.origin import DEFAULT_PORTS, Origin
from canfetch.core.urls import split_url, url_bytes

_HTTP: Final = ("http", "https")
# Characters that are sent as they are. All others are percent-encoded.
_UNESCAPED: Final = "%!#$&'()*+,/:;=?@[]~"


class Endpoint(NamedTuple):
    """Where to connect, and what to request there.

    Attributes:
        scheme: URL scheme in lower case.
        host: Host in lower case ASCII. An IPv6 address has no brackets.
        port: TCP port.
        authority: Value of the Host header.
        target: Path and query, percent-encoded.
    """

    scheme: str
    host: str
    port: int
    authority: str
    target: str

    @property
    def tls_name(self) -> str:
        """The host as certificates name it: without a trailing dot."""
        return self.host.rstrip(".")

    @property
    def url(self) -> str:
        """The URL as it is sent."""
        return f"{self.scheme}://{self.authority}{self.target}"


def parse_endpoint(url: str, schemes: tuple[str, ...] = _HTTP) -> Endpoint:
    """Return the endpoint of `url`.

    Raises:
        InvalidURL: `url` is not an absolute URL with a host.
        TransportError: SCHEME if the scheme is not in `schemes`. CONNECT if the port is 0. TLS if no certificate can be
            valid for the host.
    """
    origin = Origin.from_url(url)
    if origin.scheme not in schemes or origin.port is None:
        raise TransportError(
            FailureKind.SCHEME, f"unsupported URL scheme {origin.scheme!r}: expected {', '.join(schemes)}"
        )
    if origin.port == 0:
        # Some libraries would connect to the default port instead.
        raise TransportError(FailureKind.CONNECT, f"{origin.host} port 0: the port is reserved")
    encoded = url_bytes(url)
    split = split_url(encoded)
    assert split is not None
    rest = encoded[split.rest_start :].partition(b"#")[0]
    target = quote_from_bytes(rest if rest[:1] == b"/" else b"/" + rest, safe=_UNESCAPED)
    host = origin.host.removeprefix("[").removesuffix("]")
    port = "" if origin.port == DEFAULT_PORTS[origin.scheme] else f":{origin.port}"
    endpoint = Endpoint(origin.scheme, host, origin.port, f"{origin.host}{port}", target)
    if origin.scheme == "https":
        _check_tls_name(endpoint.tls_name)
    return endpoint


def _check_tls_name(name: str) -> None:
    # Check before connecting: `ssl` leaks the connection if it cannot encode a name, and some of its callers skip the
    # check of the host name if the name is empty.
    if not name:
        raise TransportError(FailureKind.TLS, "empty host name: no certificate can be valid for it")
    # Python itself would remember for ever that there is no such codec, if a part of it cannot be imported now.

    try:
        name.encode("idna")
    except UnicodeError as error:
        raise TransportError(FailureKind.TLS, f"invalid host name {name!r}: {error}") from None
