"""A sitemap of another site."""

from collections.abc import Iterator

from canfetch.lint.analysis.listed_sitemaps import listed_sitemaps
from canfetch.lint.analysis.site_urls import origin_of
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look for sitemaps whose scheme, host or port are not those of the file."""
    here = None if file.given.url is None else origin_of(file.given.url)
    if here is None:
        return
    for sitemap in listed_sitemaps(file):
        there = origin_of(sitemap.url)
        if there is not None and there != here:
            yield Found(sitemap.span, {"there": str(there), "here": str(here)})


CHECK = Check(
    code="CF708",
    name="sitemap-of-other-host",
    severities=everywhere(Severity.INFO),
    title="A sitemap of another site",
    message="the sitemap is on {there}, and this file rules over {here}",
    why="That is allowed, and lets one host keep the sitemaps of many. Where it is not meant, as with http for https "
    "or without www, the sitemap may be missing there, or list other URLs than those of this site.",
    mend="Leave it if it is meant; else write the URL with this site's scheme and host.",
    source="sitemaps.org, cross submits; Google, sitemap",
    bad=Given(
        b"User-agent: *\nDisallow:\n\nSitemap: http://example.com/sitemap.xml\n", url="https://example.com/robots.txt"
    ),
    good=Given(
        b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n", url="https://example.com/robots.txt"
    ),
    find=find,
)
