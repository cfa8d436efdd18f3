"""The crawlers that read a group, and their verdicts."""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.agents.operator_names import CRAWLERS_BY_OPERATOR
from canfetch.core.abnf import IDENTIFIER
from canfetch.core.agent import Agent
from canfetch.errors import InvalidProductToken
from canfetch.lint.analysis.crawler_suggestions import suggest_crawler

# Represents any crawler that follows RFC 9309 and has no group of its own.
OTHER_CRAWLER: Final = "*"
_SEARCH_ENGINES: Final = ("Googlebot", "bingbot", "YandexBot")
_RFC_PROFILE: Final = "rfc9309"
_PROFILES: Final = {"Google": "googlebot", "Microsoft": "bing", "Yandex": "yandex"}


# The start of most browsers' User-Agent headers, and words that are not names.
_NOT_CRAWLERS: Final = frozenset({"bot", "bots", "crawler", "crawlers", "mozilla", "robot", "robots", "spider"})
_NAME_BYTES: Final = IDENTIFIER + b"0123456789"


class CrawlerVerdict(NamedTuple):
    """Whether one crawler may fetch a URL.

    Attributes:
        crawler: The crawler's product token, or `*` for any crawler without its own group.
        profile: The parsing profile that the crawler uses.
        url: The URL or path.
        allowed: Whether the crawler may fetch it.
        line: The line that decides, or None.
        allowed_after_fix: Whether the crawler may fetch it after the fix of the finding. None if the proof is not about
            the fix.
    """

    crawler: str
    profile: str
    url: str
    allowed: bool
    line: int | None
    allowed_after_fix: bool | None = None

    @property
    def is_known(self) -> bool:
        """Whether the crawler is in the registry."""
        return self.crawler == OTHER_CRAWLER or REGISTRY.get_crawler(self.crawler) is not None

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON-compatible values."""
        return self._asdict()


class Reader(NamedTuple):
    """A crawler that may read a group. `is_known` means that it is in the registry."""

    name: str
    agent: Agent
    profile: str
    is_known: bool = True


def profile_of(crawler: Crawler) -> str:
    """Return the parsing profile of a crawler in the registry: that of its operator, or else of the RFC."""
    return _PROFILES.get(crawler.operator, _RFC_PROFILE)


def possible_readers(tokens: Iterable[str], *, search_engines: bool = True) -> Iterator[Reader]:
    """Yield the crawlers to which groups with these product tokens may apply.

    Tokens that only control the use of content, crawlers that are retired or ignore robots.txt, and names that are
    probably misspelt yield nothing. The name of a retired crawler yields its successor if that follows the groups of
    both, as bingbot follows those of msnbot. Any other unknown token yields a crawler of that name.

    Args: search_engines: Whether search engines represent `*`, in addition to `OTHER_CRAWLER`.
    """
    names = {token.lower(): token for token in tokens}
    has_star = names.pop(OTHER_CRAWLER, None) is not None
    if has_star and search_engines:
        names.update((name.lower(), name) for name in _SEARCH_ENGINES)
    seen: set[str] = set()
    for token in names.values():
        reader = _reader(token)
        if reader is not None and reader.name not in seen:
            seen.add(reader.name)
            yield reader
    if has_star:
        yield Reader(OTHER_CRAWLER, Agent(OTHER_CRAWLER), _RFC_PROFILE)


@lru_cache(maxsize=1024)
def _reader(token: str) -> Reader | None:
    folded = token.lower()
    crawler = REGISTRY.get_crawler(folded)
    if crawler is None or crawler.token_only or crawler.retired:
        crawler = _crawlers_by_family().get(folded, crawler)
    if crawler is not None:
        if crawler.token_only or crawler.retired or crawler.obeys == "no":
            return None
        return Reader(crawler.name, crawler.agent, profile_of(crawler))
    if folded in _NOT_CRAWLERS or not token.isascii() or token.encode().translate(None, _NAME_BYTES):
        return None
    if folded in CRAWLERS_BY_OPERATOR or suggest_crawler(folded) is not None:
        return None
    try:
        return Reader(token, REGISTRY.agent(token), _RFC_PROFILE, is_known=False)
    except InvalidProductToken:
        return None


@cache
def _crawlers_by_family() -> dict[str, Crawler]:
    """Return a crawler for each token that is only a fallback of others, such as YandexBot for `Yandex`."""
    by_family: dict[str, Crawler] = {}
    for crawler in REGISTRY.crawlers:
        for token in crawler.tokens[1:] if not crawler.token_only and not crawler.retired else ():
            by_family.setdefault(token.lower(), crawler)
    main = REGISTRY.get_crawler(_SEARCH_ENGINES[-1])
    return by_family if main is None else {**by_family, **dict.fromkeys(map(str.lower, main.tokens[1:]), main)}
