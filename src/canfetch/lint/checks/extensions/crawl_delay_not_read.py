"""A `Crawl-delay` for a crawler that ignores it."""

from collections.abc import Iterator

from canfetch.agents.crawl_delays import ignores_crawl_delay
from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile, LintedGroup
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find the line in groups for crawlers of Google or Yandex."""
    ignoring: dict[int, str | None] = {}
    for _, record, _ in extensions_named(file, "crawl-delay"):
        if record.group is None or record.group >= len(file.groups):
            continue
        if record.group not in ignoring:
            ignoring[record.group] = _first_ignoring_crawler(file.groups[record.group])
        name = ignoring[record.group]
        if name is not None:
            yield Occurrence(file.text_span(record), {"name": name})


def _first_ignoring_crawler(group: LintedGroup) -> str | None:
    return next((token.token for token in group.tokens if ignores_crawl_delay(token.token)), None)


CHECK = Check(
    code="CF606",
    name="crawl-delay-not-read",
    severities=Severities(google=Severity.INFO, yandex=Severity.INFO),
    title="A `Crawl-delay` for a crawler that ignores it",
    message="`{name}` ignores `Crawl-delay`",
    why="This crawler adapts its crawl rate to the server's responses, and not to `Crawl-delay`.",
    how_to_fix="Remove the line. If the crawler is too fast, set its crawl rate in the operator's tools for site "
    "owners, if they offer that, or respond with status 429 or 503 for a short time.",
    source="Google, robots.txt specification; Yandex Webmaster, crawl rate",
    bad=b"User-agent: Googlebot\nCrawl-delay: 5\nDisallow: /private/\n",
    good=b"User-agent: bingbot\nCrawl-delay: 5\nDisallow: /private/\n",
    find=find,
    needs=("crawl-delay",),
    notable=True,
)
