"""What a transport returns: a response or a failure. Both are values, because a network error is not an exception."""

from enum import StrEnum
from typing import Final, NamedTuple

Headers = tuple[tuple[str, str], ...]
NOT_CONNECTED: Final = "not connected"
"""How the detail of a timeout starts if no connection was made."""


class FailureKind(StrEnum):
    """The reason for a missing response."""

    DNS = "dns"  # the host name does not resolve
    FORBIDDEN_ADDRESS = "forbidden-address"  # a private or loopback address, with `allow_private=False`
    CONNECT = "connect"  # the connection was refused or the host is unreachable
    TLS = "tls"  # the handshake failed or the certificate is invalid
    TIMEOUT = "timeout"  # no connection or no response in time
    RESET = "reset"  # the connection was reset
    INCOMPLETE = "incomplete"  # the body ended early
    PROTOCOL = "protocol"  # the response violates the protocol
    ENCODING = "encoding"  # the content coding is invalid or was not accepted
    SCHEME = "scheme"  # the transport does not support the scheme of the URL
    LOCAL = "local"  # not sent, or sent too late, for a reason of this machine or program, not of the site


class Response(NamedTuple):
    """A response to one request.

    Attributes:
        url: The URL that was requested.
        status: The status code.
        headers: The header fields, as pairs of name and value.
        body: The decoded body, cut one byte after the parsing limit.
        pool_seconds: How long the request waited for a connection of the caller's pool. If the time of a fetch ends
            after a longer wait, nothing is known about the site.
    """

    url: str
    status: int
    headers: Headers
    body: bytes
    pool_seconds: float = 0.0

    def header(self, name: str) -> str | None:
        """Return the value of a header, or None. Repeated fields are joined with commas.

        Args:
            name: The name of the header in lower case.
        """
        values = self.header_values(name)
        return ", ".join(values) if values else None

    def first_header(self, name: str) -> str | None:
        """Return the first value of a header, or None. Use this for headers that are not lists.

        Args:
            name: The name of the header in lower case.
        """
        for field, value in self.headers:
            if field.lower() == name:
                return value
        return None

    def header_values(self, name: str) -> list[str]:
        """Return the values of all fields with a name, in their order.

        Args:
            name: The name of the header in lower case.
        """
        return [value for field, value in self.headers if field.lower() == name]


class Failure(NamedTuple):
    """A request without a usable response.

    Attributes:
        url: The URL that was requested.
        kind: The reason.
        detail: The error message of the transport.
    """

    url: str
    kind: FailureKind
    detail: str
