"""How a request is sent with requests: with a session, or with one adapter and given settings."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import requests
from requests.adapters import BaseAdapter, HTTPAdapter
from requests.cookies import extract_cookies_to_jar
from requests.hooks import dispatch_hook

from canfetch.client.request_headers import has_credentials
from canfetch.client.transports.requests_errors import is_lost_connection

_Request = TypeVar("_Request")
# They have no types.
_run_hooks: Final[Any] = dispatch_hook
_store_cookies: Final[Any] = extract_cookies_to_jar


class RequestsRoute(Protocol):
    """Prepares requests, and sends them without reading their bodies or following redirects."""

    def prepare(self, url: str, headers: Mapping[str, str], *, cross_origin: bool) -> requests.PreparedRequest:
        """Return a request for `url` with these headers, and with the credentials of the route for its own origin."""
        ...

    def send(self, request: requests.PreparedRequest, timeout: tuple[float, float]) -> requests.Response:
        """Send a request. The timeouts are those to connect and to read."""
        ...


class AdapterRoute(NamedTuple):
    """Sends requests with one adapter, whose session is not known.

    Attributes:
        adapter: The adapter.
        settings: The arguments `verify`, `cert` and `proxies` of `adapter.send`.
    """

    adapter: BaseAdapter
    settings: Mapping[str, Any]

    def prepare(self, url: str, headers: Mapping[str, str], *, cross_origin: bool) -> requests.PreparedRequest:  # noqa: ARG002 - it has no credentials
        """Return a request for `url` with these headers."""
        prepared = requests.Request("GET", url, headers=headers).prepare()
        # requests would normalise the path.
        prepared.url = url
        return prepared

    def send(self, request: requests.PreparedRequest, timeout: tuple[float, float]) -> requests.Response:
        """Send a request."""
        return _send(self.adapter, request, {**self.settings, "stream": True, "timeout": timeout})


class SessionRoute(NamedTuple):
    """Sends requests with the settings of a session.

    `Session.send` would read the body of a redirect, however long it is. So its adapter is called here.
    """

    session: requests.Session

    def prepare(self, url: str, headers: Mapping[str, str], *, cross_origin: bool) -> requests.PreparedRequest:
        """Return a request with the headers, cookies and authentication of the session."""
        # A function as the authentication replaces that of the session and of netrc.
        auth = _unchanged if cross_origin else None
        prepared = self.session.prepare_request(requests.Request("GET", url, headers=headers, auth=auth))
        # The session would normalise the path, and add its query parameters.
        prepared.url = url
        if cross_origin:
            for name in [name for name in prepared.headers if has_credentials(name)]:
                del prepared.headers[name]
        return prepared

    def adds_credentials(self, url: str) -> bool:
        """Return whether the session adds credentials to a direct request for `url`."""
        if self.session.auth is not None:
            return True
        try:
            prepared = self.session.prepare_request(requests.Request("GET", url))
        except (requests.RequestException, ValueError):
            return True
        return any(has_credentials(name) for name in prepared.headers)

    def send(self, request: requests.PreparedRequest, timeout: tuple[float, float]) -> requests.Response:
        """Send a request, run the hooks of the session, and store the cookies that the server sets."""
        url = request.url or ""
        settings: Any = self.session.merge_environment_settings(url, {}, True, None, None)
        settings["timeout"] = timeout
        response: requests.Response = _send(self.session.get_adapter(url), request, settings)
        try:
            response = _run_hooks("response", request.hooks, response, **settings)
            _store_cookies(self.session.cookies, request, response.raw)
        except BaseException:
            response.close()
            raise
        return response


def _send(adapter: BaseAdapter, request: requests.PreparedRequest, settings: Mapping[str, Any]) -> requests.Response:
    """Send a request, and repeat it if the server had closed an idle connection."""
    connections = _count_connections(adapter, request, settings)
    try:
        return adapter.send(request, **settings)
    except requests.ConnectionError as error:
        is_new = connections is None or _count_connections(adapter, request, settings) != connections
        if is_new or not is_lost_connection(error):
            raise
    return adapter.send(request, **settings)


def _count_connections(
    adapter: BaseAdapter, request: requests.PreparedRequest, settings: Mapping[str, Any]
) -> int | None:
    """Return the number of connections that were ever made for a request, or None if that is unknown."""
    if not isinstance(adapter, HTTPAdapter):
        return None
    pool: Any = adapter.get_connection_with_tls_context(
        request, settings["verify"], proxies=settings["proxies"], cert=settings["cert"]
    )
    count: int = pool.num_connections
    return count


def _unchanged(request: _Request) -> _Request:
    return request
