"""Crawlers whose operators document that they ignore Crawl-delay.

Source: Google, robots.txt specification; Yandex Webmaster, crawl rate.
"""

from typing import Final

from canfetch.agents.registry import REGISTRY

_OPERATORS: Final = frozenset({"Google", "Yandex"})
# Yandex has more crawlers than the registry.
_PREFIX: Final = "yandex"


def ignores_crawl_delay(name: str) -> bool:
    """Return whether a crawler is known to ignore Crawl-delay.

    Args: name: Its product token.
    Cost: A dictionary lookup.
    """
    crawler = REGISTRY.get_crawler(name)
    return name.lower().startswith(_PREFIX) or (crawler is not None and crawler.operator in _OPERATORS)
