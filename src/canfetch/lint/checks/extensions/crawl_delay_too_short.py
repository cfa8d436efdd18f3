"""A `Crawl-delay` below Bing's minimum."""

from collections.abc import Iterator
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.core.extensions.crawl_delay import CrawlDelay
from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile, LintedGroup
from canfetch.lint.severity import Severities, Severity

_MIN_SECONDS: Final = 1


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find delays under one second in the groups that Bing reads: its own, and the `*` group."""
    for_bing: dict[int, bool] = {}
    for extension, record, span in extensions_named(file, "crawl-delay"):
        if not isinstance(extension.parsed, CrawlDelay) or extension.parsed.seconds >= _MIN_SECONDS:
            continue
        if record.group is None or record.group >= len(file.groups):
            continue
        if record.group not in for_bing:
            for_bing[record.group] = _is_for_bing(file.groups[record.group])
        if for_bing[record.group]:
            yield Occurrence(span, {"seconds": file.text(extension.value)})


def _is_for_bing(group: LintedGroup) -> bool:
    crawlers = (REGISTRY.get_crawler(name) for name in group.names)
    return "*" in group.names or any(crawler is not None and crawler.operator == "Microsoft" for crawler in crawlers)


CHECK = Check(
    code="CF623",
    name="crawl-delay-too-short",
    severities=Severities(bing=Severity.INFO),
    title="A `Crawl-delay` below Bing's minimum",
    message="`{seconds}` is below Bing's minimum of one second",
    why="Bing supports delays of 1 to 30 seconds, and does not document how it treats other values.",
    how_to_fix="Write 1 or more, or remove the line.",
    source="Bing Webmaster, crawl-delay",
    bad=b"User-agent: bingbot\nCrawl-delay: 0.5\n",
    good=b"User-agent: bingbot\nCrawl-delay: 1\n",
    find=find,
    needs=("crawl-delay",),
)
