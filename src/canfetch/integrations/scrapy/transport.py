"""A transport that sends the requests of a client through the downloader of a Scrapy crawl.

So the crawl's proxies, TLS settings, name resolution, retries and custom middlewares apply to robots.txt as well, and
the client adds its procedure: redirects, expiry, the access policy, the store and one fetch at a time for each origin.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.options import Options
from canfetch.client.request_headers import has_credentials, is_foreign
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.endpoints import parse_endpoint
from canfetch.client.transports.failures import REQUEST_ERRORS, TransportError, request_failure
from canfetch.client.transports.headers import decode_headers
from canfetch.client.transports.proxies import check_proxy_status
from canfetch.client.transports.response_body import ResponseBuilder
from canfetch.core.origin import find_origin
from canfetch.errors import InvalidOption

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response as ScrapyResponse

# The key of the robots.txt requests in `Request.meta`.
ROBOTS_REQUEST_KEY: Final = "canfetch_robots_request"
_PRIORITY: Final = 1000
# A download stops this many bytes past the size limit. An encoded body is hardly longer than the decoded one.
_EXTRA_BYTES: Final = 65_536
# A body that is decoded to more bytes is a failure, because Scrapy cannot decode only its beginning.
_MAX_DECODED_FACTOR: Final = 32
_SCHEMES: Final = ("http", "https")
# Exceptions of Scrapy and Twisted by name: earlier releases of Scrapy have only those of Twisted.
_FAILURE_KINDS: Final = {
    "CannotResolveHostError": FailureKind.DNS,
    "DNSLookupError": FailureKind.DNS,
    "DownloadConnectionRefusedError": FailureKind.CONNECT,
    "ConnectError": FailureKind.CONNECT,
    "DownloadTimeoutError": FailureKind.TIMEOUT,
    "TimeoutError": FailureKind.TIMEOUT,
    "TCPTimedOutError": FailureKind.TIMEOUT,
    "ResponseDataLossError": FailureKind.INCOMPLETE,
    "_DataLoss": FailureKind.INCOMPLETE,
    "DownloadFailedError": FailureKind.RESET,
    "ResponseFailed": FailureKind.RESET,
    "ConnectionLost": FailureKind.RESET,
    "ConnectionDone": FailureKind.RESET,
    "UnsupportedURLSchemeError": FailureKind.SCHEME,
    "NotSupported": FailureKind.SCHEME,
}
_TLS_LIBRARIES: Final = frozenset({"OpenSSL", "ssl", "service_identity"})


class DownloaderTransport:
    """Send requests through the downloader of a crawl, on its event loop.

    Args: crawler: The crawl.
    """

    route = Route(_SCHEMES, "those of Scrapy")

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._downloads = 0
        names = crawler.settings.getdict("DEFAULT_REQUEST_HEADERS")
        self._credentials = [str(name) for name in names if has_credentials(str(name))]

    def adds_credentials(self, url: str) -> bool:  # noqa: ARG002 - the same for all URLs
        """Return whether settings of the crawl add headers with credentials. What other middlewares add is unknown."""
        settings, spider = self._crawler.settings, self._crawler.spider
        # Scrapy before 2.19 has no such settings.
        values = [*map(settings.get, ("HTTPAUTH_USER", "HTTPAUTH_PASS"))]
        values += [getattr(spider, name, None) for name in ("http_user", "http_pass")]
        return bool(self._credentials) or any(values)

    def check_options(self, options: Options) -> None:
        """Check that the options of a client can be guaranteed.

        Raises: InvalidOption: Private addresses are forbidden. Scrapy does not report addresses before connecting.
        """
        if not options.allow_private:
            raise InvalidOption("invalid allow_private False: the addresses that Scrapy connects to cannot be checked")

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request for an http or https URL.

        Raises: InvalidURL: The URL is invalid or has no host.
        """
        deadline = asyncio.timeout(request.timeout)
        try:
            converted = _to_scrapy(request, self._credentials)
            async with deadline:
                response = await self._download(converted)
            return self._build_response(request, response)
        except TimeoutError as error:
            detail = f"not finished within {request.timeout:g} s" if deadline.expired() else str(error)
            return Failure(request.url, FailureKind.TIMEOUT, detail)
        except REQUEST_ERRORS as error:
            return request_failure(error, request.url)

    async def close(self) -> None:
        """Do nothing: the crawl closes its downloader."""

    async def _download(self, request: Request) -> "ScrapyResponse":
        stats = self._crawler.stats
        assert stats is not None
        if not self._downloads:
            # Sent for the downloads of pages as well, which is slow.
            self._crawler.signals.connect(self._bytes_received, signal=signals.bytes_received)
        self._downloads += 1
        stats.inc_value("robotstxt/request_count")
        try:
            response = await self._send_to_engine(request)
        except TimeoutError:
            raise
        except Exception as error:
            if not isinstance(error, IgnoreRequest):
                stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            raise _classify(error) from error
        finally:
            self._downloads -= 1
            if not self._downloads:
                self._crawler.signals.disconnect(self._bytes_received, signal=signals.bytes_received)
        stats.inc_value("robotstxt/response_count")
        stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        return response

    async def _send_to_engine(self, request: Request) -> "ScrapyResponse":
        engine: Any = self._crawler.engine
        assert engine is not None
        if hasattr(engine, "download_async"):
            response: ScrapyResponse = await engine.download_async(request)
        else:
            # Scrapy before 2.14.
            response = await maybe_deferred_to_future(engine.download(request))
        return response

    @staticmethod
    def _build_response(request: TransportRequest, response: "ScrapyResponse") -> Response:
        # A downloader middleware may have set a proxy.
        check_proxy_status(response.status, is_proxied=parse_endpoint(request.url).scheme == "http")
        headers = decode_headers((name, value) for name, values in response.headers.items() for value in values)
        # Bodies are only encoded if COMPRESSION_ENABLED is False, or if Scrapy does not support their coding.
        builder = ResponseBuilder(request, response.status, headers)
        builder.feed(response.body)
        return builder.build()

    def _bytes_received(self, data: bytes, request: Request) -> None:
        limit = request.meta.get(ROBOTS_REQUEST_KEY)
        if isinstance(limit, _BodyLimit) and limit.is_exceeded(request, len(data)):
            raise StopDownload(fail=False)


