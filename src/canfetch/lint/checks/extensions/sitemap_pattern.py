"""A pattern instead of the URL of a sitemap."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import place_extension, sitemap_records
from canfetch.lint.analysis.listed_sitemaps import pattern_part
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps with a wildcard or a range in their path."""
    for extension in sitemap_records(file):
        part = pattern_part(extension.value)
        if part is not None:
            placed = place_extension(file, extension)
            yield Occurrence(placed.span, {"sitemap": file.text(extension.value), "part": file.text(part)})


CHECK = Check(
    code="CF628",
    name="sitemap-pattern",
    severities=everywhere(Severity.WARNING),
    title="A pattern instead of the URL of a sitemap",
    message="`{sitemap}` contains `{part}`, but a `Sitemap` line has one URL, and no pattern",
    why="`*` and `$` are special characters in rules only. Crawlers request the URL as it is written, and find no "
    "sitemap there.",
    how_to_fix="Write a line with the absolute URL of each sitemap, or one line with the URL of their index.",
    source="Google, create a robots.txt file; sitemaps.org",
    bad=b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap-*.xml\n",
    good=b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap-index.xml\n",
    find=find,
    needs=("sitemap",),
)
