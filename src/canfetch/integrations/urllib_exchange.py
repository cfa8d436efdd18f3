"""One request for robots.txt with an opener of urllib.request, and its response.

urllib has no limit for the time of a whole request. So requests are sent in a thread that is abandoned at the deadline.
"""

import http.client
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import closing
from typing import Any, Final

from canfetch.access.responses import FailureKind, Headers, Response
from canfetch.client.request_headers import has_credentials
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.endpoints import Endpoint, parse_endpoint
from canfetch.client.transports.failures import TransportError, classify_os_error
from canfetch.client.transports.headers import decode_headers, encode_request_headers
from canfetch.client.transports.http_client_heads import check_framing, check_head, is_delimited
from canfetch.client.transports.http_client_sockets import shut_down_response
from canfetch.client.transports.proxies import check_proxy_status
from canfetch.client.transports.response_body import ResponseBuilder

_STEP_BYTES: Final = 16_384
_NO_CONTENT: Final = 204
# ValueError is raised for a header that cannot be encoded, among others.
_ERRORS: Final = (OSError, http.client.HTTPException, ValueError)


class RobotsRequest(urllib.request.Request):
    """A request for robots.txt, which is not checked itself, and whose redirects the opener does not follow."""


class UrllibExchange:
    """One request, and its deadlines."""

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
        except _ERRORS as error:
            raise self._translate(error) from error

    def shut_down(self) -> None:
        """Shut the connection down, so that the thread that reads the body from it ends."""
        shut_down_response(self._response)

    def _open(self) -> Any:
        request = RobotsRequest(self._endpoint.url)
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
            # It is a response, too.
            return error

    def _read(self, response: Any) -> Response:
        self._response = getattr(response, "fp", None) if isinstance(response, urllib.error.HTTPError) else response
        # The opener may use a proxy.
        check_proxy_status(response.status, is_proxied=self._endpoint.scheme == "http")
        headers: Headers = decode_headers(
            (name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()
        )
        check_head(response.headers)
        builder = ResponseBuilder(self._request, response.status, headers)
        if not builder.needs_data:
            return builder.build()
        check_framing(headers)
        answer = builder.read(self._chunks(response))
        if not answer.body and not is_delimited(headers) and answer.status != _NO_CONTENT:
            # http.client accepts a head that was cut. Read as an empty file, it would allow everything.
            raise TransportError(FailureKind.INCOMPLETE, "the connection ended before the body")
        return answer

    def _chunks(self, response: Any) -> Generator[bytes]:
        while chunk := response.read1(_STEP_BYTES):
            self.deadlines.read_timeout()
            yield chunk
        if getattr(response, "length", None):
            raise TransportError(FailureKind.INCOMPLETE, "the body ended before its Content-Length")

    def _translate(self, error: Exception) -> TransportError:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        detail = (str(reason) or type(reason).__name__)[:200]
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
