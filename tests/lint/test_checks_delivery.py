"""Checks of the HTTP response and of related robots.txt files."""

import itertools

import pytest

from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import Hop
from canfetch.access.outcomes import OutcomeKind, evaluate_response, make_outcome
from canfetch.access.policies import get_policy
from canfetch.access.responses import Headers, Response
from canfetch.lint import Linter, LintInput, Severity
from canfetch.lint.analysis.deliveries import example_delivery, example_timeout
from canfetch.lint.checks.delivery import unreachable

LINTER = Linter(findings_limit=None, select=["CF8"])
PLAIN = b"User-agent: *\nDisallow: /a/\n"
URL = "https://example.com/robots.txt"
TEXT: Headers = (("Content-Type", "text/plain; charset=UTF-8"),)


def codes(given: LintInput) -> set[str]:
    return {finding.check.code for finding in LINTER.lint(given).findings}


def with_cache_control(value: str) -> CacheEntry:
    return example_delivery(headers=(*TEXT, ("cache-control", value)))


def with_content_type(value: str) -> CacheEntry:
    return example_delivery(headers=(("content-type", value),))


def redirected(*urls: str) -> CacheEntry:
    locations = (URL, *urls)
    return example_delivery(hops=tuple(Hop(one, 301, other) for one, other in itertools.pairwise(locations)))


@pytest.mark.parametrize(
    "entry, expected",
    [
        (example_delivery(headers=TEXT), set()),
        (example_delivery(500), {"CF801"}),
        (example_delivery(503, (("retry-after", "60"),)), {"CF801"}),
        (example_delivery(503, (("retry-after", "Sat, 03 Jan 1970 00:00:00 GMT"),)), {"CF801", "CF812"}),
        (example_timeout("no answer"), {"CF801"}),
        (example_delivery(404), {"CF802"}),
        (example_delivery(410), {"CF802"}),
        (example_delivery(401), {"CF808"}),
        (example_delivery(403), {"CF808"}),
        (example_delivery(429, (("retry-after", "90000"),)), {"CF808", "CF812"}),
        (example_delivery(headers=()), {"CF803"}),
        (with_content_type("application/json"), {"CF803"}),
        (with_content_type("TEXT/PLAIN"), set()),
        (with_content_type("text/html; charset=utf-8"), {"CF803"}),
        (with_content_type("text/plain; charset=windows-1252"), {"CF804"}),
        (with_content_type('text/plain; CharSet="ISO-8859-1"'), {"CF804"}),
        (with_content_type("text/plain; charset=us-ascii"), set()),
        (with_content_type("text/plain; charset"), set()),
        (with_cache_control("max-age=86401"), {"CF806"}),
        (with_cache_control("max-age=86400"), set()),
        (with_cache_control("max-age=often"), set()),
        (with_cache_control("no-store, max-age=900000"), {"CF807"}),
        (with_cache_control("no-cache"), set()),
        (
            example_delivery(
                headers=(
                    *TEXT,
                    ("date", "Thu, 01 Jan 1970 00:00:00 GMT"),
                    ("expires", "Sat, 03 Jan 1970 00:00:00 GMT"),
                )
            ),
            {"CF806"},
        ),
        (redirected("https://www.example.com/robots.txt"), set()),
        (redirected("https://example.com/en/robots.txt"), {"CF805"}),
        (redirected("https://example.com:8443/robots.txt"), {"CF805"}),
        (redirected("http://example.com/robots.txt"), {"CF805"}),
        (example_delivery(hops=(Hop("http://example.com/robots.txt", 301, URL),)), set()),
        (redirected("https://example.net/robots.txt"), {"CF805"}),
        (redirected("https://example.com/a", "https://example.com/b"), {"CF805"}),
        (redirected(*(f"https://example.com/{number}" for number in range(6))), {"CF805"}),
    ],
)
def test_response_is_reported(entry: CacheEntry, expected: set[str]) -> None:
    assert codes(LintInput(PLAIN, url=URL, delivery=entry)) == expected


