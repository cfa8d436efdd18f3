"""Text at the edge: encoded once, shown safely, and nothing raises."""

import pytest

from canfetch.core.text import display_text, encode_text


@pytest.mark.parametrize(
    "text, octets",
    [
        ("/fish", b"/fish"),
        ("/\u30c4", b"/\xe3\x83\x84"),
        # What surrogateescape made of octets becomes the octets again, first and last of the range.
        ("\udc80\udcff", b"\x80\xff"),
        ("caf\udce9!", b"caf\xe9!"),
        ("\udced\udcb2\udc80", b"\xed\xb2\x80"),
        # The neighbours of that range are encoded as if they were characters.
        ("\udc7f", b"\xed\xb1\xbf"),
        ("\udd00", b"\xed\xb4\x80"),
        ("\ud800", b"\xed\xa0\x80"),
        ("\ud83d\ude00", b"\xed\xa0\xbd\xed\xb8\x80"),
        # A character whose encoding begins with the same octet, beside one that must change.
        ("\ud7ff\udc80", b"\xed\x9f\xbf\x80"),
    ],
)
def test_any_text_has_octets(text: str, octets: bytes) -> None:
    assert encode_text(text) == octets


@pytest.mark.parametrize(
    "octets, text",
    [
        (b"/a b/~", "/a b/~"),
        (b"/\xe3\x83\x84", "/\u30c4"),
        # No UTF-8: the escape, which means the same in a pattern or target.
        (b"/caf\xe9", "/caf%E9"),
        (b"\xed\xb2\x80", "%ED%B2%80"),
        # An escape sequence of a terminal, in 7 and in 8 bits, a line end, and a text that runs the other way.
        (b"/\x1b[31m", "/%1B[31m"),
        (b"/\xc2\x9b31m", "/%C2%9B31m"),
        (b"/a\r\nb\x00\x7f", "/a%0D%0Ab%00%7F"),
        (b"/\xe2\x80\xaegif", "/%E2%80%AEgif"),
    ],
)
def test_shown_text_is_printable_and_means_the_same(octets: bytes, text: str) -> None:
    assert display_text(octets) == text
    assert display_text(octets).isprintable()
