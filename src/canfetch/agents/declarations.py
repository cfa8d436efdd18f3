"""How a User-Agent header declares a crawler: by a product name as a word, outside of URLs and email addresses.

Web servers, which have only regexes, and the registry read headers in the same way. Some apps send the name of a
crawler (`Crawler.app_names`), and a browser inside an app adds the app's name to the header of a browser
(`BROWSER_REGEX`).
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
# What browsers have in comments, lists and elsewhere. Contacts have `://` or `@`. Each part of the regex ends before
# the first character of the next one, so that engines that backtrack take linear time.
_IN_ELEMENT: Final = r"[^();:@\[\]]*(?::[^();:@\[\]/][^();:@\[\]]*)*"
_OUTSIDE: Final = r"[^(),;:@\[\]]*(?::[^(),;:@\[\]/][^(),;:@\[\]]*)*"
_NOT_COMPATIBLE: Final = r"c[^o();:@\[\]]|co[^m();:@\[\]]"
# Not `compatible` or a contact such as `+www.example.com`.
_ELEMENT: Final = rf"{_SPACE}*(?:(?:[^c+();:@\[\]\x20\x09]|{_NOT_COMPATIBLE}){_IN_ELEMENT}|c)?"
_ELEMENTS: Final = rf"{_ELEMENT}(?:;{_ELEMENT})*"
# The words with which the first comment of a browser starts, in lower case. With others, such as `robot`, it is unknown
# whether the header is that of a browser.
_PLATFORM_WORDS: Final = (
    *("windows", "macintosh", "x11", "linux", "android", "iphone", "ipad", "ipod", "wayland", "cros"),
    *("fuchsia", "crkey"),
    *("playstation", "new nintendo", "nintendo", "xbox", "web0s", "webos", "smart-tv", "smarttv", "tizen", "appletv"),
    *("symbianos", "symbian", "series60", "series40", "j2me", "midp", "blackberry", "bb10", "hp-tablet", "kaios"),
    *("mobile", "tablet", "phone", "tv", "sailfish", "haiku", "os/2", "beos", "freebsd", "openbsd", "netbsd", "sunos"),
    *("samsung", "playbook", "qtembedded", "viera", "bravia", "roku"),
    *("unix", "amiga", "risc os", "dreamcast", "maemo", "meego", "ubuntu", "fedora", "debian", "apple tv", "harmonyos"),
)
_PLATFORM: Final = (
    rf"{_SPACE}*(?:(?:{'|'.join(_PLATFORM_WORDS)})(?:[^A-Za-z();:@\[\]]{_IN_ELEMENT})?"
    rf"|compatible;{_SPACE}*msie{_IN_ELEMENT})(?:;{_ELEMENT})*"
)
PLATFORM: Final = re.compile(rf"(?:{'|'.join(_PLATFORM_WORDS)})(?![a-z])")
"""The start of the first comment of a browser's header, in lower case."""
# The list of an app may be cut, as in `[FBAN/FBIOS;FBAV/285.0`.
_COMMENT_OR_LIST: Final = rf"(?:\({_ELEMENTS}\)|\[{_ELEMENTS}(?:\]|$))"
BROWSER_REGEX: Final = (
    rf"^(?:mozilla|opera)/[0-9][0-9.]*{_SPACE}*\({_PLATFORM}\){_OUTSIDE}(?:{_COMMENT_OR_LIST}{_OUTSIDE})*$"
)
"""The regex that matches the header of a browser, alone or inside an app, that declares no crawler.

Its first comment names a platform, it has no contact, and no crawler can declare itself in it
(`other_clients.is_browser`): nothing is before the platform or after `compatible;`, and there is no list outside of
comments and brackets. It does not match a few rare headers of browsers, such as those with a comment in a comment.

It must be matched case-insensitively, and means the same in Python and in all servers.
"""


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
