"""A `noindex` that crawlers cannot see."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.text import display_text
from canfetch.lint.analysis.engine_verdicts import decide
from canfetch.lint.analysis.site_urls import path_here
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.given import Given, SeenPage
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere
from canfetch.pages.page_rules import parse_page
from canfetch.pages.verdict import PageReason

# Search engines, each with its parsing profile.
_SEARCH_ENGINES: Final = (("Googlebot", "googlebot"), ("bingbot", "bing"))


def find(file: LintedFile) -> Iterator[Found]:
    """Find pages with `noindex` for a search engine that may not fetch them."""
    for page in file.given.pages:
        path = path_here(file, page.url)
        if path is None:
            continue
        for name, profile in _SEARCH_ENGINES:
            verdict = decide(file, path, profile, name)
            if verdict is None or verdict.allowed or verdict.rule is None:
                continue
            index = page.rules.decide(agent=verdict.agent, now=0.0).may_index
            if index.allowed or index.reason is not PageReason.DIRECTIVE:
                continue
            record = file.records[verdict.rule.line - 1]
            details = {"page": page.url, "pattern": display_text(verdict.rule.pattern), "name": name}
            yield Found(file.content_span(record), details, Probe(path, (name,)))
            break


CHECK = Check(
    code="CF706",
    name="hidden-noindex",
    severities=everywhere(Severity.WARNING),
    title="A `noindex` that crawlers cannot see",
    message="because of `{pattern}`, `{name}` cannot see the `noindex` of `{page}`",
    why="A crawler that may not fetch a page never reads the page's own rules. The search engine may still list the "
    "bare URL if other pages link to it.",
    mend="Let crawlers fetch the page until it is out of the index.",
    source="Google, block search indexing with noindex",
    bad=Given(
        b"User-agent: *\nDisallow: /old/\n",
        pages=(SeenPage("https://example.com/old/a.html", parse_page(headers=[("X-Robots-Tag", "noindex")])),),
    ),
    good=Given(
        b"User-agent: *\nDisallow: /cart/\n",
        pages=(SeenPage("https://example.com/old/a.html", parse_page(headers=[("X-Robots-Tag", "noindex")])),),
    ),
    find=find,
)
