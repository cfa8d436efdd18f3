"""The behaviour that all transports share, down to the kind of failure."""

import asyncio
import gzip
import os
import subprocess
import sys
import zlib
from typing import Any

import pytest
from tests.servers.valid import ETAG, LARGE_BYTES, RULES
from tests.servers.web import Exchange, Site
from tests.transports.harness import LOOPBACK, SHORT_SECONDS, SYNC_NAMES, Send, make_request, transport_class

import canfetch
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import AsyncTransport
from canfetch.errors import InvalidURL

LIMIT = 512_000
WHOLE = {
    "rules": RULES,
    "bare": RULES,
    "revalidating": RULES,
    "interim": RULES,
    "chunked": RULES,
    "chunked-with-length": RULES,
    "chunked-with-bad-length": RULES,
    "bare-http-1.0": RULES,
    "odd-header": RULES,
    "form-feed": RULES,
    "equal-length-fields": RULES,
    "closing": RULES,
    "equal-lengths": RULES,
    "length-list": RULES,
    "many-fields": RULES,
    "very-many-fields": RULES,
    "slow-complete": RULES,
    "empty": b"",
    "long-body": RULES,
    "utf-16": RULES.decode().encode("utf-16"),
    "bom": b"\xef\xbb\xbf" + RULES,
    "gzip": RULES,
    "x-gzip": RULES,
    "identity": RULES,
    "gzip-members": RULES,
    "gzip-padded": RULES,
    "gzip-padded-trailing": RULES,
    "gzip-trailing": RULES,
    "deflate-trailing": RULES,
    "no-coding": RULES,
    "deflate": RULES,
    "raw-deflate": RULES,
    "br": RULES,
    "zstd": RULES,
    "gzip-empty": b"",
    "refresh": b'<meta http-equiv="refresh" content="0; url=/rules">\n',
}

# Bodies longer than the limit.
TOO_LONG = ["endless-body", "endless-chunks", "gzip-bomb", "deflate-bomb", "br-bomb", "zstd-bomb", "large"]

FAILURES = {
    FailureKind.RESET: [
        "closed",
        "reset",
        "reset-in-head",
        "reset-in-body",
        "reset-in-chunks",
        "reset-closing",
        "cut-status",
        "cut-field",
        "cut-head",
        "interim-only",
    ],
    FailureKind.INCOMPLETE: [
        "short-body",
        "cut-chunk",
        "cut-chunks",
        "cut-last-chunk",
        "late-cut-chunk",
        "late-short-body",
        "gzip-cut",
        "gzip-cut-trailer",
        "deflate-cut",
        "deflate-one",
        "br-cut",
        "zstd-cut",
    ],
    FailureKind.PROTOCOL: [
        "two-lengths",
        "bad-length",
        "negative-length",
        "bad-chunk",
        "negative-chunk",
        "long-chunk",
        "late-bad-chunk",
        "transfer-coding",
        "two-transfer-codings",
        "long-head",
        "not-http",
        "http-0.9",
        "no-colon",
        "switching",
        "endless-line",
        "endless-fields",
        "endless-interim",
        "endless-extension",
        "status-20",
        "status-2000",
        "status-099",
        "status-abc",
    ],
    FailureKind.ENCODING: [
        "gzip-wrong",
        "deflate-wrong",
        "br-wrong",
        "zstd-wrong",
        "gzip-checksum",
        "br-trailing",
        "zstd-trailing",
        "unknown-coding",
        "endless-members",
    ],
}

# Deviations of libraries, which docs/access.md lists. None of them turns a failure into a success.
HTTPX2 = {
    "chunked-with-bad-length": FailureKind.PROTOCOL,
    "missing-with-bad-length": FailureKind.PROTOCOL,
    "form-feed": FailureKind.PROTOCOL,
}
AIOHTTP = {
    "chunked-with-bad-length": FailureKind.PROTOCOL,
    "missing-with-bad-length": FailureKind.PROTOCOL,
    "equal-length-fields": FailureKind.PROTOCOL,
    "chunked-with-length": FailureKind.PROTOCOL,
    "equal-lengths": FailureKind.PROTOCOL,
    "length-list": FailureKind.PROTOCOL,
    "very-many-fields": FailureKind.PROTOCOL,
    "late-bad-chunk": FailureKind.TIMEOUT,
    "endless-interim": FailureKind.TIMEOUT,
    "endless-extension": FailureKind.TIMEOUT,
    "long-body": FailureKind.PROTOCOL,
}

