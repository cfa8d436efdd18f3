"""The grammar of RFC 9309 section 2.2, for the profile that accepts nothing else.

The names are those of the grammar. Each check is one pass over the bytes, without regular expressions.
"""

from typing import Final

# identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)
IDENTIFIER: Final = b"-ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
# WS = %x20 / %x09
WS: Final = b" \t"
# ASCII that UTF8-char-noctl excludes. DEL is allowed.
NOT_IN_PATTERN: Final = bytes(range(0x20)) + b" #"
# A comment may also contain WS and `#`.
NOT_IN_COMMENT: Final = bytes(set(range(0x20)) - set(WS))


def is_product_token(value: bytes) -> bool:
    """product-token = identifier / "*"."""
    return value == b"*" or (value != b"" and not value.translate(None, IDENTIFIER))


def is_utf8_without(forbidden: bytes, text: bytes) -> bool:
    """UTF-8 as the grammar defines it, without the `forbidden` bytes."""
    if len(text.translate(None, forbidden)) != len(text):
        return False
    try:
        # Strict decoding rejects what the grammar rejects: overlong forms, surrogates, above U+10FFFF.
        text.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return True


def is_pattern(value: bytes) -> bool:
    """path-pattern / empty-pattern."""
    return value == b"" or (value[:1] == b"/" and is_utf8_without(NOT_IN_PATTERN, value))


def is_comment(comment: bytes) -> bool:
    """[comment], from its `#`: comment = "#" *(UTF8-char-noctl / WS / "#")."""
    return comment == b"" or is_utf8_without(NOT_IN_COMMENT, comment)
