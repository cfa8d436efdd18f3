"""The registry of crawlers: who they are, what for, and how they read a robots.txt.

A `str` as agent is one exact token everywhere else; here a crawler's name becomes its `Agent`, with the
tokens that it falls back on and with its habit about `*`.
"""

from typing import Final

from canfetch.agents.crawler import Crawler, Obeys, Purpose
from canfetch.agents.registry import CRAWLERS
from canfetch.core.agent import Agent

__all__ = ["CRAWLERS", "Crawler", "Obeys", "Purpose", "agent", "crawler_named"]

_BY_NAME: Final = {crawler.name.lower(): crawler for crawler in CRAWLERS}
# Yandex names robots that no list of ours has; each of them reads its own group, then that of Yandex.
_YANDEX: Final = "Yandex"


def crawler_named(name: str) -> Crawler | None:
    """Give the registry's entry of that product token, in any letter case, or None.

    Cost: a look-up.
    """
    return _BY_NAME.get(name.lower())


def agent(name: str) -> Agent:
    """Give the Agent of a crawler: the tokens that it tries in order, and whether `*` applies to it.

    Args: name: its product token, in any letter case; one that the registry does not know is itself alone.
    Raises: InvalidProductToken: it is no product token.
    Cost: a look-up.
    Source: each entry of the registry has its own, and the date on which it was checked.

    >>> agent("googlebot-image")
    Agent(['Googlebot-Image', 'Googlebot'])
    >>> agent("AdsBot-Google")
    Agent(['AdsBot-Google'], star_applies=False)
    >>> agent("ExampleBot")
    Agent(['ExampleBot'])
    """
    crawler = crawler_named(name)
    if crawler is not None:
        return crawler.agent
    if name.lower().startswith(_YANDEX.lower()):
        return Agent((name, _YANDEX))
    return Agent(name)
