"""Product tokens in user-agent lines, in arguments, and in User-Agent headers.

Source: RFC 9309 section 2.2.1.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Final

from canfetch.core.abnf import IDENTIFIER
from canfetch.core.profiles import Profile
from canfetch.core.quoting import quoted
from canfetch.core.text import WHITE_SPACE, encode_text
from canfetch.errors import InvalidProductToken

STAR: Final = b"*"
# Products of browsers. Crawlers list them in their headers before their own product.
_BROWSER_PRODUCTS: Final = frozenset(
    {"applewebkit", "chrome", "chromium", "crios", "edg", "edga", "edge", "edgios", "firefox", "fxios", "gecko"}
    | {"headlesschrome", "khtml", "like", "mobile", "mozilla", "msie", "opera", "opr", "presto", "safari"}
    | {"samsungbrowser", "trident", "version"}
)


def extract_token(value: bytes, profile: Profile) -> bytes:
    """Return the product token in the value of a user-agent line, or empty bytes if there is none.

    In a profile with `substring_tokens`, the whole value is the token.

    Cost: O(bytes of the value).
    """
    if value == STAR or profile.substring_tokens:
        return value
    if value[:1] == STAR:
        # DEVIATION(rfc9309): the grammar has no `* foo`. It is read as `*` in all profiles, as in Google's parser.
        return STAR if value[1:2] in WHITE_SPACE_BYTES else b""
    if profile.token_letters_only:
        return value[: len(value) - len(value.lstrip(IDENTIFIER))]
    # Digits and dots are part of a token: real names contain them (MJ12bot), although the grammar does not allow them.
    if value.translate(None, IDENTIFIER):
        value = _until_token_end(value)
    return value


def _until_token_end(value: bytes) -> bytes:
    for separator in TOKEN_ENDS:
        if separator in value:
            value = value.partition(separator)[0]
    return value


def token_matches(token: bytes, agent: bytes, profile: Profile) -> bool:
    """Return whether a user-agent line with `token` applies to the product token `agent`, which may be `*`.

    Cost: O(bytes of the token).
    """
    # bytes.lower() only folds ASCII letters.
    token, agent = token.lower(), agent.lower()
    if profile.substring_tokens and STAR not in (agent, token):
        return agent in token
    return agent == token


WHITE_SPACE_BYTES: Final = frozenset(bytes([byte]) for byte in WHITE_SPACE)
# A parenthesis separates words.
_PARENTHESES_TO_SPACES: Final = str.maketrans("()", "  ")
TOKEN_ENDS: Final = tuple(bytes([byte]) for byte in WHITE_SPACE + b"/*,")


def encode_product_token(token: object) -> bytes:
    """Validate a product token from an argument, and encode it.

    Raises: InvalidProductToken: `token` is empty, or contains white space, `/` or a control character;
        TypeError: `token` is not a str.
    """
    if not isinstance(token, str):
        raise TypeError(f"product token must be a str, not {type(token).__name__}")
    encoded = encode_text(token)
    if not encoded:
        raise InvalidProductToken("invalid product token '': expected a name such as 'ExampleBot', or '*'")
    for byte in encoded:
        if byte <= 0x20 or byte in b"/\x7f":
            raise InvalidProductToken(
                f"invalid product token {quoted(token)}: must not contain {chr(byte)!r}; "
                "use canfetch.product_token() to extract it from a User-Agent header"
            )
    return encoded


def product_token(user_agent: str) -> str:
    """Return the product token of the crawler that a User-Agent header identifies.

    The token is the first product, unless that is a browser's. Then it is the product after `compatible;`, or one in a
    comment with a URL or email address, or else the last product that is not a browser's.

    Args:
        user_agent: The value of an HTTP User-Agent header.
    Returns: The token, such as `Googlebot`.
    Raises: InvalidProductToken: the header does not identify a crawler; TypeError: it is not a str.
    Cost: O(characters).
    Source: RFC 9309 section 2.2.1; RFC 9110 section 10.1.5.
    """
    if not isinstance(user_agent, str):
        raise TypeError(f"User-Agent header must be a str, not {type(user_agent).__name__}")
    outside, comments = _products_and_comments(user_agent)
    words = outside.replace(";", " ").split()
    first = next(_product_names(words), "")
    if _is_crawler(first):
        return first
    parts = [[part.strip() for part in comment.split(";")] for comment in comments]
    for name in chain(_after_compatible(parts), _with_address(parts), _product_names(reversed(words))):
        if _is_crawler(name):
            return name
    raise InvalidProductToken(
        f"no product token in the User-Agent header {quoted(user_agent)}: expected one such as 'ExampleBot/1.0'"
    )


def _products_and_comments(user_agent: str) -> tuple[str, list[str]]:
    """Return the text outside of comments, and the comments that may contain a product."""
    outside: list[str] = []
    comments: list[str] = []
    start = 0
    while (opened := user_agent.find("(", start)) >= 0:
        outside.append(user_agent[start:opened])
        start = _comment_end(user_agent, opened + 1)
        comment = user_agent[opened + 1 : start]
        if ";" in comment or "/" in comment:
            comments.append(comment.translate(_PARENTHESES_TO_SPACES))
    outside.append(user_agent[start:])
    return " ".join(outside).translate(_PARENTHESES_TO_SPACES), comments


def _comment_end(user_agent: str, start: int) -> int:
    depth = 1
    while depth:
        closed = user_agent.find(")", start)
        if closed < 0:
            return len(user_agent)
        depth += user_agent.count("(", start, closed) - 1
        start = closed + 1
    return start


def _after_compatible(comments: list[list[str]]) -> Iterator[str]:
    for parts in comments:
        for before, part in pairwise(parts):
            if before.lower().endswith("compatible"):
                yield _product_name(part.partition(" ")[0])


def _with_address(comments: list[list[str]]) -> Iterator[str]:
    for parts in comments:
        if any("://" in part or "@" in part or part.startswith("+") for part in parts):
            yield from (_product_name(part) for part in parts if "/" in part and "://" not in part)


def _product_names(words: Iterable[str]) -> Iterator[str]:
    return filter(None, map(_product_name, words))


def _product_name(word: str) -> str:
    name = word.strip().partition("/")[0].rstrip("*,;")
    # Tokens may start with `-` and `_`, but a dash alone separates words. An address is not a product.
    if "://" in word or not name.lstrip("-_")[:1].isalnum():
        return ""
    # Anything that passes is a valid product token.
    return name if name.isprintable() and " " not in name else ""


def _is_crawler(name: str) -> bool:
    return name != "" and name.lower() not in _BROWSER_PRODUCTS
