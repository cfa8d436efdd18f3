"""A sitemap of another scheme than those of the web and FTP."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.urls import split_url
from canfetch.lint.check import Check, Found
from canfetch.lint.checks.extensions.reading import records_named
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_SCHEMES: Final = frozenset({b"http", b"https", b"ftp"})


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the schemes of sitemaps."""
    for extension, _, span in records_named(file, "sitemap"):
        split = split_url(extension.value)
        if split is not None and split.scheme and split.scheme.lower() not in _SCHEMES:
            details = {"scheme": file.text(split.scheme), "sitemap": file.text(extension.value)}
            yield Found((span[0], span[0] + len(split.scheme)), details)


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
