"""How crawlers read Crawl-delay, as their operators document it.

Source: Google, robots.txt specification; Yandex Webmaster, crawl rate; Bing Webmaster, crawl-delay.
"""

from typing import Final

from canfetch.agents.registry import REGISTRY

_OPERATORS: Final = frozenset({"Google", "Yandex"})
# Yandex has more crawlers than the registry.
_PREFIX: Final = "yandex"
_WITH_WINDOWS: Final = frozenset({"bingbot", "msnbot"})


def ignores_crawl_delay(name: str) -> bool:
    """Return whether a crawler is known to ignore Crawl-delay.

    Args: name: Its product token.
    Cost: A dictionary lookup.
    """
    crawler = REGISTRY.get_crawler(name)
    return name.lower().startswith(_PREFIX) or (crawler is not None and crawler.operator in _OPERATORS)


def reads_delay_as_window(name: str) -> bool:
    """Return whether a crawler is documented to divide the day into windows of the delay, with one request in each.

    Two requests can follow each other at once then, at the end of a window and at the start of the next one.

    Args: name: Its product token.
    """
    return name.lower() in _WITH_WINDOWS
