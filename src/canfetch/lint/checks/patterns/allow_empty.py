"""An empty `Allow`."""

from collections.abc import Iterator

from canfetch.core.keys import RecordKind
from canfetch.lint.analysis.rule_fixes import removing, rules_that_speak
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Find allow lines without a value."""
    for group in file.groups:
        has_value = rules_that_speak(group)
        for rule in group.rules:
            if rule.allow and not rule.value:
                fix = removing(rule.record, changes_verdicts=True) if has_value else None
                yield Found(file.content_span(rule.record), fix=fix)
    for record in file.rule_records:
        if record.group is None and record.kind is RecordKind.ALLOW and not file.value(record):
            yield Found(file.content_span(record))


CHECK = Check(
    code="CF413",
    name="allow-empty",
    severities=everywhere(Severity.WARNING),
    title="An empty `Allow`",
    message="an empty `Allow` allows nothing",
    why="Current crawlers ignore it. In older Yandex documentation it disallows everything, and in some simple "
    "parsers it allows everything.",
    mend="Remove the line, or write `Allow: /` to allow everything.",
    source="RFC 9309 section 2.2; Google, Disallow and Allow",
    bad=Given(b"User-agent: *\nAllow:\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
