"""A `noindex` that crawlers cannot see."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.text import display_text
from canfetch.lint.analysis.deliveries import example_page
from canfetch.lint.analysis.engine_verdicts import try_decide
from canfetch.lint.analysis.site_urls import own_site_path
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.lint_input import LintInput, SitePage
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Search engines, each with its parsing profile.
_SEARCH_ENGINES: Final = (("Googlebot", "googlebot"), ("bingbot", "bing"))


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find pages with `noindex` for a search engine that may not fetch them."""
    if not file.input.pages:
        return
    from canfetch.pages.verdict import PageReason  # noqa: PLC0415 - only with pages

    for page in file.input.pages:
        path = own_site_path(file, page.url)
        if path is None:
            continue
        for name, profile in _SEARCH_ENGINES:
            verdict = try_decide(file, path, profile, name)
            if verdict is None or verdict.allowed or verdict.rule is None:
                continue
            index = page.rules.decide(agent=verdict.agent, now=0.0).may_index
            if index.allowed or index.reason is not PageReason.DIRECTIVE:
                continue
            record = file.records[verdict.rule.line - 1]
            details = {"page": page.url, "pattern": display_text(verdict.rule.pattern), "name": name}
            yield Occurrence(file.text_span(record), details, VerdictQuery(path, crawlers=(name,)))
            break


CHECK = Check(
    code="CF706",
    name="hidden-noindex",
    severities=everywhere(Severity.WARNING),
    title="A `noindex` that crawlers cannot see",
    message="because of `{pattern}`, `{name}` cannot see the `noindex` of `{page}`",
    why="A crawler that may not fetch a page never reads the page's own rules. The search engine may still list the "
    "bare URL if other pages link to it.",
    how_to_fix="Let crawlers fetch the page until it is out of the index.",
    source="Google, block search indexing with noindex",
    bad=lambda: LintInput(
        b"User-agent: *\nDisallow: /old/\n",
        pages=(SitePage("https://example.com/old/a.html", example_page((("X-Robots-Tag", "noindex"),))),),
    ),
    good=lambda: LintInput(
        b"User-agent: *\nDisallow: /cart/\n",
        pages=(SitePage("https://example.com/old/a.html", example_page((("X-Robots-Tag", "noindex"),))),),
    ),
    find=find,
    requires="pages",
)
