"""A sitemap on another site."""

from collections.abc import Iterator

from canfetch.lint.analysis.listed_sitemaps import listed_sitemaps
from canfetch.lint.analysis.site_urls import origin_of
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps whose scheme, host or port differs from that of the file."""
    here = None if file.input.url is None else origin_of(file.input.url)
    if here is None:
        return
    for sitemap in listed_sitemaps(file):
        there = origin_of(sitemap.url)
        if there is not None and there != here:
            yield Occurrence(sitemap.span, {"there": str(there), "here": str(here)})


CHECK = Check(
    code="CF708",
    name="sitemap-of-other-host",
    severities=everywhere(Severity.INFO),
    title="A sitemap on another site",
    message="the sitemap is on {there}, but this file applies to {here}",
    why="This is allowed, and lets one host provide the sitemaps of many. If it is a mistake, such as http instead of "
    "https or a missing `www`, the sitemap may not exist there, or may list the URLs of another site.",
    how_to_fix="Keep the line if this is intended. Otherwise, write the URL with the scheme and host of this site.",
    source="sitemaps.org, cross submits; Google, sitemap",
    bad=LintInput(
        b"User-agent: *\nDisallow:\n\nSitemap: http://example.com/sitemap.xml\n", url="https://example.com/robots.txt"
    ),
    good=LintInput(
        b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n", url="https://example.com/robots.txt"
    ),
    find=find,
    needs=("sitemap",),
    requires="url",
)
