"""Resolution of a policy: the intent for each crawler, and the names that each group of the robots.txt needs.

Groups are not merged with `*`: a crawler with a group of its own ignores `*`, and a crawler that falls back on another
crawler's name uses that group. So a crawler is named wherever it would otherwise use a group with a different intent.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.agents.crawler import Crawler, Obeys, Purpose, SourceKind
from canfetch.agents.registry import REGISTRY, Registry
from canfetch.author.site_policy import Intent, SitePolicy, check_chosen
from canfetch.core.agent import Agent

# Represents all crawlers that are not in the registry; it is checked, and never written.
UNKNOWN_CRAWLER: Final = "SomeUnknownBot"


class CrawlerIntent(NamedTuple):
    """A crawler and the intent that applies to it.

    Attributes:
        agent: The crawler's agent.
        product_names: The names in its User-Agent header; empty for a token that never sends requests.
        obeys: Whether it obeys robots.txt, according to the source of its registry entry.
        intent: The intent that applies, or None if the policy does not address the crawler.
        is_known: Whether it is in the registry.
        source_kind: Whether that source is the operator's own.
        app_names: The product names that an app sends, too.
    """

    agent: Agent
    product_names: tuple[str, ...]
    obeys: Obeys
    intent: Intent | None
    is_known: bool = True
    source_kind: SourceKind = "operator"
    app_names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The crawler's own product token."""
        return self.agent.tokens[0]


class Resolution(NamedTuple):
    """Every crawler with its intent, and every group with its tokens.

    Attributes:
        crawlers: The crawlers of the registry, those that the policy names, and an unknown one.
        groups: Each intent with the product tokens of its group, `*` for everyone.
        retired: The retired crawlers that the policy does not name, with the intents of the groups that they would use.
    """

    crawlers: tuple[CrawlerIntent, ...]
    groups: tuple[tuple[Intent, tuple[str, ...]], ...]
    retired: tuple[CrawlerIntent, ...] = ()

    def crawlers_for(self, intent: Intent) -> list[CrawlerIntent]:
        """Return the crawlers that an intent applies to."""
        return [crawler for crawler in self.crawlers if crawler.intent is intent]


def resolve(policy: SitePolicy, registry: Registry = REGISTRY) -> Resolution:
    """Return the intent for each crawler, and the names that each group needs.

    No group names a retired crawler unless the policy does. Its name may still be sent, and is then in the group for
    everyone.

    Raises: InvalidSitePolicy: The policy has environments, and none was chosen.
    Cost: O(crawlers squared) at worst, usually linear.
    """
    check_chosen(policy)
    crawlers = tuple(_assign_intents(policy, registry))
    named: dict[str, Intent] = {}
    spelling: dict[str, str] = {}

    def name(crawler: CrawlerIntent, intent: Intent) -> None:
        named[crawler.name.lower()] = intent
        spelling[crawler.name.lower()] = crawler.name

    for crawler in crawlers:
        if crawler.intent is not None and (_names(crawler.intent, crawler) or crawler.intent in policy.purposes):
            name(crawler, crawler.intent)
    while True:
        misdirected = [
            (crawler, crawler.intent)
            for crawler in crawlers
            if crawler.intent is not None and _selected_intent(crawler, named, policy) is not crawler.intent
        ]
        for crawler, intent in misdirected:
            name(crawler, intent)
        if not misdirected:
            break
    groups = []
    for intent in policy.intents:
        tokens = [spelling[key] for key, owner in named.items() if owner is intent]
        groups.append((intent, (*tokens, *(("*",) if intent is policy.everyone else ()))))
    known = {crawler.name for crawler in crawlers}
    retired = (_with_intent(one, None) for one in registry.crawlers if one.retired and one.name not in known)
    return Resolution(
        crawlers,
        tuple((intent, tokens) for intent, tokens in groups if tokens),
        tuple(crawler._replace(intent=_selected_intent(crawler, named, policy)) for crawler in retired),
    )


def _assign_intents(policy: SitePolicy, registry: Registry) -> Iterator[CrawlerIntent]:
    named = {intent.audience.name.lower(): intent for intent in policy.crawlers}
    purposes = {intent.audience.purpose: intent for intent in policy.purposes}
    for crawler in registry.crawlers:
        own = named.pop(crawler.name.lower(), None)
        if own is None:
            if crawler.retired:
                continue
            own = _inherited(crawler.tokens, crawler.operator, policy, registry)
        if own is None:
            own = _for_purposes(crawler, purposes)
        if own is None and (crawler.star_applies or policy.include_star_ignorers):
            own = policy.everyone
        yield _with_intent(crawler, own)
    for intent in named.values():
        name = intent.audience.name
        yield CrawlerIntent(registry.agent(name), (name,), "not-documented", intent, is_known=False)
    yield CrawlerIntent(Agent(UNKNOWN_CRAWLER), (), "not-documented", policy.everyone, is_known=False)


def _with_intent(crawler: Crawler, intent: Intent | None) -> CrawlerIntent:
    return CrawlerIntent(
        crawler.agent,
        crawler.product_names,
        crawler.obeys,
        intent,
        source_kind=crawler.source_kind,
        app_names=crawler.app_names,
    )


def _for_purposes(crawler: Crawler, purposes: dict[Purpose, Intent]) -> Intent | None:
    """Return the intent for a crawler's purposes: one that disallows everything, or else that of the first purpose."""
    intents = [purposes[purpose] for purpose in crawler.purposes if purpose in purposes]
    closed = (intent for intent in intents if intent.disallows_everything)
    return next(closed, intents[0] if intents else None)


def _inherited(tokens: tuple[str, ...], operator: str, policy: SitePolicy, registry: Registry) -> Intent | None:
    # Applebot falls back on Googlebot's group, but a policy for Googlebot is meant for Google's crawlers only.
    for token in tokens[1:]:
        other = registry.get_crawler(token)
        if other is not None and other.operator == operator:
            for intent in policy.crawlers:
                if intent.audience.name.lower() == token.lower():
                    return intent
    return None


def _names(intent: Intent, crawler: CrawlerIntent) -> bool:
    return intent.audience.kind == "crawler" and intent.audience.name.lower() == crawler.name.lower()


def _selected_intent(crawler: CrawlerIntent, named: dict[str, Intent], policy: SitePolicy) -> Intent | None:
    """Return the intent of the group that the crawler would use."""
    for token in crawler.agent.tokens:
        if token.lower() in named:
            return named[token.lower()]
    return policy.everyone if crawler.agent.star_applies else None
