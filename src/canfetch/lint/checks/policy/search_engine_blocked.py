"""A search engine blocked from a site that others may crawl."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.site_blocks import find_site_block
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# The major search engines, each with the names of the groups that it follows, most specific first.
_SEARCH_ENGINES: Final = (("Googlebot",), ("bingbot",), ("DuckDuckBot",), ("Applebot",), ("YandexBot", "Yandex"))


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find search engines whose own group blocks the whole site, although `*` may fetch something."""
    closed = find_site_block(file, "*") is not None
    for tokens in () if closed else _SEARCH_ENGINES:
        name = next((token for token in tokens if file.groups_named(token)), None)
        rule = None if name is None else find_site_block(file, name)
        if rule is not None:
            yield Occurrence(
                file.text_span(rule.record),
                {"name": tokens[0], "pattern": file.text(rule.value)},
                VerdictQuery("/"),
            )


CHECK = Check(
    code="CF702",
    name="search-engine-blocked",
    severities=everywhere(Severity.ERROR),
    title="A search engine blocked from a site that others may crawl",
    message="`{pattern}` blocks `{name}` from the whole site, which other crawlers may fetch",
    why="The search engine does not fetch any page of the site. At most, it shows bare URLs that other sites link to.",
    how_to_fix="Remove the group if the site should be found in this search engine.",
    source="RFC 9309 section 2.2.1",
    bad=LintInput(b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /\n"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /private/\n"),
    find=find,
)
