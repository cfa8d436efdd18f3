"""A handler for urllib.request that sends only requests which robots.txt allows.

opener = urllib.request.build_opener(RobotsHandler(user_agent="ExampleBot/1.0 (+https://example.com/bot)"))
opener.open("https://example.com/fish")
"""

import http.client
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import closing
from functools import partial
from types import TracebackType
from typing import Any, Final, Self, Unpack

from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.client.request_headers import has_credentials
from canfetch.client.transports import Route, TransportRequest
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
from canfetch.client.transports.http_client_responses import check_head, read_response, shut_down_response
from canfetch.client.transports.proxies import check_proxy_status, unreachable_proxy
from canfetch.client.transports.response_body import ResponseBuilder
from canfetch.client.transports.sessions import SESSION_ROUTE
from canfetch.client.transports.threaded_exchanges import exchange_in_thread
from canfetch.core.origin import find_origin
from canfetch.core.verdict import RobotsDisallowed
from canfetch.integrations import request_guard
from canfetch.integrations.checked_request import SentRequest
from canfetch.integrations.request_guard import (
    SIGNATURE_HEADERS,
    GuardOptions,
    RequestErrors,
    RequestGuard,
    UseDisallowed,
    page_verdict,
    use_verdict,
)

__all__ = ["DisallowedRequest", "DisallowedUse", "InvalidRequestURL", "RobotsHandler", "page_verdict", "use_verdict"]


class DisallowedRequest(RobotsDisallowed, urllib.error.URLError):
    """Raised in place of a request that robots.txt disallows."""


class InvalidRequestURL(request_guard.InvalidRequestURL, urllib.error.URLError):
    """Raised in place of a request whose host or port is invalid, for which there is no robots.txt."""

    def __init__(self, message: str, url: str) -> None:
        super().__init__(message, url)
        self.reason = message


class DisallowedUse(UseDisallowed, urllib.error.URLError):
    """Raised in place of a response whose use its site does not allow, with the option `purpose`."""


_ERRORS: Final = RequestErrors(DisallowedRequest, DisallowedUse, InvalidRequestURL)
# ValueError is raised for a header that cannot be encoded, among others.
_NETWORK_ERRORS: Final = (OSError, http.client.HTTPException, ValueError)
_STEP_BYTES: Final = 16_384


