"""A very long `Crawl-delay`."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.extensions.crawl_delay import CrawlDelay
from canfetch.core.records import Record
from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.analysis.named_engines import main_crawlers
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

# The search engine that reads delays, with the name of its crawler's predecessor. Google and Yandex do not read them.
_BING: Final = ("bingbot", "msnbot")
_MAX_SECONDS: Final = 30
_DAY_SECONDS: Final = 86400


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find delays longer than Bing's maximum."""
    for extension, record, span in extensions_named(file, "crawl-delay"):
        if isinstance(extension.parsed, CrawlDelay) and extension.parsed.seconds > _MAX_SECONDS:
            pages = int(round(_DAY_SECONDS / extension.parsed.seconds, 6))
            details = {"seconds": file.text(extension.value), "pages": str(pages)}
            yield Occurrence(span, details, harmless=not _is_read_by_search_engine(file, record))


def _is_read_by_search_engine(file: LintedFile, record: Record) -> bool:
    # Other crawlers may take their time, or do not read the delay.
    group = file.group_of(record)
    names = frozenset() if group is None else group.names
    return not main_crawlers(file, names).isdisjoint(_BING) or ("*" in names and not file.groups_named(_BING[0]))


CHECK = Check(
    code="CF605",
    name="crawl-delay-too-long",
    severities=Severities(rfc=Severity.WARNING, bing=Severity.WARNING),
    title="A very long `Crawl-delay`",
    message="with a delay of {seconds} seconds, a crawler can fetch only {pages|page|pages} a day",
    why="Bing supports delays of 1 to 30 seconds. Some crawlers treat a very long delay as a disallow rule for the "
    "whole site, and others never finish crawling it.",
    how_to_fix="Write 30 or less, or disallow the whole site for the crawler if that is intended.",
    source="Bing Webmaster, crawl-delay; crawler-commons",
    bad=b"User-agent: bingbot\nCrawl-delay: 3600\n",
    good=b"User-agent: bingbot\nCrawl-delay: 10\n",
    find=find,
    needs=("crawl-delay",),
)
