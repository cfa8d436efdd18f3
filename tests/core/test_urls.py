"""URLs: which ones are valid, and how they are split (RFC 3986 section 3)."""

import pytest

from canfetch.core.urls import Authority, SplitURL, invalid_url, split_authority, split_url, url_bytes, validate_url
from canfetch.errors import InvalidURL


@pytest.mark.parametrize(
    "url, scheme, authority, rest",
    [
        (b"https://example.com/a?b#c", b"https", b"example.com", b"/a?b#c"),
        (b"HTTPS://Example.COM", b"HTTPS", b"Example.COM", b""),
        (b"https://example.com?a=/b", b"https", b"example.com", b"?a=/b"),
        (b"https://example.com#/a", b"https", b"example.com", b"#/a"),
        (b"https://u:p@example.com:8181/", b"https", b"u:p@example.com:8181", b"/"),
        (b"https://[2001:db8::1]:8080/", b"https", b"[2001:db8::1]:8080", b"/"),
        ("https://www.ex\u00e4mple.com/".encode(), b"https", "www.ex\u00e4mple.com".encode(), b"/"),
        (b"svn+ssh://h/", b"svn+ssh", b"h", b"/"),
        (b"//example.com/a", b"", b"example.com", b"/a"),
        (b"//example.com", b"", b"example.com", b""),
        (b"/", b"", b"", b"/"),
        (b"/a://b", b"", b"", b"/a://b"),
        # Without a host: a path that starts with slashes.
        (b"//", b"", b"", b"//"),
        (b"///a", b"", b"", b"///a"),
        (b"//?a", b"", b"", b"//?a"),
        # Unusual, but valid.
        (b"https://example.com:/", b"https", b"example.com:", b"/"),
        (b"https://example.com;a/", b"https", b"example.com;a", b"/"),
        (b"https://ex%41mple.com/\0", b"https", b"ex%41mple.com", b"/\0"),
    ],
)
def test_rfc3986_3_urls_are_split(url: bytes, scheme: bytes, authority: bytes, rest: bytes) -> None:
    split = split_url(url)
    assert split == SplitURL(scheme, authority, len(url) - len(rest))


@pytest.mark.parametrize(
    "url",
    [
        b"",
        b"fish",
        b"example.com/fish",
        b"?a",
        b"#a",
        b" /fish",
        b"mailto:a@example.com",
        b"https:/example.com/",
        b"://example.com/",
        b"1https://example.com/",
        b"ht tps://example.com/",
        b"https://",
        b"https:///fish",
        b"https://?a",
        b"https://:80/",
        b"https://user@/",
        b"//user@/fish",
        b"https://a b/",
        b"https://a\x00b/",
        b"https://a\x7fb/",
        b"https://a\\b/",
        b"https://a|b/",
        b"https://a<b>/",
        b"https://a]/",
        b"https://[::1/",
        b"https://[]/",
        b"https://[::1]80/",
        b"https://[::1]x/",
        b"https://[a b]/",
        b"https://h:80a/",
        b"https://h:-1/",
        b"https://h:65536/",
        b"https://h:99999999999/",
        b"https://h:80:80/",
        # Browsers treat the backslash as a slash, and would request example.com.
        b"https://example.com\\@example.org/",
        b"https://u p@h/",
        b"https://<u>@h/",
        b"//u\x00@h/",
    ],
)
def test_rfc3986_3_invalid_urls(url: bytes) -> None:
    assert split_url(url) is None
    with pytest.raises(InvalidURL, match=r"expected (an absolute URL|a valid host and port)"):
        validate_url(url)


@pytest.mark.parametrize("url", ["https://[::1/", b"https://h:65536/", "https:///fish", "http://a\\b/"])
def test_message_for_an_invalid_host_or_port(url: str | bytes) -> None:
    with pytest.raises(InvalidURL, match=r"expected a valid host and port after '://'$"):
        validate_url(url)


@pytest.mark.parametrize("url", ["fish", "", "1https://a/", "//h:65536/", "mailto:a@b"])
def test_message_for_a_url_without_a_scheme(url: str) -> None:
    with pytest.raises(InvalidURL, match=r"expected an absolute URL, '//host/path', or a path starting with '/'$"):
        validate_url(url)


@pytest.mark.parametrize("byte", [*range(0x21), *b'"<>\\^`{|}[]', 0x7F])
def test_rfc3986_3_2_2_bytes_that_are_invalid_in_a_host(byte: int) -> None:
    assert split_authority(b"a%cb" % byte) is None


@pytest.mark.parametrize(
    "authority, host, port",
    [
        (b"example.com", b"example.com", b""),
        (b"example.com:0", b"example.com", b"0"),
        (b"example.com:65535", b"example.com", b"65535"),
        (b"example.com:" + b"0" * 9000 + b"80", b"example.com", b"0" * 9000 + b"80"),
        (b"a@b@example.com:80", b"example.com", b"80"),
        (b"user:pass@[::1]:80", b"[::1]", b"80"),
        (b"[fe80::1%25eth0]", b"[fe80::1%25eth0]", b""),
        (b"caf\xe9", b"caf\xe9", b""),
    ],
)
def test_rfc3986_3_2_host_and_port_without_user_information(authority: bytes, host: bytes, port: bytes) -> None:
    assert split_authority(authority) == Authority(host, port)


def test_urls_are_str_or_bytes() -> None:
    class Path(str):
        __slots__ = ()

    assert url_bytes("/\u30c4") == b"/\xe3\x83\x84"
    assert url_bytes(Path("/fish")) == b"/fish"
    assert url_bytes(b"/\xff") == b"/\xff"
    for wrong in (None, 7, bytearray(b"/"), ["/"]):
        with pytest.raises(
            TypeError, match=rf"invalid URL of type {type(wrong).__name__} \(index 3\): expected str or bytes"
        ):
            url_bytes(wrong, 3)


def test_the_error_contains_the_url_and_its_index() -> None:
    assert invalid_url("fish").index is None
    with pytest.raises(InvalidURL, match=r"invalid URL 'fish' \(index 2\): expected") as caught:
        validate_url("fish", 2)
    assert caught.value.index == 2
    # Valid URLs pass. The native engine then reports a difference between the engines.
    validate_url("/fish")
    with pytest.raises(TypeError):
        validate_url(7)
