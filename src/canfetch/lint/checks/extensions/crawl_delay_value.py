"""A `Crawl-delay` that is not a number."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.extensions.crawl_delay import parse_crawl_delay
from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import extensions_noted
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_UNITS: Final = (b"seconds", b"second", b"secs", b"sec", b"s")
_MAX_SECONDS: Final = 30


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find invalid values, and numbers with a decimal comma."""
    for placed in extensions_noted(file, "crawl-delay", ExtensionNote.UNREADABLE | ExtensionNote.DECIMAL_COMMA):
        value = placed.extension.value
        better = _correct_number(value)
        fix = replace_span(*placed.span, better, changes_verdicts=True) if better else None
        yield Occurrence(placed.span, {"value": file.text(value)}, fix=fix)


def _correct_number(value: bytes) -> bytes | None:
    number = value.lower()
    for unit in _UNITS:
        if number.endswith(unit):
            number = number[: -len(unit)].rstrip()
            break
    number = number.replace(b",", b".", 1)
    seconds = parse_crawl_delay(number)
    return number if seconds is not None and seconds <= _MAX_SECONDS else None


CHECK = Check(
    code="CF604",
    name="crawl-delay-value",
    severities=Severities(rfc=Severity.WARNING, bing=Severity.ERROR, yandex=Severity.INFO),
    title="A `Crawl-delay` that is not a number",
    message="`{value}` is not a number of seconds",
    why="Crawlers that support `Crawl-delay` expect a non-negative number of seconds, with a dot as the decimal "
    "separator. They ignore any other value.",
    how_to_fix="Write only a number.",
    source="Bing Webmaster, crawl-delay",
    bad=b"User-agent: bingbot\nCrawl-delay: 5s\n",
    good=b"User-agent: bingbot\nCrawl-delay: 5\n",
    find=find,
    needs=("crawl-delay",),
    fixable=True,
)
