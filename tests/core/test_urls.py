"""What is a URL, and what is none: RFC 3986 section 3."""

import pytest

from canfetch.core.urls import Authority, SplitURL, reject, rejection, split_authority, split_url, url_bytes
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
        # No host: a path that begins with slashes.
        (b"//", b"", b"", b"//"),
        (b"///a", b"", b"", b"///a"),
        (b"//?a", b"", b"", b"//?a"),
        # Odd, and a URL nevertheless.
        (b"https://example.com:/", b"https", b"example.com:", b"/"),
        (b"https://example.com;a/", b"https", b"example.com;a", b"/"),
        (b"https://ex%41mple.com/\0", b"https", b"ex%41mple.com", b"/\0"),
    ],
)
def test_rfc3986_3_a_url_comes_apart(url: bytes, scheme: bytes, authority: bytes, rest: bytes) -> None:
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
        # Of example.com for a browser, which takes a backslash for a slash.
        b"https://example.com\\@example.org/",
        b"https://u p@h/",
        b"https://<u>@h/",
        b"//u\x00@h/",
    ],
)
def test_rfc3986_3_what_has_no_host_or_path_is_no_url(url: bytes) -> None:
    assert split_url(url) is None
    with pytest.raises(InvalidURL, match="give an absolute URL"):
        reject(url)


@pytest.mark.parametrize("octet", [*range(0x21), *b'"<>\\^`{|}[]', 0x7F])
def test_rfc3986_3_2_2_octets_that_no_host_holds(octet: int) -> None:
    assert split_authority(b"a%cb" % octet) is None


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


def test_a_url_is_str_or_bytes() -> None:
    class Path(str):
        __slots__ = ()

    assert url_bytes("/\u30c4") == b"/\xe3\x83\x84"
    assert url_bytes(Path("/fish")) == b"/fish"
    assert url_bytes(b"/\xff") == b"/\xff"
    for wrong in (None, 7, bytearray(b"/"), ["/"]):
        with pytest.raises(TypeError, match=rf"str or bytes, not {type(wrong).__name__} \(index 3\)"):
            url_bytes(wrong, 3)


def test_a_rejection_names_the_url_and_its_place() -> None:
    assert rejection("fish").index is None
    with pytest.raises(InvalidURL, match=r"'fish' \(index 2\) is no URL") as caught:
        reject("fish", 2)
    assert caught.value.index == 2
    # What the Python engine takes, this lets pass: the native engine then says that the two differ.
    reject("/fish")
    with pytest.raises(TypeError):
        reject(7)
