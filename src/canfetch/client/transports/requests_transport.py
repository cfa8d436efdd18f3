"""A transport on requests, with a session of the caller.

The session's settings apply: its proxies, TLS settings, cookies, authentication, hooks and adapters. Redirects are not
followed, and the body is read as received, up to the size limit.

Its responses differ from those of the other transports in these cases, because of http.client, the parser below it:

- Escapes in a URL are sent in upper case, and brackets in it as escapes. Both spellings mean the same resource.
- A response with an interim response other than 100 is a PROTOCOL failure.
- A response with more than 100 header fields is a PROTOCOL failure.
"""

from typing import TYPE_CHECKING

from canfetch.access.responses import Failure, Response
from canfetch.client.options import Options
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.sessions import SESSION_ROUTE, check_session_options, check_session_type
from canfetch.client.transports.threaded_exchanges import exchange_in_thread
from canfetch.errors import MissingExtra

try:
    import requests

    from canfetch.client.transports.requests_exchange import RequestsExchange
    from canfetch.client.transports.requests_routes import SessionRoute
except ImportError as missing:
    raise MissingExtra('requests is not installed: pip install "canfetch[requests]"') from missing

if TYPE_CHECKING:
    from canfetch.client.transports.requests_routes import RequestsRoute


class RequestsTransport:
    """Send requests with an existing `requests.Session`, which the transport does not close.

    A session can be shared between threads only as far as requests permits it: do not change its settings meanwhile.

    Args: session: The session. A canfetch client with `allow_private=False` rejects it.
    Raises: InvalidOption: `session` is another object.
    """

    route: Route = SESSION_ROUTE

    def __init__(self, *, session: requests.Session) -> None:
        check_session_type("session", session, requests.Session)
        self._session = session

    def check_options(self, options: Options) -> None:
        """Check that the options of a client can be guaranteed.

        Raises: InvalidOption: Private addresses are forbidden, which the session cannot guarantee.
        """
        check_session_options("session", options)

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http or https URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        """
        route: RequestsRoute = SessionRoute(self._session)
        try:
            return exchange_in_thread(RequestsExchange(request, route), name="canfetch-requests")
        except TransportError as error:
            return error.to_failure(request.url)

    def adds_credentials(self, url: str) -> bool:
        """Return whether the session adds credentials to a direct request for `url`."""
        return SessionRoute(self._session).adds_credentials(url)

    def close(self) -> None:
        """Do nothing: the session belongs to the caller."""
