"""Percent-encoding: the canonical forms in which targets and patterns are compared.

1. Form (a): escapes of unreserved bytes are decoded, bytes that are invalid in a URI are encoded, hexadecimal digits
   are in upper case, and reserved bytes and an invalid `%` stay as written.
2. Form (b): form (a) with the reserved data of the query encoded, as in the table of the RFC.
3. Both are idempotent.

Source: RFC 9309 section 2.2.2; RFC 3986 sections 2 and 6.2.2.
"""

from collections.abc import Iterable
from typing import Final

from canfetch.core.text import HEX_DIGITS, NEVER_IN_URI, UNRESERVED

# Reserved bytes that are data in a query. `&` and `=` are its structure, and `*` and `$` are special in patterns. The
# first `?` starts the query.
RESERVED_DATA: Final = b":/?#[]@!'()+,;"
_ESCAPED_RESERVED_DATA: Final = tuple(b"%%%02X" % byte for byte in RESERVED_DATA)
# Bytes that stay as they are in targets and patterns.
PLAIN: Final = bytes(set(range(0x100)) - set(NEVER_IN_URI) - set(b"%"))

_PLAIN_OR_PERCENT: Final = PLAIN + b"%"
_ESCAPES: Final = tuple(b"%%%02X" % byte for byte in range(0x100))
_UNRESERVED: Final = frozenset(UNRESERVED)
_HEX: Final = frozenset(HEX_DIGITS)


def _spellings(encoded: Iterable[int]) -> tuple[bytes, ...]:
    # The spelling of each byte: an escape for the encoded ones, or the byte itself.
    escaped = frozenset(encoded)
    return tuple(_ESCAPES[byte] if byte in escaped else bytes([byte]) for byte in range(0x100))


_IN_URI: Final = _spellings(NEVER_IN_URI)
_FOR_GOOGLE: Final = _spellings(range(0x80, 0x100))
_IN_FORM_B: Final = _spellings(RESERVED_DATA)


def canonical(text: bytes) -> bytes:
    """Return form (a) of a path and query, or of a pattern.

    Cost: O(bytes), in C for texts that need no change.
    Source: RFC 9309 section 2.2.2.
    """
    if not text.translate(None, PLAIN):
        return text
    # Most of the others have escapes, but no byte that needs one.
    is_encoded = not text.translate(None, _PLAIN_OR_PERCENT)
    first, *rest = text.split(b"%")
    out = [first if is_encoded else _encode(first, _IN_URI)]
    end = out[0][-2:]
    for part in rest:
        escaped = _decode_escape(part)
        if escaped is None:
            start, after = b"%", part
        elif escaped in _UNRESERVED and not _completes_stray_percent(end, escaped):
            start, after = b"%c" % escaped, part[2:]
        else:
            start, after = _ESCAPES[escaped], part[2:]
        piece = start + (after if is_encoded else _encode(after, _IN_URI))
        out.append(piece)
        end = (end + piece)[-2:]
    return b"".join(out)


def _encode(text: bytes, spellings: tuple[bytes, ...]) -> bytes:
    return b"".join([spellings[byte] for byte in text])


def _decode_escape(after_percent: bytes) -> int | None:
    digits = after_percent[:2]
    return int(digits, 16) if len(digits) == 2 and digits[0] in _HEX and digits[1] in _HEX else None


def _completes_stray_percent(end: bytes, byte: int) -> bool:
    # Decoding `%34` after a stray `%4` would create an escape, which a second pass would decode again.
    # `end` is the last two bytes of the output.
    if byte not in _HEX or not end:
        return False
    return end[-1] == 0x25 or (end[0] == 0x25 and end[-1] in _HEX)


def has_reserved_data(form_a: bytes) -> bool:
    """Return whether the query of a form (a) contains reserved data, raw or escaped.

    Cost: O(bytes).
    """
    _, mark, query = form_a.partition(b"?")
    if not mark:
        return False
    if len(query.translate(None, RESERVED_DATA)) != len(query):
        return True
    return b"%" in query and any(escape in query for escape in _ESCAPED_RESERVED_DATA)


def encode_reserved_data(form_a: bytes) -> bytes:
    """Return form (b) of a form (a): reserved data after the first `?` is encoded.

    DEVIATION(rfc9309): the RFC's words encode all reserved bytes, its table leaves the structure
    (`/`, the first `?`, `&`, `=`) raw; this follows the table.
    """
    path, mark, query = form_a.partition(b"?")
    if len(query.translate(None, RESERVED_DATA)) == len(query):
        return form_a
    return path + mark + _encode(query, _IN_FORM_B)


def escape_literal(text: bytes, *, decode: bool) -> bytes:
    """Escape `*` and `$` so that they match only themselves.

    Every byte has one spelling and no spelling is a prefix of another, so prefixes of texts remain prefixes.

    Args: decode: also decode all percent-escapes but `%2F`.
    Cost: O(bytes).
    Source: draft-koster-robots-00 section 3.2.2.
    """
    if decode and b"%" in text:
        first, *rest = text.split(b"%")
        text = first + b"".join(map(_decode_all_but_slash, rest))
    return text.replace(b"\x01", b"\x01\x01").replace(b"*", b"\x01s").replace(b"$", b"\x01d")


def unescape_literal(escaped: bytes) -> bytes:
    """Revert the escaping of `*` and `$` by `escape_literal`, for display.

    Cost: O(bytes).
    """
    if b"\x01" not in escaped:
        return escaped
    parts = escaped.split(b"\x01\x01")
    return b"\x01".join(part.replace(b"\x01s", b"*").replace(b"\x01d", b"$") for part in parts)


def _decode_all_but_slash(after_percent: bytes) -> bytes:
    byte = _decode_escape(after_percent)
    if byte is None:
        return b"%25" + after_percent
    # `%2F` stays as written, so `%` stays encoded to keep a decoded `%25` apart from it.
    return (_ESCAPES[byte] if byte in b"/%" else b"%c" % byte) + after_percent[2:]


def google_escape(value: bytes) -> bytes:
    """Escape a rule's value as Google's parser does: hexadecimal digits in upper case, bytes above 0x7F encoded."""
    if value.isascii() and b"%" not in value:
        return value
    return _uppercase_and_encode(value, _FOR_GOOGLE)


def encode_for_uri(target: bytes) -> bytes:
    """Encode bytes that are invalid in a URI and write hexadecimal digits in upper case, as a fetcher does."""
    return _uppercase_and_encode(target, _IN_URI)


def _uppercase_and_encode(text: bytes, spellings: tuple[bytes, ...]) -> bytes:
    first, *rest = text.split(b"%")
    out = [_encode(first, spellings)]
    for part in rest:
        escaped = _decode_escape(part)
        if escaped is None:
            out.append(b"%" + _encode(part, spellings))
        else:
            out.append(_ESCAPES[escaped] + _encode(part[2:], spellings))
    return b"".join(out)
