"""A sitemap with two schemes."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.extension_records import place_extension, sitemap_records
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_SCHEMES: Final = (b"https://", b"http://")
# With a missing colon, a missing slash, or a repeated colon.
_BROKEN: Final = (b"https//", b"http//", b"https:/", b"http:/", b"https:", b"http:")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps whose URL starts with a scheme and another one."""
    listed: set[bytes] | None = None
    for extension in sitemap_records(file):
        value = extension.value
        url = _with_one_scheme(value)
        if url is None or b" " in value:
            continue
        placed = place_extension(file, extension)
        if listed is None:
            listed = {other.value for other in sitemap_records(file)}
        fix = None if url in listed else replace_span(*placed.span, url, changes_verdicts=True)
        listed.add(url)
        yield Occurrence(placed.span, {"sitemap": file.text(value)}, fix=fix)


def _with_one_scheme(value: bytes) -> bytes | None:
    """Return a URL without its superfluous scheme, or None if it has only one."""
    folded = value.lower()
    if folded.count(b"http") < 2:
        return None
    first = next((scheme for scheme in (*_SCHEMES, *_BROKEN) if folded.startswith(scheme)), b"")
    rest = folded[len(first) :]
    if first and rest.startswith(_SCHEMES):
        return value[len(first) :]
    if first in _SCHEMES:
        second = next((scheme for scheme in _BROKEN if rest.startswith(scheme)), b"")
        return value[: len(first)] + value[len(first) + len(second) :] if second else None
    return None


CHECK = Check(
    code="CF624",
    name="sitemap-scheme-twice",
    severities=everywhere(Severity.ERROR),
    title="A sitemap with two schemes",
    message="the scheme is written twice in `{sitemap}`",
    why="In such a URL, `https` is the name of a host, which does not exist. Crawlers do not find the sitemap.",
    how_to_fix="Write `https://` once.",
    source="sitemaps.org; RFC 3986 section 3",
    bad=b"User-agent: *\nDisallow:\n\nSitemap: https://https://example.com/sitemap.xml\n",
    good=b"User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n",
    find=find,
    needs=("sitemap",),
    fixable=True,
    supersedes=("CF601", "CF602", "CF625", "CF626", "CF708"),
)
