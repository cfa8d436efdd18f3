"""What every transport must do with every server: the same, to the kind of failure."""

import gzip
import zlib

import pytest
from tests.servers.proper import ETAG, LARGE_OCTETS, RULES
from tests.servers.web import Site
from tests.transports.faces import Ask, asking

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.errors import InvalidURL

LIMIT = 512_000
SHORT_SECONDS = 0.15

WHOLE = {
    "rules": RULES,
    "bare": RULES,
    "revalidating": RULES,
    "interim": RULES,
    "chunked": RULES,
    "closing": RULES,
    "slow-enough": RULES,
    "empty": b"",
    "long-body": RULES,
    "utf-16": RULES.decode().encode("utf-16"),
    "bom": b"\xef\xbb\xbf" + RULES,
    "gzip": RULES,
    "x-gzip": RULES,
    "identity": RULES,
    "gzip-members": RULES,
    "deflate": RULES,
    "raw-deflate": RULES,
    "br": RULES,
    "zstd": RULES,
    "gzip-empty": b"",
    "refresh": b'<meta http-equiv="refresh" content="0; url=/rules">\n',
}

# Each ends at the limit, whatever there was to come.
CUT = ["endless-body", "endless-chunks", "gzip-bomb", "deflate-bomb", "br-bomb", "zstd-bomb", "large"]

FAILURES = {
    FailureKind.RESET: [
        "closed",
        "reset",
        "reset-in-head",
        "reset-in-body",
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
        "gzip-trailing",
        "deflate-trailing",
        "br-trailing",
        "zstd-trailing",
        "twice-coded",
        "unknown-coding",
        "endless-members",
    ],
}

# Where aiohttp sees less; its module says so. None of them is ever a success that was none.
AIOHTTP = {
    "reset-in-body": FailureKind.INCOMPLETE,
    "late-bad-chunk": FailureKind.TIMEOUT,
    "endless-interim": FailureKind.TIMEOUT,
    "endless-extension": FailureKind.TIMEOUT,
    "long-body": FailureKind.PROTOCOL,
}

LATE = ["silent", "silent-body", "slow-head", "slow-body"]

STATUSES = [
    *(200, 201, 203, 205, 226, 299),
    *(300, 301, 302, 303, 305, 307, 308, 399),
    *(400, 401, 403, 404, 410, 418, 429, 451, 499),
    *(500, 502, 503, 504, 520, 599),
    *(600, 999),
]


def need_decoder(label: str) -> None:
    """Skip what is in a coding that is not installed here."""
    library = {"br": "brotli", "zstd": "zstandard"}.get(label.partition("-")[0])
    if library is not None:
        pytest.importorskip(library)


@pytest.mark.parametrize("label", WHOLE)
def test_whole_answers_come_whole(name: str, ask: Ask, shared_site: Site, label: str) -> None:
    need_decoder(label)
    url = shared_site.url(label)
    answer = ask(asking(url))
    if name == "aiohttp" and label in AIOHTTP:
        assert isinstance(answer, Failure)
        assert answer.kind is AIOHTTP[label]
        return
    assert isinstance(answer, Response), answer
    assert (answer.url, answer.status, answer.body) == (url, 200, WHOLE[label])


@pytest.mark.parametrize("label", CUT)
def test_rfc9309_2_5_reading_stops_one_octet_past_the_limit(ask: Ask, shared_site: Site, label: str) -> None:
    need_decoder(label)
    answer = ask(asking(shared_site.url(label)))
    assert isinstance(answer, Response), answer
    assert len(answer.body) == LIMIT + 1


def test_limit_itself_is_no_cut(ask: Ask, shared_site: Site) -> None:
    answer = ask(asking(shared_site.url("large"), max_bytes=LARGE_OCTETS))
    assert isinstance(answer, Response)
    assert len(answer.body) == LARGE_OCTETS
    assert answer.body[599_000:].startswith(b"Disallow: /x")


def test_endless_body_is_left_soon(ask: Ask, site: Site) -> None:
    ask(asking(site.url("endless-body"), max_bytes=1_000))
    # What the system's buffers take, and no more: tens of MiB would be a client that reads on.
    assert site.sent_octets < 16 * 1024 * 1024


@pytest.mark.parametrize("label, kind", [(label, kind) for kind, labels in FAILURES.items() for label in labels])
def test_broken_answers_are_failures(name: str, ask: Ask, shared_site: Site, label: str, kind: FailureKind) -> None:
    need_decoder(label)
    if name == "aiohttp":
        kind = AIOHTTP.get(label, kind)
    url = shared_site.url(label)
    answer = ask(asking(url, timeout=SHORT_SECONDS if kind is FailureKind.TIMEOUT else 20.0))
    assert isinstance(answer, Failure), answer
    assert (answer.url, answer.kind) == (url, kind), answer
    assert answer.detail


@pytest.mark.parametrize("label", ["closed", "reset", "cut-head", "reset-in-body", "short-body", "not-http"])
def test_nobody_is_asked_twice(ask: Ask, site: Site, label: str) -> None:
    ask(asking(site.url(label)))
    assert len(site.asked) == 1


