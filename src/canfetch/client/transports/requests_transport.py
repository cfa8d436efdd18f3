"""A transport on requests, with a session of the caller.

The session's settings apply: its proxies, TLS settings, cookies, authentication, hooks and adapters. Redirects are not
followed, and the body is read as received, up to the size limit.

Its responses differ from those of the other transports in these cases, because of http.client, the parser below it:

- Escapes in a URL are sent in upper case, and brackets in it as escapes. Both spellings mean the same resource.
- A response with an interim response other than 100 is a PROTOCOL failure.
- A response with more than 100 header fields is a PROTOCOL failure.
"""

import http.client
import re
import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from copy import copy
from time import monotonic, sleep
from typing import Any, Final, NamedTuple, Protocol, TypeVar, cast
from urllib.parse import urlsplit

from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.client.request_headers import has_credentials
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.endpoints import Endpoint, parse_endpoint
from canfetch.client.transports.failures import (
    REQUEST_ERRORS,
    TransportError,
    classify_os_error,
    request_failure,
    was_raised_in,
)
from canfetch.client.transports.headers import decode_headers, encode_request_headers
from canfetch.client.transports.http_client_responses import (
    check_framing,
    check_head,
    read_response,
    shut_down_response,
)
from canfetch.client.transports.local_errors import is_local_error
from canfetch.client.transports.proxies import check_proxy_status, socks_failure, unreachable_proxy
from canfetch.client.transports.response_body import ResponseBuilder
from canfetch.client.transports.sessions import SessionTransport, check_session_request, check_session_type
from canfetch.client.transports.threaded_exchanges import exchange_in_thread
from canfetch.errors import MissingExtra

try:
    import requests
    import urllib3.exceptions
    from requests.adapters import BaseAdapter, HTTPAdapter
    from requests.cookies import extract_cookies_to_jar
    from requests.hooks import dispatch_hook
    from urllib3.util.retry import Retry
except ImportError as missing:
    raise MissingExtra('requests is not installed: pip install "canfetch[requests]"') from missing

_STEP_BYTES: Final = 16_384
_POLL_SECONDS: Final = 0.01
# The rest is for the waits between retries.
_RETRIED_PART: Final = 0.8
_MOST_ATTEMPTS: Final = 5
_SUCCESS: Final = 2

# Raised if a request fails. ValueError is raised for a header that cannot be encoded, among others.
_ERRORS: Final = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
    ValueError,
)
# The first entry that matches counts.
_KINDS: Final[tuple[tuple[tuple[type[BaseException], ...], FailureKind], ...]] = (
    # Another thread took the last connection of a pool with `pool_block=True`.
    ((urllib3.exceptions.EmptyPoolError,), FailureKind.LOCAL),
    # The session was closed during the request.
    ((urllib3.exceptions.ClosedPoolError,), FailureKind.LOCAL),
    ((requests.exceptions.InvalidSchema,), FailureKind.SCHEME),
    ((requests.exceptions.ProxyError,), FailureKind.CONNECT),
    ((socket.gaierror, urllib3.exceptions.NameResolutionError), FailureKind.DNS),
    # Before the timeouts, of which it is a subclass in some versions.
    ((urllib3.exceptions.NewConnectionError,), FailureKind.CONNECT),
    ((requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError), FailureKind.TIMEOUT),
    ((ssl.SSLError, urllib3.exceptions.SSLError), FailureKind.TLS),
    # Before IncompleteRead, of which it is a subclass.
    ((urllib3.exceptions.InvalidChunkLength,), FailureKind.PROTOCOL),
    ((urllib3.exceptions.IncompleteRead, http.client.IncompleteRead), FailureKind.INCOMPLETE),
    ((ConnectionError,), FailureKind.RESET),
)
# The only place where urllib3 states the status after the last retry.
_LAST_STATUS: Final = re.compile(urllib3.exceptions.ResponseError.SPECIFIC_ERROR.format(status_code="([0-9]{3})"))
_Request = TypeVar("_Request")
# requests declares no types for these functions.
_run_hooks: Final[Any] = dispatch_hook
_store_cookies: Final[Any] = extract_cookies_to_jar
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")


