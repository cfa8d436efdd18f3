"""Whose reading of page-level rules: a frozen set of flags with its source, never a subclass.

A flag that an engine's documents leave open is that of the default dialect, and no claim about the engine. TDMRep has
none: a reservation counts for every dialect, since no operator documents that it trains on what is reserved.
"""

from typing import Final, NamedTuple

from canfetch.core.agent import Agent
from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption
from canfetch.pages.vocabulary import KNOWN


class PageDialect(NamedTuple):
    """One reading.

    Attributes:
        name: by which it is asked for.
        summary: what it is.
        source: the documents that say so.
        words: the directives that it knows; others have no effect.
        permissive_wins: whether `index` goes before `noindex`, and so on, instead of the contrary.
        permissive_in_headers: whether permissive directives count in headers, too.
        body_elements: whether meta elements outside of the head count.
        robots_tag: whether the Robots-Tag header counts.
        ignored_names: names of meta elements that it does not look at, though crawlers are called so.
        robots_txt_only_tokens: tokens that its crawlers fall back on in robots.txt alone.
        nosnippet_limits_answers: whether nosnippet and max-snippet bind generated answers, too.
        nocache_limits_ai: whether nocache and noarchive bind answers and training, of both the milder.
        noarchive_blocks_training: whether noarchive means that nothing is trained.
    """

    name: str
    summary: str
    source: str
    directives: frozenset[str] = KNOWN
    permissive_wins: bool = False
    permissive_in_headers: bool = True
    body_elements: bool = True
    robots_tag: bool = True
    ignored_names: frozenset[str] = frozenset()
    robots_txt_only_tokens: frozenset[str] = frozenset()
    nosnippet_limits_answers: bool = True
    nocache_limits_ai: bool = False
    noarchive_blocks_training: bool = False


DEFAULT_DIALECT: Final = "restrictive"
_PREVIEWS: Final = frozenset({"max-snippet", "max-image-preview", "max-video-preview"})
_EVERYWHERE: Final = frozenset({"all", "index", "follow", "none", "noindex", "nofollow"})

PAGE_DIALECTS: Final[dict[str, PageDialect]] = {
    dialect.name: dialect
    for dialect in (
        PageDialect(
            DEFAULT_DIALECT,
            "every statement that a page makes, the most restrictive of them; for crawlers that document nothing",
            "ours; Google, robots meta tag specifications, for what each directive means",
        ),
        PageDialect(
            "google",
            "the more restrictive directive holds; meta elements count in the body, too",
            "Google, robots meta tag, data-nosnippet and X-Robots-Tag specifications, 2026-03-24",
            directives=_EVERYWHERE
            | _PREVIEWS
            | {"nosnippet", "indexifembedded", "notranslate", "noimageindex", "unavailable_after"},
            robots_tag=False,
            ignored_names=frozenset({"googlebot-image", "googlebot-video"}),
        ),
        PageDialect(
            "bing",
            "nocache leaves URL, title and snippet to answers and training, noarchive nothing; both are nocache",
            "Bing webmaster help, robots meta tags; Bing blog, September 2023",
            directives=_EVERYWHERE | _PREVIEWS | {"noarchive", "nocache", "nosnippet", "archive", "cache"},
            robots_tag=False,
            nocache_limits_ai=True,
        ),
        PageDialect(
            "yandex",
            "a permissive directive goes before a prohibiting one, and stands in meta elements alone",
            "Yandex Webmaster, robots meta tag and X-Robots-Tag HTTP header",
            directives=_EVERYWHERE | {"noarchive", "archive"},
            permissive_wins=True,
            permissive_in_headers=False,
            robots_tag=False,
        ),
        PageDialect(
            "apple",
            "five directives; nosnippet binds generated answers, too",
            "Apple, about Applebot",
            directives=frozenset({"all", "none", "noindex", "nofollow", "nosnippet"}),
            robots_txt_only_tokens=frozenset({"googlebot"}),
            robots_tag=False,
        ),
        PageDialect(
            "amazon",
            "noarchive means that nothing is trained",
            "Amazon, about Amazonbot",
            directives=frozenset({"none", "noindex", "nofollow", "noarchive"}),
            robots_tag=False,
            noarchive_blocks_training=True,
        ),
        PageDialect(
            "repext",
            "the draft for URL-level control: Robots-Tag counts, and meta elements in the head alone",
            "draft-illyes-repext-03",
            body_elements=False,
            nosnippet_limits_answers=False,
        ),
    )
}

# By how a crawler's product token begins, in lower case.
_BY_PREFIX: Final = {
    "bingbot": "bing",
    "msnbot": "bing",
    "adidxbot": "bing",
    "bingpreview": "bing",
    "bingvideopreview": "bing",
    "microsoftpreview": "bing",
    "yandex": "yandex",
    "yadirectfetcher": "yandex",
    "applebot": "apple",
    "amazonbot": "amazon",
    "amzn-": "amazon",
}


def get_dialect(name: str) -> PageDialect:
    """Give the reading of that name.

    Raises: InvalidOption: there is none.
    """
    dialect = PAGE_DIALECTS.get(name)
    if dialect is None:
        raise InvalidOption(unknown_choice("page dialect", name, PAGE_DIALECTS))
    return dialect


def dialect_for(agent: Agent) -> PageDialect:
    """Give the reading of a crawler, by its first product token; `restrictive` where no document is known.

    Cost: a look at each known name.
    """
    token = agent.tokens[0].lower()
    if "google" in token:
        return PAGE_DIALECTS["google"]
    name = next((name for prefix, name in _BY_PREFIX.items() if token.startswith(prefix)), DEFAULT_DIALECT)
    return PAGE_DIALECTS[name]
