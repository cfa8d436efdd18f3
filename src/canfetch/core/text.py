"""Conversion between text and bytes, and named sets of characters.

No text raises. A lone surrogate from U+DC80 to U+DCFF is the byte that it escapes (PEP 383). Any other surrogate is
encoded like a character.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Final

from canfetch.errors import InvalidOption

# RFC 3986 section 2.3: the only characters whose escapes are equivalent to themselves.
UNRESERVED: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
HEX_DIGITS: Final = b"0123456789ABCDEFabcdef"
# The white space that Google's parser strips, and that bytes.strip() strips.
WHITE_SPACE: Final = b" \t\n\v\f\r"
# Bytes that a URI cannot contain unescaped: controls, space, the delimiters of RFC 2396, and everything over 0x7E.
NEVER_IN_URI: Final = bytes([*range(0x21), *b'"<>\\^`{|}', *range(0x7F, 0x100)])
_CUT: Final = "\N{HORIZONTAL ELLIPSIS}"


def encode_text(text: str) -> bytes:
    """Encode `text` as UTF-8. Surrogates from U+DC80 to U+DCFF become the bytes that they escape.

    Cost: O(characters).
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        encoded = text.encode("utf-8", "surrogatepass")
    # U+DC80 to U+DCFF are encoded as ED B2 80 to ED B3 BF, which valid UTF-8 never contains.
    parts = encoded.split(b"\xed")
    out = [parts[0]]
    for part in parts[1:]:
        if len(part) >= 2 and part[0] in (0xB2, 0xB3):
            out.append(bytes([(part[0] & 1) << 6 | part[1]]) + part[2:])
        else:
            out.append(b"\xed" + part)
    return b"".join(out)


def portable_text(text: str) -> str:
    """Return `text` as every format and protocol can represent it: text with lone surrogates as `display_text`.

    Cost: O(characters).
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return display_text(encode_text(text))
    return text


def content_json(content: bytes, key: str = "content") -> dict[str, str]:
    """Return content as the value of `key`: as text, or in Base64 with the encoding named if it is not valid UTF-8.

    Cost: O(bytes).
    """
    try:
        return {key: content.decode(), f"{key}_encoding": "utf-8"}
    except UnicodeDecodeError:
        return {key: b64encode(content).decode(), f"{key}_encoding": "base64"}


def content_bytes(text: str, encoding: str) -> bytes:
    """Return the bytes of a content that `content_json` wrote.

    Args: encoding: `utf-8` or `base64`.
    Raises: InvalidOption: The text is not valid Base64.
    """
    if encoding == "utf-8":
        return encode_text(text)
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise InvalidOption(f"invalid Base64 in content: {str(error).lower()}") from None


def display_text(encoded: bytes) -> str:
    """Decode UTF-8 for display and JSON. Bytes that are invalid or not printable are percent-encoded, as in `%E9`.

    In a pattern or a target, an escape is equivalent to the byte, so that no information is lost. Content of a site
    cannot control the terminal that prints it: an ESC character becomes `%1B`.
    """
    text = encoded.decode("utf-8", "surrogateescape")
    if text.isprintable():
        return text
    return text.translate({ord(c): _percent_encode(c) for c in set(text) if not c.isprintable()})


def counted(number: int, noun: str) -> str:
    """Return a number and an English noun, such as `1 file` or `2,000 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def abbreviated(items: Sequence[str], most: int, *, separator: str = ", ", rest: str = "more") -> str:
    """Return the first items, and the number of the others, such as `a, b and 3 more`."""
    more = len(items) - most
    return separator.join(items[:most]) + (f" and {more} {rest}" if more > 0 else "")


def bounded_text(text: str, max_bytes: int) -> str:
    """Return `text` with at most `max_bytes` bytes of UTF-8. A longer text is cut and ends in `…`."""
    # Most texts are shorter, and a character has at least one byte.
    encoded = text[: max_bytes + 1].encode()
    if len(encoded) <= max_bytes:
        return text
    return encoded[: max_bytes - len(_CUT.encode())].decode("utf-8", "ignore") + _CUT


def cut_text(text: str, characters: int) -> str:
    """Return the first characters of `text`. `…` follows if there are more."""
    return text if len(text) <= characters else text[:characters] + _CUT


def printable_text(text: str) -> str:
    """Return `text` with each unprintable character percent-encoded, as in `%1B`.

    Messages may contain text from a server, which must not control a terminal or add lines to a log.
    """
    return text if text.isprintable() else display_text(encode_text(text))


def _percent_encode(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))
