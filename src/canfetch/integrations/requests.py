"""An adapter for requests that sends only requests which robots.txt allows.

session = requests.Session()
adapter = RobotsAdapter(user_agent="ExampleBot/1.0 (+https://example.com/bot)")
session.mount("https://", adapter)
session.mount("http://", adapter)
session.get("https://example.com/fish")
"""

import threading
from collections.abc import Callable, ItemsView, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from http.client import HTTPException
from ssl import SSLError
from typing import Any, Final, Unpack
from urllib.parse import urlsplit

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.failures import REQUEST_ERRORS, request_failure
from canfetch.client.transports.sessions import SESSION_ROUTE
from canfetch.client.transports.threaded_exchanges import exchange_in_thread
from canfetch.core.verdict import RobotsDisallowed
from canfetch.errors import ClientClosed, InvalidOption, MissingExtra
from canfetch.integrations import request_guard
from canfetch.integrations.checked_request import CheckedRequest, SentRequest
from canfetch.integrations.request_guard import (
    GuardOptions,
    RequestErrors,
    RequestGuard,
    UseDisallowed,
    page_verdict,
    use_verdict,
    without_final_dot,
)

try:
    import requests
    from requests.adapters import BaseAdapter, HTTPAdapter
    from requests.structures import CaseInsensitiveDict
    from urllib3.response import BaseHTTPResponse
    from urllib3.util.retry import Retry

    from canfetch.client.transports.requests_transport import (
        AdapterRoute,
        RequestsExchange,
        header_pairs,
        url_of_urllib3,
    )
except ImportError as missing:
    raise MissingExtra('requests is not installed: pip install "canfetch[requests]"') from missing

__all__ = [
    "DisallowedRequest",
    "DisallowedUse",
    "InvalidRequestURL",
    "PacedRetry",
    "RobotsAdapter",
    "page_verdict",
    "use_verdict",
]

# The settings of the current request, which apply to its robots.txt.
_SETTINGS: Final[ContextVar[Mapping[str, Any]]] = ContextVar("_SETTINGS")
# Waits for some seconds and checks the current request again, before the adapter repeats it. None during requests for
# robots.txt.
_CHECK_AGAIN: Final[ContextVar[Callable[[float], object] | None]] = ContextVar("_CHECK_AGAIN", default=None)
_DEFAULT_SETTINGS: Final = {"verify": True, "cert": None, "proxies": None}


class DisallowedRequest(RobotsDisallowed, requests.RequestException):
    """Raised in place of a request that robots.txt disallows. Its `request` is the request that was not sent."""


class InvalidRequestURL(request_guard.InvalidRequestURL, requests.exceptions.InvalidURL):
    """Raised in place of a request whose host or port is invalid, for which there is no robots.txt."""


class DisallowedUse(UseDisallowed, requests.RequestException):
    """Raised in place of a response whose use its site does not allow, with the option `purpose`."""


_ERRORS: Final = RequestErrors(DisallowedRequest, DisallowedUse, InvalidRequestURL)


class PacedRetry(Retry):
    """Retries that `RobotsAdapter` checks, and that wait for the crawl delay.

    adapter = RobotsAdapter(user_agent=..., wait=True, adapter=HTTPAdapter(max_retries=PacedRetry(3)))

    Without a `RobotsAdapter`, it behaves like `urllib3.Retry`, whose arguments it has.
    """

    def sleep(self, response: BaseHTTPResponse | None = None) -> None:
        """Sleep as long as `urllib3.Retry` does, then wait for the turn of the request.

        Raises: DisallowedRequest: The robots.txt has changed; ClientClosed: The adapter was closed.
        """
        check_again = _CHECK_AGAIN.get()
        if check_again is None:
            super().sleep(response)
            return
        retry_after = self.get_retry_after(response) if self.respect_retry_after_header and response else None
        check_again(retry_after or self.get_backoff_time())


