"""Which intent is whose, and which names a robots.txt needs so that crawlers come to theirs.

A group is not added to another: whoever has a group of its own hears nothing of `*`, and a crawler that falls back on
another's name hears what that one hears. So a crawler is named wherever it would otherwise come to a group that is
not meant for it.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.agents.crawler import Obeys
from canfetch.agents.registry import REGISTRY, Registry
from canfetch.author.site_policy import Intent, SitePolicy, purpose_of
from canfetch.core.agent import Agent

# Who stands for all that nobody knows; it is asked about, and never written.
UNKNOWN_CRAWLER: Final = "SomeUnknownBot"


class CrawlerIntent(NamedTuple):
    """A crawler, and the intent that is for it, or None where the policy says nothing to it.

    `product_names` are what its User-Agent header shows; none for a word that never fetches.
    """

    agent: Agent
    product_names: tuple[str, ...]
    obeys: Obeys
    intent: Intent | None
    is_known: bool = True

    @property
    def name(self) -> str:
        """Its own product token."""
        return self.agent.tokens[0]


class Resolution(NamedTuple):
    """Every crawler with its intent, and the groups: each intent with the tokens to be named, `*` for everyone."""

    crawlers: tuple[CrawlerIntent, ...]
    groups: tuple[tuple[Intent, tuple[str, ...]], ...]

    def crawlers_for(self, intent: Intent) -> list[CrawlerIntent]:
        """Give the crawlers that come to an intent."""
        return [meant for meant in self.crawlers if meant.intent is intent]


def resolve(policy: SitePolicy, registry: Registry = REGISTRY) -> Resolution:
    """Find out which intent is whose, and who must be named.

    Crawlers that their operators have given up are left out unless they are named.

    Cost: O(crawlers squared) at worst, linear as a rule.
    """
    meant = tuple(_meant(policy, registry))
    named: dict[str, Intent] = {}
    spelling: dict[str, str] = {}

    def name(crawler: CrawlerIntent, intent: Intent) -> None:
        named[crawler.name.lower()] = intent
        spelling[crawler.name.lower()] = crawler.name

    for crawler in meant:
        if crawler.intent is not None and (_is_about(crawler.intent, crawler) or crawler.intent in policy.purposes):
            name(crawler, crawler.intent)
    while True:
        astray = [
            (crawler, crawler.intent)
            for crawler in meant
            if crawler.intent is not None and _heard(crawler, named, policy) is not crawler.intent
        ]
        for crawler, intent in astray:
            name(crawler, intent)
        if not astray:
            break
    groups = []
    for intent in policy.intents:
        tokens = [spelling[key] for key, whose in named.items() if whose is intent]
        groups.append((intent, (*tokens, *(("*",) if intent is policy.everyone else ()))))
    return Resolution(meant, tuple((intent, tokens) for intent, tokens in groups if tokens))


def _meant(policy: SitePolicy, registry: Registry) -> Iterator[CrawlerIntent]:
    named = {intent.audience.name.lower(): intent for intent in policy.crawlers}
    purposes = {purpose_of(intent): intent for intent in policy.purposes}
    for crawler in registry.crawlers:
        own = named.pop(crawler.name.lower(), None)
        if own is None:
            if crawler.retired:
                continue
            own = _inherited(crawler.tokens, crawler.operator, policy, registry)
        if own is None:
            own = purposes.get(crawler.purpose)
        if own is None and (crawler.star_applies or policy.include_star_ignorers):
            own = policy.everyone
        yield CrawlerIntent(crawler.agent, crawler.product_names, crawler.obeys, own)
    for intent in named.values():
        name = intent.audience.name
        yield CrawlerIntent(registry.agent(name), (name,), "not-documented", intent, is_known=False)
    yield CrawlerIntent(Agent(UNKNOWN_CRAWLER), (), "not-documented", policy.everyone, is_known=False)


def _inherited(tokens: tuple[str, ...], operator: str, policy: SitePolicy, registry: Registry) -> Intent | None:
    # Applebot listens to Googlebot's group; who speaks of Googlebot means nobody else's crawler.
    for token in tokens[1:]:
        other = registry.get_crawler(token)
        if other is not None and other.operator == operator:
            for intent in policy.crawlers:
                if intent.audience.name.lower() == token.lower():
                    return intent
    return None


def _is_about(intent: Intent, crawler: CrawlerIntent) -> bool:
    return intent.audience.kind == "crawler" and intent.audience.name.lower() == crawler.name.lower()


def _heard(crawler: CrawlerIntent, named: dict[str, Intent], policy: SitePolicy) -> Intent | None:
    for token in crawler.agent.tokens:
        if token.lower() in named:
            return named[token.lower()]
    return policy.everyone if crawler.agent.star_applies else None