@pytest.mark.parametrize("label", LATE)
def test_rfc9309_2_3_1_4_late_answers_end_by_the_total(ask: Ask, shared_site: Site, label: str) -> None:
    answer = ask(asking(shared_site.url(label), timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TIMEOUT


@pytest.mark.parametrize("label", ["silent", "silent-body"])
def test_silence_ends_by_the_read_time_out(ask: Ask, shared_site: Site, label: str) -> None:
    answer = ask(asking(shared_site.url(label), read_timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure), answer
    assert answer.kind is FailureKind.TIMEOUT


@pytest.mark.parametrize("status", STATUSES)
def test_every_status_comes_as_it_is(ask: Ask, shared_site: Site, status: int) -> None:
    answer = ask(asking(shared_site.url(f"status-{status}")))
    assert isinstance(answer, Response), answer
    assert answer.status == status
    assert answer.body == (RULES if status // 100 == 2 else b"")


@pytest.mark.parametrize("status", [204, 304])
def test_statuses_without_body_have_none(ask: Ask, shared_site: Site, status: int) -> None:
    answer = ask(asking(shared_site.url(f"status-{status}")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (status, b"")


def test_partial_content_comes_with_its_status(ask: Ask, shared_site: Site) -> None:
    answer = ask(asking(shared_site.url("status-206")))
    assert isinstance(answer, Response)
    assert (answer.status, answer.body) == (206, RULES)


def test_body_of_a_failure_status_is_not_waited_for(ask: Ask, shared_site: Site) -> None:
    answer = ask(asking(shared_site.url("endless-missing")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (404, b"")


@pytest.mark.parametrize("label", ["loop", "itself", "chain-5", "relative"])
def test_rfc9309_2_3_1_2_redirects_are_not_followed_here(ask: Ask, site: Site, label: str) -> None:
    answer = ask(asking(site.url(label)))
    assert isinstance(answer, Response), answer
    assert answer.status // 100 == 3
    assert answer.header("location")
    assert len(site.asked) == 1


def test_raw_location_is_read_as_utf_8(ask: Ask, shared_site: Site) -> None:
    answer = ask(asking(shared_site.url("raw-location")))
    assert isinstance(answer, Response)
    assert answer.header("location") == "/größe"


def test_headers_of_the_answer_come_along(ask: Ask, shared_site: Site) -> None:
    answer = ask(asking(shared_site.url("revalidating")))
    assert isinstance(answer, Response)
    assert answer.header("etag") == ETAG
    assert answer.header("cache-control") == "max-age=600"


def test_conditions_reach_the_server(ask: Ask, shared_site: Site) -> None:
    answer = ask(asking(shared_site.url("revalidating"), headers=(("If-None-Match", ETAG),)))
    assert isinstance(answer, Response)
    assert (answer.status, answer.header("etag"), answer.body) == (304, ETAG, b"")


def test_request_says_what_the_caller_says_and_little_else(ask: Ask, site: Site) -> None:
    ask(asking(f"{site.origin}/robots.txt?a=b#c", headers=(("User-Agent", "ExampleBot/1.0"), ("From", "bot@example"))))
    (asked,) = site.asked
    assert (asked.method, asked.target) == ("GET", "/robots.txt?a=b")
    assert asked.headers["user-agent"] == "ExampleBot/1.0"
    assert asked.headers["from"] == "bot@example"
    assert asked.host == f"127.0.0.1:{site.port}"
    assert set(asked.headers) <= {"host", "user-agent", "from", "accept", "accept-encoding", "connection"}


def test_cookies_are_not_kept(ask: Ask, site: Site) -> None:
    from tests.servers.proper import saying

    site.serve("/robots.txt", saying(RULES, "Set-Cookie: a=b"))
    for _ in range(2):
        ask(asking(f"{site.origin}/robots.txt"))
    assert "cookie" not in site.asked[1].headers


def test_codings_that_are_asked_for_can_be_decoded(ask: Ask, shared_site: Site) -> None:
    from canfetch.client.transports.codings import codings

    answer = ask(asking(shared_site.url("as-asked")))
    assert isinstance(answer, Response)
    named = answer.body.decode().split(", ")
    assert named == list(codings())
    assert named[:2] == ["gzip", "deflate"]


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
def test_target_is_sent_as_written_where_it_can_be(ask: Ask, site: Site, written: str, sent: str) -> None:
    ask(asking(f"{site.origin}{written}"))
    assert [asked.target for asked in site.asked] == [sent]


@pytest.mark.parametrize("value", ["a\r\nX-Injected: yes", "a\nb", "a\0b"])
def test_header_with_a_line_end_is_not_sent(ask: Ask, site: Site, value: str) -> None:
    answer = ask(asking(site.url("rules"), headers=(("User-Agent", value),)))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.PROTOCOL
    assert site.asked == []


@pytest.mark.parametrize("url", ["gopher://127.0.0.1/", "file://localhost/etc/passwd", "ws://127.0.0.1/"])
def test_other_schemes_are_not_spoken(ask: Ask, url: str) -> None:
    answer = ask(asking(url))
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.SCHEME


@pytest.mark.parametrize("url", ["http:///robots.txt", "/robots.txt", "example.com", "http://a b/", "http://[::1/"])
def test_url_without_a_host_is_the_callers_mistake(ask: Ask, url: str) -> None:
    with pytest.raises(InvalidURL):
        ask(asking(url))


def test_small_limits_hold_for_coded_bodies(ask: Ask, site: Site) -> None:
    from tests.servers.coded import coded

    body = b"User-agent: *\n" * 1_000
    for coding, octets in (("gzip", gzip.compress(body)), ("deflate", zlib.compress(body))):
        site.serve("/robots.txt", coded(coding, lambda octets=octets: octets))  # type: ignore[misc]
        for limit in (0, 1, 100, len(body) - 1, len(body)):
            answer = ask(asking(f"{site.origin}/robots.txt", max_bytes=limit))
            assert isinstance(answer, Response)
            assert answer.body == body[: limit + 1]
