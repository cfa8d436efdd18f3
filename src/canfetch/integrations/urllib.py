"""A handler for urllib.request that sends only requests which robots.txt allows.

opener = urllib.request.build_opener(RobotsHandler(user_agent="ExampleBot/1.0 (+https://example.com/bot)"))
opener.open("https://example.com/fish")
"""

import urllib.error
import urllib.request
from types import TracebackType
from typing import Any, Final, Self, Unpack

from canfetch.access.responses import Failure, Response
from canfetch.client.request_headers import has_credentials
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.sessions import SESSION_ROUTE
from canfetch.client.transports.threaded_exchanges import exchange_in_thread
from canfetch.core.verdict import RobotsDisallowed
from canfetch.integrations import request_guard
from canfetch.integrations.request_guard import GuardOptions, RequestErrors, RequestGuard, page_verdict
from canfetch.integrations.urllib_exchange import RobotsRequest, UrllibExchange

__all__ = ["DisallowedRequest", "InvalidRequestURL", "RobotsHandler", "page_verdict"]


class DisallowedRequest(RobotsDisallowed, urllib.error.URLError):
    """Raised in place of a request that robots.txt disallows."""


class InvalidRequestURL(request_guard.InvalidRequestURL, urllib.error.URLError):
    """Raised in place of a request whose host or port is invalid, for which there is no robots.txt."""

    def __init__(self, message: str, url: str) -> None:
        super().__init__(message, url)
        self.reason = message


_ERRORS: Final = RequestErrors(DisallowedRequest, InvalidRequestURL)


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
        if not isinstance(request, RobotsRequest):
            opted_out = getattr(request, "canfetch", True) is False
            request._canfetch_verdict = self.robots.check(request.full_url, opted_out=opted_out)  # type: ignore[attr-defined]  # noqa: SLF001 - our own attribute
        return request

    https_request = http_request

    def http_response(self, request: urllib.request.Request, response: Any) -> Any:
        """Read the page rules of a response, if that is enabled."""
        if self.robots.reads_page_rules and not isinstance(request, RobotsRequest):
            verdict = getattr(request, "_canfetch_verdict", None)
            self.robots.read_page_rules(response, response.headers.items(), request.full_url, verdict)
        return response

    https_response = http_response

    def http_error_302(self, request: urllib.request.Request, response: Any, *_: Any) -> Any:
        """Return a redirect of a robots.txt, which canfetch follows itself. Leave others to urllib."""
        return response if isinstance(request, RobotsRequest) else None

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


class _OpenerTransport:
    """Sends requests for robots.txt with the opener of a handler."""

    route: Route = SESSION_ROUTE

    def __init__(self, handler: RobotsHandler) -> None:
        self._handler = handler

    def send(self, request: TransportRequest) -> Response | Failure:
        try:
            return exchange_in_thread(UrllibExchange(request, self._handler.parent), name="canfetch-urllib")
        except TransportError as error:
            return error.to_failure(request.url)

    def adds_credentials(self, url: str) -> bool:  # noqa: ARG002 - the same for all URLs
        """Return whether `opener.addheaders` has credentials. What other handlers add does not depend on redirects."""
        return any(has_credentials(name) for name, _ in self._handler.parent.addheaders)

    def close(self) -> None:
        """Do nothing: an opener has no resources."""
