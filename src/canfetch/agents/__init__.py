"""The registry of crawlers: their operators, purposes, and how they read robots.txt files.

Elsewhere, a `str` that is passed as an agent is one token. `agent` turns a crawler's name into its `Agent`, with
the tokens that it falls back to, and whether the `*` groups apply to it.

`crawler` describes one crawler, `registry.json` has the entries, `releases` reads them, and `registry` finds them by
name. `registry_file` reads files of additional crawlers, `cards` the signature agent cards that crawlers publish, and
`requested` the names that users pass. `address_lists` and `identity` have the parts of verifying an identity that need
no network.
"""

from canfetch.agents.crawler import Crawler, FieldSource, Obeys, PublishedHeader, Purpose, SourceKind, Verification
from canfetch.agents.registry import CRAWLERS, REGISTRY, Registry
from canfetch.agents.registry_file import load_registry
from canfetch.core.agent import Agent

__all__ = [
    "CRAWLERS",
    "REGISTRY",
    "Crawler",
    "FieldSource",
    "Obeys",
    "PublishedHeader",
    "Purpose",
    "Registry",
    "SourceKind",
    "Verification",
    "agent",
    "find_crawler",
    "get_crawler",
    "load_registry",
]


def get_crawler(name: str) -> Crawler | None:
    """Return the registry entry with this product token, ignoring case, or None.

    Cost: A dictionary lookup.

    >>> get_crawler("gptbot").operator
    'OpenAI'
    """
    return REGISTRY.get_crawler(name)


def find_crawler(user_agent: str) -> Crawler | None:
    """Return the crawler that a User-Agent header identifies, or None if it is not in the registry.

    Anyone can send any header. The entry's `verification` describes how to verify it.

    Cost: O(characters).

    >>> find_crawler("Mozilla/5.0 (compatible; Googlebot-Image/1.0; +http://www.google.com/bot.html)").agent
    Agent(['Googlebot-Image', 'Googlebot'])
    """
    return REGISTRY.find_crawler(user_agent)


def agent(name: str) -> Agent:
    """Return the `Agent` of a crawler: its product tokens in order, and whether the `*` groups apply to it.

    Args: name: The crawler's product token, ignoring case. An unknown name becomes a chain of one token.
    Raises: InvalidProductToken: `name` is not a product token.
    Cost: A dictionary lookup.
    Source: the `source` of the crawler's registry entry.

    >>> agent("googlebot-image")
    Agent(['Googlebot-Image', 'Googlebot'])
    >>> agent("AdsBot-Google")
    Agent(['AdsBot-Google'], star_applies=False)
    >>> agent("ExampleBot")
    Agent(['ExampleBot'])
    """
    return REGISTRY.agent(name)
