"""The sitemaps that a file lists, with their places."""

from collections.abc import Iterator
from typing import NamedTuple

from canfetch.lint.checks.extensions.reading import records_named
from canfetch.lint.linted_file import LintedFile


class ListedSitemap(NamedTuple):
    """A sitemap: its URL as written, empty where there is none, and the place of it."""

    url: str
    span: tuple[int, int]
    line_span: tuple[int, int]
    line: int


def listed_sitemaps(file: LintedFile) -> Iterator[ListedSitemap]:
    """Give the sitemaps in file order."""
    for extension, record, span in records_named(file, "sitemap"):
        yield ListedSitemap(file.text(extension.value), span, record.span, record.line)