DEVIATIONS = {"httpx2": HTTPX2, "httpx2-async": HTTPX2, "aiohttp": AIOHTTP}

SLOW = ["silent", "silent-body", "slow-head", "slow-body"]

STATUSES = [
    *(200, 201, 203, 205, 226, 299),
    *(300, 301, 302, 303, 305, 307, 308, 399),
    *(400, 401, 403, 404, 410, 418, 429, 451, 499),
    *(500, 502, 503, 504, 520, 599),
    *(600, 999),
]


def skip_without_decoder(label: str) -> None:
    """Skip the test if the library for the content coding is not installed."""
    library = {"br": "brotli", "zstd": "zstandard"}.get(label.partition("-")[0])
    if library is not None:
        pytest.importorskip(library)


@pytest.mark.parametrize("label", WHOLE)
def test_complete_response_is_returned(name: str, send: Send, shared_site: Site, label: str) -> None:
    skip_without_decoder(label)
    url = shared_site.url(label)
    answer = send(make_request(url))
    deviation = DEVIATIONS.get(name, {}).get(label)
    if deviation is not None:
        assert isinstance(answer, Failure)
        assert answer.kind is deviation
        return
    assert isinstance(answer, Response), answer
    assert (answer.url, answer.status, answer.body) == (url, 200, WHOLE[label])


def test_content_length_of_a_body_that_is_not_read_has_no_effect(name: str, send: Send, shared_site: Site) -> None:
    label = "missing-with-bad-length"
    answer = send(make_request(shared_site.url(label)))
    deviation = DEVIATIONS.get(name, {}).get(label)
    if deviation is not None:
        assert isinstance(answer, Failure)
        assert answer.kind is deviation
        return
    assert isinstance(answer, Response), answer
    assert answer.status == 404


@pytest.mark.parametrize("label", TOO_LONG)
def test_rfc9309_2_5_reading_stops_one_byte_past_the_limit(send: Send, shared_site: Site, label: str) -> None:
    skip_without_decoder(label)
    answer = send(make_request(shared_site.url(label)))
    assert isinstance(answer, Response), answer
    assert len(answer.body) == LIMIT + 1


def test_body_of_exactly_the_limit_is_complete(send: Send, shared_site: Site) -> None:
    answer = send(make_request(shared_site.url("large"), max_bytes=LARGE_BYTES))
    assert isinstance(answer, Response)
    assert len(answer.body) == LARGE_BYTES
    assert answer.body[599_000:].startswith(b"Disallow: /x")


def test_endless_body_is_read_only_up_to_the_limit(send: Send, site: Site) -> None:
    send(make_request(site.url("endless-body"), max_bytes=1_000))
    # The buffers of the system can take a few MiB.
    assert site.sent_bytes < 16 * 1024 * 1024


@pytest.mark.parametrize("label, kind", [(label, kind) for kind, labels in FAILURES.items() for label in labels])
def test_broken_response_is_a_failure(name: str, send: Send, shared_site: Site, label: str, kind: FailureKind) -> None:
    skip_without_decoder(label)
    kind = DEVIATIONS.get(name, {}).get(label, kind)
    url = shared_site.url(label)
    answer = send(make_request(url, timeout=SHORT_SECONDS if kind is FailureKind.TIMEOUT else 20.0))
    assert isinstance(answer, Failure), answer
    assert (answer.url, answer.kind) == (url, kind), answer
    assert answer.detail
    assert "bytearray" not in answer.detail


