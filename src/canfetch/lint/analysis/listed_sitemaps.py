"""The sitemaps that a file lists, with their places."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.linted_file import LintedFile

_FETCHED: Final = frozenset({b"http", b"https", b"ftp"})
_IN_SCHEME: Final = b"abcdefghijklmnopqrstuvwxyz0123456789+-."


class ListedSitemap(NamedTuple):
    """A sitemap: its URL as written, empty where there is none, and the place of it."""

    url: str
    span: tuple[int, int]
    line_span: tuple[int, int]
    line: int


def listed_sitemaps(file: LintedFile) -> Iterator[ListedSitemap]:
    """Give the sitemaps in file order."""
    for extension, record, span in extensions_named(file, "sitemap"):
        yield ListedSitemap(file.text(extension.value), span, record.span, record.line)


def unfetchable_scheme(value: bytes) -> bytes | None:
    """Give the scheme of a URL that crawlers do not fetch; None where they do, and where there is none."""
    scheme, mark, _ = value.partition(b"://")
    folded = scheme.lower()
    if not mark or not folded[:1].isalpha() or folded.translate(None, _IN_SCHEME) or folded in _FETCHED:
        return None
    return scheme
