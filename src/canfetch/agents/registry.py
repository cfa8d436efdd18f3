"""The registry: crawlers by their names, and by the User-Agent headers that show them."""

from collections.abc import Iterable, Iterator
from typing import Final

from canfetch.agents.checking import checked
from canfetch.agents.crawler import Crawler
from canfetch.agents.entries import CRAWLERS
from canfetch.core.agent import Agent
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken

# Yandex names robots that no list of ours has; each of them reads its own group, then that of Yandex.
_YANDEX: Final = "Yandex"
# What parts the words of a User-Agent header.
_SEPARATORS: Final = str.maketrans(dict.fromkeys("();,", " "))


class Registry:
    """Crawlers, to be asked for by name or by User-Agent header; it never changes.

    Args: crawlers: the entries; of several with one name the last counts.
    Raises: TypeError, InvalidProductToken, InvalidOption: an entry cannot be meant.
    """

    __slots__ = ("_by_name", "_by_product_name")

    def __init__(self, crawlers: Iterable[Crawler]) -> None:
        self._take([checked(crawler) for crawler in crawlers])

    @classmethod
    def from_checked(cls, crawlers: Iterable[Crawler]) -> "Registry":
        """Give a registry of entries that were checked already, as our own are by the tests, so no start does."""
        registry = cls(())
        registry._take(crawlers)
        return registry

    def _take(self, crawlers: Iterable[Crawler]) -> None:
        self._by_name = {crawler.name.lower(): crawler for crawler in crawlers}
        self._by_product_name = {
            name.lower(): crawler for crawler in self._by_name.values() for name in crawler.product_names
        }

    @property
    def crawlers(self) -> tuple[Crawler, ...]:
        """Every entry."""
        return tuple(self._by_name.values())

    def with_crawlers(self, *crawlers: Crawler) -> "Registry":
        """Give a registry that has these, too; one of a name that is there takes its place.

        Raises: TypeError, InvalidProductToken, InvalidOption: an entry cannot be meant.
        """
        return Registry.from_checked((*self.crawlers, *map(checked, crawlers)))

    def get_crawler(self, name: str) -> Crawler | None:
        """Give the entry of that product token, in any letter case, or None.

        Raises: TypeError: it is no text.
        Cost: a look-up.
        """
        if name.__class__ is not str:
            _check_text(name, "a crawler's name")
        return self._by_name.get(name.lower())

    def find_crawler(self, user_agent: str) -> Crawler | None:
        """Find the crawler that a whole User-Agent header shows, or None where it shows none that is known.

        The product that `canfetch.product_token` finds, where that is known; else the first known product name in
        the header, whose URLs do not count. A header is a claim: `Crawler.verification` says how to check it.

        Raises: TypeError: it is no text.
        Cost: O(characters).
        """
        _check_text(user_agent, "a User-Agent header")
        try:
            crawler = self._by_product_name.get(product_token(user_agent).lower())
        except InvalidProductToken:
            crawler = None
        if crawler is not None:
            return crawler
        found = (self._by_product_name.get(name.lower()) for name in _product_names(user_agent))
        return next((crawler for crawler in found if crawler is not None), None)

    def agent(self, name: str) -> Agent:
        """Give the Agent of a crawler: the tokens that it tries in order, and whether `*` applies to it.

        Args: name: its product token, in any letter case; one that the registry does not know is itself alone.
        Raises: InvalidProductToken: it is no product token.
        Cost: a look-up.
        """
        crawler = self.get_crawler(name)
        if crawler is not None:
            return crawler.agent
        if name.lower().startswith(_YANDEX.lower()):
            return Agent((name, _YANDEX))
        return Agent(name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"<Registry of {len(self)} crawlers>"


def _check_text(text: object, what: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")


def _product_names(user_agent: str) -> Iterator[str]:
    for word in user_agent.translate(_SEPARATORS).split():
        if "://" not in word:
            yield word.partition("/")[0]


REGISTRY: Final = Registry.from_checked(CRAWLERS)
