"""Rules before the first `User-agent` line."""

from collections.abc import Iterator

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.analysis.unread_lines import unread_agent_above, unread_agent_lines
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules outside of groups, and report the first."""
    outside = list(file.records_with(Note.OUTSIDE_GROUP))
    if not outside or file_is_markup(file):
        return
    first = outside[0]
    fix = None
    if not file.groups_named("*") and not any(line < first.line for line in unread_agent_lines(file)):
        # If there is a `*` group, the rules may belong to it or not. After a misspelt user-agent line, they belong to
        # the crawler on that line.
        fix = replace_span(first.span[0], first.span[0], b"User-agent: *" + line_end(file), changes_verdicts=True)
    example = next((record for record in outside if file.value(record).startswith((b"/", b"*"))), None)
    details = {"count": str(len(outside))}
    following = next((index + 1 for index in file.user_agents if index + 1 > first.line), None)
    if following is not None:
        details["line"] = str(following)
    yield Occurrence(
        file.text_span(first),
        details,
        None if example is None else query_for(file.value(example), example.line),
        fix,
        lines=unread_agent_above(file, first.line),
        # Everything is allowed anyway.
        harmless=not any(record.kind is RecordKind.DISALLOW and file.value(record) for record in outside),
    )


CHECK = Check(
    code="CF301",
    name="rule-outside-group",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="Rules before the first `User-agent` line",
    message="crawlers ignore {count|rule|rules} here, because no `User-agent` line comes first",
    why="A rule applies to the crawlers that are named on the `User-agent` lines above it. Without such a line, "
    "crawlers ignore the rule.",
    how_to_fix="Write a `User-agent` line above the rules. `User-agent: *` applies to all crawlers.",
    how_to_fix_here="The first `User-agent` line is line {line}: if the rules are meant for its group, move them "
    "there.",
    source="RFC 9309 section 2.2.1; Lighthouse, robots-txt; Yandex Webmaster, robots.txt analysis",
    bad=b"Disallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Note.OUTSIDE_GROUP,),
    fixable=True,
)
