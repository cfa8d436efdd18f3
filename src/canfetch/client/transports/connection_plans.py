"""The connection of a request: directly to its host, or through a proxy.

Source: RFC 9112 section 3.2.
"""

from typing import NamedTuple

from canfetch.client.transports import TransportRequest
from canfetch.client.transports.endpoints import Endpoint
from canfetch.client.transports.http_exchange import HTTPExchange, TunnelExchange
from canfetch.client.transports.proxies import Proxy


class ConnectionPlan(NamedTuple):
    """Where to connect, and what to send there.

    Attributes:
        host: Host of the server or the proxy.
        port: Its TCP port.
        tunnel: The exchange that opens a tunnel through the proxy, or None if there is no tunnel.
        tls_name: The name that the certificate must have, or None if TLS is not used.
        exchange: The request and its response.
    """

    host: str
    port: int
    tunnel: TunnelExchange | None
    tls_name: str | None
    exchange: HTTPExchange


def plan_connection(
    request: TransportRequest, endpoint: Endpoint, proxy: Proxy | None, *, content: bytes | None = None
) -> ConnectionPlan:
    """Return the connection for `request`.

    A proxy opens a tunnel for https. It fetches all other URLs itself, also ftp URLs.

    Args: content: The content of a POST request, or None for GET.
    Raises: TransportError: PROTOCOL if a header cannot be sent.
    """
    tls_name = endpoint.tls_name if endpoint.scheme == "https" else None
    if proxy is None:
        direct = HTTPExchange(request, endpoint, content=content)
        return ConnectionPlan(endpoint.host, endpoint.port, None, tls_name, direct)
    login = [] if proxy.authorization is None else [(b"Proxy-Authorization", proxy.authorization.encode("ascii"))]
    if tls_name is not None:
        tunnel = TunnelExchange(endpoint, login)
        tunnelled = HTTPExchange(request, endpoint, content=content)
        return ConnectionPlan(proxy.host, proxy.port, tunnel, tls_name, tunnelled)
    exchange = HTTPExchange(request, endpoint, target=endpoint.url, headers=login, is_proxied=True, content=content)
    return ConnectionPlan(proxy.host, proxy.port, None, None, exchange)
