"""Origins: RFC 9309 section 2.3, Google's table of robots.txt URLs, RFC 3986 section 3.2."""

import pytest

from canfetch.core.origin import Origin, check_origin, check_sent_port, find_origin, parse_robots_url, robots_url
from canfetch.errors import InvalidOption, InvalidRobotsURL, InvalidURL, OriginMismatch


@pytest.mark.parametrize(
    "file_url, valid_for, not_valid_for",
    [
        (
            "https://example.com/robots.txt",
            ["https://example.com/", "https://example.com/folder/file"],
            ["https://other.example.com/", "http://example.com/", "https://example.com:8181/"],
        ),
        (
            "https://www.example.com/robots.txt",
            ["https://www.example.com/"],
            ["https://example.com/", "https://shop.www.example.com/", "https://www.shop.example.com/"],
        ),
        (
            "https://www.ex\u00e4mple.com/robots.txt",
            ["https://www.ex\u00e4mple.com/", "https://www.xn--exmple-cua.com/"],
            ["https://www.example.com/"],
        ),
        (
            "http://www.m\u00fcller.eu/robots.txt",
            ["http://www.m\u00fcller.eu/", "http://www.xn--mller-kva.eu/"],
            ["http://www.muller.eu/"],
        ),
        ("ftp://example.com/robots.txt", ["ftp://example.com/", "ftp://example.com:21/"], ["https://example.com/"]),
        ("https://212.96.82.21/robots.txt", ["https://212.96.82.21/"], ["https://example.com/"]),
        (
            "https://example.com:443/robots.txt",
            ["https://example.com:443/", "https://example.com/"],
            ["https://example.com:444/"],
        ),
        (
            "http://example.com:80/robots.txt",
            ["http://example.com:80/", "http://example.com/"],
            ["http://example.com:81/"],
        ),
        ("https://example.com:8181/robots.txt", ["https://example.com:8181/"], ["https://example.com/"]),
    ],
)
def test_google_table_of_url_validity(file_url: str, valid_for: list[str], not_valid_for: list[str]) -> None:
    origin = parse_robots_url(file_url)
    for url in valid_for:
        check_origin(origin, url, None)
        assert Origin.from_url(url) == origin
    for url in not_valid_for:
        with pytest.raises(OriginMismatch):
            check_origin(origin, url, None)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/folder/robots.txt",
        "https://example.com/",
        "https://example.com",
        "https://example.com/ROBOTS.TXT",
        "https://example.com/robots.txt/",
        "https://example.com/robots.txt?a",
        "//example.com/robots.txt",
        "/robots.txt",
        "robots.txt",
        "",
        # Invalid hosts.
        "https://[zz]/robots.txt",
        "https://%FF/robots.txt",
    ],
)
def test_rfc9309_2_3_only_the_top_level_robots_txt_url_is_valid(url: str) -> None:
    with pytest.raises(InvalidRobotsURL):
        parse_robots_url(url)


