"""Checks of delivery: edges at which they speak, and edges at which they do not."""

import itertools

import pytest

from canfetch.access.entries import Entry
from canfetch.access.fetch_plan import Hop
from canfetch.access.responses import FailureKind, Headers
from canfetch.lint import Given, Linter
from canfetch.lint.analysis.deliveries import answered, unanswered

LINTER = Linter(findings_limit=None, select=["CF8"])
PLAIN = b"User-agent: *\nDisallow: /a/\n"
URL = "https://example.com/robots.txt"
TEXT: Headers = (("Content-Type", "text/plain; charset=UTF-8"),)


def codes(given: Given) -> set[str]:
    return {finding.check.code for finding in LINTER.lint(given).findings}


def cached(value: str) -> Entry:
    return answered(headers=(*TEXT, ("cache-control", value)))


def typed(value: str) -> Entry:
    return answered(headers=(("content-type", value),))


def hopping(*urls: str) -> Entry:
    places = (URL, *urls)
    return answered(hops=tuple(Hop(one, 301, other) for one, other in itertools.pairwise(places)))


@pytest.mark.parametrize(
    "entry, wanted",
    [
        (answered(headers=TEXT), set()),
        (answered(500), {"CF801"}),
        (answered(503, (("retry-after", "60"),)), {"CF801"}),
        (answered(503, (("retry-after", "Sat, 03 Jan 1970 00:00:00 GMT"),)), {"CF801", "CF812"}),
        (unanswered(FailureKind.NAME, "no address"), {"CF801"}),
        (answered(404), {"CF802"}),
        (answered(410), {"CF802"}),
        (answered(401), {"CF808"}),
        (answered(403), {"CF808"}),
        (answered(429, (("retry-after", "90000"),)), {"CF808", "CF812"}),
        (answered(headers=()), {"CF803"}),
        (typed("application/json"), {"CF803"}),
        (typed("TEXT/PLAIN"), set()),
        (typed("text/html; charset=utf-8"), {"CF809"}),
        (typed("text/plain; charset=windows-1252"), {"CF804"}),
        (typed('text/plain; CharSet="ISO-8859-1"'), {"CF804"}),
        (typed("text/plain; charset=us-ascii"), set()),
        (typed("text/plain; charset"), set()),
        (cached("max-age=86401"), {"CF806"}),
        (cached("max-age=86400"), set()),
        (cached("max-age=often"), set()),
        (cached("no-store, max-age=900000"), {"CF807"}),
        (cached("no-cache"), set()),
        (
            answered(
                headers=(
                    *TEXT,
                    ("date", "Thu, 01 Jan 1970 00:00:00 GMT"),
                    ("expires", "Sat, 03 Jan 1970 00:00:00 GMT"),
                )
            ),
            {"CF806"},
        ),
        (hopping("https://www.example.com/robots.txt"), set()),
        (hopping("https://example.com/en/robots.txt"), {"CF805"}),
        (hopping("https://example.com:8443/robots.txt"), {"CF805"}),
        (hopping("http://example.com/robots.txt"), {"CF805"}),
        (answered(hops=(Hop("http://example.com/robots.txt", 301, URL),)), set()),
        (hopping("https://example.net/robots.txt"), {"CF805"}),
        (hopping("https://example.com/a", "https://example.com/b"), {"CF805"}),
        (hopping(*(f"https://example.com/{number}" for number in range(6))), {"CF805"}),
    ],
)
def test_answers(entry: Entry, wanted: set[str]) -> None:
    assert codes(Given(PLAIN, url=URL, delivery=entry)) == wanted


def test_a_page_is_told_whatever_its_type() -> None:
    assert codes(Given(b"<html></html>", url=URL, delivery=answered())) == {"CF809"}


@pytest.mark.parametrize(
    "sibling, octets, wanted",
    [
        ("http://example.com/robots.txt", b"User-agent: *\nDisallow: /b/\n", {"CF810"}),
        ("http://example.com/robots.txt", None, {"CF810"}),
        ("http://example.com/robots.txt", b"# same\n" + PLAIN, set()),
        ("https://www.example.com/robots.txt", b"", {"CF811"}),
        ("https://www.example.com/robots.txt", PLAIN, set()),
        ("https://shop.example.com/robots.txt", b"", set()),
        ("no url", b"", set()),
    ],
)
def test_siblings(sibling: str, octets: bytes | None, wanted: set[str]) -> None:
    assert codes(Given(PLAIN, url=URL, siblings={sibling: octets})) == wanted


def test_without_a_url_nothing_is_compared() -> None:
    assert codes(Given(PLAIN, siblings={"https://www.example.com/robots.txt": None})) == set()
