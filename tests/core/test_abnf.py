"""The grammar of RFC 9309 section 2.2, byte by byte."""

import pytest

from canfetch.core.abnf import is_comment, is_pattern, is_product_token


def test_rfc9309_2_2_an_identifier_has_letters_hyphen_and_underscore() -> None:
    allowed = {byte for byte in range(256) if is_product_token(bytes([byte]))}
    letters = {*range(0x41, 0x5B), *range(0x61, 0x7B)}
    assert allowed == letters | {0x2D, 0x5F, ord("*")}


@pytest.mark.parametrize(
    "value, is_token",
    [(b"*", True), (b"Foo_Bar-", True), (b"", False), (b"*Bot", False), (b"**", False), (b"MJ12bot", False)],
)
def test_rfc9309_2_2_a_product_token_is_an_identifier_or_a_star(value: bytes, is_token: bool) -> None:  # noqa: FBT001
    assert is_product_token(value) is is_token


def test_rfc9309_2_2_ascii_allowed_in_a_path() -> None:
    allowed = {byte for byte in range(0x80) if is_pattern(b"/" + bytes([byte]))}
    assert allowed == {0x21, 0x22, *range(0x24, 0x80)}


@pytest.mark.parametrize("value", [b"", b"/", b"/a$", b"//"])
def test_rfc9309_2_2_a_pattern_is_empty_or_starts_with_a_slash(value: bytes) -> None:
    assert is_pattern(value)


@pytest.mark.parametrize("value", [b"a", b"*.gif$", b"$", b"?a", b" /"])
def test_rfc9309_2_2_other_starts_are_invalid(value: bytes) -> None:
    assert not is_pattern(value)


@pytest.mark.parametrize(
    "text",
    [
        b"\xc2\x80",
        b"\xdf\xbf",
        b"\xe0\xa0\x80",
        b"\xed\x9f\xbf",
        b"\xee\x80\x80",
        b"\xf0\x90\x80\x80",
        b"\xf4\x8f\xbf\xbf",
    ],
)
def test_rfc9309_2_2_utf8_at_its_limits_is_valid(text: bytes) -> None:
    assert is_pattern(b"/" + text)
    assert is_comment(b"#" + text)


@pytest.mark.parametrize(
    "text",
    [
        b"\x80",  # a continuation byte alone
        b"\xc0\xaf",  # overlong, two bytes
        b"\xc1\xbf",
        b"\xe0\x9f\xbf",  # overlong, three
        b"\xf0\x8f\xbf\xbf",  # overlong, four
        b"\xed\xa0\x80",  # a surrogate
        b"\xf4\x90\x80\x80",  # past U+10FFFF
        b"\xf5\x80\x80\x80",
        b"\xe3\x83",  # incomplete
    ],
)
def test_rfc9309_2_2_invalid_utf8(text: bytes) -> None:
    assert not is_pattern(b"/" + text)
    assert not is_comment(b"#" + text)


def test_rfc9309_2_2_a_comment_may_contain_white_space_and_number_signs() -> None:
    assert is_comment(b"# a\tb # c \xe3\x83\x84")
    assert is_comment(b"")
    assert not is_comment(b"# \x00")
    assert not is_comment(b"# \x0b")
    assert not is_comment(b"# \xff")
