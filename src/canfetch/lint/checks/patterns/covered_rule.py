"""A rule that a shorter one covers."""

from collections.abc import Iterator

from canfetch.lint.analysis.engine_verdicts import probe_of
from canfetch.lint.analysis.rule_coverage import covered
from canfetch.lint.check import Check, Found
from canfetch.lint.fixing import Edit, Fix
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look for rules that change nothing, since a shorter one of their kind matches all that they match."""
    for rule, covering, equal in covered(file):
        yield Found(
            file.content_span(rule.record),
            {"pattern": file.text(rule.value), "by": file.text(covering.value), "line": str(covering.record.line)},
            probe_of(rule.value),
            Fix(tuple(Edit(*each.record.span, b"") for each in equal), changes_verdicts=True),
        )


CHECK = Check(
    code="CF406",
    name="covered-rule",
    severities=everywhere(Severity.INFO),
    title="A rule that a shorter one covers",
    message="`{pattern}` changes nothing: `{by}` on line {line} matches all that it matches",
    why="A pattern matches all that begins with it. No rule of the other kind stands between the two, so the longer "
    "one never decides anything by itself; only readers that take the first match may see a difference.",
    mend="Remove the longer rule, or the shorter one if that is too wide.",
    source="RFC 9309 section 2.2.2",
    bad=Given(b"User-agent: *\nDisallow: /shop/\nDisallow: /shop/cart/\n"),
    good=Given(b"User-agent: *\nDisallow: /shop/\n"),
    find=find,
    fixable=True,
)