@pytest.mark.slow
def test_aiohttp_without_c_extensions_rejects_two_lengths(shared_site: Site) -> None:
    pytest.importorskip("aiohttp")
    program = f"""
from tests.transports.harness import make_request, open_transport
with open_transport("aiohttp") as send:
    print(send(make_request({shared_site.url("two-lengths")!r})).kind)
"""
    environment = {**os.environ, "AIOHTTP_NO_EXTENSIONS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.strip() == FailureKind.PROTOCOL, done.stderr


@pytest.mark.parametrize("label", ["closed", "reset", "cut-head", "reset-in-body", "short-body", "not-http"])
def test_failed_request_is_not_repeated(send: Send, site: Site, label: str) -> None:
    send(make_request(site.url(label)))
    assert len(site.requests) == 1


@pytest.mark.parametrize("label", SLOW)
def test_rfc9309_2_3_1_4_slow_response_exceeds_the_timeout(send: Send, shared_site: Site, label: str) -> None:
    answer = send(make_request(shared_site.url(label), timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TIMEOUT


@pytest.mark.parametrize("label", ["silent", "silent-body"])
def test_silence_exceeds_the_read_timeout(send: Send, shared_site: Site, label: str) -> None:
    answer = send(make_request(shared_site.url(label), read_timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TIMEOUT


def test_timeout_after_a_redirect_is_reported_as_configured(name: str, shared_site: Site) -> None:
    options: Any = {"user_agent": "ExampleBot/1.0", "timeout": 0.4}
    url = shared_site.robots_url("slow-redirect")

    async def access(transport: AsyncTransport) -> canfetch.AccessInfo:
        async with canfetch.AsyncClient(transport=transport, **options) as client:
            return await client.access(url)

    transport = transport_class(name)(resolve=LOOPBACK)
    if name in SYNC_NAMES:
        with canfetch.Client(transport=transport, **options) as client:
            info = client.access(url)
    else:
        info = asyncio.run(access(transport))
    assert info.explanation == "timeout: fetch not finished within 0.4 s"


@pytest.mark.parametrize("status", STATUSES)
def test_status_is_returned_unchanged(send: Send, shared_site: Site, status: int) -> None:
    answer = send(make_request(shared_site.url(f"status-{status}")))
    assert isinstance(answer, Response), answer
    assert answer.status == status
    assert answer.body == (RULES if status // 100 == 2 else b"")


@pytest.mark.parametrize("status", [204, 304])
def test_status_204_and_304_have_no_body(send: Send, shared_site: Site, status: int) -> None:
    answer = send(make_request(shared_site.url(f"status-{status}")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (status, b"")


def test_partial_content_is_returned_with_its_status(send: Send, shared_site: Site) -> None:
    answer = send(make_request(shared_site.url("status-206")))
    assert isinstance(answer, Response)
    assert (answer.status, answer.body) == (206, RULES)


def test_body_of_unsuccessful_status_is_not_read(send: Send, shared_site: Site) -> None:
    answer = send(make_request(shared_site.url("endless-missing")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (404, b"")


@pytest.mark.parametrize("label", ["loop", "itself", "chain-5", "relative"])
def test_redirect_is_not_followed(send: Send, site: Site, label: str) -> None:
    answer = send(make_request(site.url(label)))
    assert isinstance(answer, Response), answer
    assert answer.status // 100 == 3
    assert answer.header("location")
    assert len(site.requests) == 1


def test_raw_location_is_decoded_as_utf8(send: Send, shared_site: Site) -> None:
    answer = send(make_request(shared_site.url("raw-location")))
    assert isinstance(answer, Response)
    assert answer.header("location") == "/größe"


def test_repeated_headers_are_returned_separately(send: Send, site: Site) -> None:
    async def behaviour(exchange: Exchange) -> None:
        await exchange.respond(302, b"", "Location: /r,/s", "Link: </a>", "Location: /t", reason="Found")

    site.serve("/robots.txt", behaviour)
    answer = send(make_request(f"{site.origin}/robots.txt"))
    assert isinstance(answer, Response)
    assert answer.header_values("location") == ["/r,/s", "/t"]
    assert answer.first_header("location") == "/r,/s"
    assert answer.header_values("missing") == []


def test_response_headers_are_returned(send: Send, shared_site: Site) -> None:
    answer = send(make_request(shared_site.url("revalidating")))
    assert isinstance(answer, Response)
    assert answer.header("etag") == ETAG
    assert answer.header("cache-control") == "max-age=600"


def test_conditional_request_is_sent(send: Send, shared_site: Site) -> None:
    answer = send(make_request(shared_site.url("revalidating"), headers=(("If-None-Match", ETAG),)))
    assert isinstance(answer, Response)
    assert (answer.status, answer.header("etag"), answer.body) == (304, ETAG, b"")


def test_only_necessary_headers_are_added(send: Send, site: Site) -> None:
    send(
        make_request(
            f"{site.origin}/robots.txt?a=b#c", headers=(("User-Agent", "ExampleBot/1.0"), ("From", "bot@example"))
        )
    )
    (received,) = site.requests
    assert (received.method, received.target) == ("GET", "/robots.txt?a=b")
    assert received.headers["user-agent"] == "ExampleBot/1.0"
    assert received.headers["from"] == "bot@example"
    assert received.host == f"127.0.0.1:{site.port}"
    assert set(received.headers) <= {"host", "user-agent", "from", "accept", "accept-encoding", "connection"}


def test_cookies_are_not_stored(send: Send, site: Site) -> None:
    from tests.servers.valid import respond

    site.serve("/robots.txt", respond(RULES, "Set-Cookie: a=b"))
    for _ in range(2):
        send(make_request(f"{site.origin}/robots.txt"))
    assert "cookie" not in site.requests[1].headers


def test_accept_encoding_lists_the_available_codings(send: Send, shared_site: Site) -> None:
    from canfetch.client.transports.response_body import available_codings

    answer = send(make_request(shared_site.url("echo-accept-encoding")))
    assert isinstance(answer, Response)
    codings = answer.body.decode().split(", ")
    assert codings == list(available_codings())
    assert codings[:2] == ["gzip", "deflate"]


@pytest.mark.parametrize(
    "written, sent",
    [
        ("", "/"),
        ("?a", "/?a"),
        ("/a b", "/a%20b"),
        ("/größe", "/gr%C3%B6%C3%9Fe"),
        ("/%c3%b6%zz", "/%c3%b6%zz"),
        ('/"<>\\^`{|}', "/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("/a/../b/./c//d", "/a/../b/./c//d"),
        ("/a[1]?b=[2]&c='", "/a[1]?b=[2]&c='"),
    ],
)
def test_target_is_sent_unchanged_except_for_necessary_escapes(send: Send, site: Site, written: str, sent: str) -> None:
    send(make_request(f"{site.origin}{written}"))
    assert [received.target for received in site.requests] == [sent]


@pytest.mark.parametrize("value", ["a\r\nX-Injected: yes", "a\nb", "a\0b"])
def test_header_with_line_break_is_not_sent(send: Send, site: Site, value: str) -> None:
    answer = send(make_request(site.url("rules"), headers=(("User-Agent", value),)))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.PROTOCOL
    assert site.requests == []


@pytest.mark.parametrize("url", ["gopher://127.0.0.1/", "file://localhost/etc/passwd", "ws://127.0.0.1/"])
def test_other_schemes_are_a_failure(send: Send, url: str) -> None:
    answer = send(make_request(url))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.SCHEME


@pytest.mark.parametrize("url", ["http:///robots.txt", "/robots.txt", "example.com", "http://a b/", "http://[::1/"])
def test_url_without_host_raises(send: Send, url: str) -> None:
    with pytest.raises(InvalidURL):
        send(make_request(url))


def test_small_limits_hold_for_encoded_bodies(send: Send, site: Site) -> None:
    from tests.servers.encoded import encoded

    body = b"User-agent: *\n" * 1_000
    for coding, data in (("gzip", gzip.compress(body)), ("deflate", zlib.compress(body))):
        site.serve("/robots.txt", encoded(coding, lambda data=data: data))  # type: ignore[misc]
        for limit in (0, 1, 100, len(body) - 1, len(body)):
            answer = send(make_request(f"{site.origin}/robots.txt", max_bytes=limit))
            assert isinstance(answer, Response)
            assert answer.body == body[: limit + 1]
