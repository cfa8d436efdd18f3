"""Percent-encoding: the canonical forms in which targets and patterns are compared.

1. Form (a) writes each octet in one way: unreserved octets decoded, octets that no URI holds
   encoded, hex digits upper-case, reserved octets as written, an invalid `%` left alone.
2. Form (b) is form (a) with the reserved data of the query encoded, as in the table of the RFC.
3. Both are idempotent: what is canonical stays as it is.

Source: RFC 9309 section 2.2.2; RFC 3986 sections 2 and 6.2.2.
"""

from typing import Final

from canfetch.core.octets import HEX_DIGITS, NEVER_IN_URI, UNRESERVED

# Reserved octets that are data within a query; `&` and `=` are its structure there, `*` and `$` have
# their own handling, and `?` is data from the second one on.
RESERVED_DATA: Final = b":/?#[]@!'()+,;"
_ESCAPED_RESERVED_DATA: Final = tuple(b"%%%02X" % octet for octet in RESERVED_DATA)
# An octet out of this set needs nothing done in either a target or a pattern.
PLAIN: Final = bytes(set(range(0x100)) - set(NEVER_IN_URI) - set(b"%"))

_ESCAPES: Final = {octet: b"%%%02X" % octet for octet in range(0x100)}
_UNRESERVED: Final = frozenset(UNRESERVED)
_HEX: Final = frozenset(HEX_DIGITS)
_NEVER: Final = frozenset(NEVER_IN_URI)


def canonical(octets: bytes) -> bytes:
    """Give form (a) of a path and query, as target or as pattern.

    Cost: O(octets), with a pass in C where nothing needs a change.
    Source: RFC 9309 section 2.2.2.
    """
    if not octets.translate(None, PLAIN):
        return octets
    out = bytearray()
    position, end = 0, len(octets)
    while position < end:
        octet = octets[position]
        if octet == 0x25 and position + 2 < end and octets[position + 1] in _HEX and octets[position + 2] in _HEX:
            escaped = int(octets[position + 1 : position + 3], 16)
            if escaped in _UNRESERVED and not _completes_stray_percent(out, escaped):
                out.append(escaped)
            else:
                out += _ESCAPES[escaped]
            position += 3
            continue
        if octet in _NEVER:
            out += _ESCAPES[octet]
        else:
            out.append(octet)
        position += 1
    return bytes(out)


def _completes_stray_percent(out: bytearray, octet: int) -> bool:
    # Decoding `%34` behind a stray `%4` would make an escape that nobody wrote, and that a second
    # pass would decode again.
    if octet not in _HEX or not out:
        return False
    return out[-1] == 0x25 or (len(out) >= 2 and out[-2] == 0x25 and out[-1] in _HEX)


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
    encoded = b"".join(_ESCAPES[octet] if octet in RESERVED_DATA else b"%c" % octet for octet in query)
    return path + mark + encoded


def google_escaped(value: bytes) -> bytes:
    """Escape a rule's value as Google's parser does: hex digits upper-case, octets over 0x7F encoded."""
    if value.isascii() and b"%" not in value:
        return value
    return _uppercase_and_encode(value, range(0x80, 0x100))


def encoded_for_uri(target: bytes) -> bytes:
    """Encode what no URI holds and write hex digits upper-case, as a fetcher does before it asks."""
    return _uppercase_and_encode(target, _NEVER)


def _uppercase_and_encode(octets: bytes, encode: frozenset[int] | range) -> bytes:
    out = bytearray()
    position, end = 0, len(octets)
    while position < end:
        octet = octets[position]
        if octet == 0x25 and position + 2 < end and octets[position + 1] in _HEX and octets[position + 2] in _HEX:
            out += octets[position : position + 3].upper()
            position += 3
            continue
        if octet in encode:
            out += _ESCAPES[octet]
        else:
            out.append(octet)
        position += 1
    return bytes(out)
