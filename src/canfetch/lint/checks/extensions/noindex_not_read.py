"""An indexing rule that no search engine reads in robots.txt."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Final

from canfetch.core.extensions.path_rules import PAGE_RULES
from canfetch.core.records import Record
from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.check import VARIANT, Check, LineOccurrence, Occurrence, Variant
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Each one costs the time of a decision.
_MAX_VERDICTS: Final = 200
# Other directives for pages, and the header that has them.
_DIRECTIVES: Final = (b"x-robots-tag", b"unavailable_after", b"index", b"follow", b"nosnippet", b"noimageindex")


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find directives for pages, such as `Noindex` lines."""
    disallowed: set[tuple[int, bytes]] | None = None
    others = (line.record for line in odd_lines(file, Oddity.UNKNOWN) if file.key(line.record).lower() in _DIRECTIVES)
    for number, record in enumerate(chain((record for _, record, _ in extensions_named(file, *PAGE_RULES)), others)):
        if disallowed is None:
            disallowed = {(rule.group, rule.value) for rule in file.rules if not rule.allow}
        yield LineOccurrence(record.line, partial(_occurrence, file, record, disallowed, number))


def _occurrence(file: LintedFile, record: Record, disallowed: set[tuple[int, bytes]], number: int) -> Occurrence:
    # Crawlers do not fetch a disallowed page, so they would not read `noindex` in it either.
    is_written = record.group is not None and (record.group, file.value(record)) in disallowed
    harmless = is_written or (number < _MAX_VERDICTS and _is_disallowed(file, record))
    details = {"key": file.text(file.key(record))} | ({VARIANT: "disallowed"} if harmless else {})
    return Occurrence(file.text_span(record), details, harmless=harmless)


def _is_disallowed(file: LintedFile, record: Record) -> bool:
    path = example_path(file.value(record))
    group = file.group_of(record)
    return path is not None and group is not None and try_allows(file, path, "rfc9309", group.first_token) is False


CHECK = Check(
    code="CF611",
    name="noindex-not-read",
    severities=everywhere(Severity.WARNING),
    title="An indexing rule that no search engine reads in robots.txt",
    message="no search engine reads `{key}` in robots.txt",
    why="Google supported `Noindex`, `Nofollow` and `Noarchive` lines until September 2019, without ever documenting "
    "them. No search engine documents such lines today.",
    how_to_fix="Put the same directive (`noindex`, `nofollow` or `noarchive`) in the page's robots meta element or in "
    "its X-Robots-Tag header, and let crawlers fetch the page.",
    variants={
        "disallowed": Variant(
            how_to_fix="Remove the line. A page that crawlers may not fetch can still be listed with its address. To "
            "keep it out of search results, let crawlers fetch it, and put the directive in its robots meta element or "
            "its X-Robots-Tag header."
        )
    },
    source="Google, a note on unsupported rules in robots.txt, July 2019",
    bad=b"User-agent: *\nNoindex: /drafts/\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(*PAGE_RULES, Oddity.UNKNOWN),
    supersedes=("CF204", "CF302"),
    notable=True,
)
