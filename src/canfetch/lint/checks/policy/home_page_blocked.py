"""A blocked home page on an open site."""

from collections.abc import Iterable, Iterator
from typing import Final

from canfetch.core.patterns import matches
from canfetch.core.verdict import Rule
from canfetch.lint.analysis.canonical_rules import canonical_form
from canfetch.lint.analysis.engine_verdicts import try_allows, try_decide
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_CRAWLERS: Final = (("Googlebot", "googlebot"), ("bingbot", "bing"), ("ExampleBot", "rfc9309"))
_ANY_PAGE: Final = b"/any/page"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules that block only the home page."""
    seen: set[int] = set()
    for name, profile in _CRAWLERS:
        # Most home pages are open, and many rules can match one.
        verdict = try_decide(file, "/", profile, name) if try_allows(file, "/", profile, name) is False else None
        if verdict is None or verdict.rule is None or verdict.rule.line in seen:
            continue
        seen.add(verdict.rule.line)
        form = canonical_form(verdict.rule.pattern)
        if form and not matches(form, _ANY_PAGE) and not _is_blocked_anyway(verdict.rule, verdict.also_matched):
            record = file.records[verdict.rule.line - 1]
            yield Occurrence(file.text_span(record), {"pattern": file.text(verdict.rule.pattern)}, VerdictQuery("/"))


def _is_blocked_anyway(deciding: Rule, also_matched: Iterable[Rule]) -> bool:
    """Return whether other rules block the page as well, so that removing the rule does not open it."""
    others = [rule for rule in also_matched if rule.pattern != deciding.pattern]
    return bool(others) and not max(others, key=lambda rule: (rule.specificity, rule.allow)).allow


CHECK = Check(
    code="CF707",
    name="home-page-blocked",
    severities=everywhere(Severity.WARNING),
    title="A blocked home page on an open site",
    message="`{pattern}` blocks the home page",
    why="Crawlers usually start at the home page. They do not find pages that are linked only from there.",
    how_to_fix="Remove the rule. If a group is left without rules, write an empty `Disallow:` there.",
    source="Google, URL matching based on path values",
    bad=b"User-agent: *\nDisallow: /$\n",
    good=b"User-agent: *\nDisallow: /home$\n",
    find=find,
    needs=(b"$",),
)
