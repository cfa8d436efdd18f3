"""A `Crawl-delay` for a crawler that ignores it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from canfetch.agents.crawl_delays import ignores_crawl_delay
from canfetch.core.records import Record
from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.analysis.misread_groups import find_splits, listed_names
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedToken
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find lines that are written for crawlers of Google or Yandex."""
    delays: dict[int, list[Record]] = {}
    for _, record, _ in extensions_named(file, "crawl-delay"):
        if record.group is not None and record.group < len(file.groups):
            delays.setdefault(record.group, []).append(record)
    for index, records in delays.items():
        group = file.groups[index]
        if any(ignores_crawl_delay(name) for name in group.names):
            yield from _find_in_group(file, group, records)


def _find_in_group(file: LintedFile, group: LintedGroup, delays: list[Record]) -> Iterator[Occurrence]:
    starts = [0, *(split.position + 1 for split in find_splits(group))]
    lines = [group.tokens[start].line for start in starts]
    seen: set[int] = set()
    for record in delays:
        # Other crawlers of the group have their lines above or below.
        part = bisect_right(lines, record.line) - 1
        if part < 0 or part in seen:
            continue
        seen.add(part)
        tokens = group.tokens[starts[part] : starts[part + 1] if part + 1 < len(starts) else None]
        name = next((token.token for token in tokens if ignores_crawl_delay(token.token)), None)
        if name is not None:
            readers = _readers(tokens) or (_readers(group.tokens) if len(delays) == 1 else "")
            details = {"name": name} | ({VARIANT: "shared", "readers": readers} if readers else {})
            yield Occurrence(file.text_span(record), details)


def _readers(tokens: Sequence[LintedToken]) -> str:
    """Return the names of the crawlers that may read the line."""
    return listed_names(token.token for token in tokens if token.token and not ignores_crawl_delay(token.token))


CHECK = Check(
    code="CF606",
    name="crawl-delay-not-read",
    severities=Severities(google=Severity.INFO, yandex=Severity.INFO),
    title="A `Crawl-delay` for a crawler that ignores it",
    message="`{name}` ignores `Crawl-delay`",
    why="This crawler adapts its crawl rate to the server's responses, and not to `Crawl-delay`.",
    how_to_fix="Remove the line. If the crawler is too fast, set its crawl rate in the operator's tools for site "
    "owners, if they offer that, or respond with status 429 or 503 for a short time.",
    variants={
        "shared": Variant(
            how_to_fix="Keep the line for `{readers}`. If `{name}` is too fast, set its crawl rate in the operator's "
            "tools for site owners, if they offer that, or respond with status 429 or 503 for a short time."
        )
    },
    source="Google, robots.txt specification; Yandex Webmaster, crawl rate",
    bad=b"User-agent: Googlebot\nCrawl-delay: 5\nDisallow: /private/\n",
    good=b"User-agent: bingbot\nCrawl-delay: 5\nDisallow: /private/\n",
    find=find,
    needs=("crawl-delay",),
    notable=True,
)
