"""What a transport brings back: a response, or a failure. Both are values; a bad network never raises."""

from enum import StrEnum
from typing import NamedTuple

Headers = tuple[tuple[str, str], ...]


class FailureKind(StrEnum):
    """Why there is no response to speak of."""

    NAME = "name"  # the host's name has no address
    FORBIDDEN_ADDRESS = "forbidden-address"  # a private or loopback address, where those are guarded
    CONNECT = "connect"  # nobody took the connection
    TLS = "tls"  # the certificate or the handshake is bad
    TIMEOUT = "timeout"  # not connected, or not answered, in time
    RESET = "reset"  # the connection broke
    INCOMPLETE = "incomplete"  # the body ended early
    PROTOCOL = "protocol"  # an answer that is none
    ENCODING = "encoding"  # a content coding that does not decode, or one that nobody asked for
    SCHEME = "scheme"  # a scheme that the transport does not speak


class Response(NamedTuple):
    """An answer. `body` holds at most one octet over the parsing limit, decoded; `url` is what was asked."""

    url: str
    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        """Give a header's value, fields of one name joined by commas; names have no letter case."""
        values = [value for field, value in self.headers if field.lower() == name]
        return ", ".join(values) if values else None


class Failure(NamedTuple):
    """No answer, and why; `detail` is the transport's own word, for people."""

    url: str
    kind: FailureKind
    detail: str
