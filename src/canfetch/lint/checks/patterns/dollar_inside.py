"""A `$` that does not end the pattern."""

from collections.abc import Iterator

from canfetch.core.records import Note
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look for a `$` with something behind it."""
    for record in file.noted(Note.DOLLAR_INSIDE):
        if record.value is not None:
            start = record.value[0] + file.value(record).index(b"$")
            yield Found((start, start + 1), {"pattern": file.text(file.value(record))})


CHECK = Check(
    code="CF402",
    name="dollar-inside",
    severities=everywhere(Severity.WARNING, lighthouse=Severity.ERROR),
    title="A `$` that does not end the pattern",
    message="the `$` in `{pattern}` is not its last character, and so is a character like any other",
    why="Only a final `$` means the end of the URL. Elsewhere readers look for the character itself, or, some of them, "
    "for nothing at all.",
    mend="Put the `$` at the end, or write `%24` where the character is meant.",
    source="RFC 9309 section 2.2.3; Google, URL matching based on path values; Lighthouse, robots-txt",
    bad=Given(b"User-agent: *\nDisallow: /*.pdf$old\n"),
    good=Given(b"User-agent: *\nDisallow: /*.pdf$\n"),
    find=find,
)
