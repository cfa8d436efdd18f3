"""Targets of redirects: references and repeated Location fields."""

import pytest

from canfetch.access.redirects import redirect_target
from canfetch.access.responses import Response

ROBOTS = "https://example.com/robots.txt"


def target(*locations: str, base: str = ROBOTS) -> str | None:
    return redirect_target(base, Response(base, 302, tuple(("Location", location) for location in locations), b""))


@pytest.mark.parametrize(
    "location, url",
    [
        ("/web/2020/https://example.com/robots.txt", "https://example.com/web/2020/https://example.com/robots.txt"),
        ("web/2020/https://example.com/robots.txt", "https://example.com/web/2020/https://example.com/robots.txt"),
        ("./a:b", "https://example.com/a:b"),
        ("/r#http://x", "https://example.com/r"),
        ("/r?http://x", "https://example.com/r?http://x"),
        ("https://other.example?http://x", "https://other.example?http://x"),
        ("HTTP://other.example/../a//b", "HTTP://other.example/a//b"),
        ("/..//x", "https://example.com//x"),
        ("/r, /s", "https://example.com/r, /s"),
    ],
)
def test_rfc3986_4_2_reference_may_contain_a_url(location: str, url: str) -> None:
    assert target(location) == url


def test_rfc3986_5_2_3_path_is_relative_to_a_url_without_a_path() -> None:
    assert target("r", base="https://example.com") == "https://example.com/r"
    assert target("?a", base="https://example.com") == "https://example.com?a"


@pytest.mark.parametrize(
    "location",
    [
        "http:",
        "https:",
        "HTTPS:",
        "https:#part",
        "https:?a",
        "https:/r",
        "https:r",
        "https:///r",
        "https://:443/r",
        "https://user@/r",
        "//",
        "///r",
        "//exa mple/r",
        "1a://x/r",
        ":443/r",
        "https://example.com:port/r",
    ],
)
def test_rfc9110_4_2_1_url_without_a_valid_host_is_not_a_target(location: str) -> None:
    assert target(location) is None


def test_rfc9110_10_2_2_location_has_one_value() -> None:
    assert target() is None
    assert target("/r", "/s") is None
    assert target("/r", "") is None
    assert target("/r", " /r") == "https://example.com/r"
