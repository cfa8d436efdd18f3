"""Which known crawler a name that nobody has may mean."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from canfetch.agents import REGISTRY

_SHORTEST: Final = 6
_LONGEST: Final = 40
_PARTED_BY: Final = str.maketrans(dict.fromkeys("-_. "))
# Names of crawlers that are real, and one letter from others; prefixes of families whose members are many.
_REAL: Final = frozenset(
    {"bingbot-mobile", "exabot-thumbnails", "gigabot", "jikespider", "orangebot", "seekbot", "yacybot"}
)
_FAMILIES: Final = ("ahrefs", "baiduspider", "googlebot-", "semrushbot-", "slackbot-", "yandex")


def suggest_crawler(name: str) -> str | None:
    """Give the known name that another one is misspelt from, or None.

    It is one if only `-`, `_`, `.` and spaces part the two, or one letter: missing, too many, or changed with the
    next.

    Cost: O(characters of the name, squared), and that is bounded.
    """
    folded = name.lower()
    if not _SHORTEST <= len(folded) <= _LONGEST or not folded.isascii() or folded in _REAL:
        return None
    if REGISTRY.get_crawler(folded) is not None or folded.startswith(_FAMILIES):
        return None
    squeezed, fewer = _tables()
    near = squeezed.get(folded.translate(_PARTED_BY))
    if near is not None:
        return near
    candidates = {known for shorter in (folded, *_with_one_fewer(folded)) for known in fewer.get(shorter, ())}
    close = sorted(known for known in candidates if _is_one_apart(folded, known.lower()))
    return close[0] if len(close) == 1 else None


@cache
def _tables() -> tuple[dict[str, str], dict[str, set[str]]]:
    squeezed: dict[str, str] = {}
    fewer: dict[str, set[str]] = {}
    for crawler in REGISTRY.crawlers:
        folded = crawler.name.lower()
        if len(folded) < _SHORTEST or crawler.retired:
            continue
        squeezed[folded.translate(_PARTED_BY)] = crawler.name
        for shorter in (folded, *_with_one_fewer(folded)):
            fewer.setdefault(shorter, set()).add(crawler.name)
    return squeezed, fewer


def _with_one_fewer(name: str) -> Iterator[str]:
    return (name[:place] + name[place + 1 :] for place in range(len(name)))


def _is_one_apart(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > 1:
        return False
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    if len(shorter) < len(longer):
        return shorter[start:] == longer[start + 1 :]
    # One letter in place of another makes too many names that are real.
    swapped = longer[start + 1 : start + 2] + longer[start : start + 1]
    return shorter[start : start + 2] == swapped and shorter[start + 2 :] == longer[start + 2 :]
