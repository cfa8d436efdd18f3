"""The known crawler that a misspelt product token probably refers to."""

from functools import cache, lru_cache
from typing import Final

from canfetch.agents import REGISTRY

_MIN_LENGTH: Final = 6
_MAX_LENGTH: Final = 40
_SEPARATORS: Final = str.maketrans(dict.fromkeys("-_. "))
# Real crawlers whose names are one letter away from others.
_NOT_MISSPELT: Final = frozenset(
    {"bingbot-mobile", "exabot-thumbnails", "gigabot", "jikespider", "orangebot", "seekbot", "semrushbot-sa", "yacybot"}
)


def suggest_crawler(name: str) -> str | None:
    """Return the known product token that `name` is a misspelling of, or None.

    A misspelling differs only in `-`, `_`, `.` and spaces, or in one letter that is missing, added or swapped with the
    next one.

    Cost: O(characters²), for at most 40 characters.
    """
    if not _MIN_LENGTH <= len(name) <= _MAX_LENGTH or not name.isascii():
        return None
    return _suggest(name.lower())


@lru_cache(maxsize=1024)
def _suggest(folded: str) -> str | None:
    if folded in _NOT_MISSPELT:
        return None
    if REGISTRY.get_crawler(folded) is not None:
        return None
    by_letters, by_shorter = _tables()
    same_letters = by_letters.get(folded.translate(_SEPARATORS))
    if same_letters is not None:
        return same_letters
    spellings = [folded, *_one_letter_less(folded)]
    if by_shorter.keys().isdisjoint(spellings):
        return None
    candidates = {known for shorter in spellings for known in by_shorter.get(shorter, ())}
    close = sorted(known for known in candidates if _is_one_edit_apart(folded, known.lower()))
    return close[0] if len(close) == 1 else None


@cache
def _tables() -> tuple[dict[str, str], dict[str, set[str]]]:
    by_letters: dict[str, str] = {}
    by_shorter: dict[str, set[str]] = {}
    for crawler in REGISTRY.crawlers:
        folded = crawler.name.lower()
        if len(folded) < _MIN_LENGTH or crawler.retired:
            continue
        by_letters[folded.translate(_SEPARATORS)] = crawler.name
        for shorter in (folded, *_one_letter_less(folded)):
            by_shorter.setdefault(shorter, set()).add(crawler.name)
    return by_letters, by_shorter


def _one_letter_less(name: str) -> list[str]:
    return [name[:index] + name[index + 1 :] for index in range(len(name))]


def _is_one_edit_apart(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > 1:
        return False
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    if len(shorter) < len(longer):
        return shorter[start:] == longer[start + 1 :]
    # A replaced letter does not count: too many real names differ from another by one.
    swapped = longer[start + 1 : start + 2] + longer[start : start + 1]
    return shorter[start : start + 2] == swapped and shorter[start + 2 :] == longer[start + 2 :]
