"""A home page that is barred, on a site that is not."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.patterns import matches
from canfetch.lint.analysis.engine_verdicts import decide
from canfetch.lint.analysis.rule_coverage import form_of
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_ASKERS: Final = (("Googlebot", "googlebot"), ("bingbot", "bing"), ("ExampleBot", "rfc9309"))
_ANY_PAGE: Final = b"/any/page"


def find(file: LintedFile) -> Iterator[Found]:
    """Look for rules about the home page alone."""
    seen: set[int] = set()
    for name, profile in _ASKERS:
        verdict = decide(file, "/", profile, name)
        if verdict is None or verdict.allowed or verdict.rule is None or verdict.rule.line in seen:
            continue
        seen.add(verdict.rule.line)
        form = form_of(verdict.rule.pattern)
        if form and not matches(form, _ANY_PAGE):
            record = file.records[verdict.rule.line - 1]
            yield Found(file.content_span(record), {"pattern": file.text(verdict.rule.pattern)}, Probe("/"))


CHECK = Check(
    code="CF707",
    name="home-page-blocked",
    severities=everywhere(Severity.WARNING),
    title="A home page that is barred, on a site that is not",
    message="`{pattern}` bars the home page",
    why="Crawlers begin there: what is linked from it alone they do not find.",
    mend="Remove the rule.",
    source="Google, URL matching based on path values",
    bad=Given(b"User-agent: *\nDisallow: /$\n"),
    good=Given(b"User-agent: *\nDisallow: /home$\n"),
    find=find,
)
