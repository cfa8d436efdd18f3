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
def test_rfc9309_2_2_2_the_table_of_percent_encoding(path: bytes, compared: bytes) -> None:
    assert encode_reserved_data(canonical(path)) == compared


def test_rfc3986_2_3_escapes_of_unreserved_octets_alone_are_decoded() -> None:
    decoded = {octet for octet in range(256) if canonical(b"/%%%02x" % octet) == b"/%c" % octet}
    assert decoded == set(UNRESERVED)
    kept = {octet for octet in range(256) if canonical(b"/%%%02x" % octet) == b"/%%%02X" % octet}
    assert kept == set(range(256)) - decoded


def test_rfc3986_2_octets_that_no_uri_holds_are_encoded() -> None:
    as_written = {octet for octet in range(256) if canonical(bytes([octet])) == bytes([octet])}
    assert as_written == {*UNRESERVED, *RESERVED, ord("%")}
    encoded = {octet for octet in range(256) if canonical(bytes([octet])) == b"%%%02X" % octet}
    assert encoded == set(range(256)) - as_written


@pytest.mark.parametrize("octets", [b"/%", b"/%4", b"/%zz", b"/%4z", b"/%z4", b"/100%/a", b"/%%", b"/%%4"])
def test_an_invalid_percent_stays_as_written(octets: bytes) -> None:
    assert canonical(octets) == octets


@pytest.mark.parametrize(
    "octets, form",
    [
        # `%41` would arise, and mean `A` on a second pass.
        (b"/%%34%31", b"/%%341"),
        (b"/%4%31", b"/%4%31"),
        (b"/%%41", b"/%%41"),
        (b"/%%341", b"/%%341"),
        # No hex digit follows: nothing arises.
        (b"/%%7e", b"/%~"),
        (b"/%4%7e", b"/%4~"),
        # `%25` is no stray percent.
        (b"/%25%34%31", b"/%2541"),
        # Lower-case digits that stay are written in upper-case.
        (b"/%%6a", b"/%j"),
        (b"/%%6c%%6a", b"/%l%j"),
        (b"/%%61", b"/%%61"),
        (b"/%%4a", b"/%J"),
    ],
)
def test_decoding_makes_no_escape_that_nobody_wrote(octets: bytes, form: bytes) -> None:
    assert canonical(octets) == form
    assert canonical(form) == form


@pytest.mark.parametrize(
    "path, compared",
    [
        # The path's reserved octets are structure, and the second `?` is data.
        (b"/a:b@c;d,e!f'g(h)i[j]+k", b"/a:b@c;d,e!f'g(h)i[j]+k"),
        (b"/a?b?c", b"/a?b%3Fc"),
        (b"/a?:/?#[]@!'()+,;", b"/a?%3A%2F%3F%23%5B%5D%40%21%27%28%29%2B%2C%3B"),
        # Structure of a query, and the pattern's own signs.
        (b"/a?b=c&d=e", b"/a?b=c&d=e"),
        (b"/*?a=*$", b"/*?a=*$"),
        # A `*` before the first `?` does not begin the query.
        (b"/*a:b", b"/*a:b"),
    ],
)
def test_form_b_encodes_reserved_data_behind_the_first_question_mark(path: bytes, compared: bytes) -> None:
    assert encode_reserved_data(path) == compared
    assert encode_reserved_data(compared) == compared


def test_rfc3986_2_2_reserved_data_of_a_query_is_what_is_neither_structure_nor_a_sign() -> None:
    encoded = {octet for octet in range(256) if encode_reserved_data(b"/?%c" % octet) == b"/?%%%02X" % octet}
    assert encoded == set(RESERVED) - set(b"&=*$")
    data = {octet for octet in range(256) if has_reserved_data(b"/?%c" % octet)}
    assert data == encoded == {octet for octet in range(256) if has_reserved_data(b"/?%%%02X" % octet)}


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
def test_form_b_exists_where_a_query_has_reserved_data(form: bytes, has: bool) -> None:  # noqa: FBT001
    assert has_reserved_data(form) is has


@pytest.mark.parametrize(
    "value, escaped",
    [
        (b"/fish", b"/fish"),
        (b"/a%2fb", b"/a%2Fb"),
        (b"/%aa", b"/%AA"),
        ("/SanJos\u00e9Sellers".encode(), b"/SanJos%C3%A9Sellers"),
        (b"/%e9\xe9", b"/%E9%E9"),
        # Nothing is decoded, ASCII stays, an invalid `%` too.
        (b"/%7ejoe", b"/%7Ejoe"),
        (b"/a b\x7f", b"/a b\x7f"),
        (b"/%g0%a", b"/%g0%a"),
        (b"/%%2f%2", b"/%%2F%2"),
    ],
)
def test_google_escapes_no_more_than_it_must(value: bytes, escaped: bytes) -> None:
    assert google_escape(value) == escaped


def test_googlebot_a_fetcher_encodes_what_no_uri_holds() -> None:
    assert encode_for_uri(b'/a b\xe9\0"<>\\^`{|}%7e%zz~:*$') == b"/a%20b%E9%00%22%3C%3E%5C%5E%60%7B%7C%7D%7E%zz~:*$"


@pytest.mark.parametrize(
    "octets, raw, decoded",
    [
        (b"/a", b"/a", b"/a"),
        (b"/*$\x01", b"/\x01s\x01d\x01\x01", b"/\x01s\x01d\x01\x01"),
        (b"/%2a%24%2Fx%2fy", b"/%2a%24%2Fx%2fy", b"/\x01s\x01d%2Fx%2Fy"),
        (b"/%7ejoe/%41%zz%4", b"/%7ejoe/%41%zz%4", b"/~joe/A%25zz%254"),
        # What only looks like an escaped slash is none.
        (b"/%252F", b"/%252F", b"/%252F"),
        ("/\u65e5".encode(), "/\u65e5".encode(), "/\u65e5".encode()),
        (b"/%E6%97%a5", b"/%E6%97%a5", "/\u65e5".encode()),
    ],
)
def test_draft1996_octets_without_signs(octets: bytes, raw: bytes, decoded: bytes) -> None:
    assert escape_literal(octets, decode=False) == raw
    assert escape_literal(octets, decode=True) == decoded


def test_draft1996_decoded_slashes_are_told_from_decoded_percents() -> None:
    texts = [b"/", b"%2F", b"%252F", b"%25%32F", b"2F", b"%"]
    assert len({escape_literal(text, decode=True) for text in texts}) == 5
    assert escape_literal(b"%252F", decode=True) == escape_literal(b"%25%32F", decode=True)
