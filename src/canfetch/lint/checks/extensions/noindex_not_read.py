"""An indexing rule that no search engine reads in robots.txt."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Find `Noindex`, `Nofollow` and `Noarchive` lines."""
    for _, record, _ in records_named(file, "noindex", "nofollow", "noarchive"):
        yield Found(file.content_span(record), {"key": file.text(file.key(record))})


CHECK = Check(
    code="CF611",
    name="noindex-not-read",
    severities=Severities(
        rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.WARNING
    ),
    title="An indexing rule that no search engine reads in robots.txt",
    message="no search engine reads `{key}` in robots.txt",
    why="Google supported it, without ever documenting it, until September 2019. No search engine documents it.",
    mend="Put `noindex` in the page's robots meta element or in its X-Robots-Tag header, and let crawlers fetch the "
    "page.",
    source="Google, a note on unsupported rules in robots.txt, July 2019",
    bad=Given(b"User-agent: *\nNoindex: /drafts/\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
)