@pytest.mark.parametrize("scheme, expected", [("ftp", set()), ("http", {"CF803"})])
def test_ftp_has_no_content_type(scheme: str, expected: set[str]) -> None:
    url = f"{scheme}://example.com/robots.txt"
    entry = example_delivery(headers=())._replace(url=url)
    assert codes(LintInput(PLAIN, url=url, delivery=entry)) == expected


def test_html_page_is_reported_with_any_content_type() -> None:
    assert codes(LintInput(b"<html></html>", url=URL, delivery=example_delivery())) == {"CF809"}


@pytest.mark.parametrize(
    "policy, body, expected",
    [
        ("yandex", b"<html></html>", {"CF809"}),
        ("yandex", b"%PDF-1.7", {"CF801"}),
        ("rfc9309+not_robots=unreachable", b"<html></html>", {"CF801"}),
    ],
)
def test_page_is_found_even_if_the_access_policy_does_not_keep_it(policy: str, body: bytes, expected: set[str]) -> None:
    response = Response(URL, 200, (), body)
    outcome = evaluate_response(response, get_policy(policy), max_bytes=512_000)
    entry = example_delivery()._replace(policy=policy, outcome=outcome, copy=None)
    assert codes(LintInput(b"", url=URL, delivery=entry)) == expected


@pytest.mark.parametrize("status, expected", [(206, {"CF801"}), (404, {"CF802"}), (503, {"CF801"})])
def test_failed_fetch_is_an_error_even_if_the_access_policy_then_allows_everything(
    status: int, expected: set[str]
) -> None:
    outcome = evaluate_response(Response(URL, status, (), b""), get_policy("yandex"), max_bytes=512_000)
    entry = example_delivery(status)._replace(policy="yandex", outcome=outcome, copy=None)
    assert codes(LintInput(b"", url=URL, delivery=entry)) == expected


def test_advice_about_a_503_agrees_with_the_access_policies() -> None:
    advice = unreachable.CHECK.how_to_fix
    suspended = get_policy("google").while_unreachable[1].from_seconds // 3600
    assert f"within {suspended} hours" in advice
    assert get_policy("yandex").server_error == "full-allow"
    assert "does not suspend Yandex" in advice


@pytest.mark.parametrize(
    "sibling, content, expected",
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
def test_related_file_with_other_rules_is_reported(sibling: str, content: bytes | None, expected: set[str]) -> None:
    assert codes(LintInput(PLAIN, url=URL, siblings={sibling: content})) == expected


def test_related_files_are_not_compared_without_url() -> None:
    assert codes(LintInput(PLAIN, siblings={"https://www.example.com/robots.txt": None})) == set()


@pytest.mark.parametrize(
    "urls, severity",
    [
        (["https://example.net/robots.txt"], Severity.INFO),
        ([f"https://example.com/{number}" for number in range(5)], Severity.INFO),
        ([f"https://example.com/{number}" for number in range(6)], Severity.ERROR),
    ],
)
def test_rfc9309_2_3_1_2_only_redirects_that_lead_to_no_file_are_errors(urls: list[str], severity: Severity) -> None:
    (finding,) = LINTER.lint(LintInput(b"", delivery=redirected(*urls))).findings
    assert (finding.check.code, finding.severity) == ("CF805", severity)
    assert ("lead to no file (more than 5 redirects)" in finding.message()) is (severity is Severity.ERROR)


def test_redirect_loop_is_an_error() -> None:
    policy = get_policy("rfc9309")
    outcome = make_outcome(policy, OutcomeKind.REDIRECT_OVERFLOW, f"redirect loop to {URL}")
    loop = example_delivery(302)._replace(outcome=outcome, hops=(Hop(URL, 302, URL),))
    (finding,) = LINTER.lint(LintInput(b"", delivery=loop)).findings
    assert finding.severity is Severity.ERROR
    assert finding.message().startswith(f"redirects lead to no file (redirect loop to {URL})")


@pytest.mark.slow
def test_rfc3986_3_2_1_credentials_of_redirects_are_not_reported() -> None:
    given = LintInput(b"User-agent: *\nDisallow:\n", delivery=redirected("https://us:secret@cdn.example/robots.txt"))
    (message,) = [finding.message() for finding in LINTER.lint(given).findings if finding.check.code == "CF805"]
    assert "`https://***@cdn.example/robots.txt`" in message