class _BodyLimit:
    """The size limit of one download. A retried request, which is another object, starts again."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._request: Request | None = None
        self._received = 0

    def is_exceeded(self, request: Request, size: int) -> bool:
        if request is not self._request:
            self._request, self._received = request, 0
        self._received += size
        return self._received > self._max_bytes


def is_cross_origin(request: Request, url: str) -> bool:
    """Return whether a redirect led from a request of the spider to a URL of another origin."""
    redirected: Sequence[str] = request.meta.get("redirect_urls", ())
    return bool(redirected) and is_foreign(url, [find_origin(redirected[0])])


def _to_scrapy(request: TransportRequest, credentials: Sequence[str]) -> Request:
    """Return the request of Scrapy.

    Args: credentials: The names of headers with credentials that Scrapy adds to requests.
    Raises: InvalidURL; TransportError: The scheme, the port or the host is not supported.
    """
    # Scrapy adds no header that a request has, also without a value.
    removed = ("Authorization", *credentials) if request.cross_origin else ()
    return Request(
        # As other transports send it, which is what a signature covers.
        parse_endpoint(request.url).url,
        callback=NO_CALLBACK,
        # Scrapy decodes whole bodies, so an encoded one could take any amount of memory.
        headers=[*request.headers, ("Accept-Encoding", "identity"), *((name, None) for name in removed)],
        priority=_PRIORITY,
        dont_filter=True,
        meta={
            ROBOTS_REQUEST_KEY: _BodyLimit(request.max_bytes + _EXTRA_BYTES),
            "allow_offsite": True,
            "autothrottle_dont_adjust_delay": True,
            "dont_cache": True,
            "dont_merge_cookies": True,
            "dont_obey_robotstxt": True,
            "dont_redirect": True,
            "download_fail_on_dataloss": True,
            "download_maxsize": _MAX_DECODED_FACTOR * request.max_bytes,
            # Not the slot of the pages, because the file would wait behind the queued pages.
            "download_slot": f"robots.txt: {request.url}",
            "download_timeout": request.timeout,
        },
    )


def _classify(error: Exception) -> TransportError:
    """Return the failure that an exception of Scrapy, Twisted or a middleware means."""
    description = str(error) or type(error).__name__
    if isinstance(error, IgnoreRequest):
        return TransportError(FailureKind.PROTOCOL, f"a middleware dropped the request: {description}")
    if any(type(cause).__module__.partition(".")[0] in _TLS_LIBRARIES for cause in _causes(error)):
        return TransportError(FailureKind.TLS, description)
    for cause in _causes(error):
        for base in type(cause).__mro__:
            kind = _FAILURE_KINDS.get(base.__name__)
            if kind is not None:
                return TransportError(kind, description)
    return TransportError(FailureKind.PROTOCOL, f"{type(error).__name__}: {description}")


def _causes(error: BaseException) -> list[BaseException]:
    """Return an exception and those that caused it."""
    causes: list[BaseException] = []
    pending: list[BaseException | None] = [error]
    while pending:
        cause = pending.pop()
        if cause is None or cause in causes:
            continue
        causes.append(cause)
        # Twisted lists the reasons of a failed response.
        reasons = [getattr(reason, "value", None) for reason in getattr(cause, "reasons", None) or ()]
        pending += [*(reason for reason in reasons if isinstance(reason, BaseException)), cause.__cause__]
    return causes
