"""A sitemap that is listed twice."""

from collections.abc import Iterator

from canfetch.lint.analysis.listed_sitemaps import listed_sitemaps
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find repeated sitemap URLs."""
    first: dict[str, int] = {}
    for sitemap in listed_sitemaps(file):
        if not sitemap.url:
            continue
        line = first.setdefault(sitemap.url, sitemap.line)
        if line != sitemap.line:
            details = {"sitemap": sitemap.url, "line": str(line)}
            yield Occurrence(sitemap.span, details, fix=replace_span(*sitemap.line_span, b""))


CHECK = Check(
    code="CF603",
    name="sitemap-repeated",
    severities=everywhere(Severity.INFO),
    title="A sitemap that is listed twice",
    message="`{sitemap}` is already listed on line {line}",
    why="A sitemap does not belong to a group and applies to all crawlers, whatever its position in the file. A second "
    "line adds nothing.",
    how_to_fix="Remove the line.",
    source="sitemaps.org; RFC 9309 section 2.2.4",
    bad=b"Sitemap: https://example.com/sitemap.xml\n\nUser-agent: *\nDisallow:\n\n"
    b"Sitemap: https://example.com/sitemap.xml\n",
    good=b"Sitemap: https://example.com/sitemap.xml\n\nUser-agent: *\nDisallow:\n",
    find=find,
    needs=("sitemap",),
    fixable=True,
    removes_redundant_lines=True,
)
