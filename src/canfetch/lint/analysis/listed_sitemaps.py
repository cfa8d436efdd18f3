"""The sitemaps that a file lists."""

from typing import Final, NamedTuple

from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.linted_file import LintedFile

_WEB_STARTS: Final = (b"https://", b"http://")
_FETCHABLE: Final = frozenset({b"http", b"https", b"ftp"})
_SCHEME_CHARACTERS: Final = b"abcdefghijklmnopqrstuvwxyz0123456789+-."


class ListedSitemap(NamedTuple):
    """A sitemap record with its place. `url` is as written and may be empty."""

    url: str
    span: tuple[int, int]
    line_span: tuple[int, int]
    line: int


def listed_sitemaps(file: LintedFile) -> list[ListedSitemap]:
    """Return the sitemaps in file order.

    Cost: O(bytes of their records) at the first call.
    """
    return file.compute_once(_listed_sitemaps)


def _listed_sitemaps(file: LintedFile) -> list[ListedSitemap]:
    return [
        ListedSitemap(file.text(extension.value), span, record.span, record.line)
        for extension, record, span in extensions_named(file, "sitemap")
    ]


def unfetchable_scheme(value: bytes) -> bytes | None:
    """Return the scheme of a URL if crawlers do not fetch it, or None."""
    if value.startswith(_WEB_STARTS):
        return None
    scheme, separator, _ = value.partition(b"://")
    folded = scheme.lower()
    if not separator or not folded[:1].isalpha() or folded.translate(None, _SCHEME_CHARACTERS) or folded in _FETCHABLE:
        return None
    return scheme
