"""Conversion between text and bytes."""

import pytest

from canfetch.core.text import (
    abbreviated,
    bounded_text,
    content_bytes,
    content_json,
    counted,
    display_text,
    encode_text,
    portable_text,
)
from canfetch.errors import InvalidOption


@pytest.mark.parametrize(
    "text, encoded",
    [
        ("/fish", b"/fish"),
        ("/\u30c4", b"/\xe3\x83\x84"),
        # Surrogate escapes become bytes again, including the first and the last of the range.
        ("\udc80\udcff", b"\x80\xff"),
        ("caf\udce9!", b"caf\xe9!"),
        ("\udced\udcb2\udc80", b"\xed\xb2\x80"),
        # Surrogates next to that range are encoded like characters.
        ("\udc7f", b"\xed\xb1\xbf"),
        ("\udd00", b"\xed\xb4\x80"),
        ("\ud800", b"\xed\xa0\x80"),
        ("\ud83d\ude00", b"\xed\xa0\xbd\xed\xb8\x80"),
        # A character whose encoding starts with the same byte, next to a surrogate escape.
        ("\ud7ff\udc80", b"\xed\x9f\xbf\x80"),
    ],
)
def test_any_text_can_be_encoded(text: str, encoded: bytes) -> None:
    assert encode_text(text) == encoded


@pytest.mark.parametrize(
    "encoded, text",
    [
        (b"/a b/~", "/a b/~"),
        (b"/\xe3\x83\x84", "/\u30c4"),
        # Invalid UTF-8 becomes an escape, which is equivalent in a pattern or target.
        (b"/caf\xe9", "/caf%E9"),
        (b"\xed\xb2\x80", "%ED%B2%80"),
        # Terminal escape sequences in 7 and 8 bits, a line end, and right-to-left text.
        (b"/\x1b[31m", "/%1B[31m"),
        (b"/\xc2\x9b31m", "/%C2%9B31m"),
        (b"/a\r\nb\x00\x7f", "/a%0D%0Ab%00%7F"),
        (b"/\xe2\x80\xaegif", "/%E2%80%AEgif"),
    ],
)
def test_display_text_is_printable(encoded: bytes, text: str) -> None:
    assert display_text(encoded) == text
    assert display_text(encoded).isprintable()


@pytest.mark.parametrize(
    "content, value, encoding",
    [
        (b"", "", "utf-8"),
        ("ä\n".encode(), "ä\n", "utf-8"),
        (b"\xe9", "6Q==", "base64"),
        (b"\xed\xb2\x80", "7bKA", "base64"),
    ],
)
def test_content_in_json_keeps_its_bytes(content: bytes, value: str, encoding: str) -> None:
    assert content_json(content, "old") == {"old": value, "old_encoding": encoding}


def test_a_number_has_its_noun() -> None:
    assert [counted(number, "rule") for number in (0, 1, 2_000)] == ["0 rules", "1 rule", "2,000 rules"]


def test_long_lists_are_abbreviated() -> None:
    assert [abbreviated(["a", "b", "c"][:count], 2) for count in range(4)] == ["", "a", "a, b", "a, b and 1 more"]
    assert abbreviated(["a", "b", "c"], 1, separator=" ", rest="others") == "a and 2 others"


@pytest.mark.parametrize("content", [b"", b"User-agent: *", "é".encode(), b"\xff\x00", "\ufeffa".encode()])
def test_content_bytes_reads_what_content_json_writes(content: bytes) -> None:
    written = content_json(content)
    assert content_bytes(written["content"], written["content_encoding"]) == content


def test_content_that_is_not_base64_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(InvalidOption, match="invalid Base64 in content: "):
        content_bytes("é", "base64")


@pytest.mark.parametrize(
    "text, max_bytes, bounded",
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "\N{HORIZONTAL ELLIPSIS}"),
        ("abcde", 4, "a\N{HORIZONTAL ELLIPSIS}"),
        ("\N{SNOWMAN}\N{SNOWMAN}", 5, "\N{HORIZONTAL ELLIPSIS}"),
        ("\N{SNOWMAN}\N{SNOWMAN}", 6, "\N{SNOWMAN}\N{SNOWMAN}"),
    ],
)
def test_long_texts_are_cut_between_characters(text: str, max_bytes: int, bounded: str) -> None:
    assert bounded_text(text, max_bytes) == bounded


@pytest.mark.parametrize(
    "text, portable", [("/café ", "/café "), ("/caf\udce9", "/caf%E9"), ("/é\ud800", "/é%ED%A0%80")]
)
def test_portable_text_can_be_encoded(text: str, portable: str) -> None:
    assert portable_text(text) == portable
    portable.encode()
