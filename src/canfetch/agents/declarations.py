"""How a User-Agent header declares a crawler: by a product name as a word, outside of URLs and email addresses.

Web servers, which have only regexes, and the registry read headers in the same way. Some apps send the name of a
crawler (`Crawler.app_names`), and a browser inside an app adds the app's name to the header of a browser.
"""

import re
from collections.abc import Iterable
from typing import Final

# The name is neither part of a longer name nor of a URL or an email address.
_BEFORE_NAME: Final = "(?:^|[^A-Za-z0-9_./@+-])"
_AFTER_NAME: Final = r"(?:[^A-Za-z0-9_.@+-]|$|[.+][A-Za-z0-9_.+-]*(?:[^A-Za-z0-9_.@+-]|$))"
# A word, and what would make it the first part of an email address.
_WORD: Final = re.compile(r"(?<![a-z0-9_./@+-])([a-z0-9_-][a-z0-9_.-]*)([a-z0-9_.+-]*@?)")
# Product names are shorter. So a word is read in constant time, however many dots it has.
_MAX_NAME_CHARACTERS: Final = 64
# Nothing but the name, its version, a letter for the platform, and a comment.
_SPACE: Final = r"[\x20\x09]"
_ALONE: Final = rf"^(?:{{names}})(?:/[^\x20\x09]+)?(?:{_SPACE}+[A-Z])?(?:{_SPACE}+\([^)]*\))?{_SPACE}*$"
_COMPATIBLE: Final = rf"[Cc]ompatible;{_SPACE}*(?:{{names}})(?:[^A-Za-z0-9_-]|$)"


def name_regex(names: Iterable[str]) -> str:
    """Return the regex that finds one of the names in a header. It must be matched case-insensitively.

    It means the same in Python and in the servers that rules are written for (PCRE, RE2 and Go).
    """
    return f"{_BEFORE_NAME}(?:{_alternatives(names)}){_AFTER_NAME}"


def first_name_regex(names: Iterable[str]) -> str:
    """Return the regex that finds one of the names at the start of a header. See `name_regex`."""
    return f"^(?:{_alternatives(names)}){_AFTER_NAME}"


def app_name_regex(names: Iterable[str]) -> str:
    """Return the regex that finds one of the names in the headers of crawlers, but not in those of apps.

    It must be matched case-insensitively, and means the same in all servers.
    """
    alternatives = _alternatives(names)
    return f"(?:{_ALONE.format(names=alternatives)}|{_COMPATIBLE.format(names=alternatives)})"


def names_in(user_agent: str) -> dict[str, None]:
    """Return the words of a header that may be the names of crawlers, as `name_regex` finds them, in lower case.

    Cost: O(characters).
    """
    words = dict.fromkeys(word for word, rest in _WORD.findall(user_agent.lower()) if not rest.endswith("@"))
    if "." not in user_agent:
        return words
    names: dict[str, None] = {}
    for word in words:
        # `ExampleBot.Feeds` contains `ExampleBot`.
        end = len(word)
        while end > 0:
            if end <= _MAX_NAME_CHARACTERS:
                names[word[:end]] = None
            end = word.rfind(".", 0, min(end, _MAX_NAME_CHARACTERS + 1))
    return names


def _alternatives(names: Iterable[str]) -> str:
    return "|".join(name.replace(".", r"\.") for name in names)
