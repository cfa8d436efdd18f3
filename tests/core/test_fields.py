"""Key and value of a line: RFC 9309 section 2.2, and a missing colon in Google's parser."""

import pytest

from canfetch.core.fields import parse_field
from canfetch.core.profiles import PROFILES


def key_and_value(content: bytes, profile: str) -> tuple[bytes, bytes] | None:
    field = parse_field(content, PROFILES[profile])
    if field is None:
        return None
    key_start, key_end, value_start, value_end, _ = field
    return content[key_start:key_end], content[value_start:value_end]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "content, key, value",
    [
        (b"Disallow: /a", b"Disallow", b"/a"),
        (b"Disallow:/a", b"Disallow", b"/a"),
        (b" \tDisallow \t:\t /a \t", b"Disallow", b"/a"),
        (b"Disallow:", b"Disallow", b""),
        (b"Disallow: # all", b"Disallow", b""),
        # The first colon is the separator. The first `#` starts the comment, with or without white space before it.
        (b"Disallow: /a:b", b"Disallow", b"/a:b"),
        (b"Sitemap: https://example.com/s.xml#f", b"Sitemap", b"https://example.com/s.xml"),
        (b"Disallow: /a#b: c", b"Disallow", b"/a"),
        (b"Disallow: /a b", b"Disallow", b"/a b"),
        (b":: /a", b"", b""),
    ],
)
def test_rfc9309_2_2_key_colon_value(profile: str, content: bytes, key: bytes, value: bytes) -> None:
    assert key_and_value(content, profile) == ((key, value) if key else None)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "content", [b"", b"   ", b"# Disallow: /", b" # a: b", b"Disallow", b" : /a", b"Disallow # a: b"]
)
def test_rfc9309_2_2_line_without_key_or_separator_is_not_a_record(profile: str, content: bytes) -> None:
    assert key_and_value(content, profile) is None


@pytest.mark.parametrize(
    "content, found",
    [
        (b"Disallow /a", (b"Disallow", b"/a")),
        (b" Disallow \t /a # all", (b"Disallow", b"/a")),
        (b"Disallow\t/a", (b"Disallow", b"/a")),
        # VT and FF are stripped but are not separators.
        (b"\fDisallow /a\v", (b"Disallow", b"/a")),
        (b"Disallow\v /a", (b"Disallow", b"/a")),
        (b"Disallow\v/a", None),
        # A sentence is not a record, nor is a word.
        (b"Disallow /a b", None),
        (b"Disallow /a\tb", None),
        (b"User agent *", None),
        (b"Disallow ", None),
        (b"Disallow # /a", None),
    ],
)
def test_google_white_space_replaces_a_missing_colon_between_two_words(
    content: bytes, found: tuple[bytes, bytes] | None
) -> None:
    assert [key_and_value(content, name) for name in ("google", "googlebot", "rfc9309")] == [found] * 3
    assert [key_and_value(content, name) for name in ("strict", "google2019")] == [None] * 2


def test_strict_white_space_is_space_and_tab() -> None:
    assert key_and_value(b"\vDisallow\f: \v/a", "strict") == (b"\vDisallow\f", b"\v/a")
    assert key_and_value(b"\vDisallow\f: \v/a", "rfc9309") == (b"Disallow", b"/a")


def test_empty_value_is_an_empty_span_within_the_line() -> None:
    content = b"Disallow:  # all"
    field = parse_field(content, PROFILES["rfc9309"])
    assert field is not None
    _, _, value_start, value_end, _ = field
    assert value_start == value_end <= content.index(b"#")
