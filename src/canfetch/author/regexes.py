"""Patterns as regular expressions over requests: for servers, and for verifying the engines independently.

A regex matches a target as sent, path and query, exactly where the pattern matches it. Each byte may be literal or
percent-encoded wherever RFC 9309 treats the two as equal. `application_regex` also matches the targets that servers and
applications may route as one that the pattern matches: they decode all escapes of a path, and merge slashes. The syntax
is common to PCRE, RE2 and Python. It avoids quotes, braces, white space and `#`, so that every server can quote it.

RE2 matches these regexes in linear time. Engines that backtrack would take a time that grows with the length of the
target to the power of the number of wildcards, and servers let a request pass if its regex takes too long. For them,
`atomic_regex` returns a form that takes linear time as well.

Source: RFC 9309 section 2.2.2, as implemented in `core.escapes`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from canfetch.core.escapes import RESERVED_DATA, canonical
from canfetch.core.quoting import quoted
from canfetch.core.text import NEVER_IN_URI, UNRESERVED
from canfetch.errors import InvalidSitePolicy

_PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~/")
# Bytes that may be literal in a target though the normalised form has the escape.
_ALSO_LITERAL: Final = frozenset(b"*$") | {byte for byte in NEVER_IN_URI if 0x20 < byte < 0x7F}
# Bytes whose escapes Traefik does not decode.
_NOT_DECODED: Final = frozenset(b":/?#[]@!$&'()*+,;=%")
ANYTHING: Final = ".*"
_SLASH: Final = 0x2F
_NEVER_EQUAL: Final = frozenset(b"?%")
_WILDCARD: Final = (0x2A, False)


def target_regex(pattern: str) -> str:
    """Return the regex that matches, from its first byte, a target as sent.

    Args: pattern: A pattern that `validate_pattern` accepts.
    Cost: O(characters).
    """
    content = canonical(pattern.encode("ascii"))
    anchored = content.endswith(b"$")
    out: list[str] = []
    in_query = False
    for byte, escaped in _decode(content.removesuffix(b"$")):
        if byte == 0x2A and not escaped:
            out.append(ANYTHING)
        elif byte == 0x3F and not escaped and not in_query:
            in_query = True
            out.append(_literal(byte))
        elif byte in UNRESERVED or byte in _ALSO_LITERAL or (in_query and byte in RESERVED_DATA):
            out.append(f"(?:{_literal(byte)}|{_escape(byte)})")
        else:
            out.append(_escape(byte) if escaped else _literal(byte))
    return "".join(out) + ("$" if anchored else "")


def application_regex(pattern: str) -> str:
    """Return the regex that matches, from its first byte, a target that an application may route as the pattern.

    It matches whatever `target_regex` matches, and the same path with other escapes, with several slashes for one, or
    with slashes after the name of a file, which views of static files ignore. Such a name is a last segment with a dot.

    Args: pattern: A pattern that `validate_pattern` accepts.
    Cost: O(characters).
    """
    content = canonical(pattern.encode("ascii"))
    anchored = content.endswith(b"$")
    path, *query = content.removesuffix(b"$").split(b"?", 1)
    decoded = _decode(path)
    out: list[str] = []
    for index, (byte, escaped) in enumerate(decoded):
        if (byte, escaped) == _WILDCARD:
            out.append(ANYTHING)
        elif byte == _SLASH:
            out.append(f"(?:/|{_escape(byte)}){_repeats(decoded, index, is_open=not anchored and not query)}")
        else:
            # `?` and `%` are other characters than their escapes, however often a path is decoded.
            is_ambiguous = byte < 0x80 and byte not in _NEVER_EQUAL
            out.append(f"(?:{_literal(byte)}|{_escape(byte)})" if is_ambiguous else _escape(byte))
    ignored = f"(?:/|{_escape(_SLASH)})*" if (anchored or query) and _names_file(path) else ""
    return "".join(out) + ignored + "".join(map(_query_regex, query)) + ("$" if anchored else "")


def atomic_regex(regex: str, groups: Iterator[int] | None = None) -> str:
    """Return a form of a regex of this module that matches the same in linear time if the engine backtracks.

    The text between two wildcards is found where it occurs first, and nowhere else: an earlier place leaves more for
    what follows. Atomic groups also need no stack, of which the compiler of PCRE2 has 32 KiB: beyond it, a match fails.

    Args:
        regex: The regex.
        groups: None writes atomic groups, as in PCRE and Python. For ECMAScript, which has none, the numbers of groups
            that are free: a group in a lookahead is atomic, too.
    Cost: O(characters).
    """
    if groups is None:
        # No two alternatives match the same text, and no repeated group matches what follows it.
        regex = regex.replace("(?:", "(?>").replace(")+", ")++").replace(")*", ")*+")
    first, *parts = regex.split(ANYTHING)
    out = [first]
    for number, part in enumerate(parts, 1):
        if number == len(parts) and part.endswith("$"):
            out.append(f"{ANYTHING}{part}")
        elif part:
            out.append(f"(?>{ANYTHING}?{part})" if groups is None else rf"(?=({ANYTHING}?{part}))\{next(groups)}")
    return "".join(out)


def _names_file(path: bytes) -> bool:
    """Return whether slashes after a path may be ignored. A wildcard at its end matches them."""
    return b"." in path.rpartition(b"/")[2] and not path.endswith(b"*")


def _query_regex(query: bytes) -> str:
    # In a query, reserved characters are equal to their escapes.
    return target_regex("?" + query.decode("ascii") + "$").removesuffix("$")


def _repeats(decoded: list[tuple[int, bool]], index: int, *, is_open: bool) -> str:
    """Return `+` for a slash, unless a neighbouring wildcard, or the rest of the target, matches more slashes.

    Args: is_open: Whether anything may follow the path.
    """
    neighbours = decoded[max(index - 1, 0) : index + 2]
    is_last = index == len(decoded) - 1
    # Of several slashes, the last one is enough. Each additional `+` would multiply the time of engines that backtrack.
    is_followed = not is_last and decoded[index + 1][0] == _SLASH
    return "" if _WILDCARD in neighbours or (is_last and is_open) or is_followed else "+"


def path_regex(pattern: str, *, as_application: bool = False) -> str:
    """Return the regex that matches, from its first character, the path that Traefik matches.

    This path has no query. It is decoded except for reserved characters, whose escapes are in upper case.

    Args:
        pattern: A pattern that `validate_pattern` accepts.
        as_application: Whether to match the paths that an application may route as the pattern, too.
    Raises: InvalidSitePolicy: The pattern contains a query or several slashes in a row, or does not decode to UTF-8.
    Source: Traefik 3, request path.
    """
    content = canonical(pattern.encode("ascii"))
    anchored = content.endswith(b"$")
    path = content.removesuffix(b"$")
    if b"//" in path.partition(b"?")[0]:
        raise InvalidSitePolicy(
            f"unsupported pattern {quoted(pattern)}: Traefik merges the slashes of a path, so that none would match; "
            "use a pattern without '//', or another server"
        )
    out = bytearray()
    for byte, escaped in _decode(path):
        if as_application and byte in _NOT_DECODED - _NEVER_EQUAL and (byte, escaped) != _WILDCARD:
            out += b"(?:%b|%%%02X)%b" % (_decoded_literal(byte), byte, b"+" if byte == _SLASH else b"")
        elif escaped and byte in _NOT_DECODED:
            escape = b"%%%02X" % byte
            out += b"(?:%b|%b)" % (_decoded_literal(byte), escape) if byte in _ALSO_LITERAL else escape
        elif byte == 0x2A:
            out += ANYTHING.encode()
        elif byte == 0x3F:
            raise InvalidSitePolicy(
                f"unsupported pattern {quoted(pattern)}: Traefik does not match queries; use a pattern without '?', "
                "or another server"
            )
        else:
            out += _decoded_literal(byte)
    if as_application and anchored and _names_file(path):
        out += b"(?:/|%2F)*"
    try:
        return out.decode("utf-8") + ("$" if anchored else "")
    except UnicodeDecodeError:
        raise InvalidSitePolicy(
            f"unsupported pattern {quoted(pattern)}: Traefik requires paths in UTF-8; use another server"
        ) from None


@lru_cache(maxsize=4_096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(atomic_regex(target_regex(pattern)), re.DOTALL)


def matches_target(pattern: str, target: str) -> bool:
    """Return whether the regex of a pattern matches a target as sent."""
    return _compiled(pattern).match(target) is not None


def compile_patterns(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return a regex that matches, from its first byte, a target as sent that any of the patterns matches."""
    return re.compile("|".join(atomic_regex(target_regex(pattern)) for pattern in patterns), re.DOTALL)


def _decode(content: bytes) -> list[tuple[int, bool]]:
    """Return each decoded byte, and whether it is written as an escape."""
    first, *rest = content.split(b"%")
    found = [(byte, False) for byte in first]
    for part in rest:
        found.append((int(part[:2], 16), True))
        found += [(byte, False) for byte in part[2:]]
    return found


def _literal(byte: int) -> str:
    return chr(byte) if byte in _PLAIN else f"\\x{byte:02X}"


def _decoded_literal(byte: int) -> bytes:
    return bytes([byte]) if byte in _PLAIN or byte >= 0x80 else b"\\x%02X" % byte


def _escape(byte: int) -> str:
    digits = (digit if digit.isdigit() else f"[{digit}{digit.lower()}]" for digit in f"{byte:02X}")
    return f"%{''.join(digits)}"
