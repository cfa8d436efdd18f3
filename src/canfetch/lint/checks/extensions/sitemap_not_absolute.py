"""A sitemap without scheme and host."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.origin import find_origin
from canfetch.core.text import encode_text
from canfetch.lint.analysis.extension_records import extensions_noted, sitemap_records
from canfetch.lint.analysis.listed_sitemaps import pattern_part, unfetchable_scheme
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps that are not absolute URLs."""
    origin = None if file.input.url is None else find_origin(file.input.url)
    listed: set[bytes] | None = None
    for placed in extensions_noted(file, "sitemap", ExtensionNote.NOT_ABSOLUTE | ExtensionNote.UNREADABLE):
        value = placed.extension.value
        if unfetchable_scheme(value) is not None:
            continue  # CF602 reports the scheme
        if listed is None:
            listed = {other.value for other in sitemap_records(file)}
        fix = None
        is_path = value[:1] == b"/" and value[:2] != b"//" and pattern_part(value) is None
        if origin is not None and is_path and placed.record.value is not None:
            absolute = encode_text(str(origin)) + value
            if absolute not in listed:
                listed.add(absolute)
                fix = replace_span(*placed.record.value, absolute, changes_verdicts=True)
        yield Occurrence(placed.span, {"sitemap": file.text(value or file.line_content(placed.record))}, fix=fix)


CHECK = Check(
    code="CF601",
    name="sitemap-not-absolute",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A sitemap without scheme and host",
    message="`{sitemap}` is not an absolute URL",
    why="A sitemap may be on any host, so crawlers do not complete a partial URL. They do not fetch a sitemap without "
    "scheme and host.",
    how_to_fix="Write the absolute URL, such as `https://example.com/sitemap.xml`.",
    source="sitemaps.org; Google, sitemap; Yandex, robots.txt analysis; Lighthouse, robots-txt",
    bad=LintInput(b"User-agent: *\nDisallow:\n\nSitemap: /sitemap.xml\n", url="https://example.com/robots.txt"),
    good=LintInput(
        b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n", url="https://example.com/robots.txt"
    ),
    find=find,
    needs=("sitemap",),
    fixable=True,
)
