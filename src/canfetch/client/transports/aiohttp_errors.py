"""Translation of the exceptions of aiohttp, and checks of its responses."""

import ssl

import aiohttp

from canfetch.access.responses import FailureKind
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failures import TransportError, classify_os_error

# Raised if a request fails. TimeoutError includes those of aiohttp.
ERRORS: tuple[type[Exception], ...] = (aiohttp.ClientError, OSError, ValueError)


def check_framing(response: aiohttp.ClientResponse) -> None:
    """Check the headers that delimit the body, which aiohttp does only in part.

    Raises: TransportError: PROTOCOL.
    """
    codings = response.headers.getall("Transfer-Encoding", ["chunked"])
    if [coding.lower() for coding in codings] != ["chunked"]:
        # aiohttp would read the body as if it had no transfer coding.
        raise TransportError(FailureKind.PROTOCOL, "unsupported transfer coding")
    if len(set(response.headers.getall("Content-Length", []))) > 1:
        # The parser that aiohttp uses without its C extensions would read the first one.
        raise TransportError(FailureKind.PROTOCOL, "several Content-Length fields")


def translate_timeout(error: Exception, deadlines: Deadlines) -> TransportError:
    """Return the failure for a TimeoutError, whether aiohttp or asyncio raised it."""
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return deadlines.connect_timed_out()
    return deadlines.read_timed_out()


def translate_error(error: Exception, scheme: str) -> TransportError:
    """Return the failure for an exception of aiohttp during a request for a URL with `scheme`."""
    detail = (str(error) or type(error).__name__)[:200]
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return TransportError(FailureKind.TLS, detail)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return TransportError(FailureKind.CONNECT, f"proxy responded {error.status} {error.message}")
    if isinstance(error, aiohttp.ClientConnectorDNSError | aiohttp.InvalidURL):
        return TransportError(FailureKind.DNS, detail)
    if isinstance(error, aiohttp.ClientConnectorError):
        # A reset while connecting to an https server can only happen during the TLS handshake.
        in_handshake = scheme == "https" and isinstance(error.os_error, ConnectionResetError)
        return TransportError(FailureKind.TLS if in_handshake else FailureKind.CONNECT, detail)
    if isinstance(error, aiohttp.ClientPayloadError):
        return TransportError(FailureKind.INCOMPLETE, detail)
    if isinstance(error, aiohttp.ClientResponseError | ValueError):
        return TransportError(FailureKind.PROTOCOL, detail)
    if isinstance(error, OSError):
        return classify_os_error(error, FailureKind.RESET)
    return TransportError(FailureKind.RESET, detail)
