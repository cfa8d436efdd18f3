"""Targets: RFC 9309 section 2.2.2, RFC 3986 section 5.2.4, and GetPathParamsQuery of Google's parser."""

import pytest

from canfetch.core.profiles import PROFILES
from canfetch.core.targets import google_path_params_query, remove_dot_segments, to_target
from canfetch.core.urls import split_url


def target(url: bytes, profile: str = "rfc9309") -> bytes:
    split = split_url(url)
    assert split is not None
    return to_target(url, split, PROFILES[profile])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "url, expected",
    [
        (b"https://example.com/fish", b"/fish"),
        (b"https://example.com", b"/"),
        (b"https://example.com/", b"/"),
        (b"https://example.com?a=b", b"/?a=b"),
        (b"https://example.com#a", b"/"),
        (b"https://example.com/a?b=c#d?e", b"/a?b=c"),
        (b"https://user:pass@example.com:8181/fish", b"/fish"),
        (b"https://[::1]/fish", b"/fish"),
        (b"//example.com/fish", b"/fish"),
        (b"//example.com", b"/"),
        (b"/fish", b"/fish"),
        (b"/fish?a=https://b/c", b"/fish?a=https://b/c"),
        (b"/#a", b"/"),
    ],
)
def test_rfc9309_2_2_2_a_target_is_the_path_and_query(profile: str, url: bytes, expected: bytes) -> None:
    assert target(url, profile) == expected


@pytest.mark.parametrize("profile", ["rfc9309", "strict", "google2019"])
@pytest.mark.parametrize(
    "url, expected",
    [
        (b"/%62%61%7a", b"/baz"),
        (b"/%7Ejoe", b"/~joe"),
        (b"/a%2fb", b"/a%2Fb"),
        ("/\u30c4".encode(), b"/%E3%83%84"),
        (b"/caf\xe9", b"/caf%E9"),
        (b"/a b\0", b"/a%20b%00"),
        # `*` and `$` are special only in patterns.
        (b"/a*b$c", b"/a%2Ab%24c"),
        (b"/a?b*c$", b"/a?b%2Ac%24"),
        (b"/a%2ab%24", b"/a%2Ab%24"),
        # The first `#` starts the fragment. In data it is written `%23`.
        (b"/a%23b#c#d", b"/a%23b"),
        (b"/a?b%zz", b"/a?b%zz"),
    ],
)
def test_rfc9309_2_2_2_targets_are_canonical(profile: str, url: bytes, expected: bytes) -> None:
    assert target(url, profile) == expected


@pytest.mark.parametrize(
    "path, expected",
    [
        # RFC 3986 section 5.2.4, and the path parts of section 5.4.2.
        (b"/a/b/c/./../../g", b"/a/g"),
        (b"/b/c/..", b"/b/"),
        (b"/b/c/.", b"/b/c/"),
        (b"/../../../g", b"/g"),
        (b"/b/c/g.", b"/b/c/g."),
        (b"/b/c/..g", b"/b/c/..g"),
        (b"/b/c/...", b"/b/c/..."),
        (b"/b/c/./g/.", b"/b/c/g/"),
        (b"/b/c/g;x=1/../y", b"/b/c/y"),
        (b"/.", b"/"),
        (b"/..", b"/"),
        # Empty segments count.
        (b"/a//../b", b"/a/b"),
        (b"//a/..//b", b"///b"),
    ],
)
def test_rfc3986_5_2_4_dot_segments_of_the_path_are_removed(path: bytes, expected: bytes) -> None:
    assert remove_dot_segments(path) == expected
    assert target(b"https://example.com" + path) == expected


@pytest.mark.parametrize(
    "url, expected",
    [
        (b"/a/%2e%2E/b", b"/b"),
        (b"/a/..%2fb", b"/a/..%2Fb"),
        # The query is not part of the path.
        (b"/a?b=/../c", b"/a?b=/../c"),
        (b"/a/../b?/./c", b"/b?/./c"),
        (b"https://example.com/a/..", b"/"),
        (b"https://example.com?/../a", b"/?/../a"),
    ],
)
def test_dot_segments_are_removed_only_from_the_path(url: bytes, expected: bytes) -> None:
    assert target(url) == expected


@pytest.mark.parametrize(
    "url, path",
    [
        # google/robotstxt, robots_test.cc, TestGetPathParamsQuery.
        (b"", b"/"),
        (b"http://www.example.com", b"/"),
        (b"http://www.example.com/", b"/"),
        (b"http://www.example.com/a", b"/a"),
        (b"http://www.example.com/a/", b"/a/"),
        (b"http://www.example.com/a/b?c=http://d.e/", b"/a/b?c=http://d.e/"),
        (b"http://www.example.com/a/b?c=d&e=f#fragment", b"/a/b?c=d&e=f"),
        (b"example.com", b"/"),
        (b"example.com/", b"/"),
        (b"example.com/a", b"/a"),
        (b"example.com/a/", b"/a/"),
        (b"example.com/a/b?c=d&e=f#fragment", b"/a/b?c=d&e=f"),
        (b"a", b"/"),
        (b"a/", b"/"),
        (b"/a", b"/a"),
        (b"a/b", b"/b"),
        (b"example.com?a", b"/?a"),
        (b"example.com/a;b#c", b"/a;b"),
        (b"//a/b/c", b"/b/c"),
        # Cases that the tests of Google do not cover.
        (b"http://example.com;a", b"/;a"),
        (b"http://example.com#/a", b"/"),
        (b"/a?b=c://d/e", b"/a?b=c://d/e"),
        (b"///a", b"/a"),
        (b"//?a", b"/?a"),
        (b"://a/b", b"/b"),
    ],
)
def test_google_path_params_query(url: bytes, path: bytes) -> None:
    assert google_path_params_query(url) == path


def test_google_targets_are_not_normalised_and_end_at_a_nul() -> None:
    assert target(b"/%62/../a b*$%2f\xe9", "google") == b"/%62/../a b*$%2f\xe9"
    assert target(b"/a\0b", "google") == b"/a"


def test_googlebot_targets_are_encoded_but_not_decoded() -> None:
    assert target(b"/%62/../a b*$%2f\xe9\0c", "googlebot") == b"/%62/../a%20b*$%2F%E9%00c"


@pytest.mark.parametrize(
    "url, original1994, draft1996",
    [
        (b"https://example.com", b"/", b"/"),
        (b"https://example.com?a#b", b"/?a", b"/?a"),
        (b"/a/../b/./c?/../d", b"/b/c?/../d", b"/b/c?/../d"),
        (b"/%2e%2E/a%2fb", b"/%2e%2E/a%2fb", b"/a%2Fb"),
        # An escaped question mark does not start the query.
        (b"/a%3F/../b", b"/b", b"/b"),
        (b"/*?$", b"/\x01s?\x01d", b"/\x01s?\x01d"),
        (b"/a b#c", b"/a b", b"/a b"),
    ],
)
def test_original1994_and_draft1996_targets(url: bytes, original1994: bytes, draft1996: bytes) -> None:
    assert target(url, "original1994") == original1994
    assert target(url, "draft1996") == draft1996
