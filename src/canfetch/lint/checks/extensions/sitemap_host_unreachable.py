"""A sitemap on a host that crawlers cannot reach."""

from collections.abc import Iterator

from canfetch.lint.analysis.listed_sitemaps import listed_sitemaps
from canfetch.lint.analysis.site_urls import host_of, is_unreachable
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps on local hosts, private addresses and placeholders, except on the file's own host."""
    here = None if file.input.url is None else host_of(file.input.url)
    for sitemap in listed_sitemaps(file):
        host = host_of(sitemap.url)
        if host is not None and host != here and is_unreachable(host):
            yield Occurrence(sitemap.span, {"host": host})


CHECK = Check(
    code="CF625",
    name="sitemap-host-unreachable",
    severities=everywhere(Severity.ERROR),
    title="A sitemap on a host that crawlers cannot reach",
    message="crawlers cannot reach the sitemap: `{host}` is a local host or a placeholder",
    why="The file was probably generated with the address of the author's own machine, or copied from an example. "
    "Crawlers do not find the sitemap.",
    how_to_fix="Write the URL of the sitemap on the public host, and set that host in the program that generates the "
    "file.",
    source="sitemaps.org; RFC 6761; RFC 6890",
    bad=b"User-agent: *\nDisallow:\n\nSitemap: http://localhost:8080/sitemap.xml\n",
    good=b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n",
    find=find,
    needs=("sitemap",),
    supersedes=("CF626", "CF708"),
)
