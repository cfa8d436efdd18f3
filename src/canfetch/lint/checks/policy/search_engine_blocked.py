"""A search engine blocked from a site that others may crawl."""

from collections.abc import Iterator
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.site_blocks import find_near_site_block, find_site_block, is_closed
from canfetch.lint.analysis.unread_lines import unread_agent_above
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.crawler_verdicts import profile_of
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere

# The major search engines, each with the names of the groups that it follows, most specific first.
_SEARCH_ENGINES: Final = (("Googlebot",), ("bingbot",), ("DuckDuckBot",), ("Applebot",), ("YandexBot", "Yandex"))


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find search engines whose own group blocks all of the site, or almost all of it, although `*` is not blocked."""
    for tokens in () if is_closed(file, "*") else _SEARCH_ENGINES:
        name, group_name = tokens[0], next((token for token in tokens if file.groups_named(token)), None)
        blocked = None if group_name is None else _block(file, group_name)
        crawler = REGISTRY.get_crawler(name)
        if blocked is None or crawler is None:
            continue
        rule, path = blocked
        # The search engine's own parser may read groups that others do not, such as one that ends at a blank line.
        if try_allows(file, path, profile_of(crawler), name) is False:
            details = {"name": name, "pattern": file.text(rule.value)}
            query = VerdictQuery(path, crawlers=(name,))
            unread = unread_agent_above(file, rule.line)
            yield Occurrence(file.text_span(rule.record), details, query, lines=unread)


def _block(file: LintedFile, token: str) -> tuple[LintedRule, str] | None:
    """Return the rule that blocks a product token, with a path that it blocks."""
    rule = find_site_block(file, token)
    if rule is not None:
        return rule, "/"
    near = find_near_site_block(file, token)
    return None if near is None else (near.rule, "/page")


CHECK = Check(
    code="CF702",
    name="search-engine-blocked",
    severities=everywhere(Severity.ERROR),
    title="A search engine blocked from a site that others may crawl",
    message="`{pattern}` blocks `{name}` from the site, which other crawlers may fetch",
    why="The search engine does not fetch the pages of the site. At most, it shows bare URLs that other sites link to.",
    how_to_fix="If the site should be found in this search engine, remove its `User-agent` line. If the group names no "
    "other crawler, remove the whole group.",
    source="RFC 9309 section 2.2.1",
    bad=b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /\n",
    good=b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /private/\n",
    find=find,
    needs=(Trait.SITE_BLOCK,),
)
