"""What a policy cannot do, said in a sentence each: whom rules do not reach, and what nobody will see."""

from collections.abc import Iterable, Iterator

from canfetch.author.resolution import CrawlerIntent, Resolution
from canfetch.author.sample_targets import sample_targets
from canfetch.author.site_policy import SitePolicy


def find_limitations(policy: SitePolicy, resolution: Resolution) -> tuple[str, ...]:
    """Say what a policy cannot do.

    Cost: O(crawlers, and pages times targets).
    """
    return (*_about_crawlers(policy, resolution), *_about_pages(policy, resolution))


def _about_crawlers(policy: SitePolicy, resolution: Resolution) -> Iterator[str]:
    limited = [meant for meant in resolution.crawlers if meant.intent is not None and _limits(meant)]
    words = _names(meant for meant in limited if not meant.product_names and meant.is_known)
    if words:
        yield f"words in robots.txt that never fetch, so that no server rule is about them: {words}"
    disobedient = _names(meant for meant in limited if meant.obeys in {"no", "may-not"} and meant.product_names)
    if disobedient:
        yield f"may not obey robots.txt, says their operator; the server's rules alone stop them: {disobedient}"
    if any(_limits(meant) for meant in resolution.crawlers_for(policy.everyone)):
        apart = _names(meant for meant in resolution.crawlers if meant.intent is None)
        if apart:
            yield (
                "hear nothing that is said to everyone, and may fetch all unless include_star_ignorers = true "
                f"names them: {apart}"
            )
        yield (
            "a server cannot tell a crawler that the registry does not know from a browser: its rules are about "
            "known and named crawlers alone"
        )
    unknown = _names(meant for meant in limited if not meant.is_known and meant.product_names)
    if unknown:
        yield f"not in the registry, and so known by their name alone: {unknown}"


def _about_pages(policy: SitePolicy, resolution: Resolution) -> Iterator[str]:
    targets = sample_targets(policy)
    for page in policy.pages:
        whose = next((meant.intent for meant in resolution.crawlers if meant.name == page.crawler), None)
        intent = whose or policy.everyone
        spoken = [target for target in targets if page.matches(target)]
        if spoken and not any(intent.allows(target) for target in spoken):
            yield (
                f"X-Robots-Tag {page.value!r} on {', '.join(page.patterns)} is never seen by whom {intent.audience} "
                "is about: they may not fetch these pages"
            )


def _limits(meant: CrawlerIntent) -> bool:
    return meant.intent is not None and (not meant.intent.fetch or any(not rule.allow for rule in meant.intent.rules))


def _names(found: Iterable[CrawlerIntent]) -> str:
    return ", ".join(meant.name for meant in found)
