"""Hosts of requests, and the patterns that they match."""

import pytest

from canfetch.author.hosts import parse_host, parse_host_pattern
from canfetch.errors import InvalidOption


@pytest.mark.parametrize(
    "field, name, port",
    [
        ("example.com", "example.com", None),
        ("Example.COM.:080", "example.com", 80),
        ("[::1]:1", "[::1]", 1),
        ("192.0.2.1", "192.0.2.1", None),
        ("example.com:99999", "example.com", None),
        ("[::1]:x", "[::1]", None),
    ],
)
def test_host(field: str, name: str, port: int | None) -> None:
    assert parse_host(field) == (name, port)


@pytest.mark.parametrize(
    "pattern, matching, others",
    [
        (
            "www.example.com",
            ["www.example.com", "WWW.Example.com.", "www.example.com:8080"],
            ["example.com", "", ".", "*"],
        ),
        ("localhost:8000", ["localhost:8000", "LOCALHOST:08000"], ["localhost", "localhost:80"]),
        (
            "*.example.com",
            ["a.example.com", "b.a.example.com:8000"],
            [
                "example.com",
                ".example.com",
                "a.example.com.evil.example",
                "aexample.com",
                "a,www.example.com",
                "a b.example.com",
            ],
        ),
        ("PR-*.example.com", ["pr-1.example.com", "pr-a-b.example.com"], ["pr-.example.com", "pr-1.a.example.com"]),
        ("*--site.example", ["7--site.example"], ["--site.example", "a.7--site.example", "7--site.example.org"]),
        ("m\u00fcller.example", ["xn--mller-kva.example"], ["m\xc3\xbcller.example", "muller.example"]),
        ("*.m\u00fcller.example", ["a.xn--mller-kva.example"], ["xn--mller-kva.example"]),
        ("[2001:DB8:0::1]", ["[2001:db8::1]", "[2001:db8::1]:8000"], ["2001:db8::1", "[2001:db8::2]"]),
    ],
)
def test_pattern(pattern: str, matching: list[str], others: list[str]) -> None:
    parsed = parse_host_pattern(pattern)
    hosts = {field: parse_host(field) for field in [*matching, *others]}
    assert [field for field, host in hosts.items() if host is not None and parsed.matches(host)] == matching
    assert parse_host_pattern(str(parsed)) == parsed


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "expected a host such as 'www.example.com'"),
        (".", "expected a host"),
        ("https://example.com", "expected a host without a scheme and a path"),
        ("example.com/a", "expected a host such as"),
        ("user@example.com", "expected a host such as"),
        ("user@m\u00fcller.example", "expected a host such as"),
        ("example.com, example.org", "expected a host such as"),
        ("example.com:port", "expected a host such as"),
        ("::1", "expected a host such as"),
        (
            "*",
            r"in the first label, and a name after it, such as '\*.example.com'; hosts that match no environment are",
        ),
        ("www.shop.test:80", "send a default port; write it without ':80', for all ports"),
        ("*.shop.test:443", "send a default port; write it without ':443', for all ports"),
        ("*.", "in the first label"),
        ("*:8000", "in the first label"),
        ("a.*.example.com", "in the first label"),
        ("*.*.example.com", "expected one"),
        ("**.example.com", "expected one"),
        ("\u00fc*.example.com", "expected a host such as"),
        ("a." * 200, "expected a host such as"),
    ],
)
def test_invalid_pattern(text: str, message: str) -> None:
    with pytest.raises(InvalidOption, match=f"^invalid host .*{message}"):
        parse_host_pattern(text)


@pytest.mark.parametrize(
    "field",
    ["", " ", "a b", "user@example.com", "example.com/", "example.com?", "a#b", "a\\b", "a, b", "[::1", "::1"]
    + ["example.com:x:y", ":99999", "m\xc3\xbcller.example", "a\0b", "a\x7fb", "a:" + "9" * 5000, "a" * 301],
)
def test_invalid_host(field: str) -> None:
    assert parse_host(field) is None
