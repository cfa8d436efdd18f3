"""Validation of what a line may contain: patterns, product tokens, URLs and comments.

Valid values are printable ASCII, so that all parsers read them in the same way.
"""

from typing import Final

from canfetch.core.abnf import IDENTIFIER
from canfetch.core.escapes import canonical
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.core.text import HEX_DIGITS, NEVER_IN_URI, encode_text
from canfetch.errors import InvalidDraft

# The limit of Yandex; all other crawlers read longer rules.
MAX_PATTERN_LENGTH: Final = 1_024
_TOKEN_CHARACTERS: Final = frozenset(IDENTIFIER.decode() + "0123456789.")
_MAX_COMMENT_LENGTH: Final = 1_024
_ESCAPING_ADVICE: Final = "canfetch.author.literal_path(path) escapes a path"
_STAR: Final = "*"
_NEVER_IN_URL: Final = frozenset(chr(byte) for byte in NEVER_IN_URI if 0x20 < byte < 0x7F)
_ROBOTS_TXT: Final = b"/robots.txt"
_URL_SCHEMES: Final = frozenset({"http", "https", "ftp"})


def literal_path(path: str) -> str:
    """Return the pattern that matches paths starting with exactly this path.

    `*`, `$`, `#`, white space, non-ASCII characters, and a `%` that does not start an escape are percent-encoded.
    Existing escapes are preserved. Append `$` to the pattern to match only the path itself.

    Args: path: A path, such as `/what's new/50%25 *off*`.
    Raises: InvalidDraft: The path does not start with `/`; TypeError: It is not a str.
    Cost: O(characters).
    Source: RFC 9309 section 2.2.3.

    >>> literal_path("/a b/$5 *new*")
    '/a%20b/%245%20%2Anew%2A'
    """
    if not validate_str(path, "a path").startswith("/"):
        raise InvalidDraft(f"invalid path {quoted(path)}: expected a path that starts with '/'")
    content = canonical(_escape_percent_signs(encode_text(path)))
    for sign in b"*$#":
        content = content.replace(b"%c" % sign, b"%%%02X" % sign)
    return content.decode("ascii")


def validate_str(text: str, what: str) -> str:
    """Return `text` if it is a str.

    Args:
        text: The value.
        what: A noun with its article, for the error message.
    Raises: TypeError: `text` is not a str.
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    return text


def validate_rule_pattern(pattern: str) -> str:
    """Return `pattern` if it is valid in an allow or disallow line.

    Raises: InvalidDraft: `validate_pattern` rejects it, or it is for robots.txt itself; TypeError.
    Cost: O(characters).
    Source: RFC 9309 section 2.2.2.
    """
    content = canonical(validate_pattern(pattern).encode("ascii"))
    if content.removesuffix(b"$").removesuffix(b"*") == _ROBOTS_TXT:
        raise InvalidDraft(f"invalid pattern {quoted(pattern)}: crawlers may always fetch /robots.txt itself")
    return pattern


def validate_pattern(pattern: str) -> str:
    """Return `pattern` if it is valid.

    Raises: InvalidDraft: It matches nothing, or parsers disagree about it; TypeError: It is not a str.
    Cost: O(characters).
    """
    invalid = f"invalid pattern {quoted(pattern)}:"
    if validate_str(pattern, "a pattern")[:1] not in {"/", "*"}:
        raise InvalidDraft(f"{invalid} expected a pattern that starts with '/' or '*'")
    _check_characters("pattern", pattern, _ESCAPING_ADVICE)
    for character in pattern:
        if character in _NEVER_IN_URL:
            raise InvalidDraft(
                f"{invalid} URLs contain {character!r} only as an escape; write %{ord(character):02X} "
                f"({_ESCAPING_ADVICE})"
            )
    if "**" in pattern:
        raise InvalidDraft(f"{invalid} '**' matches the same as '*'; write one '*'")
    if "$" in pattern[:-1]:
        raise InvalidDraft(
            f"{invalid} '$' has a meaning only at the end; move it there, or write %24 for the character"
        )
    for part in pattern.split("%")[1:]:
        if not _starts_escape(part.encode("ascii")):
            raise InvalidDraft(f"{invalid} '%' does not start an escape; write %25 for the character")
    if _has_dot_segments(pattern):
        raise InvalidDraft(
            f"{invalid} it matches nothing, because crawlers resolve '.' and '..' before they compare; "
            "write the resolved path"
        )
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise InvalidDraft(
            f"{invalid} it has {len(pattern)} characters; expected at most {MAX_PATTERN_LENGTH}, the limit of Yandex"
        )
    return pattern


def validate_token(token: str) -> str:
    """Return `token` if it is a valid product token, or `*`.

    Raises: InvalidDraft: It is invalid; TypeError: It is not a str.
    """
    if validate_str(token, "a product token") != _STAR and (
        not _TOKEN_CHARACTERS.issuperset(token) or not token.strip("-_.")
    ):
        raise InvalidDraft(
            f"invalid product token {quoted(token)}: expected letters, digits, '-', '_' and '.' only, "
            "such as 'GPTBot', or '*'"
        )
    return token


def validate_url(url: str, what: str) -> str:
    """Return `url` if it is an absolute URL.

    Args:
        url: The URL.
        what: The kind of URL, for the error message.
    Raises: InvalidDraft: It is not absolute, or has characters that must be escaped; TypeError: It is not a str.
    """
    _check_characters(f"{what} URL", validate_str(url, f"a {what} URL"), "percent-encode it")
    origin = find_origin(url)
    if origin is None or origin.scheme not in _URL_SCHEMES:
        raise InvalidDraft(
            f"invalid {what} URL {quoted(url)}: expected an absolute URL, such as 'https://www.example.com/...'"
        )
    return url


def validate_comment(text: str) -> str:
    """Return `text` if it is valid as a comment.

    Raises: InvalidDraft: It is too long, or not one line of printable ASCII; TypeError: It is not a str.
    """
    if not validate_str(text, "a comment").isascii() or not text.isprintable():
        raise InvalidDraft(f"invalid comment {quoted(text)}: expected one line of printable ASCII")
    if len(text) > _MAX_COMMENT_LENGTH:
        raise InvalidDraft(f"invalid comment {quoted(text)}: expected at most {_MAX_COMMENT_LENGTH} characters")
    return text


def _escape_percent_signs(path: bytes) -> bytes:
    first, *rest = path.split(b"%")
    return first + b"".join((b"%" if _starts_escape(part) else b"%25") + part for part in rest)


def _starts_escape(after_percent: bytes) -> bool:
    return len(after_percent) >= 2 and set(after_percent[:2]) <= set(HEX_DIGITS)


def _has_dot_segments(pattern: str) -> bool:
    # Without an anchor, the last segment may continue, as in `/a/..b`.
    path, mark, _ = canonical(pattern.encode("ascii")).partition(b"?")
    closed = path.removesuffix(b"$") + b"/" if mark or path.endswith(b"$") else path
    return b"/./" in closed or b"/../" in closed


def _check_characters(what: str, value: str, advice: str) -> None:
    for character in value:
        if character == "#":
            raise InvalidDraft(f"invalid {what} {quoted(value)}: '#' starts a comment; write %23 ({advice})")
        if not "!" <= character <= "~":
            raise InvalidDraft(f"invalid {what} {quoted(value)}: {character!r} is not allowed; {advice}")
