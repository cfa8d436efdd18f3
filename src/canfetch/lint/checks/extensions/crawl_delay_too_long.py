"""A Crawl-delay with which nobody gets to the end."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.extensions.crawl_delay import CrawlDelay
from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_LONGEST_SECONDS: Final = 30
_DAY_SECONDS: Final = 86400


def find(file: LintedFile) -> Iterator[Found]:
    """Look for more seconds than Bing knows."""
    for extension, _, span in records_named(file, "crawl-delay"):
        if isinstance(extension.meaning, CrawlDelay) and extension.meaning.seconds > _LONGEST_SECONDS:
            pages = int(_DAY_SECONDS // extension.meaning.seconds)
            yield Found(span, {"seconds": file.text(extension.value), "pages": str(pages)})


CHECK = Check(
    code="CF605",
    name="crawl-delay-too-long",
    severities=Severities(rfc=Severity.INFO, bing=Severity.WARNING),
    title="A Crawl-delay with which nobody gets to the end",
    message="{seconds} seconds leave a crawler {pages} pages a day",
    why="Bing knows delays of 1 to 30 seconds. Some crawlers take a very long one for a ban, and others never come to "
    "the end of the site.",
    mend="Write 30 or less, or bar the crawler if that is meant.",
    source="Bing Webmaster, crawl-delay; crawler-commons",
    bad=Given(b"User-agent: bingbot\nCrawl-delay: 3600\n"),
    good=Given(b"User-agent: bingbot\nCrawl-delay: 10\n"),
    find=find,
)
