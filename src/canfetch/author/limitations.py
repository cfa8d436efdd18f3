"""Limitations of a policy: crawlers that rules do not reach, and headers that crawlers never read."""

from collections.abc import Iterable, Iterator
from typing import Final

from canfetch.author.resolution import CrawlerIntent, Resolution
from canfetch.author.sample_targets import sample_targets
from canfetch.author.site_policy import SitePolicy

_SOURCES: Final = (("operator", "their operators"), ("third-party", "third parties"))


def find_limitations(policy: SitePolicy, resolution: Resolution) -> tuple[str, ...]:
    """Return the limitations of a policy, one sentence each.

    Cost: O(crawlers, and pages times targets).
    """
    return (*_crawler_limitations(policy, resolution), *_page_limitations(policy, resolution))


def _crawler_limitations(policy: SitePolicy, resolution: Resolution) -> Iterator[str]:
    restricted = [crawler for crawler in resolution.crawlers if _is_restricted(crawler)]
    silent = _names(crawler for crawler in restricted if not crawler.product_names and crawler.is_known)
    if silent:
        yield f"tokens that never send requests, so that server rules do not apply to them: {silent}"
    disobedient = [crawler for crawler in restricted if crawler.obeys in {"no", "might-ignore"}]
    for kind, source in _SOURCES:
        names = _names(crawler for crawler in disobedient if crawler.source_kind == kind and crawler.product_names)
        if names:
            yield f"crawlers that might ignore robots.txt, according to {source}: {names}"
    if any(_is_restricted(crawler) for crawler in resolution.crawlers_for(policy.everyone)):
        unaddressed = _names(crawler for crawler in resolution.crawlers if crawler.intent is None)
        if unaddressed:
            yield f"crawlers that ignore '*', unaffected unless include_star_ignorers = true: {unaddressed}"
        yield (
            "servers cannot distinguish unregistered crawlers from browsers, so server rules apply only to registered "
            "and named crawlers"
        )
    unknown = _names(crawler for crawler in restricted if not crawler.is_known and crawler.product_names)
    if unknown:
        yield f"crawlers that are not in the registry, and are matched by name only: {unknown}"


def _page_limitations(policy: SitePolicy, resolution: Resolution) -> Iterator[str]:
    targets = sample_targets(policy)
    for page in policy.pages:
        own = next((crawler.intent for crawler in resolution.crawlers if crawler.name == page.crawler), None)
        intent = own or policy.everyone
        matching = [target for target in targets if page.matches(target)]
        if matching and not any(intent.allows(target) for target in matching):
            yield (
                f"X-Robots-Tag {page.value!r} on {', '.join(page.patterns)} is never read, because {intent.audience} "
                "disallows these pages"
            )


def _is_restricted(crawler: CrawlerIntent) -> bool:
    intent = crawler.intent
    return intent is not None and (not intent.fetch or any(not rule.allow for rule in intent.rules))


def _names(crawlers: Iterable[CrawlerIntent]) -> str:
    return ", ".join(crawler.name for crawler in crawlers)
