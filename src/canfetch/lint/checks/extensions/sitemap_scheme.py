"""A sitemap with a scheme that crawlers do not fetch."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import place_extension, sitemap_records
from canfetch.lint.analysis.listed_sitemaps import unfetchable_scheme
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps with other schemes than https, http and ftp."""
    for extension in sitemap_records(file):
        scheme = unfetchable_scheme(extension.value)
        if scheme is not None:
            start, _ = place_extension(file, extension).span
            yield Occurrence((start, start + len(scheme)), {"scheme": file.text(scheme)})


CHECK = Check(
    code="CF602",
    name="sitemap-scheme",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A sitemap with a scheme that crawlers do not fetch",
    message="crawlers do not fetch sitemaps with the scheme `{scheme}`",
    why="Crawlers fetch sitemaps over https or http, like pages. A few support ftp.",
    how_to_fix="Write `https` or `http`.",
    source="sitemaps.org; Lighthouse, robots-txt",
    bad=b"User-agent: *\nDisallow:\n\nSitemap: htps://example.com/sitemap.xml\n",
    good=b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n",
    find=find,
    needs=("sitemap",),
)
