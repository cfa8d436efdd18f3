"""A `$` that is not at the end of a pattern."""

from collections.abc import Iterator

from canfetch.core.records import Note
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find patterns with a `$` before their last character."""
    for record in file.records_with(Note.DOLLAR_INSIDE):
        if record.value is not None:
            start = record.value[0] + file.value(record).index(b"$")
            yield Occurrence((start, start + 1), {"pattern": file.text(file.value(record))})


CHECK = Check(
    code="CF402",
    name="dollar-inside",
    severities=everywhere(Severity.WARNING, lighthouse=Severity.ERROR),
    title="A `$` that is not at the end of a pattern",
    message="the `$` in `{pattern}` is not at the end, so it is an ordinary character",
    why="Only a final `$` marks the end of the URL. Elsewhere, most crawlers look for a literal `$`, and some parsers "
    "ignore the rule.",
    how_to_fix="Move the `$` to the end, or write `%24` for a literal dollar sign.",
    source="RFC 9309 section 2.2.3; Google, URL matching based on path values; Lighthouse, robots-txt",
    bad=LintInput(b"User-agent: *\nDisallow: /*.pdf$old\n"),
    good=LintInput(b"User-agent: *\nDisallow: /*.pdf$\n"),
    find=find,
)
