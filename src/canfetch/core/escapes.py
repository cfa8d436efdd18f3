"""Percent-encoding: the canonical forms in which targets and patterns are compared.

1. Form (a) writes each octet in one way: unreserved octets decoded, octets that no URI holds
   encoded, hex digits upper-case, reserved octets as written, an invalid `%` left alone.
2. Form (b) is form (a) with the reserved data of the query encoded, as in the table of the RFC.
3. Both are idempotent: what is canonical stays as it is.

Source: RFC 9309 section 2.2.2; RFC 3986 sections 2 and 6.2.2.
"""

from collections.abc import Iterable
from typing import Final

from canfetch.core.text import HEX_DIGITS, NEVER_IN_URI, UNRESERVED

# Reserved octets that are data within a query; `&` and `=` are its structure there, `*` and `$` have
# their own handling, and `?` is data from the second one on.
RESERVED_DATA: Final = b":/?#[]@!'()+,;"
_ESCAPED_RESERVED_DATA: Final = tuple(b"%%%02X" % octet for octet in RESERVED_DATA)
# An octet out of this set needs nothing done in either a target or a pattern.
PLAIN: Final = bytes(set(range(0x100)) - set(NEVER_IN_URI) - set(b"%"))

_ESCAPES: Final = tuple(b"%%%02X" % octet for octet in range(0x100))
_UNRESERVED: Final = frozenset(UNRESERVED)
_HEX: Final = frozenset(HEX_DIGITS)


def _writings(encoded: Iterable[int]) -> tuple[bytes, ...]:
    # How each octet is written: as an escape, or as itself.
    escaped = frozenset(encoded)
    return tuple(_ESCAPES[octet] if octet in escaped else bytes([octet]) for octet in range(0x100))


_WRITTEN_IN_URI: Final = _writings(NEVER_IN_URI)
_WRITTEN_BY_GOOGLE: Final = _writings(range(0x80, 0x100))
_WRITTEN_IN_FORM_B: Final = _writings(RESERVED_DATA)


def canonical(octets: bytes) -> bytes:
    """Give form (a) of a path and query, as target or as pattern.

    Cost: O(octets), with a pass in C where nothing needs a change.
    Source: RFC 9309 section 2.2.2.
    """
    if not octets.translate(None, PLAIN):
        return octets
    first, *rest = octets.split(b"%")
    out = [_written(first, _WRITTEN_IN_URI)]
    end = out[0][-2:]
    for part in rest:
        escaped = _escaped_octet(part)
        if escaped is None:
            piece = b"%" + _written(part, _WRITTEN_IN_URI)
        elif escaped in _UNRESERVED and not _completes_stray_percent(end, escaped):
            piece = b"%c" % escaped + _written(part[2:], _WRITTEN_IN_URI)
        else:
            piece = _ESCAPES[escaped] + _written(part[2:], _WRITTEN_IN_URI)
        out.append(piece)
        end = (end + piece)[-2:]
    return b"".join(out)


def _written(octets: bytes, writings: tuple[bytes, ...]) -> bytes:
    return b"".join([writings[octet] for octet in octets])


def _escaped_octet(behind_percent: bytes) -> int | None:
    digits = behind_percent[:2]
    return int(digits, 16) if len(digits) == 2 and digits[0] in _HEX and digits[1] in _HEX else None


def _completes_stray_percent(end: bytes, octet: int) -> bool:
    # Decoding `%34` behind a stray `%4` would make an escape that nobody wrote, and that a second
    # pass would decode again. `end` is the last two octets written.
    if octet not in _HEX or not end:
        return False
    return end[-1] == 0x25 or (end[0] == 0x25 and end[-1] in _HEX)


def has_reserved_data(form_a: bytes) -> bool:
    """Say whether the query of a form (a) holds reserved data, raw or escaped.

    Cost: O(octets).
    """
    _, mark, query = form_a.partition(b"?")
    if not mark:
        return False
    if len(query.translate(None, RESERVED_DATA)) != len(query):
        return True
    return b"%" in query and any(escape in query for escape in _ESCAPED_RESERVED_DATA)


def encode_reserved_data(form_a: bytes) -> bytes:
    """Turn form (a) into form (b): reserved octets behind the first `?` become escapes.

    DEVIATION(rfc9309): the RFC's words encode all reserved octets, its table leaves the structure
    (`/`, the first `?`, `&`, `=`) raw; this follows the table.
    """
    path, mark, query = form_a.partition(b"?")
    if len(query.translate(None, RESERVED_DATA)) == len(query):
        return form_a
    return path + mark + _written(query, _WRITTEN_IN_FORM_B)


def literal(octets: bytes, *, decode: bool) -> bytes:
    """Write octets so that `*` and `$` are no signs; with `decode`, all escapes but `%2F` are decoded.

    An octet has one writing, and none is the beginning of another's: texts begin with one another as before.

    Cost: O(octets).
    Source: draft-koster-robots-00 section 3.2.2.
    """
    if decode and b"%" in octets:
        first, *rest = octets.split(b"%")
        octets = first + b"".join(map(_decoded, rest))
    return octets.replace(b"\x01", b"\x01\x01").replace(b"*", b"\x01s").replace(b"$", b"\x01d")


def unescape_literal(literal_octets: bytes) -> bytes:
    """Turn back what `literal` did to `*` and `$`, so that people and callers see the characters.

    Cost: O(octets).
    """
    if b"\x01" not in literal_octets:
        return literal_octets
    parts = literal_octets.split(b"\x01\x01")
    return b"\x01".join(part.replace(b"\x01s", b"*").replace(b"\x01d", b"$") for part in parts)


def _decoded(behind_percent: bytes) -> bytes:
    octet = _escaped_octet(behind_percent)
    if octet is None:
        return b"%25" + behind_percent
    # A slash stays what was written, and so must be told from what a `%25` makes.
    return (_ESCAPES[octet] if octet in b"/%" else b"%c" % octet) + behind_percent[2:]


def google_escaped(value: bytes) -> bytes:
    """Escape a rule's value as Google's parser does: hex digits upper-case, octets over 0x7F encoded."""
    if value.isascii() and b"%" not in value:
        return value
    return _uppercase_and_encode(value, _WRITTEN_BY_GOOGLE)


def encoded_for_uri(target: bytes) -> bytes:
    """Encode what no URI holds and write hex digits upper-case, as a fetcher does before it asks."""
    return _uppercase_and_encode(target, _WRITTEN_IN_URI)


def _uppercase_and_encode(octets: bytes, writings: tuple[bytes, ...]) -> bytes:
    first, *rest = octets.split(b"%")
    out = [_written(first, writings)]
    for part in rest:
        escaped = _escaped_octet(part)
        if escaped is None:
            out.append(b"%" + _written(part, writings))
        else:
            out.append(_ESCAPES[escaped] + _written(part[2:], writings))
    return b"".join(out)