class RequestsTransport(SessionTransport["SessionRoute"]):
    """Send requests with an existing `requests.Session`, which the transport does not close.

    A session can be shared between threads only as far as requests permits it: do not change its settings meanwhile.

    Args: session: The session. A canfetch client with `allow_private=False` rejects it.
    Raises: InvalidOption: `session` is another object.
    """

    def __init__(self, *, session: requests.Session) -> None:
        check_session_type("session", session, requests.Session)
        super().__init__(SessionRoute(session), {})

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http or https URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        """
        assert self._session is not None
        try:
            return exchange_in_thread(RequestsExchange(request, self._session), name="canfetch-requests")
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    @staticmethod
    def url_as_sent(url: str) -> str:
        """Return a URL with the path that urllib3 sends, which a signature covers."""
        return url_of_urllib3(url)

    def close(self) -> None:
        """Do nothing: the session belongs to the caller."""


def url_of_urllib3(url: str) -> str:
    """Return a URL as requests and urllib3 send it, without user information.

    requests removes tabs and line breaks, an empty query and the fragment.
    """
    parts = urlsplit(url)
    query = f"?{_encode(parts.query)}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{_encode(parts.path or '/')}{query}"


def _encode(component: str) -> str:
    """Write the escapes of a path or query as urllib3 does. Characters that are always escaped stay.

    It writes escapes in upper case, escapes brackets, and escapes each `%` beside a `%` that is not an escape.
    """
    component, escapes = _ESCAPE.subn(lambda found: found[0].upper(), component)
    if component.count("%") != escapes:
        component = component.replace("%", "%25")
    return component.replace("[", "%5B").replace("]", "%5D")


class RequestsRoute(Protocol):
    """Prepares requests, and sends them without reading their bodies or following redirects."""

    def prepare(self, url: str, headers: Mapping[str, str], *, cross_origin: bool) -> requests.PreparedRequest:
        """Return a request for `url` with these headers, and with the credentials of the route for its own origin."""
        ...

    def send(self, request: requests.PreparedRequest, deadlines: Deadlines) -> requests.Response:
        """Send a request."""
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

    def send(self, request: requests.PreparedRequest, deadlines: Deadlines) -> requests.Response:
        """Send a request."""
        return _send(self.adapter, request, {**self.settings, "stream": True}, deadlines)


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

    def send(self, request: requests.PreparedRequest, deadlines: Deadlines) -> requests.Response:
        """Send a request, run the hooks of the session, and store the cookies that the server sets."""
        url = request.url or ""
        settings: Any = self.session.merge_environment_settings(url, {}, True, None, None)
        response: requests.Response = _send(self.session.get_adapter(url), request, settings, deadlines)
        try:
            response = _run_hooks("response", request.hooks, response, **settings)
            _store_cookies(self.session.cookies, request, response.raw)
        except BaseException:
            response.close()
            raise
        return response


def _send(
    adapter: BaseAdapter, request: requests.PreparedRequest, settings: dict[str, Any], deadlines: Deadlines
) -> requests.Response:
    """Send a request, and repeat it if the server had closed an idle connection.

    Args: settings: The arguments of `adapter.send`, to which the timeouts are added.
    """
    pool = _find_pool(adapter, request, settings)
    if pool is not None:
        _wait_for_connection(pool, deadlines)
    seconds = _connect_timeout(adapter, pool, deadlines)
    settings["timeout"] = seconds, deadlines.read_timeout()
    adapter = _with_bounded_retries(adapter, deadlines, seconds)
    deadlines.goes_to_proxy = getattr(pool, "proxy", None) is not None
    connections = None if pool is None else pool.num_connections
    try:
        return adapter.send(request, **settings)
    except requests.ConnectionError as error:
        is_new = pool is None or pool.num_connections != connections
        if is_new or not _is_lost_connection(error):
            raise
    return adapter.send(request, **settings)


def _find_pool(adapter: BaseAdapter, request: requests.PreparedRequest, settings: Mapping[str, Any]) -> Any:
    """Return the pool of connections for a request, or None if that is unknown."""
    if not isinstance(adapter, HTTPAdapter):
        return None
    return adapter.get_connection_with_tls_context(
        request, settings["verify"], proxies=settings["proxies"], cert=settings["cert"]
    )


def _connect_timeout(adapter: BaseAdapter, pool: Any, deadlines: Deadlines) -> float:
    """Return the seconds for a connection. A few retries to connect to a proxy fit in the time of the request.

    Otherwise, the time would end before the error of the proxy, and the site would count as too slow.
    """
    seconds = deadlines.connect_timeout()
    retries = getattr(adapter, "max_retries", None)
    if getattr(pool, "proxy", None) is None or retries is None:
        return seconds
    counts = [int(count) for count in (retries.total, retries.connect) if count is not None]
    attempts = 1 + max(0, min(counts, default=0))
    # A tunnel through the proxy has the same time.
    return min(seconds, _RETRIED_PART * deadlines.timeout() / min(attempts, _MOST_ATTEMPTS))


class _NoTimeToRetry(urllib3.exceptions.ResponseError):
    """Raised in place of a wait that is longer than the request may take.

    Attributes: response: The response before the retry.
    """

    def __init__(self, response: Any) -> None:
        super().__init__(f"too many {response.status} error responses")
        self.response = response


def _with_bounded_retries(adapter: BaseAdapter, deadlines: Deadlines, connect_seconds: float) -> BaseAdapter:
    """Return an adapter whose retries do not wait for longer than the request may take.

    urllib3 waits for hours if the server asks for it, and the thread of the request would not end before. A retry
    to connect to a proxy also has to end in time, because a timeout of the request is that of the site.
    """
    retries = getattr(adapter, "max_retries", None)
    if not isinstance(adapter, HTTPAdapter) or not isinstance(retries, Retry) or retries.total in (0, False):
        return adapter
    retry_type: type[Retry] = type(retries)
    adapter_type: type[HTTPAdapter] = type(adapter)

    class BoundedRetry(retry_type):  # type: ignore[misc, valid-type]  # of the caller
        def sleep(self, response: Any = None) -> None:
            retry_after = self.get_retry_after(response) if response and self.respect_retry_after_header else None
            to_proxy = response is None and _is_unreachable_proxy(self.history[-1].error)
            deadlines.goes_to_proxy &= to_proxy
            seconds = (retry_after or self.get_backoff_time()) + (connect_seconds if to_proxy else 0.0)
            if seconds < deadlines.timeout():
                super().sleep(response)
            else:
                reason = _NoTimeToRetry(response) if response is not None else self.history[-1].error
                raise urllib3.exceptions.MaxRetryError(cast("Any", None), "", reason)

    bounded = copy(retries)
    bounded.__class__ = BoundedRetry

    class BoundedAdapter(adapter_type):  # type: ignore[misc, valid-type]  # of the caller
        max_retries = property(lambda _: bounded)

    copied: BaseAdapter = object.__new__(BoundedAdapter)
    # Its pool, and what its class keeps in attributes, are those of the adapter.
    copied.__dict__ = adapter.__dict__
    return copied


def _wait_for_connection(pool: Any, deadlines: Deadlines) -> None:
    """Wait until a pool with `pool_block=True` has a free connection. requests itself would wait without limit.

    Raises: TransportError: LOCAL.
    """
    waits_until = monotonic() + deadlines.read_timeout()
    deadlines.begin_pool_wait()
    while getattr(pool, "block", False) and pool.pool is not None and pool.pool.empty():
        if monotonic() >= waits_until:
            raise deadlines.pool_is_full()
        sleep(_POLL_SECONDS)
    deadlines.end_pool_wait()


def _unchanged(request: _Request) -> _Request:
    return request


class RequestsExchange:
    """One request, and its deadlines."""

    def __init__(self, request: TransportRequest, route: RequestsRoute) -> None:
        check_session_request(request)
        self.deadlines = Deadlines(request)
        self._request = request
        self._route = route
        self._endpoint: Endpoint = parse_endpoint(request.url)
        self._raw: Any = None

    def run(self) -> Response:
        """Send the request and read the response.

        Raises: TransportError.
        """
        with self._translated_errors():
            headers = {
                # http.client encodes them in the same way.
                name.decode("ascii"): value.decode("latin-1")
                for name, value in encode_request_headers(self._endpoint, self._request.headers)
            }
            prepared = self._route.prepare(self._endpoint.url, headers, cross_origin=self._request.cross_origin)
            try:
                response = self._route.send(prepared, self.deadlines)
            except requests.HTTPError as error:
                if error.response is None:
                    raise
                with closing(error.response) as rejected:
                    return self._response_without_body(rejected.status_code, _headers(rejected), str(error))
            except requests.exceptions.RetryError as error:
                last = next((cause.response for cause in _causes(error) if isinstance(cause, _NoTimeToRetry)), None)
                if last is not None:
                    return self._response_without_body(last.status, _decoded(last.headers.items()), str(error))
                status = _status_after_retries(error)
                if status is None:
                    raise
                return self._response_without_body(status, (), str(error))
            with closing(response):
                return self._read(response)

    def shut_down(self) -> None:
        """Shut the connection down, so that the thread that reads the body from it ends."""
        shut_down_response(getattr(self._raw, "_original_response", None))

    def _read(self, response: requests.Response) -> Response:
        self._raw = response.raw
        self._check_proxy_status(response.status_code)
        headers = _headers(response)
        check_head(getattr(getattr(response.raw, "_original_response", None), "msg", None))
        # A hook may have read the body. requests decodes it then.
        is_read = getattr(response, "_content_consumed", False)
        builder = ResponseBuilder(self._request, response.status_code, headers, is_decoded=is_read)
        if not is_read:
            return read_response(builder, headers, self._chunks(response.raw))
        if builder.needs_data:
            check_framing(headers)
            builder.feed(response.content)
        return builder.build()

    def _chunks(self, raw: Any) -> Iterator[bytes]:
        for chunk in raw.stream(_STEP_BYTES, decode_content=False):
            yield chunk
            self.deadlines.read_timeout()

    def _response_without_body(self, status: int, headers: Headers, message: str) -> Response:
        """Return a response for which a hook of the session called `raise_for_status`, or the adapter raised."""
        self._check_proxy_status(status)
        if status // 100 == _SUCCESS:
            raise TransportError(FailureKind.PROTOCOL, message[:200])
        return ResponseBuilder(self._request, status, headers).build()

    def _check_proxy_status(self, status: int) -> None:
        # The session may use a proxy.
        check_proxy_status(status, is_proxied=self._endpoint.scheme == "http")

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except _ERRORS as error:
            raise _translate_error(error, self.deadlines) from error


def header_pairs(response: requests.Response) -> list[tuple[str, str]]:
    """Return the headers of a response. Repeated headers stay apart."""
    # The headers of a response of requests are joined, so those of urllib3 are used.
    return list(getattr(response.raw, "headers", response.headers).items())


def _headers(response: requests.Response) -> Headers:
    return _decoded(header_pairs(response))


def _decoded(pairs: Iterable[tuple[str, str]]) -> Headers:
    return decode_headers((name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs)


def _is_lost_connection(error: Exception) -> bool:
    """Return whether the server closed the connection."""
    return any(isinstance(cause, ConnectionError) for cause in _causes(error))


def _status_after_retries(error: requests.exceptions.RetryError) -> int | None:
    """Return the status of the response to the last retry of an adapter, or None if there is none."""
    for cause in _causes(error):
        if isinstance(cause, urllib3.exceptions.ResponseError) and (found := _LAST_STATUS.fullmatch(str(cause))):
            return int(found[1])
    return None


def _translate_error(error: Exception, deadlines: Deadlines) -> TransportError:
    """Return the failure for an exception."""
    causes = list(_causes(error))
    innermost = causes[-1]
    if any(map(is_local_error, causes)):
        return TransportError(FailureKind.LOCAL, str(innermost)[:200])
    if _is_unreachable_proxy(error):
        return unreachable_proxy(str(innermost)[:200])
    if (failure := socks_failure(causes)) is not None and failure.kind is FailureKind.LOCAL:
        return failure
    kind = next((kind for cause in causes if (kind := _kind(cause)) is not None), FailureKind.PROTOCOL)
    if kind is FailureKind.TIMEOUT:
        is_connecting = any(isinstance(cause, urllib3.exceptions.ConnectTimeoutError) for cause in causes)
        return deadlines.connect_timed_out() if is_connecting else deadlines.read_timed_out()
    if isinstance(innermost, OSError) and kind in {FailureKind.RESET, FailureKind.TLS}:
        return classify_os_error(innermost, kind)
    return TransportError(kind, (str(innermost) or type(innermost).__name__)[:200])


def _is_unreachable_proxy(error: BaseException) -> bool:
    """Return whether a connection to a proxy failed, or the TLS handshake with it.

    urllib3 raises ProxyError also if the proxy refuses a tunnel, or closes the connection after it got the request.
    """
    causes = list(_causes(error))
    return (
        any(isinstance(cause, urllib3.exceptions.ProxyError) for cause in causes)
        and any(was_raised_in(cause, "connect") for cause in causes)
        and not any(was_raised_in(cause, "_tunnel") for cause in causes)
    )


def _kind(cause: BaseException) -> FailureKind | None:
    """Return the kind of failure that an exception determines, or None."""
    if isinstance(cause, urllib3.exceptions.ProtocolError) and "prematurely" in str(cause):
        return FailureKind.INCOMPLETE
    return next((kind for types, kind in _KINDS if isinstance(cause, types)), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that it wraps, the outermost first."""
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in seen:
        seen.append(current)
        yield current
        wrapped = [part for part in (*current.args, getattr(current, "reason", None)) if isinstance(part, Exception)]
        context = None if current.__suppress_context__ else current.__context__
        current = wrapped[-1] if wrapped else current.__cause__ or context
