"""A space in the URL of a sitemap."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import place_extension, sitemap_records
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_SCHEMES = (b"http://", b"https://")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps that are one URL with a space or a tab in its path or query."""
    for extension in sitemap_records(file):
        value = extension.value
        words = value.split()
        if len(words) < 2 or not value.lower().startswith(_SCHEMES):
            continue
        placed = place_extension(file, extension)
        better = value.replace(b" ", b"%20").replace(b"\t", b"%09")
        # Another URL, a key or a sentence may follow the URL.
        is_path = b"/" in words[0].partition(b"://")[2] and not any(b":" in word for word in words[1:])
        fix = None
        if is_path and len(words) == 2 and not words[0].lower().endswith((b".xml", b".gz", b".txt")):
            fix = replace_span(*placed.span, better, changes_verdicts=True)
        if is_path:
            yield Occurrence(placed.span, {"sitemap": file.text(value), "better": file.text(better)}, fix=fix)


CHECK = Check(
    code="CF627",
    name="sitemap-with-space",
    severities=everywhere(Severity.WARNING),
    title="A space in the URL of a sitemap",
    message="`{sitemap}` contains a space, which URLs never contain",
    why="Crawlers read the rest of the line as one URL. Some encode the space, others reject the URL, or request only "
    "the part before the space.",
    how_to_fix="Write `%20` for a space in the URL, and `#` before a comment.",
    source="sitemaps.org, entity escaping; RFC 3986 section 2",
    bad=b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/my sitemap.xml\n",
    good=b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/my%20sitemap.xml\n",
    find=find,
    needs=("sitemap",),
    fixable=True,
)
