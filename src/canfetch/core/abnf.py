"""The grammar of RFC 9309 section 2.2, production by production, for the profile that reads nothing else.

The names are those of the grammar. No regular expression: each check is one pass over the octets.
"""

from typing import Final

# identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)
IDENTIFIER: Final = b"-ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
# WS = %x20 / %x09
WS: Final = b" \t"
# What UTF8-char-noctl leaves out of ASCII; it admits DEL.
NOT_IN_PATTERN: Final = bytes(range(0x20)) + b" #"
# A comment admits WS and `#` besides.
NOT_IN_COMMENT: Final = bytes(set(range(0x20)) - set(WS))


def is_product_token(value: bytes) -> bool:
    """product-token = identifier / "*"."""
    return value == b"*" or (value != b"" and not value.translate(None, IDENTIFIER))


def is_utf8_without(forbidden: bytes, octets: bytes) -> bool:
    """UTF-8 as the grammar spells it out, without the octets that are `forbidden`."""
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
    return value == b"" or (value[:1] == b"/" and is_utf8_without(NOT_IN_PATTERN, value))


def is_comment(comment: bytes) -> bool:
    """[comment], from its `#` on, or nothing: comment = "#" *(UTF8-char-noctl / WS / "#")."""
    return comment == b"" or is_utf8_without(NOT_IN_COMMENT, comment)
