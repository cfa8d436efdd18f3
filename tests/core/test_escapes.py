"""The two canonical forms: RFC 9309 section 2.2.2, RFC 3986 sections 2.1 to 2.4."""

import pytest

from canfetch.core.escapes import (
    canonical,
    encode_for_uri,
    encode_reserved_data,
    escape_literal,
    google_escape,
    has_reserved_data,
)

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
RESERVED = b":/?#[]@!$&'()*+,;="


@pytest.mark.parametrize(
    "path, compared",
    [
        (b"/foo/bar?baz=quz", b"/foo/bar?baz=quz"),
        (b"/foo/bar?baz=https://foo.bar", b"/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        (b"/foo/bar?baz=https%3A%2F%2Ffoo.bar", b"/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar/\u30c4".encode(), b"/foo/bar/%E3%83%84"),
        (b"/foo/bar/%E3%83%84", b"/foo/bar/%E3%83%84"),
        (b"/foo/bar/%62%61%7A", b"/foo/bar/baz"),
    ],
)
def test_rfc9309_2_2_2_table_of_percent_encoding(path: bytes, compared: bytes) -> None:
    assert encode_reserved_data(canonical(path)) == compared


def test_rfc3986_2_3_only_escapes_of_unreserved_bytes_are_decoded() -> None:
    decoded = {byte for byte in range(256) if canonical(b"/%%%02x" % byte) == b"/%c" % byte}
    assert decoded == set(UNRESERVED)
    unchanged = {byte for byte in range(256) if canonical(b"/%%%02x" % byte) == b"/%%%02X" % byte}
    assert unchanged == set(range(256)) - decoded


def test_rfc3986_2_bytes_that_are_invalid_in_a_uri_are_encoded() -> None:
    as_written = {byte for byte in range(256) if canonical(bytes([byte])) == bytes([byte])}
    assert as_written == {*UNRESERVED, *RESERVED, ord("%")}
    encoded = {byte for byte in range(256) if canonical(bytes([byte])) == b"%%%02X" % byte}
    assert encoded == set(range(256)) - as_written


@pytest.mark.parametrize("text", [b"/%", b"/%4", b"/%zz", b"/%4z", b"/%z4", b"/100%/a", b"/%%", b"/%%4"])
def test_an_invalid_percent_is_unchanged(text: bytes) -> None:
    assert canonical(text) == text


@pytest.mark.parametrize(
    "text, form",
    [
        # Decoding would create `%41`, which a second pass would decode to `A`.
        (b"/%%34%31", b"/%%341"),
        (b"/%4%31", b"/%4%31"),
        (b"/%%41", b"/%%41"),
        (b"/%%341", b"/%%341"),
        # The decoded byte is not a hexadecimal digit.
        (b"/%%7e", b"/%~"),
        (b"/%4%7e", b"/%4~"),
        # `%25` is not a stray percent.
        (b"/%25%34%31", b"/%2541"),
        # The digits of remaining escapes are in upper case.
        (b"/%%6a", b"/%j"),
        (b"/%%6c%%6a", b"/%l%j"),
        (b"/%%61", b"/%%61"),
        (b"/%%4a", b"/%J"),
    ],
)
def test_decoding_does_not_create_new_escapes(text: bytes, form: bytes) -> None:
    assert canonical(text) == form
    assert canonical(form) == form


@pytest.mark.parametrize(
    "path, compared",
    [
        # Reserved bytes of the path are structure, and the second `?` is data.
        (b"/a:b@c;d,e!f'g(h)i[j]+k", b"/a:b@c;d,e!f'g(h)i[j]+k"),
        (b"/a?b?c", b"/a?b%3Fc"),
        (b"/a?:/?#[]@!'()+,;", b"/a?%3A%2F%3F%23%5B%5D%40%21%27%28%29%2B%2C%3B"),
        # The structure of the query, and the special characters of patterns.
        (b"/a?b=c&d=e", b"/a?b=c&d=e"),
        (b"/*?a=*$", b"/*?a=*$"),
        # A `*` does not start a query.
        (b"/*a:b", b"/*a:b"),
    ],
)
def test_form_b_encodes_reserved_data_after_the_first_question_mark(path: bytes, compared: bytes) -> None:
    assert encode_reserved_data(path) == compared
    assert encode_reserved_data(compared) == compared


def test_rfc3986_2_2_reserved_data_is_neither_structure_nor_special_in_patterns() -> None:
    encoded = {byte for byte in range(256) if encode_reserved_data(b"/?%c" % byte) == b"/?%%%02X" % byte}
    assert encoded == set(RESERVED) - set(b"&=*$")
    data = {byte for byte in range(256) if has_reserved_data(b"/?%c" % byte)}
    assert data == encoded == {byte for byte in range(256) if has_reserved_data(b"/?%%%02X" % byte)}


@pytest.mark.parametrize(
    "form, has",
    [
        (b"/a:b/c", False),
        (b"/a?b=c&d", False),
        (b"/a?b=/c", True),
        (b"/a?b=%2Fc", True),
        (b"/a?b=%3F", True),
        (b"/a?b=%20%26%24%2A%3D", False),
        (b"/a%2F?b", False),
        (b"/?", False),
    ],
)
def test_queries_with_reserved_data(form: bytes, has: bool) -> None:  # noqa: FBT001
    assert has_reserved_data(form) is has


@pytest.mark.parametrize(
    "value, escaped",
    [
        (b"/fish", b"/fish"),
        (b"/a%2fb", b"/a%2Fb"),
        (b"/%aa", b"/%AA"),
        ("/SanJos\u00e9Sellers".encode(), b"/SanJos%C3%A9Sellers"),
        (b"/%e9\xe9", b"/%E9%E9"),
        # Nothing is decoded. ASCII and an invalid `%` are unchanged.
        (b"/%7ejoe", b"/%7Ejoe"),
        (b"/a b\x7f", b"/a b\x7f"),
        (b"/%g0%a", b"/%g0%a"),
        (b"/%%2f%2", b"/%%2F%2"),
    ],
)
def test_google_escaping(value: bytes, escaped: bytes) -> None:
    assert google_escape(value) == escaped


def test_googlebot_encodes_bytes_that_are_invalid_in_a_uri() -> None:
    assert encode_for_uri(b'/a b\xe9\0"<>\\^`{|}%7e%zz~:*$') == b"/a%20b%E9%00%22%3C%3E%5C%5E%60%7B%7C%7D%7E%zz~:*$"


@pytest.mark.parametrize(
    "text, raw, decoded",
    [
        (b"/a", b"/a", b"/a"),
        (b"/*$\x01", b"/\x01s\x01d\x01\x01", b"/\x01s\x01d\x01\x01"),
        (b"/%2a%24%2Fx%2fy", b"/%2a%24%2Fx%2fy", b"/\x01s\x01d%2Fx%2Fy"),
        (b"/%7ejoe/%41%zz%4", b"/%7ejoe/%41%zz%4", b"/~joe/A%25zz%254"),
        # An escaped percent sign before `2F` is not an escaped slash.
        (b"/%252F", b"/%252F", b"/%252F"),
        ("/\u65e5".encode(), "/\u65e5".encode(), "/\u65e5".encode()),
        (b"/%E6%97%a5", b"/%E6%97%a5", "/\u65e5".encode()),
    ],
)
def test_draft1996_star_and_dollar_are_escaped(text: bytes, raw: bytes, decoded: bytes) -> None:
    assert escape_literal(text, decode=False) == raw
    assert escape_literal(text, decode=True) == decoded


def test_draft1996_escaped_slashes_differ_from_escaped_percents() -> None:
    texts = [b"/", b"%2F", b"%252F", b"%25%32F", b"2F", b"%"]
    assert len({escape_literal(text, decode=True) for text in texts}) == 5
    assert escape_literal(b"%252F", decode=True) == escape_literal(b"%25%32F", decode=True)
