"""Names in the headers of clients that are not crawlers: browsers, apps and libraries.

A crawler with such a name would be found in their headers, so that a site would refuse its visitors.
"""

import re
from collections.abc import Collection
from functools import cache
from typing import Final

from canfetch.agents.declarations import PLATFORM
from canfetch.agents.registry import RELEASE, names_to_look_up
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken

_WORD: Final = re.compile("[a-z]{3}", re.IGNORECASE)
BROWSER_PRODUCTS: Final = ("mozilla", "opera")
"""The first products in the headers of browsers, in lower case."""
_BROWSERS: Final = tuple(f"{name}/" for name in BROWSER_PRODUCTS)
_BRACKETS: Final = ("(", ")", "[", "]")
_ROBOT: Final = re.compile("bot|crawl|spider")
_FIRST_COMMENT: Final = re.compile(r"\(([^()]*)")


def is_other_client(name: str) -> bool:
    """Return whether browsers, apps or libraries may have a name in their headers.

    The names are those of the package, and those in `other_headers` of the release of the registry in use.

    Cost: A lookup. The first one reads the headers of the release.
    """
    return is_generic(name) or name.lower() in _names()


@cache
def _names() -> frozenset[str]:
    from canfetch.agents._other_names import NAMES  # noqa: PLC0415 - 7 KB that few programs need

    of_release = (name for header in RELEASE.other_headers for name in names_to_look_up(header.value))
    return frozenset((*NAMES.split(), *of_release))


def is_generic(name: str) -> bool:
    """Return whether a name has no three letters in a row: `10.0`, `x64` and `K` are versions and platforms."""
    return _WORD.search(name) is None


def declared_names(user_agent: str) -> list[str]:
    """Return the names by which a header can declare a crawler that is not in the registry, in lower case.

    The product token is the first one. If the header has the product of a browser, as in `Mozilla/5.0 (compatible;
    ExampleSite.com)`, its parts before dots count as well. If it is that of a browser, without a contact, no other name
    counts, and these do not count either if the browser or an app has them (`is_browser`). Otherwise, each word counts
    (`names_in`) that headers of browsers, apps and libraries do not have: the file that names `curl` is not about
    `ExampleBot/1.0 (curl/8)`.

    Cost: O(characters).
    """
    text = user_agent.lower()
    try:
        token = product_token(user_agent)
    except InvalidProductToken:
        declared: list[str] = []
    else:
        declared = list(names_to_look_up(token)) if _has_product(text) else [token.lower()]
    if _has_browser(text):
        return declared if declared and not is_browser(user_agent, declared) else []
    others = (name for name in names_to_look_up(user_agent) if not is_other_client(name))
    return list(dict.fromkeys((*declared, *others)))


def is_browser(user_agent: str, names: Collection[str]) -> bool:
    """Return whether a header that has names is that of a browser, alone or inside an app, and not of a crawler.

    It is if it has no URL, which is a contact, and

    - it has the product of a browser, and the names are words that headers of browsers, apps and libraries have:
      `Android` in `Mozilla/5.0 ... Instagram 312.1 Android (33/13; ...)`, or `Konqueror` in
      `Mozilla/5.0 (compatible; Konqueror/4.5; Linux)`; or
    - it starts as that of a browser, its first comment names a platform, and the names are those of an app:
      `Mozilla/5.0 (Linux; ...) ... ExampleApp/24`.

    A crawler with the header of a browser declares itself before the platform, after `compatible;`, in a comment, or as
    an element of a list, as in `...; ExampleBot/1.0`. A name without a version in the first comment belongs to the
    platform, and a list in brackets to an app, as in `[FBAN/FBIOS;FBAV/285.0]`.

    Args: names: The names that the crawler would have.
    Cost: O(characters).
    """
    text = user_agent.lower()
    lowered = [name.lower() for name in names]
    if not _has_browser(text):
        return False
    return all(_is_word(name, text) for name in lowered) or _is_browser_in_app(text, lowered)


def _has_browser(text: str) -> bool:
    """Return whether a header in lower case is of a browser: without a contact, and without a robot as platform."""
    return "://" not in text and _has_product(text) and not _is_platform_of_robot(text)


def _is_platform_of_robot(text: str) -> bool:
    comment = _FIRST_COMMENT.search(text)
    platform = "" if comment is None else comment[1].strip()
    is_known = PLATFORM.match(platform) is not None or platform.startswith(("compatible", "khtml"))
    return not is_known and _ROBOT.search(platform) is not None


def _has_product(text: str) -> bool:
    return any(product in text for product in _BROWSERS)


def _is_word(name: str, text: str) -> bool:
    """Return whether headers of browsers have a name. The crawler 80legs calls itself `008` after `compatible;`."""
    if name in _names():
        return True
    return is_generic(name) and re.search(rf"compatible;\s*{re.escape(name)}", text) is None


def _is_browser_in_app(text: str, names: Collection[str]) -> bool:
    comment = _FIRST_COMMENT.search(text) if text.startswith(_BROWSERS) else None
    platform = "" if comment is None else comment[1].strip()
    if not platform or platform.startswith("khtml") or (platform.startswith("compatible") and "msie" not in platform):
        return False
    alternatives = "|".join(map(re.escape, names))
    depth = comments = brackets = 0
    for found in re.finditer(rf"[()\[\]]|(compatible;\s*)?([,;]\s*)?(?:{alternatives})(/)?", text):
        part = found[0]
        depth += (part == "(") - (part == ")")
        brackets += (part == "[") - (part == "]")
        comments += part == "(" and depth == 1
        if part in _BRACKETS:
            continue
        after_compatible, separator, version = found.groups()
        in_list = separator if depth <= 0 and brackets <= 0 else None
        in_comment = depth > 0 and (comments > 1 or version)
        is_before_platform = not comments
        if is_before_platform or after_compatible or in_list or in_comment:
            return False
    return True
