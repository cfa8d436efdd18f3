"""One request with requests and its response.

requests has no limit for the time of a whole request. So requests are sent in a thread that is abandoned at the
deadline.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

import requests

from canfetch.access.responses import FailureKind, Headers, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.endpoints import Endpoint, parse_endpoint
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.headers import decode_headers, encode_request_headers
from canfetch.client.transports.http_client_heads import check_framing, check_head, is_delimited
from canfetch.client.transports.http_client_sockets import shut_down_response
from canfetch.client.transports.proxies import check_proxy_status
from canfetch.client.transports.requests_errors import ERRORS, status_after_retries, translate_error
from canfetch.client.transports.requests_routes import RequestsRoute
from canfetch.client.transports.response_body import ResponseBuilder
from canfetch.client.transports.sessions import check_session_request

_STEP_BYTES: Final = 16_384
_SUCCESS: Final = 2
_NO_CONTENT: Final = 204


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
            timeout = self.deadlines.connect_timeout(), self.deadlines.read_timeout()
            try:
                response = self._route.send(prepared, timeout)
            except requests.HTTPError as error:
                if error.response is None:
                    raise
                with closing(error.response) as rejected:
                    return self._response_without_body(rejected.status_code, _headers(rejected), str(error))
            except requests.exceptions.RetryError as error:
                status = status_after_retries(error)
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
        if not builder.needs_data:
            return builder.build()
        check_framing(headers)
        if is_read:
            builder.feed(response.content)
            return builder.build()
        chunks = response.raw.stream(_STEP_BYTES, decode_content=False)
        while builder.needs_data:
            self.deadlines.read_timeout()
            chunk = next(chunks, None)
            if chunk is None:
                break
            builder.feed(chunk)
        answer = builder.build()
        if not answer.body and not is_delimited(headers) and answer.status != _NO_CONTENT:
            # http.client accepts a head that was cut. Read as an empty file, it would allow everything.
            raise TransportError(FailureKind.INCOMPLETE, "the connection ended before the body")
        return answer

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
        except ERRORS as error:
            raise translate_error(error, self.deadlines) from error


def header_pairs(response: requests.Response) -> list[tuple[str, str]]:
    """Return the headers of a response. Repeated headers stay apart."""
    # Those of requests itself are joined.
    return list(getattr(response.raw, "headers", response.headers).items())


def _headers(response: requests.Response) -> Headers:
    return decode_headers((name.encode("latin-1"), value.encode("latin-1")) for name, value in header_pairs(response))
