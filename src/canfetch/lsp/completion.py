"""Completion: keys that apply at a place, product tokens of crawlers, paths and URLs of the file, and suppressions."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.answers.crawlers import crawler_sentences
from canfetch.core.keys import RecordKind, record_kind
from canfetch.core.profiles import get_profile
from canfetch.core.text import abbreviated, display_text, encode_text
from canfetch.core.tokens import STAR
from canfetch.core.urls import split_url
from canfetch.lint import CHECKS
from canfetch.lsp.file_view import FileView
from canfetch.lsp.key_meanings import KEY_MEANINGS, KeyMeaning, readers_of_key

# An editor requests the rest when the user types more.
MAX_ITEMS: Final = 200
_MAX_READERS: Final = 6
_SUPPRESSION_WORDS: Final = ("canfetch: allow", "canfetch: allow-file")
_KEY_CHARACTERS: Final = " \t-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_VALUES: Final = {
    "content-signal": ("search=yes", "search=no", "ai-input=yes", "ai-input=no", "ai-train=yes", "ai-train=no"),
    "content-usage": ("train-ai=n", "train-ai=y", "search=y", "search=n", "ai-use=n", "ai-use=y"),
}


class Suggestion(NamedTuple):
    """One completion.

    Attributes:
        kind: `key`, `crawler`, `path`, `url`, `value` or `check`.
        label: The text that is shown and compared with the typed text.
        text: The text that replaces the typed text.
        detail: A few words, such as the operator of a crawler.
        documentation: Markdown.
        deprecated: Whether it is shown as deprecated.
    """

    kind: str
    label: str
    text: str
    detail: str = ""
    documentation: str = ""
    deprecated: bool = False


class Completions(NamedTuple):
    """The suggestions, best first.

    Attributes:
        start: The index in the line of the first character that they replace.
        items: The suggestions.
        is_incomplete: Whether there are more.
    """

    start: int
    items: list[Suggestion]
    is_incomplete: bool = False


class _Candidates(NamedTuple):
    """Suggestions that replace the text from `start` to the cursor."""

    start: int
    items: Iterable[Suggestion]


def complete(view: FileView, line_number: int, line: str, index: int) -> Completions:
    """Return the completions at a place.

    Args:
        view: The file.
        line_number: The line, from 0.
        line: Its text without the line end.
        index: The index of the cursor in it.
    Cost: O(lines).
    """
    before = line[:index]
    if "#" in before:
        start, candidates = _in_comment(before)
    elif ":" in before:
        start, candidates = _in_value(view, line_number, before)
    else:
        start = len(before) - len(before.lstrip())
        has_colon = line[index:].lstrip(_KEY_CHARACTERS).startswith(":")
        candidates = _keys(view, line_number, has_colon=has_colon)
    typed = before[start:].lower()
    items = [item for item in candidates if typed in item.label.lower()]
    # What starts with the typed text comes first.
    items.sort(key=lambda item: not item.label.lower().startswith(typed))
    return Completions(start, items[:MAX_ITEMS], len(items) > MAX_ITEMS)


def _in_comment(before: str) -> _Candidates:
    comment = before[before.index("#") + 1 :]
    text = comment.lstrip()
    for word in _SUPPRESSION_WORDS:
        if text.startswith(f"{word} "):
            name = text[len(word) :].rpartition(",")[2].lstrip()
            checks = [Suggestion("check", check.name, check.name, check.code, check.title) for check in CHECKS]
            return _Candidates(len(before) - len(name), checks)
    words = [
        Suggestion("key", word, f"{word} ", "suppress findings", "Followed by names or codes of checks.")
        for word in _SUPPRESSION_WORDS
    ]
    return _Candidates(len(before) - len(text), words)


def _in_value(view: FileView, line_number: int, before: str) -> _Candidates:
    key, _, value = before.partition(":")
    key = key.strip().lower()
    # Values of a list are completed one by one.
    typed = (value.rpartition(",")[2] if key in _VALUES else value).lstrip()
    items = _values(view, line_number, key, typed)
    if not value:
        items = (item._replace(text=f" {item.text}") for item in items)
    return _Candidates(len(before) - len(typed), items)


def _keys(view: FileView, line_number: int, *, has_colon: bool) -> Iterator[Suggestion]:
    in_group = view.group_at(line_number) is not None
    meanings = [meaning for meaning in KEY_MEANINGS.values() if meaning.offered]
    # In a group a rule is most likely, elsewhere a new group.
    rules = [meaning for meaning in meanings if meaning.key in ("Disallow", "Allow")]
    others = [meaning for meaning in meanings if meaning not in rules]
    for meaning in [*rules, *others] if in_group else others:
        if in_group or not meaning.needs_group:
            yield Suggestion(
                "key", meaning.key, meaning.key if has_colon else f"{meaning.key}: ", meaning.source, _explain(meaning)
            )


def _explain(meaning: KeyMeaning) -> str:
    names = readers_of_key(meaning.key.lower())
    if not names:
        return meaning.meaning
    return f"{meaning.meaning}\n\nDocumented for {abbreviated(names, _MAX_READERS, rest='others')}."


def _values(view: FileView, line_number: int, key: str, typed: str) -> Iterable[Suggestion]:
    kind = record_kind(encode_text(key), get_profile(view.robots.profile))
    if kind is RecordKind.USER_AGENT:
        return _crawlers(view)
    if kind in (RecordKind.ALLOW, RecordKind.DISALLOW):
        return _paths(view, line_number, typed.lower())
    if kind is RecordKind.SITEMAP:
        return _sitemaps(view, line_number)
    return [Suggestion("value", value, value) for value in _VALUES.get(key, ())]


def _crawlers(view: FileView) -> Iterator[Suggestion]:
    lines = {agent.token.lower(): agent.line for group in view.robots.groups for agent in group.user_agents}
    star = "All crawlers without a group of their own."
    yield Suggestion("crawler", "*", "*", "all other crawlers", _with_line(star, lines.get("*")))
    unknown: dict[str, str] = {}
    for group in view.robots.groups:
        for token in group.tokens:
            if token != STAR.decode() and REGISTRY.get_crawler(token) is None:
                unknown.setdefault(token.lower(), token)
    for crawler in REGISTRY.crawlers:
        text = _with_line(_describe(crawler), lines.get(crawler.name.lower()))
        yield Suggestion("crawler", crawler.name, crawler.name, crawler.operator, text, crawler.retired)
    for token in unknown.values():
        yield Suggestion("crawler", token, token, "in this file", _with_line("", lines.get(token.lower())))


def _with_line(text: str, line: int | None) -> str:
    return text if line is None else f"{text}\n\nNamed on line {line}.".strip()


def _describe(crawler: Crawler) -> str:
    text = f"For {', '.join(crawler.purposes)}. {' '.join(crawler_sentences(crawler))}"
    return f"{text}\n\n[Documentation]({crawler.source})"


def _paths(view: FileView, line_number: int, typed: str) -> Iterator[Suggestion]:
    # A large file has tens of thousands, so that they are filtered first.
    for text, line in view.rule_values:
        if typed in text.lower() and line - 1 != line_number:
            yield Suggestion("path", text, text, f"line {line}")


def _sitemaps(view: FileView, line_number: int) -> Iterator[Suggestion]:
    hosts: dict[str, int] = {}
    for extension in view.robots.extensions:
        split = split_url(extension.value)
        if extension.line - 1 != line_number and split is not None and split.scheme and split.authority:
            hosts.setdefault(display_text(extension.value[: split.rest_start]), extension.line)
    for host, line in hosts.items():
        yield Suggestion("url", f"{host}/sitemap.xml", f"{host}/sitemap.xml", f"host of line {line}")
    if not hosts:
        yield Suggestion("url", "https://", "https://", "absolute URL")
