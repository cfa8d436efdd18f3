"""The meaning of each key, in one sentence, and where it applies."""

from typing import Final, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.core.choices import nearest_choice
from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.core.extensions.record import ExtensionNote, ExtensionScope
from canfetch.core.keys import SPELLINGS, RecordKind

_RFC: Final = "RFC 9309"


class KeyMeaning(NamedTuple):
    """A key that a robots.txt can contain.

    Attributes:
        key: Its usual spelling.
        meaning: What a record with this key does.
        source: What defines it.
        needs_group: Whether it has an effect only in a group.
        offered: Whether completion offers it. Keys that no known crawler reads are only explained.
        example: A typical value, or an empty string.
    """

    key: str
    meaning: str
    source: str
    needs_group: bool = False
    offered: bool = True
    example: str = ""


_RULES: Final = (
    KeyMeaning(
        "User-agent",
        "Starts a group, or adds a crawler to it. The rules below apply to the crawlers with this product token; `*`"
        " applies to all crawlers without a group of their own.",
        f"{_RFC} section 2.2.1",
        example="Googlebot",
    ),
    KeyMeaning(
        "Disallow",
        "The crawlers of the group may not fetch URLs whose path starts with this value. `*` matches any characters,"
        " `$` the end. The longest matching rule wins. An empty value disallows nothing.",
        f"{_RFC} section 2.2.2",
        needs_group=True,
        example="/private/",
    ),
    KeyMeaning(
        "Allow",
        "The crawlers of the group may fetch URLs whose path starts with this value, unless a longer `Disallow` wins."
        " If both are equally long, `Allow` wins.",
        f"{_RFC} section 2.2.2",
        needs_group=True,
        example="/public/",
    ),
)
_ROBOTS_META: Final = "Google read it until September 2019. Use a robots meta element or `X-Robots-Tag`."
# Offered keys first, in the order of completion.
_MEANINGS: Final[dict[str, tuple[str, str, bool]]] = {
    "sitemap": ("Sitemap", "The absolute URL of a sitemap. It applies to all crawlers, even inside a group.", True),
    "crawl-delay": ("Crawl-delay", "The seconds to wait between two requests. Google does not read it.", True),
    "clean-param": ("Clean-param", "Query parameters that do not change the page, for paths with a prefix.", True),
    "request-rate": ("Request-rate", "The number of requests in a period, such as `1/5m`.", True),
    "visit-time": ("Visit-time", "The time of day, in UTC, at which crawlers should visit.", False),
    "content-signal": (
        "Content-Signal",
        "Whether content may be used for search, as AI input, and for training, such as `search=yes, ai-train=no`.",
        True,
    ),
    "content-usage": (
        "Content-Usage",
        "Whether content may be used for training, AI use and search, such as `train-ai=n`. A draft.",
        True,
    ),
    "license": ("License", "The URL of the terms of use, as an RSL document.", True),
    "agentmap": ("Agentmap", "The URL of a catalog of tools and APIs for agents. A draft.", True),
    "schemamap": ("Schemamap", "The URL of a list of structured data.", False),
    "host": ("Host", "The preferred mirror of the site. Yandex read it until March 2018.", False),
    "cache-delay": (
        "Cache-delay",
        "The seconds between two requests that fill a cache. No known crawler reads it.",
        False,
    ),
    "robot-version": ("Robot-version", "The version of the standard of 1996. No known crawler reads it.", False),
    "comment": ("Comment", "A message to the operator of a crawler, in the standard of 1996.", False),
    "noindex": ("Noindex", _ROBOTS_META, False),
    "nofollow": ("Nofollow", _ROBOTS_META, False),
    "noarchive": ("Noarchive", _ROBOTS_META, False),
    "disallowaitraining": (
        "DisallowAITraining",
        "URLs whose content should not be used for training, in a draft that has expired.",
        False,
    ),
    "allowaitraining": (
        "AllowAITraining",
        "URLs whose content may be used for training, in a draft that has expired.",
        False,
    ),
}


def _extensions() -> dict[str, KeyMeaning]:
    found: dict[str, KeyMeaning] = {}
    for name, (key, meaning, offered) in _MEANINGS.items():
        record = KNOWN_RECORDS[name.encode()]
        obsolete = ExtensionNote.OBSOLETE in record.notes
        found[name] = KeyMeaning(
            key, meaning, record.source, record.scope is ExtensionScope.GROUP, offered and not obsolete
        )
    return found


_EXTENSIONS: Final = _extensions()
KEY_MEANINGS: Final[dict[str, KeyMeaning]] = {rule.key.lower(): rule for rule in _RULES} | _EXTENSIONS
_KINDS: Final = dict(zip((RecordKind.USER_AGENT, RecordKind.DISALLOW, RecordKind.ALLOW), _RULES, strict=True))
# Every accepted spelling of the keys of the RFC, and of the sitemap record.
_SPELLINGS: Final = {spelling.decode(): kind for kind, spellings in SPELLINGS for spelling in spellings}


def meaning_of(key: bytes, kind: RecordKind | None) -> KeyMeaning | None:
    """Return the meaning of a key, or None if it is unknown.

    Args:
        key: The key in lower case.
        kind: The kind of record that a profile reads with this key.
    """
    if kind in _KINDS:
        return _KINDS[kind]
    name = key.decode("utf-8", "replace")
    if kind is RecordKind.SITEMAP:
        return _EXTENSIONS["sitemap"]
    known = KNOWN_RECORDS.get(key)
    return KEY_MEANINGS.get(name if known is None else known.name)


def nearest_key(key: bytes) -> str | None:
    """Return the usual spelling of the known key that is most similar, or None."""
    name = nearest_choice(key.decode("utf-8", "replace"), [*_SPELLINGS, *KEY_MEANINGS])
    if name is None:
        return None
    kind = _SPELLINGS.get(name)
    meaning = meaning_of(name.encode(), kind)
    return None if meaning is None else meaning.key


def readers_of_key(name: str) -> list[str]:
    """Return the names of the crawlers that read a record beyond the RFC, according to the registry."""
    return [crawler.name for crawler in REGISTRY.crawlers if name in crawler.honours and not crawler.retired]
