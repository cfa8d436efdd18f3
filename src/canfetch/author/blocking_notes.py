"""What a robots.txt does not achieve: notes for people who write one.

Source: Google, create a robots.txt file; RFC 9309 section 3.
"""

from collections.abc import Iterator

from canfetch.agents import REGISTRY
from canfetch.core.document import RobotsTxt
from canfetch.core.groups import Group


def blocking_notes(robots: RobotsTxt) -> Iterator[str]:
    """Yield what disallowed URLs are not protected from, and what protects them."""
    blocking = [group for group in robots.groups if any(not rule.allow and rule.pattern for rule in group.rules)]
    if any(map(_names_search_engine, blocking)):
        yield (
            "search engines may still list a disallowed URL if other pages link to it; to keep a page out of search "
            "results, allow it and serve noindex, or require a password"
        )
    if any(_names_place(rule.pattern) for group in blocking for rule in group.rules if not rule.allow):
        yield (
            "everybody can read robots.txt and the paths in it, and crawlers may ignore it; protect private content "
            "with a password"
        )


def _names_search_engine(group: Group) -> bool:
    crawlers = (REGISTRY.get_crawler(token) for token in group.tokens)
    return "*" in group.tokens or any(
        crawler is not None and "search-index" in crawler.purposes for crawler in crawlers
    )


def _names_place(pattern: bytes) -> bool:
    # A pattern such as `/*.gif$` has no name of a page or folder.
    return pattern.partition(b"*")[0] not in (b"", b"/")
