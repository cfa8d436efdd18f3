"""How octets come from an origin: one file a library, each behind the same two protocols.

A transport asks for one URL, follows no redirect, keeps no cookie, and reads at most the limit and one
octet; whatever goes wrong on the way is a `Failure`, never an exception.

- Only the body of a success (2xx) is read: nothing in another one counts, and no broken one shall hide a status.
- A success is whole, or it is a failure: a body that ends early is never a short file.
- A URL without a host is the caller's mistake: InvalidURL.
"""

from typing import NamedTuple, Protocol

from canfetch.access.responses import Failure, Headers, Response


class TransportRequest(NamedTuple):
    """One request. Seconds count from its beginning; `timeout` bounds all of it, names and body too.

    `headers` are the caller's; Host, Accept-Encoding and what belongs to the connection are the transport's own.
    `connect_timeout` bounds the way to a connection: name, address, TLS. `read_timeout` bounds each silence after it.
    `max_bytes` bounds the body after decoding: a transport stops reading one octet past it.
    `allow_private` says whether private, loopback and link-local addresses may be connected to.
    """

    url: str
    headers: Headers
    max_bytes: int
    connect_timeout: float
    read_timeout: float
    timeout: float
    allow_private: bool


class Transport(Protocol):
    """Asks and waits."""

    def send(self, request: TransportRequest) -> Response | Failure:
        """Ask for one URL."""
        ...

    def close(self) -> None:
        """Give back what it holds; asking again is a mistake."""
        ...


class AsyncTransport(Protocol):
    """Asks and lets others work meanwhile."""

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Ask for one URL."""
        ...

    async def close(self) -> None:
        """Give back what it holds; asking again is a mistake."""
        ...
