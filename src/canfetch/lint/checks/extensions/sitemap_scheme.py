"""A sitemap of another scheme than those of the web and FTP."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.analysis.listed_sitemaps import other_scheme
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the schemes of sitemaps."""
    for extension, _, span in records_named(file, "sitemap"):
        scheme = other_scheme(extension.value)
        if scheme is not None:
            yield Found((span[0], span[0] + len(scheme)), {"scheme": file.text(scheme)})


CHECK = Check(
    code="CF602",
    name="sitemap-scheme",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A sitemap of a scheme that crawlers do not fetch",
    message="crawlers fetch no `{scheme}` sitemaps",
    why="Sitemaps are fetched as pages are: with https or http, and by few with ftp.",
    mend="Write `https` or `http`.",
    source="sitemaps.org; Lighthouse, robots-txt",
    bad=Given(b"User-agent: *\nDisallow:\n\nSitemap: htps://example.com/sitemap.xml\n"),
    good=Given(b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n"),
    find=find,
)