class RobotsAdapter(BaseAdapter):
    """Send requests with another adapter if robots.txt allows them. Mount it for `http://` and `https://`.

    The targets of redirects are checked too. The robots.txt is fetched with the same adapter, and with the proxies and
    TLS settings of the session. It can be shared between threads and sessions.

    Args:
        user_agent: The User-Agent header of the requests for robots.txt, whose product token selects the rules. Set the
            same header in the session.
        adapter: The adapter that sends the requests. Closed with this one. Default: `requests.adapters.HTTPAdapter()`.
        options: See `GuardOptions`.
    Attributes: robots: Decides, counts and exempts requests.
    Raises: InvalidOption: An option is invalid or cannot be guaranteed. InvalidLimit, InvalidProductToken,
        InvalidURL, UnknownPolicy, UnknownProfile, EngineError.
    """

    def __init__(self, *, user_agent: str, adapter: BaseAdapter | None = None, **options: Unpack[GuardOptions]) -> None:
        super().__init__()
        self._closing = threading.Event()
        self._adapter: BaseAdapter = HTTPAdapter() if adapter is None else _checked_adapter(adapter)
        self.robots = RequestGuard(_AdapterTransport(self._adapter), _ERRORS, user_agent=user_agent, **options)

    def send(  # noqa: PLR0917 - the signature of requests
        self,
        request: requests.PreparedRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - the same
        timeout: Any = None,
        verify: Any = True,  # noqa: FBT002 - the same
        cert: Any = None,
        proxies: Any = None,
    ) -> requests.Response:
        """Check a request, and send it if it is allowed.

        Raises: DisallowedRequest; DisallowedUse; InvalidRequestURL; requests.RequestException.
        """
        settings = {"verify": verify, "cert": cert, "proxies": proxies}
        url = _url_as_sent(request)
        checked = self._check(request, settings)
        headers = request.headers
        if self.robots.has_identity or checked.turn is not None:
            request.headers = _SentHeaders(headers)
            request.headers.checked = checked
            if self.robots.has_identity and (without_dot := without_final_dot(url)) != url:
                # urllib3 sends the dot through a proxy, and not to a server.
                request.headers.setdefault("Host", urlsplit(without_dot).netloc.rpartition("@")[2])
        token = _CHECK_AGAIN.set(partial(self._check_again, request, settings))
        try:
            response = self._adapter.send(request, stream=stream, timeout=timeout, **settings)
        except requests.ConnectionError as error:
            # HTTPAdapter takes every OSError during a retry for one of the connection.
            if error.args and isinstance(error.args[0], DisallowedRequest):
                raise error.args[0] from None
            raise
        finally:
            _CHECK_AGAIN.reset(token)
            if isinstance(request.headers, _SentHeaders):
                request.headers.checked.close()
            request.headers = headers
            self.robots.unsign(headers)
        # Authentication that repeats a request sends it with this attribute.
        response.connection = self  # type: ignore[assignment]  # declared too narrowly
        sent = SentRequest(url, checked.verdict, response.status_code, header_pairs(response))
        with _fetching(request, settings):
            self.robots.examine(response, sent, partial(_read_start, response, sent))
        return response

    def _check(
        self, request: requests.PreparedRequest, settings: Mapping[str, Any], *, is_retry: bool = False
    ) -> CheckedRequest:
        """Check a request, and wait for its turn."""
        url = _url_as_sent(request)
        with _fetching(request, settings):
            # urllib3 keeps the place in its pool before a retry.
            checked = self.robots.check(url, has_connection=is_retry)
        # A repeated request needs a new signature.
        self.robots.sign(request.headers, request.method or "GET", without_final_dot(url))
        return checked

    def _check_again(self, request: requests.PreparedRequest, settings: Mapping[str, Any], seconds: float) -> None:
        """Wait, and check a request that is repeated. `close` ends the wait."""
        if self._closing.wait(seconds):
            raise ClientClosed
        headers = request.headers
        if isinstance(headers, _SentHeaders):
            headers.checked.close()
            headers.checked = self._check(request, settings, is_retry=True)
        else:
            self._check(request, settings, is_retry=True)

    def close(self) -> None:
        """Close the other adapter and the store."""
        self._closing.set()
        try:
            self.robots.close()
        finally:
            self._adapter.close()


class _SentHeaders(CaseInsensitiveDict[Any]):
    """Headers that report when urllib3 sends them, after it has got a connection.

    urllib3 does not copy them, so each retry has its own turn and signature.
    """

    checked = CheckedRequest()

    def copy(self) -> "_SentHeaders":
        return self

    def items(self) -> ItemsView[str, Any]:
        if self.checked.turn is not None:
            self.checked.turn.sent()
        return super().items()


def _url_as_sent(request: requests.PreparedRequest) -> str:
    """Return the URL that is sent. It can differ from the URL of the request, for example without an empty query."""
    url = request.url or ""
    try:
        return url_of_urllib3(url)
    except ValueError:
        # requests does not send it either.
        return url


def _read_start(response: requests.Response, sent: SentRequest) -> bytes | None:
    from canfetch.integrations.page_bodies import PageStart, read_start  # noqa: PLC0415 - only with `purpose`

    start = PageStart(sent.headers, getattr(response.raw, "CONTENT_DECODERS", ()))
    try:
        # requests uses the same attribute for cookies. Other adapters than `HTTPAdapter` may not have it.
        return read_start(getattr(response.raw, "_original_response", None), start)
    # The same as those of `Response.content`.
    except TimeoutError as error:
        raise requests.ConnectionError(error, request=response.request) from error
    except SSLError as error:
        raise requests.exceptions.SSLError(error, request=response.request) from error
    except (OSError, HTTPException) as error:
        raise requests.exceptions.ChunkedEncodingError(error, request=response.request) from error


@contextmanager
def _fetching(request: requests.PreparedRequest, settings: Mapping[str, Any]) -> Iterator[None]:
    """Set the settings of the requests for files of the site of a request. Errors have the request."""
    token, again = _SETTINGS.set(settings), _CHECK_AGAIN.set(None)
    try:
        yield
    except (DisallowedRequest, DisallowedUse, InvalidRequestURL) as error:
        error.request = request
        raise
    finally:
        _CHECK_AGAIN.reset(again)
        _SETTINGS.reset(token)


class _AdapterTransport:
    """Sends requests for robots.txt with an adapter, and with the settings of the current request."""

    route: Route = SESSION_ROUTE

    def __init__(self, adapter: BaseAdapter) -> None:
        self._adapter = adapter

    def send(self, request: TransportRequest) -> Response | Failure:
        try:
            route = AdapterRoute(self._adapter, _SETTINGS.get(_DEFAULT_SETTINGS))
            return exchange_in_thread(RequestsExchange(request, route), name="canfetch-requests")
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    @staticmethod
    def url_as_sent(url: str) -> str:
        """Return a URL with the path that urllib3 sends."""
        return url_of_urllib3(url)

    def close(self) -> None:
        """Do nothing: `RobotsAdapter` closes the adapter."""


def _checked_adapter(adapter: Any) -> BaseAdapter:
    if not isinstance(adapter, BaseAdapter):
        given = type(adapter).__name__
        raise InvalidOption(f"invalid adapter of type {given}: expected a subclass of requests.adapters.BaseAdapter")
    return adapter