class RobotsHandler(urllib.request.BaseHandler):
    """Send http and https requests if robots.txt allows them. Pass it to `urllib.request.build_opener`.

    The targets of redirects are checked too. The robots.txt is fetched with the same opener, with its proxies, TLS
    settings and cookies. A request whose attribute `canfetch` is False is not checked. The target of its redirect is,
    because urllib creates a new request for it. It can be shared between threads, but not between openers.

    Args:
        user_agent: The User-Agent header of the requests for robots.txt, whose product token selects the rules. Set the
            same header in `opener.addheaders`.
        options: See `GuardOptions`.
    Attributes: robots: Decides, counts and exempts requests.
    Raises: InvalidOption: An option is invalid or cannot be guaranteed. InvalidLimit, InvalidProductToken,
        InvalidURL, UnknownPolicy, UnknownProfile, EngineError.
    """

    # Before HTTPRedirectHandler and HTTPErrorProcessor, which handle redirects and errors.
    handler_order = 400
    # Set by the opener.
    parent: urllib.request.OpenerDirector

    def __init__(self, *, user_agent: str, **options: Unpack[GuardOptions]) -> None:
        self.robots = RequestGuard(_OpenerTransport(self), _ERRORS, user_agent=user_agent, **options)

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        """Check a request.

        Raises: DisallowedRequest, InvalidRequestURL.
        """
        if not isinstance(request, _RobotsRequest):
            opted_out = getattr(request, "canfetch", True) is False
            url = request.full_url
            checked = self.robots.check(url, opted_out=opted_out)
            # urllib opens a connection for each request, and does not report when it sends the request.
            checked.close()
            sent = _url_as_sent(request)
            if sent != url:
                # Both, because a proxy gets the URL itself.
                checked = self.robots.check(sent, opted_out=opted_out)
                checked.close()
            request._canfetch_sent = sent, checked.verdict  # type: ignore[attr-defined]  # noqa: SLF001 - our own attribute
            _name_host(request, sent)
            # Headers that urllib does not copy to the target of a redirect. It writes names in this form. The URL of a
            # request can have changed since it was signed.
            headers = _take_signature(request)
            self.robots.sign(headers, request.get_method(), sent)
            for name, value in headers.items():
                request.add_unredirected_header(name.capitalize(), value)
        return request

    https_request = http_request

    def https_open(self, request: urllib.request.Request) -> Any:
        """Send a request with the next handlers, and remove its signature: it can be sent again without this one."""
        handlers: Any = self.parent.handle_open["https"]  # type: ignore[attr-defined]  # not declared
        try:
            for handler in handlers[handlers.index(self) + 1 :]:
                response = handler.https_open(request)
                if response is not None:
                    return response
        finally:
            _take_signature(request)
        return None

    def http_response(self, request: urllib.request.Request, response: Any) -> Any:
        """Read the page rules of a response, and check its use, if that is enabled.

        Raises: DisallowedUse.
        """
        if isinstance(request, _RobotsRequest):
            return response
        # Another handler may have sent it before `https_open`.
        _take_signature(request)
        url, verdict = getattr(request, "_canfetch_sent", (request.full_url, None))
        sent = SentRequest(url, verdict, response.status, response.headers.items())
        self.robots.examine(response, sent, partial(_read_start, response, sent))
        return response

    https_response = http_response

    def http_error_302(self, request: urllib.request.Request, response: Any, *_: Any) -> Any:
        """Return a redirect of a robots.txt, which canfetch follows itself. Leave others to urllib."""
        return response if isinstance(request, _RobotsRequest) else None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    def close(self) -> None:
        """Close the store. urllib does not call this method."""
        self.robots.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _url_as_sent(request: urllib.request.Request) -> str:
    """Return the URL of a request, or another one if the caller has changed `host` or `selector` of the request."""
    url, selector = request.full_url, request.selector
    # urllib sets it, for requests over https with `set_proxy`.
    host = getattr(request, "_tunnel_host", None) or request.host
    own = urllib.request.Request(url)  # noqa: S310 - nothing is opened
    if request.has_proxy() or (request.type, host, selector) == (own.type, own.host, own.selector):
        return url
    # Anything else is no target of a request for this host, and is refused as an invalid URL.
    return f"{request.type}://{host}{selector}" if not selector or selector.startswith("/") else selector


def _name_host(request: urllib.request.Request, url: str) -> None:
    """Let a request go to the host that was checked. `http.client` encodes other names as IDNA 2003 does."""
    origin = find_origin(url)
    host = request.host
    if origin is None or not host or host.isascii() or request.has_proxy():
        return
    request.host = str(origin).partition("://")[2]
    if request.unredirected_hdrs.get("Host") == host:
        request.unredirected_hdrs["Host"] = request.host


def _take_signature(request: urllib.request.Request) -> dict[str, str]:
    """Remove the signature of a request, and return it."""
    names = [name for name in request.unredirected_hdrs if name.title() in SIGNATURE_HEADERS]
    return {name.title(): request.unredirected_hdrs.pop(name) for name in names}


def _read_start(response: Any, sent: SentRequest) -> bytes | None:
    from canfetch.integrations.page_bodies import PageStart, read_start  # noqa: PLC0415 - only with `purpose`

    # urllib decodes no content codings.
    return read_start(response, PageStart(sent.headers))


class _OpenerTransport:
    """Sends requests for robots.txt with the opener of a handler."""

    route: Route = SESSION_ROUTE

    def __init__(self, handler: RobotsHandler) -> None:
        self._handler = handler

    def send(self, request: TransportRequest) -> Response | Failure:
        try:
            return exchange_in_thread(_Exchange(request, self._handler.parent), name="canfetch-urllib")
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    def adds_credentials(self, url: str) -> bool:  # noqa: ARG002 - the same for all URLs
        """Return whether `opener.addheaders` has credentials. What other handlers add does not depend on redirects."""
        return any(has_credentials(name) for name, _ in self._handler.parent.addheaders)

    def close(self) -> None:
        """Do nothing: an opener has no resources."""


