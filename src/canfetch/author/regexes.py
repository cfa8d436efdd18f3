"""A pattern as a regular expression over what a request holds: for servers, and as a second opinion of our own.

An expression matches a target as it was sent, path and query, just where the pattern matches it: each octet may be
written as itself or as its escape, wherever RFC 9309 takes the two for the same. It is written in what PCRE, RE2 and
Python share, without quotes, braces, white space and `#`, so that every server can quote it.

Source: RFC 9309 section 2.2.2, as `core.escapes` has it.
"""

import re
from functools import lru_cache
from typing import Final

from canfetch.core.escapes import RESERVED_DATA, canonical
from canfetch.core.quoting import quoted
from canfetch.core.text import NEVER_IN_URI, UNRESERVED
from canfetch.errors import InvalidSitePolicy

_PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~/")
# What a target may hold raw though its canonical form has the escape.
_RAW_TOO: Final = frozenset(b"*$") | {octet for octet in NEVER_IN_URI if 0x20 < octet < 0x7F}
# Whose escapes Traefik keeps.
_KEPT_ESCAPED: Final = frozenset(b":/?#[]@!$&'()*+,;=%")
ANYTHING: Final = ".*"


def target_regex(pattern: str) -> str:
    """Give the expression that matches, from its first octet, a target as it was sent.

    Args: pattern: one that `validate_pattern` let pass.
    Cost: O(characters).
    """
    octets = canonical(pattern.encode("ascii"))
    anchored = octets.endswith(b"$")
    out: list[str] = []
    in_query = False
    for octet, escaped in _octets(octets.removesuffix(b"$")):
        if octet == 0x2A and not escaped:
            out.append(ANYTHING)
        elif octet == 0x3F and not escaped and not in_query:
            in_query = True
            out.append(_raw(octet))
        elif octet in UNRESERVED or octet in _RAW_TOO or (in_query and octet in RESERVED_DATA):
            out.append(f"(?:{_raw(octet)}|{_escape(octet)})")
        else:
            out.append(_escape(octet) if escaped else _raw(octet))
    return "".join(out) + ("$" if anchored else "")


def path_regex(pattern: str) -> str:
    """Give the expression that matches, from its first character, the path that Traefik compares.

    That has no query, and is decoded but for reserved characters, whose escapes stay, in upper case.

    Raises: InvalidSitePolicy: the pattern speaks of a query, or of octets that are no text once decoded.
    Source: Traefik 3, request path.
    """
    octets = canonical(pattern.encode("ascii"))
    anchored = octets.endswith(b"$")
    out = bytearray()
    for octet, escaped in _octets(octets.removesuffix(b"$")):
        if escaped and octet in _KEPT_ESCAPED:
            escape = b"%%%02X" % octet
            out += b"(?:%b|%b)" % (_decoded(octet), escape) if octet in _RAW_TOO else escape
        elif octet == 0x2A:
            out += ANYTHING.encode()
        elif octet == 0x3F:
            raise InvalidSitePolicy(
                f"pattern {quoted(pattern)} cannot be told from a path without its query: "
                "write a pattern of the path alone, or use another server"
            )
        else:
            out += _decoded(octet)
    try:
        return out.decode("utf-8") + ("$" if anchored else "")
    except UnicodeDecodeError:
        raise InvalidSitePolicy(f"pattern {quoted(pattern)} is not UTF-8 once decoded: use another server") from None


@lru_cache(maxsize=4_096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(target_regex(pattern), re.DOTALL)


def matches_target(pattern: str, target: str) -> bool:
    """Say whether a pattern's expression matches a target as it was sent."""
    return _compiled(pattern).match(target) is not None


def _octets(octets: bytes) -> list[tuple[int, bool]]:
    """Give each octet that is meant, and whether it is written as an escape."""
    first, *rest = octets.split(b"%")
    found = [(octet, False) for octet in first]
    for part in rest:
        found.append((int(part[:2], 16), True))
        found += [(octet, False) for octet in part[2:]]
    return found


def _raw(octet: int) -> str:
    return chr(octet) if octet in _PLAIN else f"\\x{octet:02X}"


def _decoded(octet: int) -> bytes:
    return bytes([octet]) if octet in _PLAIN or octet >= 0x80 else b"\\x%02X" % octet


def _escape(octet: int) -> str:
    digits = (digit if digit.isdigit() else f"[{digit}{digit.lower()}]" for digit in f"{octet:02X}")
    return f"%{''.join(digits)}"
