"""The registry of crawlers: who they are, what for, and how they read a robots.txt.

A `str` as agent is one exact token everywhere else; here a crawler's name becomes its `Agent`, with the
tokens that it falls back on and with its habit about `*`.
"""

from canfetch.agents.crawler import Crawler, Obeys, Purpose, Verification
from canfetch.agents.entries import CRAWLERS
from canfetch.agents.registry import REGISTRY, Registry
from canfetch.core.agent import Agent

__all__ = [
    "CRAWLERS",
    "REGISTRY",
    "Crawler",
    "Obeys",
    "Purpose",
    "Registry",
    "Verification",
    "agent",
    "find_crawler",
    "get_crawler",
]


def get_crawler(name: str) -> Crawler | None:
    """Give the registry's entry of that product token, in any letter case, or None.

    Cost: a look-up.

    >>> get_crawler("gptbot").operator
    'OpenAI'
    """
    return REGISTRY.get_crawler(name)


def find_crawler(user_agent: str) -> Crawler | None:
    """Find the crawler that a whole User-Agent header shows, or None where it shows none that is known.

    A header is a claim; the entry's `verification` says how to check it.

    Cost: O(characters).

    >>> find_crawler("Mozilla/5.0 (compatible; Googlebot-Image/1.0; +http://www.google.com/bot.html)").agent
    Agent(['Googlebot-Image', 'Googlebot'])
    """
    return REGISTRY.find_crawler(user_agent)


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
    return REGISTRY.agent(name)
