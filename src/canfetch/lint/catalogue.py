"""The linter's texts in one language: those of every check, and the phrases around them.

The English texts of a check are in its module. The other languages are files in `languages/`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption
from canfetch.lint.check import VARIANT, Check, Variant
from canfetch.lint.crawler_verdicts import OTHER_CRAWLER, CrawlerVerdict
from canfetch.lint.proofs import Contrast, Proof

LANGUAGES: Final = ("en", "it", "es", "ko", "de", "ja")

# Placeholders whose values are counts. Numbers of lines have no separators, as in editors and compilers.
_COUNTS: Final = frozenset({"count", "errors", "hours", "pages", "safe", "size", "unsafe", "warnings"})
_POINT_LANGUAGES: Final = ("de", "es", "it")
# Spanish separates thousands in numbers of five digits or more.
_UNSEPARATED_SPANISH: Final = 4

PHRASES: Final[Mapping[str, str]] = {
    "error": "error",
    "warning": "warning",
    "info": "info",
    "line-allows": "because of line {line}, {crawlers} may fetch {url}",
    "line-disallows": "because of line {line}, {crawlers} may not fetch {url}",
    "may-before-fix": "{crawlers} may fetch {url} today, but not once this is fixed",
    "may-not-before-fix": "{crawlers} may not fetch {url} today, but may once this is fixed",
    "but-may": "{crawlers} may",
    "but-may-not": "{crawlers} may not",
    "and": " and ",
    "comma": ", ",
    "contrast": "; ",
    "between-sentences": " ",
    "other-crawlers": "other crawlers",
    "crawlers-without-group": "crawlers without a group of their own",
    "any-crawler": "any crawler named {name}",
    "why": "why",
    "fix": "fix",
    "source": "source",
    "fixable": "fixable with --fix",
    "fixable-unsafe": "fixable with --unsafe-fixes, which changes what some crawlers may fetch",
    "fixable-changes": "fixable with --unsafe-fixes, which changes verdicts in {profiles}",
    "fixable-changes-except": "fixable with --unsafe-fixes, which changes verdicts in all profiles except {profiles}",
    "fixable-extensions": "fixable with --unsafe-fixes, which changes no verdict but records other than rules",
    "clean": "No problems found.",
    "found": "Found {count|problem|problems} ({errors|error|errors}, {warnings|warning|warnings}).",
    "notes": "{count|note|notes}: {checks}.",
    "notes-hidden": "{count|note|notes}: {checks}. Show with --show info.",
    "also-lines": "also on {count|line|lines}: {lines}",
    "fixable-count": "{count} fixable with --fix.",
    "fixable-unsafe-count": "{count} fixable with --unsafe-fixes.",
    "fixable-counts": "{safe} fixable with --fix, {unsafe} more with --unsafe-fixes.",
    "undecided": "{count|fix was|fixes were} left, because the file has too many rules to examine all fixes.",
    "suppressed": "{count|finding|findings} suppressed by comments in the file.",
    "more": "{name}: only the first findings are shown.",
    "report": "robots.txt lint report",
    "line": "Line",
    "page": "page",
    "filter": "Filter",
    "sort": "Sort by",
    "severity": "severity",
    "check": "check",
}


class CheckTexts(NamedTuple):
    """The texts of one check."""

    title: str
    message: str
    why: str
    how_to_fix: str
    how_to_fix_here: str = ""
    variants: Mapping[str, Variant] = MappingProxyType({})

    def variant(self, details: Mapping[str, str]) -> Variant:
        """Return the texts that the details of a finding select, completed with those of the check."""
        found = self.variants.get(details.get(VARIANT, ""), Variant())
        return Variant(found.message or self.message, found.how_to_fix or self.how_to_fix)


class Catalogue:
    """All texts in one language.

    Placeholders are `{name}`, and `{count|rule|rules}` for a number with its noun.

    Args:
        language: Language code, such as `en`.
        texts: Texts of the checks, by code. Missing ones are English.
        phrases: The phrases around them, by name.
    """

    __slots__ = ("_phrases", "_texts", "language")

    def __init__(self, language: str, texts: Mapping[str, CheckTexts], phrases: Mapping[str, str]) -> None:
        self.language = language
        self._texts = texts
        self._phrases = phrases

    def texts(self, check: Check) -> CheckTexts:
        """Return the texts of a check."""
        return self._texts.get(check.code) or CheckTexts(
            check.title, check.message, check.why, check.how_to_fix, check.how_to_fix_here, check.variants
        )

    def message(self, check: Check, details: Mapping[str, str]) -> str:
        """Return the check's message, with its placeholders filled from `details`."""
        return self._fill(self.texts(check).variant(details).message, details)

    def how_to_fix(self, check: Check, details: Mapping[str, str]) -> str:
        """Return what to change, with the check's sentence about this place if `details` fill it."""
        texts = self.texts(check)
        advice = texts.variant(details).how_to_fix
        if texts.variants:
            advice = self._fill(advice, details)
        if not texts.how_to_fix_here or not _placeholders(texts.how_to_fix_here) <= details.keys():
            return advice
        return advice + self.phrase("between-sentences") + self._fill(texts.how_to_fix_here, details)

    def phrase(self, name: str, /, **details: str) -> str:
        """Return a phrase, with its placeholders filled."""
        return self._fill(self._phrases[name], details)

    def number(self, digits: str) -> str:
        """Return a number with the language's separators. A sign before it, as in `> 2048`, stays."""
        sign, space, number = digits.rpartition(" ")
        if self.language == "es" and len(number) <= _UNSEPARATED_SPANISH:
            return digits
        grouped = f"{int(number):,}"
        return sign + space + (grouped.replace(",", ".") if self.language in _POINT_LANGUAGES else grouped)

    def effect(self, proof: Proof) -> str:
        """Return a proof as a clause that starts in lower case, or with a name or a path."""
        verdicts = proof.verdicts
        if proof.contrast is Contrast.FIX:
            allowed = verdicts[0].allowed
            crawlers = self._join(verdicts, proof)
            return self.phrase(
                "may-before-fix" if allowed else "may-not-before-fix", crawlers=crawlers, url=verdicts[0].url
            )
        first = next(one for one in verdicts if one.line in proof.lines)
        same = [one for one in verdicts if one.allowed is first.allowed and one.line in proof.lines]
        clause = self.phrase(
            "line-allows" if first.allowed else "line-disallows",
            crawlers=self._join(same, proof),
            url=first.url,
            line=str(first.line),
        )
        others = [one for one in verdicts if one.allowed is not first.allowed]
        if others:
            rest = self.phrase("but-may" if others[0].allowed else "but-may-not", crawlers=self._join(others, proof))
            clause += self.phrase("contrast") + rest
        return clause

    def _join(self, verdicts: Sequence[CrawlerVerdict], proof: Proof) -> str:
        # Without another name, it would be unclear which crawlers the other ones are.
        is_alone = all(one.crawler == OTHER_CRAWLER for one in proof.verdicts)
        others = self.phrase("crawlers-without-group" if is_alone else "other-crawlers")
        names = [others if one.crawler == OTHER_CRAWLER else self._name(one) for one in verdicts]
        if len(names) == 1:
            return names[0]
        return self.phrase("comma").join(names[:-1]) + self.phrase("and") + names[-1]

    def _name(self, verdict: CrawlerVerdict) -> str:
        return verdict.crawler if verdict.is_known else self.phrase("any-crawler", name=verdict.crawler)

    def _fill(self, text: str, details: Mapping[str, str]) -> str:
        # Not str.format: the file's content may hold braces, and a filled-in value is never filled again.
        parts = text.split("{")
        filled = [parts[0]]
        for part in parts[1:]:
            placeholder, brace, rest = part.partition("}")
            filled.append(self._value(placeholder, details) + rest if brace else "{" + part)
        return "".join(filled)

    def _value(self, placeholder: str, details: Mapping[str, str]) -> str:
        name, *nouns = placeholder.split("|")
        value = details.get(name)
        if value is None:
            return f"{{{placeholder}}}"
        shown = self.number(value) if name in _COUNTS else value
        if not nouns:
            return shown
        singular, plural = nouns
        return f"{shown} {singular if value == '1' else plural}"


def _placeholders(text: str) -> set[str]:
    return {part.partition("}")[0].partition("|")[0] for part in text.split("{")[1:]}


ENGLISH: Final = Catalogue("en", {}, PHRASES)


@cache
def load_catalogue(language: str) -> Catalogue:
    """Return the catalogue of a language.

    Args: language: One of `LANGUAGES`.
    Raises: InvalidOption: The language is unknown.
    Cost: Reads the language's file on the first call.
    """
    if language == "en":
        return ENGLISH
    if language not in LANGUAGES:
        raise InvalidOption(unknown_choice("language", language, LANGUAGES))
    import tomllib  # noqa: PLC0415 - only for other languages
    from importlib.resources import files  # noqa: PLC0415

    text = files("canfetch.lint").joinpath("languages", f"{language}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    phrases: dict[str, str] = content.pop("phrases")
    return Catalogue(language, {code: _texts(one) for code, one in content.items()}, {**PHRASES, **phrases})


def _texts(table: dict[str, Any]) -> CheckTexts:
    variants = {name: Variant(**texts) for name, texts in table.pop("variants", {}).items()}
    return CheckTexts(**table, variants=variants)
