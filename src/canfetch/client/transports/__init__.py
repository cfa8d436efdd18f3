"""Transports: the protocols that send one HTTP request, with one module for each library that implements them.

A transport requests one URL. It follows no redirect, stores no cookie, and reads at most one byte more than
`max_bytes`. Network problems never raise: they are returned as a `Failure`.

- Only the body of a successful response (2xx) is read. Other bodies do not matter, and a broken one must not hide
  the status.
- A body that ends early is a `Failure`, never a short file.
- A URL without a host is a mistake of the caller and raises InvalidURL.

A transport that cannot guarantee every option of a client also implements `OptionChecker`. A transport with credentials
of its own implements `CredentialAdder`.

The default transports are in `http_transport.py`, the file to open first. A request goes through these modules:

    endpoints -> proxies -> dns -> addresses -> connections -> http_exchange -> response_body

- `endpoints.py`, `proxies.py`: where to connect, and what to request there.
- `dns.py`, `addresses.py`: name resolution in daemon threads, and the addresses that may be connected to.
- `connections.py`: connections with deadlines and TLS, blocking or on an event loop.
- `http_exchange.py`: one request and its response on h11, without I/O.
- `response_body.py`: the response, and its body up to the size limit.
- `deadlines.py`, `failures.py`: the timeouts of a request, and the error that becomes a `Failure`.

The transports on httpx2, aiohttp and requests use the same addresses, deadlines, errors and response builder, so every
transport reports the same kind of failure for the same fault. `tests/transports` checks this with a server that
misbehaves in more than 100 ways.

All of them derive from `BaseTransport` (`base_transport.py`), which has the TLS settings, the resolver and the proxies.
Those that can use a session of the caller, whose own settings apply then, derive from `SessionTransport`
(`sessions.py`). Libraries that cannot limit the time of a whole request run in a thread, which ends or is abandoned at
the deadline (`threaded_exchanges.py`).

Blocking and asynchronous transports share everything that does not wait. Only the steps that wait exist twice: sending,
receiving, connecting and resolving a name. Python cannot write them once, because each of them needs `await` in one
version. A generator that both drive, as in `client/procedure.py`, would be longer than these few lines.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from canfetch.access.responses import Failure, Headers, Response
from canfetch.client.options import Options

# The share of its time that a site can lose without being reported as unreachable by mistake.
_NEGLIGIBLE_WAIT: Final = 0.1


class TransportRequest(NamedTuple):
    """One request. Timeouts are in seconds.

    Attributes:
        url: Absolute URL to request.
        headers: Headers to send. The transport adds Host, Accept-Encoding and the headers of the connection.
        max_bytes: Size limit of the decoded body. A transport stops reading one byte past it.
        connect_timeout: Time for name resolution, TCP and TLS together.
        read_timeout: Longest time without any data once the connection is made.
        timeout: Time for the whole request, from name resolution to the last byte of the body.
        allow_private: Whether connections to private, loopback and link-local addresses are allowed.
        cross_origin: Whether a redirect led to another origin than that of the first request. A transport with
            credentials of its own does not send them there.
    """

    url: str
    headers: Headers
    max_bytes: int
    connect_timeout: float
    read_timeout: float
    timeout: float
    allow_private: bool
    cross_origin: bool = False


def is_long_wait(pool_seconds: float, timeout: float) -> bool:
    """Return whether a request waited so long for the caller's pool that a timeout after that says nothing of the site.

    Args: timeout: The time for the wait and the site together.
    """
    return pool_seconds > timeout * _NEGLIGIBLE_WAIT


class Route(NamedTuple):
    """What a transport can reach. Clients whose transports have different routes share no failures that depend on it.

    A transport can have an attribute `route`. The default has no limits.

    Attributes:
        schemes: The URL schemes that the transport supports, or nothing if it supports all.
        proxies: The proxies that it uses, in any form, or an empty string. It can contain credentials: only a hash of
            it is stored.
        tls: A description of the TLS settings, or an empty string for the default settings.
        rules: A description of the rules for what it may connect to, or an empty string without such rules.
    """

    schemes: tuple[str, ...] = ()
    proxies: str = ""
    tls: str = ""
    rules: str = ""


class Transport(Protocol):
    """Sends requests and blocks until the response is read."""

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send `request` and return the response, or the reason for its failure."""
        ...

    def close(self) -> None:
        """Release all resources. The transport cannot be used afterwards."""
        ...


class AsyncTransport(Protocol):
    """Sends requests without blocking the event loop."""

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send `request` and return the response, or the reason for its failure."""
        ...

    async def close(self) -> None:
        """Release all resources. The transport cannot be used afterwards."""
        ...


class OptionChecker(Protocol):
    """A transport that cannot guarantee every option of a client.

    The client calls `check_options` at construction. A transport without this method guarantees all options.
    """

    def check_options(self, options: Options) -> None:
        """Raise InvalidOption, with the fix, if an option of the client cannot be guaranteed."""
        ...


class CredentialAdder(Protocol):
    """A transport that may add credentials of its own to requests that are not `cross_origin`.

    The response to a request after a redirect can then differ from that of a direct request, so it does not count for
    the origin of the target. A transport without this method adds no credentials.
    """

    def adds_credentials(self, url: str) -> bool:
        """Return whether a direct request for `url` has, or may have, credentials of the transport."""
        ...


def credential_check(transport: object) -> Callable[[str], bool]:
    """Return the method `adds_credentials` of a transport, or a function that returns False if it has none."""
    check: Callable[[str], bool] = getattr(transport, "adds_credentials", _adds_none)
    return check


def _adds_none(url: str) -> bool:  # noqa: ARG001 - the same for all URLs
    return False


def url_as_sent(transport: object, url: str) -> str:
    """Return the URL of an endpoint as a transport sends it: by its method `url_as_sent`, or else unchanged."""
    convert: Callable[[str], str] | None = getattr(transport, "url_as_sent", None)
    return url if convert is None else convert(url)
