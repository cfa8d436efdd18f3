"""An indexing rule that no search engine reads in robots.txt."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find `Noindex`, `Nofollow` and `Noarchive` lines."""
    disallowed = {(rule.group, rule.value) for rule in file.rules if not rule.allow}
    for _, record, _ in extensions_named(file, "noindex", "nofollow", "noarchive"):
        # Crawlers do not fetch a disallowed page, so they would not read `noindex` in it either.
        is_disallowed = (record.group, file.value(record)) in disallowed
        yield Occurrence(file.text_span(record), {"key": file.text(file.key(record))}, harmless=is_disallowed)


CHECK = Check(
    code="CF611",
    name="noindex-not-read",
    severities=Severities(
        rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.WARNING
    ),
    title="An indexing rule that no search engine reads in robots.txt",
    message="no search engine reads `{key}` in robots.txt",
    why="Google supported such lines until September 2019, without ever documenting them. No search engine "
    "documents them today.",
    how_to_fix="Put `noindex` in the page's robots meta element or in its X-Robots-Tag header, and let crawlers fetch "
    "the page.",
    source="Google, a note on unsupported rules in robots.txt, July 2019",
    bad=LintInput(b"User-agent: *\nNoindex: /drafts/\nDisallow: /private/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    supersedes=("CF302",),
)