@pytest.mark.parametrize(
    "url, expected",
    [
        ("https://example.com/a?b#c", "https://example.com/robots.txt"),
        ("HTTPS://EXAMPLE.com:443", "https://example.com/robots.txt"),
        ("http://example.com:443", "http://example.com:443/robots.txt"),
        ("https://user:pass@example.com/", "https://example.com/robots.txt"),
        ("https://example.com:/", "https://example.com/robots.txt"),
        ("https://example.com:0443/", "https://example.com/robots.txt"),
        ("https://example.com:0/", "https://example.com:0/robots.txt"),
        ("https://example.com:" + "0" * 9000 + "81/", "https://example.com:81/robots.txt"),
        ("foo://example.com/", "foo://example.com/robots.txt"),
        ("foo://example.com:80/", "foo://example.com:80/robots.txt"),
        # As written, in lower case. No source defines more.
        ("https://Example.COM./", "https://example.com./robots.txt"),
        ("https://my_shop.example/", "https://my_shop.example/robots.txt"),
        # IP addresses in their shortest form.
        ("https://[2001:DB8:0:0::1]/", "https://[2001:db8::1]/robots.txt"),
        # Names beyond ASCII, encoded like in browsers.
        ("https://M\u00dcLLER.eu/", "https://xn--mller-kva.eu/robots.txt"),
        ("https://m%C3%BCller.eu/", "https://xn--mller-kva.eu/robots.txt"),
        ("https://XN--MLLER-KVA.eu/", "https://xn--mller-kva.eu/robots.txt"),
        ("https://ex%61mple.com/", "https://example.com/robots.txt"),
        ("https://\u65e5\u672c\u8a9e\u3002jp/", "https://xn--wgv71a119e.jp/robots.txt"),
        ("https://\uff45xample.com/", "https://example.com/robots.txt"),
        ("https://fa\u00df.de/", "https://xn--fa-hia.de/robots.txt"),
        ("https://\u2603.net/", "https://xn--n3h.net/robots.txt"),
        ("https://my_shop.m\u00fcller.eu/", "https://my_shop.xn--mller-kva.eu/robots.txt"),
        (b"https://example.com/\xff", "https://example.com/robots.txt"),
    ],
)
def test_rfc9309_2_3_robots_url(url: str | bytes, expected: str) -> None:
    assert robots_url(url) == expected
    assert parse_robots_url(expected) == Origin.from_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "/fish",
        "//example.com/fish",
        "example.com",
        "https://[zz]/",
        "https://[1::2::3]/",
        "https://[v1.a]/",
        # URLs have no zones: they name an interface of one machine.
        "https://[fe80::1%25eth0]/",
        "https://[fe80::1%eth0]/",
        "https://[::1%25a..b]/",
        "https://[::1%25" + "a" * 64 + "]/",
        "https://[::1%25\u00e9]/",
        "https://[::1%25]/",
        "https://[::1%]/",
        "https://\udcff/",
        "https://%FF/",
        # An escape or a mapping would produce a delimiter.
        "https://a%2Fb/",
        "https://a%40b/",
        "https://a%3A80/",
        "https://a%20b/",
        "https://a%25b/",
        "https://a\uff0fb/",
        "https://%5B::1%5D/",
        # The mapping removes everything.
        "https://\u00ad/",
        # Too long: a label, a name, and the punycode of a name.
        "https://" + "\u00e9" * 64 + ".eu/",
        "https://" + "\u00e9." * 127 + "eu/",
        "https://" + "\u00e9." * 60 + "eu/",
    ],
)
def test_rfc3986_3_2_2_invalid_host_raises(url: str) -> None:
    with pytest.raises(InvalidURL):
        Origin.from_url(url)


@pytest.mark.slow
def test_huge_host_takes_linear_time() -> None:
    # Punycode takes quadratic time, so hosts over the length limit are rejected before.
    with pytest.raises(InvalidURL):
        Origin.from_url("https://" + "".join(chr(0x4E00 + index % 20_000) for index in range(500_000)))


def test_str_of_an_origin_is_its_url() -> None:
    origin = Origin("https", "example.com", 8181)
    assert str(origin) == "https://example.com:8181"
    assert origin.robots_url == "https://example.com:8181/robots.txt"
    assert str(Origin("foo", "example.com", None)) == "foo://example.com"


def test_url_without_scheme_has_the_scheme_of_the_file() -> None:
    origin = Origin.from_url("https://example.com:444/")
    check_origin(origin, "/fish", None)
    check_origin(origin, "//example.com:444/fish", None)
    with pytest.raises(OriginMismatch):
        check_origin(origin, "//example.com/fish", None)
    # Invalid URLs are rejected elsewhere.
    check_origin(origin, "fish", None)


def test_mismatch_names_both_origins_and_the_index() -> None:
    origin = Origin.from_url("https://example.com/")
    with pytest.raises(
        OriginMismatch, match=r"\(index 4\) belongs to http://a\.b, .* governs https://example\.com"
    ) as caught:
        check_origin(origin, "http://a.b/c", 4)
    assert caught.value.index == 4
    assert "http://a.b/robots.txt" in str(caught.value)
    with pytest.raises(InvalidURL, match=r"\(index 5\)") as bad_host:
        check_origin(origin, "https://[zz]/", 5)
    assert bad_host.value.index == 5


@pytest.mark.parametrize("url", ["https://example.com/fish", b"HTTPS://EXAMPLE.COM:443/"])
def test_find_origin_returns_the_origin_of_an_absolute_url(url: str | bytes) -> None:
    assert find_origin(url) == Origin.from_url("https://example.com")


@pytest.mark.parametrize("url", ["", "/fish", "example.com/fish", "https://", "https://[::1"])
def test_find_origin_returns_none_for_anything_else(url: str) -> None:
    assert find_origin(url) is None


@pytest.mark.parametrize("port", [80, 443])
def test_default_ports_are_not_sent(port: int) -> None:
    with pytest.raises(
        InvalidOption, match=rf"^invalid host 'a\.b:{port}': .*; write it without ':{port}', for all ports$"
    ):
        check_sent_port(f"a.b:{port}", port)


@pytest.mark.parametrize("port", [None, 8080])
def test_other_ports_are_sent(port: int | None) -> None:
    check_sent_port("a.b", port)
