"""A sitemap blocked by the file's own rules."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.engine_verdicts import try_allows_many, try_decide
from canfetch.lint.analysis.listed_sitemaps import listed_sitemaps
from canfetch.lint.analysis.site_blocks import is_closed
from canfetch.lint.analysis.site_urls import origin_of, url_path
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant, VerdictQuery
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Crawlers, each with its parsing profile.
_CRAWLERS: Final = (("Googlebot", "googlebot"), ("ExampleBot", "rfc9309"))

_RELATIVE: Final = re.compile("/(?!/)")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find sitemaps of this site that crawlers may not fetch, although the site is open to them."""
    sitemaps = listed_sitemaps(file)
    origins = {sitemap.url: origin_of(sitemap.url) for sitemap in sitemaps if "://" in sitemap.url}
    here = None if file.input.url is None else origin_of(file.input.url)
    if here is None:
        # Without the file's URL, its site is known only if all sitemaps are on the same one.
        found = {origin for origin in origins.values() if origin is not None}
        if len(found) != 1:
            return
        here = found.pop()
    crawlers = [crawler for crawler in _CRAWLERS if not _is_closed_to(file, crawler[0])]
    paths = {url: url_path(url) for url, origin in origins.items() if origin == here}
    paths.update({sitemap.url: sitemap.url for sitemap in sitemaps if _RELATIVE.match(sitemap.url)})
    distinct = [path for path in dict.fromkeys(paths.values()) if path is not None]
    blocked: dict[str | None, tuple[str, str]] = {}
    for name, profile in reversed(crawlers):
        verdicts = zip(distinct, try_allows_many(file, distinct, profile, name), strict=True)
        blocked.update({path: (name, profile) for path, allowed in verdicts if allowed is False})
    for sitemap in sitemaps if blocked else ():
        path = paths.get(sitemap.url)
        if path is None or path not in blocked:
            continue
        name, profile = blocked[path]
        verdict = try_decide(file, path, profile, name)
        if verdict is None or verdict.rule is None:
            continue
        details = {"sitemap": sitemap.url, "pattern": file.text(verdict.rule.pattern), "line": str(verdict.rule.line)}
        if file.input.url is None and sitemap.url in origins:
            details[VARIANT] = "any-host"
        yield Occurrence(sitemap.span, details, VerdictQuery(path, (verdict.rule.line,)))


def _is_closed_to(file: LintedFile, name: str) -> bool:
    token = name if file.groups_named(name) else "*"
    return is_closed(file, token)


CHECK = Check(
    code="CF704",
    name="sitemap-blocked",
    severities=everywhere(Severity.WARNING),
    title="A sitemap blocked by the file's own rules",
    message="`{pattern}` on line {line} blocks the sitemap `{sitemap}`",
    why="Crawlers fetch a sitemap like a page. A crawler that may not fetch the sitemap cannot read it.",
    how_to_fix="Allow the sitemap, or list one that crawlers may fetch.",
    variants={"any-host": Variant("if this file is for the host of `{sitemap}`, `{pattern}` on line {line} blocks it")},
    source="sitemaps.org; RFC 9309 section 2.2.2",
    bad=LintInput(
        b"User-agent: *\nDisallow: /files/\n\nSitemap: https://example.com/files/sitemap.xml\n",
        url="https://example.com/robots.txt",
    ),
    good=LintInput(
        b"User-agent: *\nDisallow: /files/\nAllow: /files/sitemap.xml\n\n"
        b"Sitemap: https://example.com/files/sitemap.xml\n",
        url="https://example.com/robots.txt",
    ),
    find=find,
    needs=("sitemap",),
)
