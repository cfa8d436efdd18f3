"""Dialects: how each search engine interprets page-level rules, as a frozen set of flags with its source.

If an engine's documents leave a flag open, it has the value of the default dialect, which is not a claim about the
engine. TDMRep is the same in every dialect: no operator documents that it trains on reserved content.
"""

from typing import Final, NamedTuple

from canfetch.core.agent import Agent
from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption
from canfetch.pages.vocabulary import KNOWN


class PageDialect(NamedTuple):
    """One interpretation of page-level rules.

    Attributes:
        name: The name, as passed to `dialect=`.
        summary: A description in one line.
        source: The documents that define the dialect.
        directives: The supported directives; others have no effect.
        permissive_wins: Whether `index` overrides `noindex`, and so on, instead of the reverse.
        permissive_in_headers: Whether permissive directives have an effect in headers.
        body_elements: Whether meta elements outside the head have an effect.
        robots_tag: Whether the Robots-Tag header has an effect.
        ignored_names: Names of crawlers that are ignored as names of meta elements.
        robots_txt_only_tokens: Tokens that crawlers fall back on in robots.txt but not in page-level rules.
        nosnippet_limits_answers: Whether nosnippet and max-snippet apply to generated answers.
        nocache_limits_ai: Whether nocache and noarchive apply to answers and training; with both, nocache wins.
        noarchive_blocks_training: Whether noarchive forbids training.
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

    def page_tokens(self, agent: Agent) -> frozenset[str]:
        """Return the tokens of an agent that count in page-level rules, in lower case."""
        return frozenset(token.lower() for token in agent.tokens) - self.robots_txt_only_tokens


DEFAULT_DIALECT: Final = "restrictive"
_PREVIEWS: Final = frozenset({"max-snippet", "max-image-preview", "max-video-preview"})
_BASIC: Final = frozenset({"all", "index", "follow", "none", "noindex", "nofollow"})

PAGE_DIALECTS: Final[dict[str, PageDialect]] = {
    dialect.name: dialect
    for dialect in (
        PageDialect(
            DEFAULT_DIALECT,
            "every directive has an effect, and the most restrictive wins; for crawlers without documentation",
            "canfetch; Google, robots meta tag specifications, for the meaning of each directive",
        ),
        PageDialect(
            "google",
            "the more restrictive directive wins; meta elements in the body have an effect",
            "Google, robots meta tag, data-nosnippet and X-Robots-Tag specifications, 2026-03-24",
            directives=_BASIC
            | _PREVIEWS
            | {"nosnippet", "indexifembedded", "notranslate", "noimageindex", "unavailable_after"},
            robots_tag=False,
            ignored_names=frozenset({"googlebot-image", "googlebot-video"}),
        ),
        PageDialect(
            "bing",
            "nocache limits answers and training to URL, title and snippet, noarchive forbids both; nocache wins",
            "Bing webmaster help, robots meta tags; Bing blog, September 2023",
            directives=_BASIC | _PREVIEWS | {"noarchive", "nocache", "nosnippet", "archive", "cache"},
            robots_tag=False,
            nocache_limits_ai=True,
        ),
        PageDialect(
            "yandex",
            "a permissive directive overrides a restrictive one, and has an effect in meta elements only",
            "Yandex Webmaster, robots meta tag and X-Robots-Tag HTTP header",
            directives=_BASIC | {"noarchive", "archive"},
            permissive_wins=True,
            permissive_in_headers=False,
            robots_tag=False,
        ),
        PageDialect(
            "apple",
            "five directives; nosnippet applies to generated answers, too",
            "Apple, about Applebot",
            directives=frozenset({"all", "none", "noindex", "nofollow", "nosnippet"}),
            robots_txt_only_tokens=frozenset({"googlebot"}),
            robots_tag=False,
        ),
        PageDialect(
            "amazon",
            "noarchive forbids training",
            "Amazon, about Amazonbot",
            directives=frozenset({"none", "noindex", "nofollow", "noarchive"}),
            robots_tag=False,
            noarchive_blocks_training=True,
        ),
        PageDialect(
            "repext",
            "the draft for URL-level control: Robots-Tag has an effect, and meta elements in the head only",
            "draft-illyes-repext-03",
            body_elements=False,
            nosnippet_limits_answers=False,
        ),
    )
}

# By the prefix of a crawler's product token, in lower case.
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
    """Return the dialect with this name.

    Raises: InvalidOption: `name` is unknown.
    """
    dialect = PAGE_DIALECTS.get(name)
    if dialect is None:
        raise InvalidOption(unknown_choice("page dialect", name, PAGE_DIALECTS))
    return dialect


def dialect_for(agent: Agent) -> PageDialect:
    """Return the dialect of a crawler, by its first product token; `restrictive` if no documentation is known.

    Cost: O(known prefixes).
    """
    token = agent.tokens[0].lower()
    if "google" in token:
        return PAGE_DIALECTS["google"]
    name = next((name for prefix, name in _BY_PREFIX.items() if token.startswith(prefix)), DEFAULT_DIALECT)
    return PAGE_DIALECTS[name]
