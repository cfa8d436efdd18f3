"""What is said of findings, in one language: the texts of every check, and the phrases around them.

English stands with the checks, and is complete by that; other languages are files in `languages/`, which a test keeps
complete.
"""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption
from canfetch.lint.check import Check

if TYPE_CHECKING:
    from canfetch.lint.crawler_verdicts import CrawlerVerdict

LANGUAGES: Final = ("en", "it", "es", "ko", "de", "ja")
# How many are told of a group; more of them say no more.
_MOST_NAMED: Final = 4

PHRASES: Final[Mapping[str, str]] = {
    "error": "error",
    "warning": "warning",
    "info": "info",
    "may": "{crawlers} may fetch {url}",
    "may-not": "{crawlers} may not fetch {url}",
    "but-may": "{crawlers} may",
    "but-may-not": "{crawlers} may not",
    "and": " and ",
    "comma": ", ",
    "other-crawlers": "other crawlers",
    "why": "why",
    "mend": "mend",
    "source": "source",
    "fixable": "--fix mends it",
    "fixable-unsafe": "--unsafe-fixes mends it, and changes what some crawler may fetch",
    "clean": "Nothing found.",
    "found": "{count} found; errors: {errors}, warnings: {warnings}, to know: {infos}.",
    "fixable-count": "{count} can be mended with --fix, {unsafe} more with --unsafe-fixes.",
    "suppressed": "{count} allowed by comments in the file.",
    "more": "{name}: there is more of this than is shown.",
    "report": "What canfetch found in robots.txt",
    "line": "Line",
}


class CheckTexts(NamedTuple):
    """What is said of one check."""

    title: str
    message: str
    why: str
    mend: str


class Catalogue:
    """All that is said, in one language.

    Args:
        language: its code, such as `en`.
        texts: of each check, by code; those that are missing are English.
        phrases: those around them.
    """

    __slots__ = ("_phrases", "_texts", "language")

    def __init__(self, language: str, texts: Mapping[str, CheckTexts], phrases: Mapping[str, str]) -> None:
        self.language = language
        self._texts = texts
        self._phrases = phrases

    def texts(self, check: Check) -> CheckTexts:
        """Give what is said of a check."""
        return self._texts.get(check.code) or CheckTexts(check.title, check.message, check.why, check.mend)

    def message(self, check: Check, details: Mapping[str, str]) -> str:
        """Say what was found."""
        return _filled(self.texts(check).message, details)

    def phrase(self, name: str, /, **details: str) -> str:
        """Give a phrase, filled."""
        return _filled(self._phrases[name], details)

    def effect(self, witnesses: "Iterable[CrawlerVerdict]") -> str:
        """Say who may fetch what; empty without witnesses."""
        told = list(witnesses)
        if not told:
            return ""
        url = told[0].url
        groups = {allowed: [one.crawler for one in told if one.allowed is allowed] for allowed in (True, False)}
        first = told[0].allowed
        said = self.phrase("may" if first else "may-not", crawlers=self._listed(groups[first]), url=url)
        if groups[not first]:
            other = self.phrase("but-may-not" if first else "but-may", crawlers=self._listed(groups[not first]))
            said += self.phrase("comma") + other
        return said

    def _listed(self, crawlers: list[str]) -> str:
        from canfetch.lint.crawler_verdicts import OTHER_CRAWLER  # noqa: PLC0415 - it imports what imports this

        names = [self.phrase("other-crawlers") if name == OTHER_CRAWLER else name for name in crawlers]
        if len(names) > _MOST_NAMED:
            names = [*names[:_MOST_NAMED], self.phrase("other-crawlers")]
        if len(names) == 1:
            return names[0]
        return self.phrase("comma").join(names[:-1]) + self.phrase("and") + names[-1]


def _filled(text: str, details: Mapping[str, str]) -> str:
    # Not str.format: what a site wrote may hold braces, and what is filled in is never filled again.
    parts = text.split("{")
    filled = [parts[0]]
    for part in parts[1:]:
        name, brace, rest = part.partition("}")
        filled.append(details.get(name, f"{{{name}}}") + rest if brace else "{" + part)
    return "".join(filled)


ENGLISH: Final = Catalogue("en", {}, PHRASES)


@cache
def catalogue_of(language: str) -> Catalogue:
    """Give the catalogue of a language.

    Args: language: one of `LANGUAGES`.
    Raises: InvalidOption: there is none.
    Cost: reading its file at the first call.
    """
    if language == "en":
        return ENGLISH
    if language not in LANGUAGES:
        raise InvalidOption(unknown_choice("language", language, LANGUAGES))
    text = files("canfetch.lint").joinpath("languages", f"{language}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    phrases: dict[str, str] = content.pop("phrases")
    return Catalogue(language, {code: CheckTexts(**texts) for code, texts in content.items()}, {**PHRASES, **phrases})
