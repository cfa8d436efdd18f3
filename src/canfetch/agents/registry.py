"""The registry: crawlers by name, and by the User-Agent headers that identify them."""

import re
from collections.abc import Iterable
from typing import Final

from canfetch.agents.crawler import Crawler
from canfetch.agents.declarations import app_name_regex, names_in
from canfetch.agents.releases import current_release
from canfetch.agents.validation import validate_crawler
from canfetch.core.agent import Agent, as_agent
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken

# Yandex has more crawlers than the registry. Each of them reads its own group, or else that of Yandex.
_YANDEX: Final = "Yandex"


class Registry:
    """An immutable collection of crawlers.

    Args: crawlers: The entries. The last of several entries with the same name counts.
    Raises: TypeError, InvalidProductToken, InvalidOption: an entry is invalid.
    """

    __slots__ = ("_app_headers", "_by_name", "_by_product_name")

    def __init__(self, crawlers: Iterable[Crawler]) -> None:
        self._index([validate_crawler(crawler) for crawler in crawlers])

    @classmethod
    def from_valid(cls, crawlers: Iterable[Crawler]) -> "Registry":
        """Return a registry of entries that are known to be valid, without validating them again."""
        registry = cls(())
        registry._index(crawlers)
        return registry

    def _index(self, crawlers: Iterable[Crawler]) -> None:
        self._by_name = {crawler.name.lower(): crawler for crawler in crawlers}
        self._by_product_name = {
            name.lower(): crawler for crawler in self._by_name.values() for name in crawler.product_names
        }
        self._app_headers = {
            name.lower(): re.compile(app_name_regex([name]), re.IGNORECASE)
            for crawler in self._by_name.values()
            for name in crawler.app_names
        }

    @property
    def crawlers(self) -> tuple[Crawler, ...]:
        """All entries."""
        return tuple(self._by_name.values())

    def with_crawlers(self, *crawlers: Crawler) -> "Registry":
        """Return a registry with these entries added. An entry replaces another with the same name.

        Raises: TypeError, InvalidProductToken, InvalidOption: an entry is invalid.
        """
        return Registry.from_valid((*self.crawlers, *map(validate_crawler, crawlers)))

    def get_crawler(self, name: str) -> Crawler | None:
        """Return the entry with this product token, ignoring case, or None.

        Raises: TypeError: `name` is not a str.
        Cost: A dictionary lookup.
        """
        if name.__class__ is not str:
            _check_text(name, "crawler name")
        return self._by_name.get(name.lower())

    def find_crawler(self, user_agent: str) -> Crawler | None:
        """Return the crawler that a User-Agent header identifies, or None if it is not in the registry.

        This is the crawler that `canfetch.product_token` finds, or else the first product name in the header that is
        in the registry. URLs in the header are ignored, and so are the names of apps (`Crawler.app_names`) in the
        headers of apps. Anyone can send any header; `Crawler.verification` describes how to verify it.

        Raises: TypeError: `user_agent` is not a str.
        Cost: O(characters).
        """
        _check_text(user_agent, "User-Agent header")
        for name in filter(self._by_product_name.__contains__, names_to_look_up(user_agent)):
            app_header = self._app_headers.get(name)
            if app_header is None or app_header.search(user_agent):
                return self._by_product_name[name]
        return None

    def agent(self, name: str) -> Agent:
        """Return the `Agent` of a crawler: its product tokens in order, and whether the `*` groups apply to it.

        Args: name: The crawler's product token, ignoring case. An unknown name becomes a chain of one token.
        Raises: InvalidProductToken: `name` is not a product token.
        Cost: A dictionary lookup.
        """
        crawler = self.get_crawler(name)
        if crawler is not None:
            return crawler.agent
        if name.lower().startswith(_YANDEX.lower()):
            return Agent((name, _YANDEX))
        return as_agent(name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"<Registry of {len(self)} crawlers>"


def names_to_look_up(user_agent: str) -> dict[str, None]:
    """Return the names in a User-Agent header that may be those of a crawler, in lower case, the likeliest one first.

    Cost: O(characters).
    """
    try:
        declared = product_token(user_agent).lower()
    except InvalidProductToken:
        return names_in(user_agent)
    return dict.fromkeys((declared, *names_in(user_agent)))


def _check_text(text: object, what: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")


RELEASE: Final = current_release()
"""The release of the registry in use."""
CRAWLERS: Final = RELEASE.crawlers
REGISTRY: Final = Registry.from_valid(CRAWLERS)
