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


def pattern_part(value: bytes) -> bytes | None:
    """Return the part that makes the value of a sitemap record a pattern, or None if it is not one.

    A part is `*` in the path, `$` at the end, or a range or a list in brackets, such as `[0-9]` or `{1,2}`. In a query,
    `*` is an ordinary character.
    """
    path = value.partition(b"://")[2].partition(b"/")[2] if b"://" in value else value
    path = path.partition(b"?")[0]
    if b"*" in path:
        return b"*"
    if value.endswith(b"$"):
        return b"$"
    for opening, closing, separators in ((b"[", b"]", (b"-",)), (b"{", b"}", (b",", b".."))):
        _, found, rest = path.partition(opening)
        inside, closed, _ = rest.partition(closing)
        if found and closed and any(separator in inside for separator in separators):
            return opening + inside + closing
    return None