class _RobotsRequest(urllib.request.Request):
    """A request for robots.txt, which is not checked itself, and whose redirects the opener does not follow."""

    def __init__(self, url: str, deadlines: Deadlines) -> None:
        super().__init__(url)
        self._deadlines = deadlines

    def set_proxy(self, host: str, type: str) -> None:  # noqa: A002 - the name of the base class
        """Use a proxy. Handlers of the opener call this method."""
        super().set_proxy(host, type)
        self._deadlines.goes_to_proxy = True


class _Exchange:
    """One request for robots.txt, and its deadlines.

    urllib has no limit for the time of a whole request. So requests are sent in a thread that is abandoned at the
    deadline.
    """

    def __init__(self, request: TransportRequest, opener: urllib.request.OpenerDirector) -> None:
        self.deadlines = Deadlines(request)
        self._request = request
        self._opener = opener
        self._endpoint: Endpoint = parse_endpoint(request.url)
        self._response: Any = None

    def run(self) -> Response:
        """Send the request and read the response.

        Raises: TransportError.
        """
        try:
            with closing(self._open()) as response:
                return self._read(response)
        except _NETWORK_ERRORS as error:
            raise self._translate(error) from error

    def shut_down(self) -> None:
        """Shut the connection down, so that the thread that reads the body from it ends."""
        shut_down_response(self._response)

    def _open(self) -> Any:
        request = _RobotsRequest(self._endpoint.url, self.deadlines)
        for name, value in encode_request_headers(self._endpoint, self._request.headers):
            # http.client encodes values in the same way.
            request.add_header(name.decode("ascii"), value.decode("latin-1"))
        if self._request.cross_origin:
            # Not those of `opener.addheaders`, which can contain credentials: a header of the request replaces one.
            for added, _ in self._opener.addheaders:
                if has_credentials(added) and not request.has_header(added.capitalize()):
                    request.add_unredirected_header(added, "")
        timeout = min(self.deadlines.connect_timeout(), self.deadlines.read_timeout())
        try:
            return self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            # An HTTPError is a response as well.
            return error

    def _read(self, response: Any) -> Response:
        self._response = getattr(response, "fp", None) if isinstance(response, urllib.error.HTTPError) else response
        # The opener may use a proxy.
        check_proxy_status(response.status, is_proxied=self._endpoint.scheme == "http")
        headers: Headers = decode_headers(
            (name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()
        )
        check_head(response.headers)
        return read_response(ResponseBuilder(self._request, response.status, headers), headers, self._chunks(response))

    def _chunks(self, response: Any) -> Generator[bytes]:
        while chunk := response.read1(_STEP_BYTES):
            self.deadlines.read_timeout()
            yield chunk
        if getattr(response, "length", None):
            raise TransportError(FailureKind.INCOMPLETE, "the body ended before its Content-Length")

    def _translate(self, error: Exception) -> TransportError:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        detail = (str(reason) or type(reason).__name__)[:200]
        if self.deadlines.goes_to_proxy and was_raised_in(error, socket.create_connection.__name__):
            return unreachable_proxy(detail)
        match reason:
            case TimeoutError():
                return self.deadlines.read_timed_out()
            case socket.gaierror():
                return TransportError(FailureKind.DNS, detail)
            case ssl.SSLError():
                return classify_os_error(reason, FailureKind.TLS)
            case http.client.IncompleteRead():
                return TransportError(FailureKind.INCOMPLETE, detail)
            case OSError() if "Tunnel connection failed" in detail:
                return TransportError(FailureKind.CONNECT, f"proxy responded {detail}")
            case OSError():
                return classify_os_error(reason, FailureKind.CONNECT)
            case _:
                return TransportError(FailureKind.PROTOCOL, detail)
