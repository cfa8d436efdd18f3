"""Product tokens: what a user-agent line names, what a caller may ask for, what a header says.

Source: RFC 9309 section 2.2.1.
"""

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Final

from canfetch.core.abnf import IDENTIFIER
from canfetch.core.profiles import Profile
from canfetch.core.quoting import quoted
from canfetch.core.text import WHITE_SPACE, encode_text
from canfetch.errors import InvalidProductToken

STAR: Final = b"*"
# Products of browsers, which crawlers carry in front of their own.
_BROWSER_PRODUCTS: Final = frozenset(
    {"applewebkit", "chrome", "chromium", "crios", "edg", "edga", "edge", "edgios", "firefox", "fxios", "gecko"}
    | {"headlesschrome", "khtml", "like", "mobile", "mozilla", "msie", "opera", "opr", "presto", "safari"}
    | {"samsungbrowser", "trident", "version"}
)


def extract_token(value: bytes, profile: Profile) -> bytes:
    """Extract the product token of a user-agent line's value; empty where the line names nobody.

    Where names are looked for in values, the whole value stands for the token.

    Cost: O(octets of the value).
    """
    if value == STAR or profile.name_in_value:
        return value
    if value[:1] == STAR:
        # DEVIATION(rfc9309): `* foo` is not in the grammar; Google reads it as `*`, and so do all.
        return STAR if value[1:2] in WHITE_SPACE_OCTETS else b""
    if profile.token_letters_only:
        return value[: len(value) - len(value.lstrip(IDENTIFIER))]
    # Digits and dots stay: real crawlers have them (MJ12bot), though the grammar has not.
    if value.translate(None, IDENTIFIER):
        value = _until_token_end(value)
    return value


def _until_token_end(value: bytes) -> bytes:
    for separator in TOKEN_ENDS:
        if separator in value:
            value = value.partition(separator)[0]
    return value


def token_matches(token: bytes, agent: bytes, profile: Profile) -> bool:
    """Say whether a user-agent line with that token speaks to an agent of that name, or to `*`.

    Cost: O(octets of the token).
    """
    if profile.robotparser:
        # It reads text, in which other letters than those of ASCII have a case, too.
        name, crawler = (octets.decode("utf-8", "surrogateescape").lower() for octets in (token, agent))
        return name == crawler if "*" in (name, crawler) else name in crawler
    if not profile.agent_case_sensitive:
        # Only ASCII letters have a case here: bytes.lower() knows no other.
        token, agent = token.lower(), agent.lower()
    if profile.name_in_value and STAR not in (agent, token):
        return agent in token
    return agent == token


WHITE_SPACE_OCTETS: Final = frozenset(bytes([octet]) for octet in WHITE_SPACE)
TOKEN_ENDS: Final = tuple(bytes([octet]) for octet in WHITE_SPACE + b"/*,")


def encode_product_token(token: object) -> bytes:
    """Check a product token that a caller gives, and encode it.

    Raises: InvalidProductToken: it is empty, or holds white space, `/` or a control character;
        TypeError: it is no str.
    """
    if not isinstance(token, str):
        raise TypeError(f"a product token is a str, not {type(token).__name__}")
    octets = encode_text(token)
    if not octets:
        raise InvalidProductToken("the agent is empty; give a product token such as 'ExampleBot', or '*'")
    for octet in octets:
        if octet <= 0x20 or octet in b"/\x7f":
            raise InvalidProductToken(
                f"agent {quoted(token)} is no product token: it holds {chr(octet)!r}; "
                "for a whole User-Agent header use canfetch.product_token(header)"
            )
    return octets


def product_token(user_agent: str) -> str:
    """Find the crawler's product token in a whole User-Agent header.

    The first product, unless it is a browser's: then the product behind `compatible;`, else one in a
    comment that gives an address, else the last product that is no browser's.

    Args:
        user_agent: the value of an HTTP User-Agent header.
    Returns: the token, such as `Googlebot`.
    Raises: InvalidProductToken: the header names no crawler.
    Cost: O(characters).
    Source: RFC 9309 section 2.2.1; RFC 9110 section 10.1.5.
    """
    outside, comments = _products_and_comments(user_agent)
    products = [name for word in outside.replace(";", " ").split() if (name := _product_name(word))]
    if products and _is_crawler(products[0]):
        return products[0]
    parts = [[part.strip() for part in comment.split(";")] for comment in comments]
    for name in chain(_behind_compatible(parts), _beside_address(parts), reversed(products)):
        if _is_crawler(name):
            return name
    raise InvalidProductToken(f"User-Agent {quoted(user_agent)} names no crawler; give the product token itself")


def _products_and_comments(user_agent: str) -> tuple[str, list[str]]:
    outside: list[str] = []
    comments: list[list[str]] = []
    depth = 0
    for character in user_agent:
        if character == "(":
            depth += 1
            if depth == 1:
                comments.append([])
        elif character == ")":
            depth = max(0, depth - 1)
        # What a parenthesis parts stays apart.
        (comments[-1] if depth else outside).append(" " if character in "()" else character)
    return "".join(outside), ["".join(comment) for comment in comments]


def _behind_compatible(comments: list[list[str]]) -> Iterator[str]:
    for parts in comments:
        for before, part in pairwise(parts):
            if before.lower().endswith("compatible"):
                yield _product_name(part.partition(" ")[0])


def _beside_address(comments: list[list[str]]) -> Iterator[str]:
    for parts in comments:
        if any("://" in part or "@" in part or part.startswith("+") for part in parts):
            yield from (_product_name(part) for part in parts if "/" in part and "://" not in part)


def _product_name(word: str) -> str:
    name = word.strip().partition("/")[0].rstrip("*,;")
    # What this lets pass is a product token that a caller may ask for.
    return name if name[:1].isalnum() and name.isprintable() and " " not in name else ""


def _is_crawler(name: str) -> bool:
    return name != "" and name.lower() not in _BROWSER_PRODUCTS
