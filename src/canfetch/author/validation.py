"""What may stand in a line: patterns, product tokens, URLs and texts; what cannot be meant is refused.

Everything that passes is printable ASCII, so that no reader has to guess.
"""

from typing import Final

from canfetch.core.abnf import IDENTIFIER
from canfetch.core.escapes import canonical
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.core.text import HEX_DIGITS, NEVER_IN_URI, encode_text
from canfetch.errors import InvalidDraft

# Yandex takes no longer rule; every other reader takes more.
MAX_PATTERN_LENGTH: Final = 1_024
_TOKEN_CHARACTERS: Final = frozenset(IDENTIFIER.decode() + "0123456789.")
_MAX_COMMENT_LENGTH: Final = 1_024
_LITERAL: Final = "canfetch.author.literal_path(path) escapes what a path holds"
_EVERYONE: Final = "*"
_NEVER_IN_URL: Final = frozenset(chr(octet) for octet in NEVER_IN_URI if 0x20 < octet < 0x7F)
_ROBOTS_TXT: Final = b"/robots.txt"
_SITEMAP_SCHEMES: Final = frozenset({"http", "https", "ftp"})


def literal_path(path: str) -> str:
    """Give the pattern that matches what begins with this path, and in which no character is a sign.

    `*`, `$`, `#`, white space, what is not ASCII and a `%` that begins no escape become escapes; an escape that is
    there stays one. A `$` may be put behind the pattern, where the path itself is to be its end.

    Args: path: a path as it is meant, such as `/what's new/50%25 *off*`.
    Raises: InvalidDraft: it does not begin with `/`; TypeError: it is no text.
    Cost: O(characters).
    Source: RFC 9309 section 2.2.3.

    >>> literal_path("/a b/$5 *new*")
    '/a%20b/%245%20%2Anew%2A'
    """
    if not validate_str(path, "a path").startswith("/"):
        raise InvalidDraft(f"{quoted(path)} is no path: begin it with '/'")
    octets = canonical(_with_whole_escapes(encode_text(path)))
    for sign in b"*$#":
        octets = octets.replace(b"%c" % sign, b"%%%02X" % sign)
    return octets.decode("ascii")


def validate_str(text: str, what: str) -> str:
    """Let a text pass, of whatever content.

    Args: what: what it is, with its article.
    Raises: TypeError: it is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    return text


def validate_rule_pattern(pattern: str) -> str:
    """Let a pattern that allows or disallows pass.

    Raises: InvalidDraft: `validate_pattern` does not let it pass, or it is about robots.txt itself; TypeError.
    Cost: O(characters).
    Source: RFC 9309 section 2.2.2.
    """
    octets = canonical(validate_pattern(pattern).encode("ascii"))
    if octets.removesuffix(b"$").removesuffix(b"*") == _ROBOTS_TXT:
        raise InvalidDraft(f"pattern {quoted(pattern)} is about this file, which all may always fetch: leave it out")
    return pattern


def validate_pattern(pattern: str) -> str:
    """Let a pattern pass.

    Raises: InvalidDraft: it matches nothing, or readers would disagree about it; TypeError: it is no text.
    Cost: O(characters).
    """
    if validate_str(pattern, "a pattern")[:1] not in {"/", "*"}:
        raise InvalidDraft(f"pattern {quoted(pattern)} can match nothing: begin it with '/' or '*'")
    _check_characters("pattern", pattern, _LITERAL)
    for character in pattern:
        if character in _NEVER_IN_URL:
            raise InvalidDraft(
                f"pattern {quoted(pattern)} holds {character!r}, which no URL holds as itself: "
                f"write %{ord(character):02X}; {_LITERAL}"
            )
    if "**" in pattern:
        raise InvalidDraft(f"pattern {quoted(pattern)} has two stars in a row, which match what one does: write one")
    if "$" in pattern[:-1]:
        raise InvalidDraft(
            f"pattern {quoted(pattern)} has a '$' that does not end it: write %24 for the character, "
            "or put the '$' at the end"
        )
    for part in pattern.split("%")[1:]:
        if not _begins_escape(part.encode("ascii")):
            raise InvalidDraft(
                f"pattern {quoted(pattern)} has a '%' that begins no escape: write %25 for the character"
            )
    if _has_dot_segments(pattern):
        raise InvalidDraft(
            f"pattern {quoted(pattern)} can match nothing, since crawlers resolve '.' and '..' before they ask: "
            "write the path that they come to"
        )
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise InvalidDraft(
            f"pattern {quoted(pattern)} has {len(pattern)} characters: keep to {MAX_PATTERN_LENGTH}, "
            "since not all crawlers read more"
        )
    return pattern


def validate_token(token: str) -> str:
    """Let a product token, or `*`, pass.

    Raises: InvalidDraft: it is none; TypeError: it is no text.
    """
    if validate_str(token, "a product token") != _EVERYONE and (
        not _TOKEN_CHARACTERS.issuperset(token) or not token.strip("-_.")
    ):
        raise InvalidDraft(
            f"{quoted(token)} is no product token: give letters, digits, '-', '_' and '.' alone, such as 'GPTBot', "
            "or '*'"
        )
    return token


def validate_url(url: str, what: str) -> str:
    """Let an absolute URL pass.

    Args: what: what it is the URL of, for the error.
    Raises: InvalidDraft: it is relative, or would not come through a line as it is; TypeError: it is no text.
    """
    _check_characters(f"{what} URL", validate_str(url, f"a {what} URL"), "escape it as URLs want it")
    origin = find_origin(url)
    if origin is None or origin.scheme not in _SITEMAP_SCHEMES:
        raise InvalidDraft(f"{what} URL {quoted(url)} is not absolute: give one such as 'https://www.example.com/...'")
    return url


def validate_comment(text: str) -> str:
    """Let a comment's text pass.

    Raises: InvalidDraft: it is not one line of printable ASCII; TypeError: it is no text.
    """
    if not validate_str(text, "a comment").isascii() or not text.isprintable():
        raise InvalidDraft(f"comment {quoted(text)} is not one line of printable ASCII: give one comment a line")
    if len(text) > _MAX_COMMENT_LENGTH:
        raise InvalidDraft(f"comment {quoted(text)} is too long: keep to {_MAX_COMMENT_LENGTH} characters a line")
    return text


def _with_whole_escapes(octets: bytes) -> bytes:
    first, *rest = octets.split(b"%")
    return first + b"".join((b"%" if _begins_escape(part) else b"%25") + part for part in rest)


def _begins_escape(behind_percent: bytes) -> bool:
    return len(behind_percent) >= 2 and set(behind_percent[:2]) <= set(HEX_DIGITS)


def _has_dot_segments(pattern: str) -> bool:
    # Of an open end something may follow: `/a/..b`.
    path, mark, _ = canonical(pattern.encode("ascii")).partition(b"?")
    closed = path.removesuffix(b"$") + b"/" if mark or path.endswith(b"$") else path
    return b"/./" in closed or b"/../" in closed


def _check_characters(what: str, value: str, mend: str) -> None:
    for character in value:
        if character == "#":
            raise InvalidDraft(f"{what} {quoted(value)} holds '#', which begins a comment: write %23; {mend}")
        if not "!" <= character <= "~":
            raise InvalidDraft(f"{what} {quoted(value)} holds {character!r}, which ends it or is misread: {mend}")
