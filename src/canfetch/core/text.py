"""Text at the edge becomes octets once, and classes of octets get their names.

Nothing here raises on any text: a lone surrogate is an octet that somebody could not decode
(U+DC80 to U+DCFF), or is encoded as if it were a character.
"""

from typing import Final

# RFC 3986 section 2.3; the only octets whose escapes mean the same as themselves.
UNRESERVED: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
HEX_DIGITS: Final = b"0123456789ABCDEFabcdef"
# The white space that Google's parser strips, which is what bytes.strip() strips.
WHITE_SPACE: Final = b" \t\n\v\f\r"
# Octets that no URI holds as themselves: controls, space, delimiters of RFC 2396, everything over 0x7E.
NEVER_IN_URI: Final = bytes([*range(0x21), *b'"<>\\^`{|}', *range(0x7F, 0x100)])


def encode_text(text: str) -> bytes:
    """Encode `text` as UTF-8; the octets behind U+DC80 to U+DCFF come back, other surrogates pass.

    Cost: O(characters).
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        passed = text.encode("utf-8", "surrogatepass")
    # U+DC80 to U+DCFF are ED B2 80 to ED B3 BF, which no valid UTF-8 holds.
    parts = passed.split(b"\xed")
    out = [parts[0]]
    for part in parts[1:]:
        if len(part) >= 2 and part[0] in (0xB2, 0xB3):
            out.append(bytes([(part[0] & 1) << 6 | part[1]]) + part[2:])
        else:
            out.append(b"\xed" + part)
    return b"".join(out)


def display_text(octets: bytes) -> str:
    """Decode UTF-8 for people and JSON; what is no UTF-8 or cannot be printed becomes its escape, `%E9`.

    In a pattern or a target the escape means the same as the octet, so nothing is lost. What a site
    wrote may not steer the terminal that shows it: an ESC is printed as `%1B`.
    """
    text = octets.decode("utf-8", "surrogateescape")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escapes_of(c) for c in text)


def _escapes_of(character: str) -> str:
    return "".join(f"%{octet:02X}" for octet in character.encode("utf-8", "surrogateescape"))
