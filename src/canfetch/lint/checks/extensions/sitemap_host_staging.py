"""A sitemap on the host on which the site is tested."""

from collections.abc import Iterator

from canfetch.lint.analysis.listed_sitemaps import listed_sitemaps
from canfetch.lint.analysis.site_urls import host_of, is_staging
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps on a staging host in the file of another host."""
    here = None if file.input.url is None else host_of(file.input.url)
    if here is None or is_staging(here):
        return
    for sitemap in listed_sitemaps(file):
        host = host_of(sitemap.url)
        if host is not None and host != here and is_staging(host):
            yield Occurrence(sitemap.span, {"host": host})


CHECK = Check(
    code="CF626",
    name="sitemap-host-staging",
    severities=everywhere(Severity.WARNING),
    title="A sitemap on the host on which the site is tested",
    message="the sitemap is on `{host}`, which looks like a staging host",
    why="The file was probably copied from there. The sitemap of a staging host lists the URLs of that host, and often "
    "needs a password.",
    how_to_fix="Write the URL of the sitemap on this host.",
    source="sitemaps.org, sitemap file location",
    bad=LintInput(
        b"User-agent: *\nDisallow:\n\nSitemap: https://staging.example.com/sitemap.xml\n",
        url="https://example.com/robots.txt",
    ),
    good=LintInput(
        b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n", url="https://example.com/robots.txt"
    ),
    find=find,
    needs=("sitemap",),
    requires="url",
    supersedes=("CF708",),
)
