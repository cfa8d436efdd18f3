"""A rule for robots.txt itself."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.rule_fixes import removing, rules_that_speak
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_ITSELF: Final = frozenset({b"/robots.txt", b"/robots.txt$", b"/robots.txt*"})


def find(file: LintedFile) -> Iterator[Found]:
    """Find rules that match only robots.txt."""
    for group in file.groups:
        matching = [rule for rule in group.rules if rule.value in _ITSELF]
        if not matching:
            continue
        others = rules_that_speak(group) > len(matching)
        for rule in matching:
            yield Found(
                file.content_span(rule.record),
                {"pattern": file.text(rule.value)},
                Probe("/robots.txt", ("Googlebot", "bingbot", "ExampleBot")),
                removing(rule.record, changes_verdicts=True) if others else None,
            )


CHECK = Check(
    code="CF418",
    name="robots-txt-disallowed",
    severities=everywhere(Severity.INFO),
    title="A rule for robots.txt itself",
    message="a rule for `{pattern}` has no effect",
    why="Crawlers fetch robots.txt before they know any rule, and RFC 9309 always allows it.",
    mend="Remove the line.",
    source="RFC 9309 section 2.2.2",
    bad=Given(b"User-agent: *\nDisallow: /robots.txt\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
