"""`DownloaderTransport`, with engines that answer or fail in every way."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
import scrapy.exceptions
from scrapy import Request
from scrapy.downloadermiddlewares.defaultheaders import DefaultHeadersMiddleware
from scrapy.http import Response as ScrapyResponse
from tests.integrations.scrapy.crawlers import make_crawler, since_2_18
from twisted.internet import error
from twisted.internet.defer import Deferred, succeed
from twisted.python import failure as twisted_failure
from twisted.web import client as twisted_client

from canfetch import AsyncClient
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.integrations.scrapy.transport import DownloaderTransport

URL = "https://example.com/robots.txt"
ASKED = TransportRequest(URL, (("User-Agent", "ExampleBot/1.0"),), 512_000, 5.0, 5.0, 5.0, allow_private=True)

# Modules without types.
TWISTED_ERRORS: Any = error
TWISTED_CLIENT: Any = twisted_client
TWISTED_FAILURE: Any = twisted_failure

Download = Callable[[Request], Awaitable[ScrapyResponse]]


def send(download: Download, request: TransportRequest = ASKED, crawler: Any = None) -> Response | Failure:
    crawler = make_crawler() if crawler is None else crawler
    crawler.engine = SimpleNamespace(download_async=download)
    return asyncio.run(DownloaderTransport(crawler).send(request))


def answering(*arguments: Any, **keywords: Any) -> Download:
    async def download(request: Request) -> ScrapyResponse:
        return ScrapyResponse(request.url, *arguments, **keywords)

    return download


def raising(raised: BaseException) -> Download:
    async def download(_request: Request) -> ScrapyResponse:
        raise raised

    return download


def caused(raised: Exception, cause: Exception) -> Exception:
    raised.__cause__ = cause
    return raised


class TLSError(Exception):
    """Looks like an error of OpenSSL."""

    __module__ = "OpenSSL.SSL"


def test_response() -> None:
    answer = send(answering(status=200, body=b"Disallow: /", headers={"Cache-Control": "max-age=9", "X": ["1", "2"]}))
    assert isinstance(answer, Response)
    assert (answer.url, answer.status, answer.body) == (URL, 200, b"Disallow: /")
    assert answer.first_header("cache-control") == "max-age=9"
    assert answer.header_values("x") == ["1", "2"]


def test_bodies_of_errors_are_not_read() -> None:
    answer = send(answering(status=404, body=b"Disallow: /"))
    assert isinstance(answer, Response)
    assert (answer.status, answer.body) == (404, b"")


def test_body_is_cut_after_the_limit() -> None:
    answer = send(answering(body=b"#" * 700_000))
    assert isinstance(answer, Response)
    assert len(answer.body) == 512_001


def test_encoded_body_is_decoded_if_scrapy_does_not() -> None:
    answer = send(answering(body=gzip.compress(b"Allow: /"), headers={"Content-Encoding": "gzip"}))
    assert isinstance(answer, Response)
    assert answer.body == b"Allow: /"
    failed = send(answering(body=b"x", headers={"Content-Encoding": "compress"}))
    assert isinstance(failed, Failure)
    assert failed.kind is FailureKind.ENCODING


def scrapy_error(name: str, message: str) -> Exception:
    """Return an exception of Scrapy. Releases before 2.15 do not have all of them."""
    kind = getattr(scrapy.exceptions, name, None) or type(name, (Exception,), {})
    raised: Exception = kind(message)
    return raised


EXCEPTIONS = {
    "dns": (scrapy_error("CannotResolveHostError", "no such host"), FailureKind.DNS, "no such host"),
    "refused": (scrapy_error("DownloadConnectionRefusedError", "refused"), FailureKind.CONNECT, "refused"),
    "timeout": (scrapy_error("DownloadTimeoutError", "took too long"), FailureKind.TIMEOUT, "took too long"),
    "builtin timeout": (TimeoutError("slow"), FailureKind.TIMEOUT, "slow"),
    "failed": (scrapy_error("DownloadFailedError", "lost"), FailureKind.RESET, "lost"),
    "data loss": (scrapy_error("ResponseDataLossError", "cut"), FailureKind.INCOMPLETE, "cut"),
    "scheme": (scrapy_error("UnsupportedURLSchemeError", "ftp"), FailureKind.SCHEME, "ftp"),
    "twisted dns": (TWISTED_ERRORS.DNSLookupError("none"), FailureKind.DNS, "none"),
    "twisted refused": (TWISTED_ERRORS.ConnectionRefusedError("no"), FailureKind.CONNECT, "no"),
    "twisted timeout": (TWISTED_ERRORS.TimeoutError("late"), FailureKind.TIMEOUT, "late"),
    "tls": (
        caused(scrapy_error("DownloadFailedError", "bad certificate"), TLSError("x")),
        FailureKind.TLS,
        "bad certificate",
    ),
    "twisted tls": (
        TWISTED_CLIENT.ResponseFailed([TWISTED_FAILURE.Failure(TLSError("x"))]),
        FailureKind.TLS,
        "TLSError",
    ),
    "dropped": (
        scrapy.exceptions.IgnoreRequest("too big"),
        FailureKind.PROTOCOL,
        "a middleware dropped the request: too big",
    ),
    "middleware": (KeyError("proxy"), FailureKind.PROTOCOL, "KeyError: 'proxy'"),
}


def test_login_of_a_proxy_is_no_status_of_the_site() -> None:
    for status in (407, 403):
        answer = send(answering(status=status), ASKED._replace(url=URL.replace("https:", "http:")))
        assert isinstance(answer, Failure if status == 407 else Response)
        assert not isinstance(answer, Failure) or answer.kind is FailureKind.CONNECT
        # The response of a proxy to CONNECT is an exception of Scrapy.
        assert isinstance(send(answering(status=status)), Response)


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_exceptions_are_failures(name: str) -> None:
    raised, kind, detail = EXCEPTIONS[name]
    crawler = make_crawler()
    failure = send(raising(raised), crawler=crawler)
    assert isinstance(failure, Failure)
    assert failure.kind is kind
    assert detail in failure.detail
    stats = crawler.stats.get_stats()
    counted = 0 if name in ("dropped", "builtin timeout") else 1
    assert stats.get(f"robotstxt/exception_count/{type(raised)}", 0) == counted
    assert stats["robotstxt/request_count"] == 1


def test_download_is_cancelled_at_the_timeout() -> None:
    cancelled: list[bool] = []

    async def download(_request: Request) -> ScrapyResponse:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cancelled.append(True)
        raise AssertionError

    answer = send(download, ASKED._replace(timeout=0.01))
    assert answer == Failure(URL, FailureKind.TIMEOUT, "not finished within 0.01 s")
    assert cancelled == [True]


def test_request_bypasses_cookies_redirects_caches_and_the_slot_of_the_pages() -> None:
    requests: list[Request] = []

    async def download(request: Request) -> ScrapyResponse:
        requests.append(request)
        return ScrapyResponse(request.url)

    send(download)
    (request,) = requests
    assert request.headers.get("User-Agent") == b"ExampleBot/1.0"
    assert request.dont_filter
    for key in ("allow_offsite", "dont_cache", "dont_merge_cookies", "dont_obey_robotstxt", "dont_redirect"):
        assert request.meta[key] is True
    assert request.meta["download_slot"] == f"robots.txt: {URL}"
    assert request.meta["download_timeout"] == 5


@pytest.mark.parametrize(
    "settings, adds",
    [
        ({}, False),
        ({"DEFAULT_REQUEST_HEADERS": {"Accept": "text/html"}}, False),
        ({"DEFAULT_REQUEST_HEADERS": {"Authorization": "Bearer secret", "X-Api-Key": "secret"}}, True),
        ({"HTTPAUTH_USER": "user", "HTTPAUTH_DOMAIN": "example.com"}, True),
    ],
    ids=["nothing", "other", "headers", "authentication"],
)
def test_scrapy_adds_no_credentials_for_another_origin(settings: dict[str, Any], *, adds: bool) -> None:
    requests: list[Request] = []

    async def download(request: Request) -> ScrapyResponse:
        DefaultHeadersMiddleware.from_crawler(crawler).process_request(request)
        requests.append(request)
        return ScrapyResponse(request.url)

    crawler = make_crawler(settings)
    assert DownloaderTransport(crawler).adds_credentials(URL) is adds
    for cross_origin in (False, True):
        send(download, ASKED._replace(cross_origin=cross_origin), crawler)
    named, foreign = requests
    default = settings.get("DEFAULT_REQUEST_HEADERS", {})
    assert named.headers.get("Authorization") == (b"Bearer secret" if "Authorization" in default else None)
    assert [foreign.headers.get(name) for name in ("Authorization", "X-Api-Key")] == [None, None]
    # HttpAuthMiddleware leaves a header that exists.
    assert b"Authorization" in foreign.headers


def test_other_schemes_are_not_sent() -> None:
    answer = send(raising(AssertionError()), ASKED._replace(url="ftp://example.com/robots.txt"))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.SCHEME
    with pytest.raises(InvalidURL):
        send(raising(AssertionError()), ASKED._replace(url="/robots.txt"))


def test_private_addresses_cannot_be_forbidden() -> None:
    with pytest.raises(InvalidOption, match="Scrapy connects to cannot be checked"):
        AsyncClient(user_agent="ExampleBot/1.0", transport=DownloaderTransport(make_crawler()), allow_private=False)


@pytest.mark.slow
@since_2_18  # Earlier releases need a reactor.
def test_engine_of_earlier_releases() -> None:
    crawler = make_crawler()

    def download(request: Request) -> "Deferred[ScrapyResponse]":
        return succeed(ScrapyResponse(request.url, body=b"Allow: /"))

    crawler.engine = SimpleNamespace(download=download)
    answer = asyncio.run(DownloaderTransport(crawler).send(ASKED))
    assert isinstance(answer, Response)
    assert answer.body == b"Allow: /"
