"""The grammar of RFC 9309 section 2.2, production by production, for the profile that reads nothing else.

The names are those of the grammar. No regular expression: each check is one pass over the octets.
"""

from typing import Final

# identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)
IDENTIFIER: Final = b"-ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
# WS = %x20 / %x09
WS: Final = b" \t"
# The controls that UTF8-1-noctl leaves out; it admits DEL.
CONTROLS: Final = bytes(range(0x20))


def is_product_token(value: bytes) -> bool:
    """product-token = identifier / "*"."""
    return value == b"*" or (value != b"" and not value.translate(None, IDENTIFIER))


def is_utf8_without_controls(octets: bytes, *, also: bytes = b"") -> bool:
    """*UTF8-char-noctl, with the octets of `also` admitted besides."""
    forbidden = bytes(octet for octet in CONTROLS + b" #" if octet not in also)
    if len(octets.translate(None, forbidden)) != len(octets):
        return False
    try:
        # Strict decoding refuses what the grammar refuses: overlong forms, surrogates, over U+10FFFF.
        octets.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return True


def is_pattern(value: bytes) -> bool:
    """path-pattern / empty-pattern."""
    return value == b"" or (value[:1] == b"/" and is_utf8_without_controls(value))


def is_comment(comment: bytes) -> bool:
    """[comment], from its `#` on, or nothing: comment = "#" *(UTF8-char-noctl / WS / "#")."""
    return comment == b"" or is_utf8_without_controls(comment, also=b" \t#")
